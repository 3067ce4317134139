"""A graph under construction: nodes, blocks, facts and names of one body."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.diagnostics import Fault
from repc.dims import AtLeast, Dim, Divides, Equal, Facts, Symbol
from repc.elaborate.scope import Scope
from repc.elaborate.stop import ABSORBED, Stop, stop
from repc.elaborate.values import BlockValue, Fields, Index, Label, Series, Static, Tensor
from repc.ir import Attrs, Block, BlockParameter, Cell, ClaimNote, Graph, Node, Origin, SourceUse, Word
from repc.ops import OpFault, infer
from repc.types import BOOL, FLOAT, NUMBER, Axis, Kind, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from repc.dims.facts import Fact
    from repc.elaborate.context import Context
    from repc.elaborate.flow import LoopFrame
    from repc.elaborate.values import Value
    from repc.ir import SourceUse
    from repc.names import Module


class Body:
    """What statements build. Equal nodes are made once: values are pure (4.11)."""

    def __init__(self, context: Context, module: Module, key: str, origin: Origin) -> None:
        self.context = context
        self.key = key
        self.origin = origin
        self.scope = Scope(module=module)
        self.nodes: dict[str, Node] = {}
        self.known: dict[object, str] = {}
        self.present: dict[str, Tensor] = {}
        self.inputs: list[str] = []
        self.blocks: list[BlockValue] = []
        self.parameters: list[BlockParameter] = []
        self.passed: list[BlockValue] = []
        self.facts: Facts = context.facts(module)
        self.sites: dict[str, str] = {}
        self.cells: list[Cell] = []
        self.claims: list[ClaimNote] = []
        self.terms: list[tuple[str, str, str]] = []
        self.commits: list[tuple[str, str, Span, int]] = []
        self.slots: dict[str, Tensor] = {}
        self.supplied: dict[str, Tensor | None] = {}
        self.numbers: dict[Symbol, int] = {}
        self.needed: dict[Symbol, int] = {}
        self.result: Value | None = None
        self.made: dict[object, BlockValue] = {}
        self.turn: tuple[int, ...] = ()
        self.site_requests: dict[str, set[str]] = {}
        self.keyword = ""
        self.settings: dict[str, object] = {}
        self.sources: list[SourceUse] = []
        self.space_labels: dict[Symbol, Symbol] = {}
        self.paths: set[str] = set()
        self.lifted: frozenset[Symbol] = frozenset()
        self.assumed: tuple[Fact, ...] = ()
        self.conditions: tuple[Fact, ...] = ()
        self.apart: tuple[tuple[Dim, Dim], ...] = ()
        self.overrides: dict[str, tuple[tree.Expr, Scope]] = {}
        self.ported: set[str] = set()
        self.once: set[str] = set()
        self.broken: set[str] = set()
        self.returned: Span | None = None
        self.strict = False
        self.init: Word | None = None
        self.cell_of: dict[str, str] = {}
        self.source_of: dict[str, SourceUse] = {}
        self.opened: list[SourceUse] = []
        self.unnamed: dict[object, Value] = {}
        self.stores: list[SourceUse] = []
        self.herded: list[str] = []
        self.loop: LoopFrame | None = None
        self.parent: Body | None = None
        self.mark = ""
        self.ports: dict[str, Tensor] = {}
        self.across: dict[str, tuple[str, ...]] = {}
        self.guards: tuple[Tensor, ...] = ()
        self.flats: dict[tuple[str, ...], tuple[Tensor, Symbol]] = {}
        self.derivatives: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {}
        self.prefix = ""
        self.depth = 0
        self.children = 0
        self._fresh = 0

    @property
    def module(self) -> Module:
        """The file in whose names expressions are read at the moment."""
        return self.scope.module

    # ---- nodes

    def add(
        self, kind: str, args: tuple[str, ...], attrs: Attrs, type_: Type, span: Span, share: bool = True
    ) -> Tensor:
        """A node; an equal one made before is reused."""
        if kind in {"memory", "effect"} and any(arg in self.present for arg in args):
            raise stop("absent-in-places", span, what={"memory": "a memory", "effect": "a write"}[kind])
        key = (kind, args, attrs, type_)
        if share and key in self.known:
            return Tensor(self.known[key], type_)
        name = f"{self.mark}{len(self.nodes) + 1}"
        node = Node(name, kind, args, attrs, type_, Origin(span, self.origin.via))  # type: ignore[arg-type]
        self.nodes[name] = node
        if share:
            self.known[key] = name
        return Tensor(name, type_)

    def prim(self, op: str, operands: Sequence[Value], span: Span, **attrs: object) -> Tensor:
        """A primitive; numbers become constants."""
        tensors = [self.tensor(operand, span) for operand in operands]
        masks = [self.present.get(tensor.node) for tensor in tensors]
        if any(masks):
            from repc.elaborate.absent import applied

            return applied(self, op, tensors, masks, attrs, span)
        if self.guards:
            from repc.elaborate.purity import guarded

            tensors = guarded(self, op, tensors, span)
        return self.bare(op, tensors, span, attrs)

    def bare(
        self, op: str, tensors: Sequence[Tensor], span: Span, attrs: Mapping[str, object], share: bool = True
    ) -> Tensor:
        """A primitive on nodes, wherever they are there."""
        try:
            type_ = infer(op, [tensor.type for tensor in tensors], attrs, self.facts)
        except OpFault as fault:
            raise Stop(Fault(fault.name, span, {"op": op, **fault.values})) from None
        return self.add("prim", tuple(tensor.node for tensor in tensors), Attrs(op=op, **attrs), type_, span, share)

    def tensor(self, value: Value, span: Span) -> Tensor:
        """The value as a node."""
        if isinstance(value, Tensor):
            return value if value.node in self.nodes or self.loop is None else self.capture(value, span)
        if isinstance(value, Index):
            return self.iota(value, span)
        if isinstance(value, Static):
            return self.const(value.value, span)
        if isinstance(value, Fields):
            only = [item for _, item in value.items if isinstance(item, Tensor)]
            if len(value.items) == 1 and only:
                return only[0]
            raise stop("record-as-value", span, fields=[name for name, _ in value.items])
        if isinstance(value, BlockValue):
            raise stop("block-as-value", span, name=value.path or value.callee.name)
        raise stop("not-a-value", span, found=describe(value))

    def inside(self, parent: Body, frame: LoopFrame) -> None:
        """Make this the body of a loop of `parent`: it sees the parent's names and captures what it reads."""
        parent.children += 1
        self.parent = parent
        self.loop = frame
        self.mark = f"{parent.mark}b{parent.children}_"
        self.scope = Scope(parent.scope)
        self.facts, self.numbers, self.needed = parent.facts, parent.numbers, parent.needed
        self.made, self.turn, self.lifted = parent.made, parent.turn, parent.lifted
        self.space_labels, self.overrides = parent.space_labels, parent.overrides
        self.keyword, self.cell_of, self.broken = parent.keyword, parent.cell_of, parent.broken

    def capture(self, value: Tensor, span: Span) -> Tensor:
        """A value of an enclosing body, as an input of this one."""
        assert self.loop is not None
        for name, outer in self.loop.captured.items():
            if outer.node == value.node:
                return self.ports[name]
        name = f"outer:{value.node}"
        self.loop.captured[name] = value
        made = self.add("input", (), Attrs(port=name), value.type, span)
        self.inputs.append(made.node)
        self.ports[name] = made
        if value.node not in self.nodes:
            from repc.elaborate.absent import captured

            captured(self, made.node, value, span)
        return made

    def const(self, value: object, span: Span) -> Tensor:
        """A literal or a size."""
        if value is None:
            raise stop("none-as-value", span)
        kind = BOOL if isinstance(value, bool) else Kind("string") if isinstance(value, str) else NUMBER
        if isinstance(value, Dim) and value.constant is not None:
            number = value.constant
            value = number if isinstance(number, int) else float(number)
        return self.add("const", (), Attrs(value=value), Type((), kind), span)

    def iota(self, index: Index, span: Span) -> Tensor:
        """The index itself as a number."""
        if index.axis is None:
            raise stop("index-without-range", span, name=index.name)
        if index.node is not None:
            return index.node
        return self.prim("iota", (), span, axis=index.axis)

    def fresh(self, name: str) -> Symbol:
        """A symbol that no text can name."""
        self._fresh += 1
        return Symbol(name, f"{self.key}/{self._fresh}")

    def own(self, name: str) -> Symbol:
        """The label that a name makes in this body."""
        return Symbol(name, self.key)

    # ---- facts and sizes

    def divides(self, by: Dim, of: Dim, span: Span) -> None:
        """An exact division leaves the fact that it is exact (1.3)."""
        verdict = self.facts.divides(by, of)
        if verdict is False:
            raise stop("indivisible", span, of=of, by=by, left=self.facts.number(of), right=self.facts.number(by))
        if verdict is None:
            self.facts = self.facts.with_(Divides(by, of, span))

    def agree(self, left: Dim, right: Dim, span: Span) -> bool:
        """Proved equal, or equal by the numbers of the file, which leaves the fact that they are (1.4)."""
        if self.facts.equal(left, right):
            return True
        if self.facts.number(left - right) != 0:
            return False
        self.facts = self.facts.with_(Equal(left, right, span))
        return True

    def at_least(self, left: Dim | int, right: Dim | int) -> bool | None:
        """Proved, refuted or unknown under the facts and the conditions in force."""
        facts = self.facts.with_(*self.assumed) if self.assumed else self.facts
        return facts.at_least(Dim.of(left), Dim.of(right))

    def number(self, value: Value, span: Span, what: str) -> int | float:
        """A number that must be known while compiling; sizes of the configuration become structural."""
        if isinstance(value, Static):
            plain = value.value
            if isinstance(plain, bool) or not isinstance(plain, int | float | Dim):
                raise stop("number-needed", span, what=what, found=describe(value))
            if isinstance(plain, Dim):
                return self.known_size(plain, span, what)
            return plain
        if isinstance(value, Tensor) and value.type.kind.name == "number":
            from repc.elaborate.constants import folded

            made = folded(self, value.node, span, what)
            if made is not None:
                return made
        raise stop("number-needed", span, what=what, found=describe(value))

    def known_size(self, dim: Dim, span: Span, what: str) -> int:
        """The value of a size, where it is known."""
        values = self.context.values | self.numbers
        for symbol in dim.symbols():
            if symbol in self.numbers:
                self.needed[symbol] = self.numbers[symbol]
        number = dim.subst({symbol: Dim.of(value) for symbol, value in values.items()}).constant
        if not isinstance(number, int):
            raise stop("size-unknown", span, size=dim, what=what)
        return number

    # ---- checks on kinds

    def floats(self, value: Value, span: Span) -> Tensor:
        """A value that must be float (numbers are)."""
        tensor = self.tensor(value, span)
        if tensor.type.kind.name not in {"float", "number"}:
            raise stop("kind-mismatch", span, wanted="float", found=tensor.type.kind)
        return tensor

    # ---- paths

    def unique_path(self, wanted: str) -> str:
        """A segment that is still free: duplicates get `_2`, `_3` in textual order (3.9)."""
        path, count = self.prefix + wanted, 1
        while path in self.paths:
            count += 1
            path = f"{self.prefix}{wanted}_{count}"
        self.paths.add(path)
        return path

    def finish(
        self, declaration: str, results: tuple[tuple[str, str], ...], formals: tuple[Symbol, ...], **rest: object
    ) -> Graph:
        """The graph, blocks and sites in their final names."""
        from repc.elaborate.finish import finished

        return finished(self, declaration, results, formals, rest)


def describe(value: Value) -> str:
    """What a value is, in a user's words."""
    if isinstance(value, Tensor):
        return f"a value {value.type}"
    if isinstance(value, Static):
        return {bool: "a truth value", str: "a text", type(None): "none"}.get(
            type(value.value), f"the number {value.value}"
        )
    if isinstance(value, Label):
        return f"the choice {value.name}"
    if isinstance(value, Series):
        return "a list"
    if isinstance(value, Index):
        return f"the index {value.name}"
    if isinstance(value, BlockValue):
        return f"a block of {value.callee.name}"
    if isinstance(value, Fields):
        return "a record"
    return {"Axes": "axes", "Arrow": "an arrow", "Callee": "a declaration", "Function": "a def"}.get(
        type(value).__name__, "a word of the library"
    )


__all__ = ["ABSORBED", "FLOAT", "AtLeast", "Axis", "Block", "Body", "Stop", "describe"]


def spelled(expr: tree.Expr) -> str:
    """A short name for an expression in a message."""
    return expr.text if isinstance(expr, tree.Name) else "the expression"
