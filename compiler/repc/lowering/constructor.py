"""What a class makes when it is made: parameters, cells, blocks, modules of loops; their names and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from repc.dims import Dim, Symbol
from repc.ir import Block, Graph, Node
from repc.lowering import naming
from repc.lowering.expression import Code, call, dictionary, expr, literal, name
from repc.lowering.formulas import formula
from repc.lowering.initial import fans, init_rule
from repc.lowering.naming import Names
from repc.lowering.owned import Owned, owned, slots_inside, written_here
from repc.lowering.owner import Context, Signature
from repc.lowering.sizes import SizeNames, symbols_in_order
from repc.lowering.statements import Assign
from repc.lowering.values import Value
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.statements import Statement

Path = tuple[str, ...]


class Constructor:
    """The holdings of one class. `step`: of a train class, whose own attributes are reserved too.

    `stages`: graphs of the stages of a train, which share what its class holds.
    """

    def __init__(self, context: Context, graph: Graph, step: bool = False, stages: tuple[Graph, ...] = ()) -> None:
        self.stages = stages
        self.context = context
        self.program = context.program
        self.graph = graph
        self.signatures = context.signatures
        self.imports = context.imports
        self.step = step
        self.holdings: Owned = owned(context.program, graph)
        self.lifted = not step and context.signatures[graph.name].per
        self.started: dict[str, Value] = {}
        self.names = self._names()
        self.symbols = self._symbols()

    # ---- names

    def _names(self) -> dict[str, str]:
        """Attributes by path; a path of several segments is a path of attributes."""
        taken: dict[str, Names] = {}
        found: dict[str, str] = {}
        paths = [
            *(block.path for block in self.holdings.blocks),
            *(node.attrs["label"] for node in self.holdings.loops),
            *(node.attrs["path"] for node in self.holdings.slots),
            *(cell.path for cell in self.holdings.cells),
        ]
        for path in dict.fromkeys(paths):
            head, _, last = path.rpartition(".")
            own = last if last.isdigit() else naming.attribute(last, step=self.step)
            found[path] = ".".join(filter(None, (head, taken.setdefault(head, Names()).fresh(own))))
        for key in self.stateless():
            wanted = naming.attribute(naming.function_name(self.program.graphs[key].declaration), step=self.step)
            found[key] = taken.setdefault("", Names()).fresh(wanted)
        return found

    def stateless(self) -> tuple[str, ...]:
        """Graphs that are classes and are applied here without being a block: the class owns one instance of each."""
        found: dict[str, None] = {}
        graphs = (self.graph, *self.stages)
        for part in (inner for graph in graphs for inner in written_here(self.program, graph)):
            for node in part.nodes:
                if node.kind == "apply" and not node.attrs["block"] and self.signatures[node.attrs["graph"]].module:
                    found.setdefault(node.attrs["graph"])
        return tuple(found)

    def attributes(self) -> dict[str, Code]:
        """The code that reads every attribute, by path."""
        return {path: self._read(text) for path, text in self.names.items()}

    def first_parameter(self) -> Code | None:
        """Some parameter of the class, which tells dtype and device."""
        for node in self.holdings.slots:
            return self._read(self.names[node.attrs["path"]])
        if any(slots_inside(self.program, self.program.graphs[block.graph]) for block in self.holdings.blocks):
            return expr("next(self.parameters())")
        return None

    def _read(self, text: str) -> Code:
        """`self.q`; inside containers `self.blocks["0"]["q"]`."""
        head, *rest = text.split(".")
        code: Code = name(f"self.{head}")
        for part in rest:
            code = expr("{x}[{key}]", x=code, key=literal(part))
        return code

    # ---- sizes

    def _symbols(self) -> dict[Symbol, str]:
        """Sizes that must be known when the module is made, by the names of the constructor's parameters."""
        sizes = [axis.size for axis in self._axes()]
        for node in self.holdings.slots:
            sizes += [value for _, value in node.attrs["init"].args if isinstance(value, Dim)]
            sizes += self._settings_in(node)
        for block in self.holdings.blocks:
            sizes += [size for _, size in self.block_sizes(block)]
            sizes += [axis.size for axis in _per(block)]
        for node in self.holdings.loops:
            sizes.append(node.attrs["count"])
            sizes += [Dim.of(symbol) for symbol, _ in self.signatures[node.attrs["body"]].sizes]
        for key in self.stateless():
            sizes += [Dim.of(symbol) for symbol, _ in self.signatures[key].sizes]
        taken = Names(naming.MODULE_NAMES)
        ordered = symbols_in_order(self._interface_first(sizes))
        return {symbol: taken.fresh(naming.local(symbol.name)) for symbol in ordered}

    def _settings_in(self, slot: Node) -> list[Dim]:
        """Whole settings of the declaration that the formula of a slot reads."""
        nodes, found, waiting = self.graph.by_name(), [], list(slot.args)
        while waiting:
            node = nodes[waiting.pop()]
            waiting += node.args
            value = node.attrs["value"] if node.kind == "const" else None
            if isinstance(value, Dim):
                own = [s for s in value.symbols() if s.scope.rpartition(".")[2] == self.graph.declaration]
                found += [Dim.of(symbol) for symbol in sorted(own)]
        return found

    def _axes(self) -> Iterable[Axis]:
        for node in self.holdings.slots:
            yield from node.type.axes
        for cell in self.holdings.cells:
            yield from cell.type.axes

    def _interface_first(self, sizes: list[Dim]) -> list[Dim]:
        nodes = self.graph.by_name()
        needed = {symbol for size in sizes for symbol in size.symbols()}
        front: list[Dim] = []
        for node in (*self.graph.inputs, *(result for _, result in self.graph.results)):
            kind = nodes[node].type
            of = [] if kind.kind.size is None else [kind.kind.size]
            for dim in (*(axis.size for axis in kind.axes), *of):
                front += [Dim.of(one) for one in symbols_in_order([dim]) if one in needed]
        return [*front, *sizes]

    def block_sizes(self, block: Block) -> list[tuple[str, Dim]]:
        """The constructor arguments of a block, in this graph's sizes."""
        given = {symbol: size for symbol, size in block.sizes if isinstance(size, Dim)}
        return [(text, given.get(symbol, Dim.of(symbol))) for symbol, text in self.signatures[block.graph].sizes]

    def shortened(self, sizes: SizeNames) -> tuple[SizeNames, list[Statement]]:
        """Formulas that are written more than once get the name of an axis of that size."""
        counts: dict[Dim, int] = {}
        for block in self.holdings.blocks:
            for _, size in self.block_sizes(block):
                counts[size] = counts.get(size, 0) + 1
        for axis in self._axes():
            counts[axis.size] = counts.get(axis.size, 0) + 1
        taken = Names([*naming.MODULE_NAMES, "self", "seed", *(text for _, text in sizes.spelled)])
        made: list[Statement] = []
        whole: list[tuple[Dim, str]] = []
        for size, count in counts.items():
            label = self._label(size)
            if count > 1 and label and size.constant is None and size.symbol is None:
                variable = taken.fresh(naming.local(label))
                made.append(Assign((variable,), sizes.size(size)))
                whole.append((size, variable))
        return SizeNames(sizes.spelled, tuple(whole)), made

    def _label(self, size: Dim) -> str:
        for node in self.graph.nodes:
            for axis in node.type.axes:
                if axis.size == size and axis.label.name[:1].isupper():
                    return axis.label.name
        return ""

    # ---- statements

    def statements(self, sizes: SizeNames) -> list[Statement]:
        """Everything that the class makes."""
        return [*self._slots(sizes), *self._cells(sizes), *self._rules(sizes), *self._blocks(sizes)]

    def _empty(self, kind: Type, sizes: SizeNames, lifted: bool) -> Code:
        shape = [sizes.size(axis.size) for axis in kind.axes]
        dtype = {"int": "torch.int64", "index": "torch.int64", "bool": "torch.bool"}.get(kind.kind.name)
        if dtype is not None:
            return call("torch.empty", expr("{x}", x=shape), dtype=name(dtype))
        if lifted:
            return expr("torch.empty(*per, *{shape})", shape=shape) if shape else expr("torch.empty(per)")
        return call("torch.empty", *shape) if shape else expr("torch.empty(())")

    def _slots(self, sizes: SizeNames) -> list[Statement]:
        made: list[Statement] = []
        for node in self.holdings.slots:
            attribute = self.names[node.attrs["path"]]
            value = self._empty(node.type, sizes, self.lifted)
            if node.attrs["init"].name == "formula":
                statements, start = formula(self, node, sizes)
                made += statements
                self.started[node.name] = start
                value = value if start.plain else start.code
            if node.attrs.get("trained", True):
                made.append(Assign((f"self.{attribute}",), call("nn.Parameter", value), (node.name,), node.origin))
            else:
                kept = call("self.register_buffer", literal(attribute), value)
                made.append(Assign((), kept, (node.name,), node.origin))
        return made

    def _cells(self, sizes: SizeNames) -> list[Statement]:
        return [
            Assign(
                (),
                call("self.register_buffer", literal(self.names[cell.path]), self._empty(cell.type, sizes, False)),
                (),
                cell.origin,
            )
            for cell in self.holdings.cells
        ]

    def _rules(self, sizes: SizeNames) -> list[Statement]:
        """`self.inits`: how every slot and cell starts."""
        rules: list[tuple[Code, Code]] = []
        one = Dim.of(1)
        for node in self.holdings.slots:
            word: object = node.attrs["init"]
            start = self.started.get(node.name)
            if start is not None and not start.plain:
                continue
            word = word if start is None else start.code
            rule = init_rule(word, fans(self.graph, node), self.lifted, sizes.size, sizes.number)
            rules.append((literal(self.names[node.attrs["path"]]), rule))
        for cell in self.holdings.cells:
            rule = init_rule(cell.init, (one, one), False, sizes.size, sizes.number)
            rules.append((literal(self.names[cell.path]), rule))
        if not rules:
            return []
        self.imports("inits", "Init")
        return [Assign(("self.inits",), dictionary(rules))]

    def _blocks(self, sizes: SizeNames) -> list[Statement]:
        made: list[Statement] = []
        grouped: dict[str, list[Block]] = {}
        for block in self.holdings.blocks:
            grouped.setdefault(self.names[block.path].partition(".")[0], []).append(block)
        for head, blocks in grouped.items():
            origin = blocks[0].origin
            if self.names[blocks[0].path] == head:
                made.append(Assign((f"self.{head}",), self._instance(blocks[0], sizes), (), origin))
            else:
                parts = {tuple(self.names[block.path].split(".")[1:]): self._instance(block, sizes) for block in blocks}
                made.append(Assign((f"self.{head}",), _container(parts), (), origin))
        for node in self.holdings.loops:
            signature = self.signatures[node.attrs["body"]]
            words = {text: sizes.size(Dim.of(symbol)) for symbol, text in signature.sizes}
            if signature.per:
                words["per"] = name("per") if self.lifted else literal(())
            turns = sizes.size(node.attrs["count"])
            modules = expr("nn.ModuleList({one} for _ in range({n}))", one=call(signature.name, **words), n=turns)
            made.append(Assign((f"self.{self.names[node.attrs['label']]}",), modules, (node.name,), node.origin))
        for key in self.stateless():
            signature = self.signatures[key]
            words = {text: sizes.size(Dim.of(symbol)) for symbol, text in signature.sizes}
            made.append(Assign((f"self.{self.names[key]}",), call(signature.name, **words)))
        return made

    def _usual(self, signature: Signature, text: str, size: Dim) -> bool:
        """Whether a train gives a model the size that it has anyway, the file's own."""
        symbol = next(symbol for symbol, own in signature.sizes if own == text)
        return self.step and size.symbol == symbol and symbol in self.program.values

    def _instance(self, block: Block, sizes: SizeNames) -> Code:
        signature = self.signatures[block.graph]
        words = {
            text: sizes.size(size) for text, size in self.block_sizes(block) if not self._usual(signature, text, size)
        }
        if signature.per:
            own = [sizes.size(axis.size) for axis in _per(block)]
            if self.lifted:
                words["per"] = expr("(*per, *{own})", own=own) if own else name("per")
            elif own:
                words["per"] = expr("{own}", own=own)
        if signature.seeded:
            words["seed"] = literal(None)
        made = call(signature.name, **words)
        frozen = block.treatment in ("ema", "snapshot")
        return expr("{x}.requires_grad_(False)", x=made) if frozen else made


def _per(block: Block) -> tuple[Axis, ...]:
    return tuple(axis for axis in block.per if isinstance(axis, Axis))


def _container(parts: Mapping[Path, Code]) -> Code:
    """Nested `nn.ModuleDict`s, so that paths in the state dict are those of the spec."""
    heads = dict.fromkeys(path[0] for path in parts)
    pairs: list[tuple[Code, Code]] = []
    for head in heads:
        inner = {path[1:]: code for path, code in parts.items() if path[0] == head}
        pairs.append((literal(head), inner[()] if () in inner else _container(inner)))
    return call("nn.ModuleDict", dictionary(pairs))
