"""The syntax tree of a `.rep` file: frozen records, every node with its exact span first.

A node says what is written, never what it means: types, axes and conditions are expressions, told apart later.
Optional parts are `X | None`, sequences are tuples. A parenthesised expression is the expression itself.
"""

from __future__ import annotations

from rep_grammar.spans import Span
from rep_grammar.tree_expressions import (
    Arg,
    Arm,
    Attr,
    AxesExpr,
    AxisItem,
    Binary,
    Call,
    Cond,
    Entry,
    Expr,
    Index,
    Match,
    Name,
    Node,
    Number,
    Option,
    RecordExpr,
    RecordField,
    Reduce,
    SetExpr,
    Stat,
    String,
    Sub,
    SubColon,
    SubExpr,
    SubPick,
    SubPickSlice,
    Subs,
    TupleExpr,
    Unary,
    With,
)
from rep_grammar.tree_items import (
    Choice,
    Choices,
    Comment,
    Declaration,
    Derived,
    ExperimentItem,
    File,
    Formal,
    GroupDef,
    GroupItem,
    Header,
    Import,
    Item,
    OptionItem,
    Path,
    Replace,
    SpaceItem,
    TrainItem,
    Use,
    Where,
)
from rep_grammar.tree_statements import (
    Annotated,
    AtStmt,
    Bind,
    Binding,
    Block,
    Claim,
    ConstItem,
    ConstrainStmt,
    DefItem,
    DimDecl,
    DimsItem,
    DrawStmt,
    EveryStmt,
    ExpectStmt,
    ForStmt,
    FreezeStmt,
    IfStmt,
    OneDraw,
    OptimizerStmt,
    Param,
    PlayerStmt,
    ProjectStmt,
    RepeatStmt,
    RequireStmt,
    ReturnStmt,
    RoleStmt,
    RunStmt,
    ScanStmt,
    Slot,
    SolveStmt,
    StageStmt,
    Stmt,
    TableEntry,
    TableStmt,
    TermStmt,
    VaryEntry,
    VaryStmt,
    Write,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "Annotated",
    "Arg",
    "Arm",
    "AtStmt",
    "Attr",
    "AxesExpr",
    "AxisItem",
    "Binary",
    "Bind",
    "Binding",
    "Block",
    "Call",
    "Choice",
    "Choices",
    "Claim",
    "Comment",
    "Cond",
    "ConstItem",
    "ConstrainStmt",
    "Declaration",
    "DefItem",
    "Derived",
    "DimDecl",
    "DimsItem",
    "DrawStmt",
    "Entry",
    "EveryStmt",
    "ExpectStmt",
    "ExperimentItem",
    "Expr",
    "File",
    "ForStmt",
    "Formal",
    "FreezeStmt",
    "GroupDef",
    "GroupItem",
    "Header",
    "IfStmt",
    "Import",
    "Index",
    "Item",
    "Match",
    "Name",
    "Node",
    "Number",
    "OneDraw",
    "OptimizerStmt",
    "Option",
    "OptionItem",
    "Param",
    "Path",
    "PlayerStmt",
    "ProjectStmt",
    "RecordExpr",
    "RecordField",
    "Reduce",
    "RepeatStmt",
    "Replace",
    "RequireStmt",
    "ReturnStmt",
    "RoleStmt",
    "RunStmt",
    "ScanStmt",
    "SetExpr",
    "Slot",
    "SolveStmt",
    "SpaceItem",
    "Span",
    "StageStmt",
    "Stat",
    "Stmt",
    "String",
    "Sub",
    "SubColon",
    "SubExpr",
    "SubPick",
    "SubPickSlice",
    "Subs",
    "TableEntry",
    "TableStmt",
    "TermStmt",
    "TrainItem",
    "TupleExpr",
    "Unary",
    "Use",
    "VaryEntry",
    "VaryStmt",
    "Where",
    "With",
    "Write",
    "children",
    "same_tree",
    "statements",
    "walk",
]

TRIVIA_FIELDS = ("span", "comments", "parens")


def children(node: Node) -> Iterator[Node]:
    """The nodes directly under `node`, in the order of their fields; comments are not among them."""
    for name in type(node).__match_args__:
        if name in TRIVIA_FIELDS:
            continue
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item


def walk(node: Node) -> Iterator[Node]:
    """`node` and every node under it, parents first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(list(children(top))))


def statements(node: Node) -> Iterator[Node]:
    """`node` and what is under it outside expressions, parents first: every statement of a body, nested ones too."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed([child for child in children(top) if not isinstance(child, Expr)]))


def same_tree(a: object, b: object) -> bool:
    """Whether two trees say the same; spans, comments and needless brackets do not count."""
    if isinstance(a, Node):
        return type(a) is type(b) and all(
            same_tree(getattr(a, name), getattr(b, name))
            for name in type(a).__match_args__
            if name not in TRIVIA_FIELDS
        )
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same_tree, a, b))
    return type(a) is type(b) and a == b
