"""Nodes of the items of a file, and the file."""

from __future__ import annotations

from rep_grammar.tree_expressions import Entry, Expr, Name, Node, Number, SetExpr, String
from rep_grammar.tree_statements import Block, Claim, ConstItem, DefItem, DimsItem, Param, RequireStmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias


class Path(Node):
    """`std.nn.linear`."""

    parts: tuple[Name, ...]


class Formal(Node):
    """An axis that a declaration binds itself: `F: feature`."""

    name: Name
    kind: Name | None


class GroupDef(Node):
    """`R = SO(3)`."""

    name: Name
    value: Expr


class GroupItem(Node):
    """`group R = SO(3)`."""

    groups: tuple[GroupDef, ...]


class OptionItem(Node):
    """`option norm in { pre, post } = pre`."""

    name: Name
    choices: SetExpr
    default: Expr | None


class Import(Node):
    """`rmsnorm as norm`."""

    name: Name
    alias: Name | None


class Use(Node):
    """`use std.nn (linear)`, `use "lib/mix.rep" (Mixer) with { D: E }`."""

    path: Path | None
    file: String | None
    imports: tuple[Import, ...]
    entries: tuple[Entry, ...]


class Replace(Node):
    """`replace std.nn.rmsnorm = mynorm`."""

    path: Path
    new: Path


class Declaration(Node):
    """`encoder F[A: feature](x: [A]) -> [A] claims { }`; keyword is `encoder memory objective probe extern data`."""

    keyword: str
    name: Name
    formals: tuple[Formal, ...]
    params: tuple[Param, ...] | None
    result: Expr | None
    claims: tuple[Claim, ...]
    body: Block
    doc: str


class Derived(Node):
    """`memory Mesa = Fit with { .. }`."""

    keyword: str
    name: Name
    params: tuple[Param, ...] | None
    value: Expr
    doc: str


class TrainItem(Node):
    """`train X(tau = 0.1) { }` or `train X = Y(..)`."""

    name: Name
    params: tuple[Param, ...] | None
    body: Block | Expr
    doc: str


class Choice(Node):
    """`path in values` of a space."""

    path: Expr
    values: Expr


class Choices(Node):
    """`D in { 64, 128 }, L in 2 .. 4`."""

    choices: tuple[Choice, ...]


class Where(Node):
    """`where a, b` of a space."""

    conditions: tuple[Expr, ...]


class SpaceItem(Node):
    """`space S of X { .. }`."""

    name: Name
    of: Path
    members: tuple[Choices | Where, ...]
    doc: str


class ExperimentItem(Node):
    """`experiment "title" { .. }`."""

    title: String
    body: Block


class Header(Node):
    """`rep 1`."""

    version: Number


class Comment(Node):
    """`# text` to the end of its line; text has the signs, `## text`."""

    text: str


Item: TypeAlias = (
    "Use | Replace | DimsItem | GroupItem | OptionItem | ConstItem | DefItem | Declaration | Derived | TrainItem"
    " | SpaceItem | ExperimentItem | RequireStmt"
)


class File(Node):
    """A whole text. `comments` and `parens` (spans of what stands in brackets of its own) serve the formatter."""

    header: Header | None
    items: tuple[Item, ...]
    doc: str
    comments: tuple[Comment, ...]
    parens: frozenset[tuple[int, int]]
