"""What an expression can stand for while a body is elaborated."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.record import Record
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.ir import SourceUse, Word
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from repc.elaborate.scope import Scope
    from repc.groups import Monoid
    from repc.names import Module


class Tensor(Record):
    """A value of the graph under construction."""

    node: str
    type: Type


class Static(Record):
    """A number, a size, a truth value or a text known while compiling. `none` is Static(None)."""

    value: int | float | bool | str | Dim | None


class Label(Record):
    """An option of a choice, `cosine` in `kind in { dot, cosine }`."""

    name: str


class Series(Record):
    """A static tuple or set."""

    items: tuple[Value, ...]


class Axes(Record):
    """Axes as an argument: `over: [X, Y]`. `parameters`: of the one axis of `F.params`, the record that it holds."""

    axes: tuple[Axis, ...]
    parameters: Type | None = None


class Arrow(Record):
    """An axis change `D -> [H, K]`, or a range of schedule values `a -> b`."""

    left: Value
    right: Value


class Fields(Record):
    """A record of named values; `call` is the apply node that made it, for its sites.

    `more`: what can be read by name beside the fields, as what a source is asked for.
    """

    items: tuple[tuple[str, Value], ...]
    call: Tensor | None = None
    more: tuple[tuple[str, Value], ...] = ()

    def get(self, name: str) -> Value | None:
        """The field of that name."""
        return dict(self.more + self.items).get(name)


class Callee(Record):
    """A declaration as a value, with the overrides that `with` gave it."""

    module: str
    name: str
    overrides: tuple[tuple[str, tree.Expr, Scope], ...] = ()
    shown: str = ""

    @property
    def title(self) -> str:
        """The name that a user knows it by."""
        return self.shown or self.name


class GroupValue(Record):
    """A group: its name, its elements where they are listed, the axes it moves, the space of the axis that it is.

    `kind`: `cyclic | dihedral | symmetric | permutations | translations | quaternions | words | GL | O | SO | E`;
    `size`: the order of a finite one, the size of the vectors of one of matrices.
    """

    title: str
    kind: str
    monoid: Monoid | None
    acts: tuple[Axis, ...]
    space: Symbol
    size: Dim | None


class Function(Record):
    """A `def`, with the scope in which it stands."""

    node: tree.DefItem
    scope: Scope


class WordValue(Record):
    """A value of a closed union: an optimizer, a schedule, a law."""

    word: Word
    span: Span


class Deferred(Record):
    """An argument that is read where it is used, in the scope where it was written: a source, a law, a new block."""

    expr: tree.Expr
    scope: Scope


class Builtin(Record):
    """A name that needs no import."""

    name: str


class LibraryWord(Record):
    """A built-in word of a library module, not yet called."""

    name: str
    module: str


class Index:
    """An index in scope. Its range is found from where it subscripts bare, or written `i in A`."""

    __slots__ = ("axis", "home", "label", "name", "node", "span")

    def __init__(self, name: str, label: Symbol, span: Span) -> None:
        self.name = name
        self.label = label
        self.span = span
        self.axis: Axis | None = None
        self.home: Symbol | None = None
        self.node: Tensor | None = None


class BlockValue:
    """A block: a declaration with its configuration and slots. Its path is decided by the statement that makes it."""

    __slots__ = (
        "bound", "callee", "config", "family", "graph", "hint", "labels", "options", "origin", "outer", "path", "per",
        "shared", "sizes", "span", "treatment",
    )  # fmt: skip

    def __init__(self, callee: Callee, hint: str, span: Span) -> None:
        self.callee = callee
        self.hint = hint
        self.span = span
        self.path = ""
        self.graph = ""
        self.sizes: dict[Symbol, Dim] = {}
        self.config: dict[str, Value] = {}
        self.bound: dict[str, Value] = {}
        self.per: tuple[Axis, ...] = ()
        self.family: Index | None = None
        self.treatment = ""
        self.outer = False
        self.labels: dict[Symbol, Symbol] = {}
        self.shared: dict[str, Tensor] = {}
        self.origin: BlockValue | None = None
        self.options: tuple[tuple[str, tree.Expr], ...] = ()


class Members(Record):
    """A family whose members differ: a block for each place of the axis."""

    axis: Axis
    blocks: tuple[BlockValue, ...]


class Member(Record):
    """`f[k]` of a family of blocks: one member, or each along an index."""

    block: BlockValue | Members
    index: Value


class Parts(Record):
    """A source cut into parts: `tasks` of `tasks = split(d, ..)`. `axis`: over which families of the parts run."""

    name: str
    of: SourceUse
    word: Word
    count: int
    axis: Axis
    fields: tuple[tuple[str, Type], ...]


class Kept(Record):
    """A store of samples, `state bank = buffer(n, like: d)`."""

    path: str
    use: SourceUse


if TYPE_CHECKING:
    Value: TypeAlias = (
        Tensor
        | Static
        | Label
        | Series
        | Axes
        | Arrow
        | Fields
        | Callee
        | Function
        | WordValue
        | Deferred
        | Builtin
        | LibraryWord
        | Index
        | BlockValue
        | Member
        | Members
        | GroupValue
        | Parts
        | Kept
        | Module
    )
