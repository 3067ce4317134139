"""`step` and `init_state`: the step graph of a causal declaration as methods of its class (LANGUAGE.md 8.6)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from repc.dims import Dim, Symbol
from repc.ir import Graph, MemoryRecord, Node, Program, Word
from repc.lowering import naming
from repc.lowering.body import Body
from repc.lowering.constructor import Constructor
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.kinds.memories import not_lowered
from repc.lowering.layout import reordered
from repc.lowering.memory_start import fit_code, flattened, own_axes, start_slots
from repc.lowering.naming import Names
from repc.lowering.owner import Context, Signature
from repc.lowering.records import Argument, MethodPlan, ResultPlan
from repc.lowering.sizes import RunTimeSizes
from repc.lowering.statements import Return
from repc.lowering.states import Field, assembled, class_of, fields, member
from repc.lowering.stepping import STATE, base_of, state_ports
from repc.lowering.writing import Writer
from repc.memory.algorithms import chosen
from repc.memory.forms import Descent, Gram, LocalConstant, NormalForm, ScalarAffine, Stream
from repc.memory.normal import normalize
from repc.types import Axis, Type

# States of memories that are more than a matrix.
STATES = (
    (LocalConstant, "memory", "PairCache"),
    (Stream, "memory.sequential", "StepState"),
    (Gram, "memory.gram", "GramState"),
    (Descent, "memory.descent", "DescentState"),
)


def state_plan(context: Context, graph: Graph) -> ResultPlan:
    """The state class of a step graph."""
    nodes = {node.attrs["port"]: node for node in state_ports(graph)}
    made: list[tuple[str, str]] = []
    for field in fields(context, graph):
        if field.node is None:
            made.append((field.name, _annotation(context, graph, nodes[field.ports[0]])))
        else:
            own = class_of(context, field.node).state
            made.append((field.name, own if field.node.kind == "apply" else f"tuple[{own}, ...]"))
    title = f"What `{graph.declaration}` carries from one position to the next."
    return ResultPlan(context.signatures[graph.name].state, (title,), tuple(made))


def _annotation(context: Context, graph: Graph, port: Node) -> str:
    if port.type.kind.of == "turns":
        inner = port.attrs["init"].get("type")
        whole = isinstance(inner, Type) and inner.kind.name != "state"
        return "tuple[Tensor, ...]" if whole else "tuple[Tensor | PairCache, ...]"
    if port.type.kind.name == "state":
        node = memory_of(context.program, graph, port)
        if node is not None:
            for kind, module, state in STATES:
                if isinstance(_form(graph, node), kind):
                    return str(context.imports(module, state))
    return "Tensor"


def memory_of(program: Program, graph: Graph, port: Node) -> Node | None:
    """The memory whose state an input is."""
    return next((node for node in graph.nodes if node.kind == "memory" and port.name in node.args[:1]), None)


def _form(graph: Graph, node: Node) -> NormalForm:
    nodes = graph.by_name()
    types = {port: nodes[arg].type for port, arg in zip(node.attrs["ports"], node.args, strict=True)}
    return normalize(node.attrs["record"], types)


def next_state(context: Context, graph: Graph, body: Body) -> Code:
    """The state after this position."""
    codes = {field: body.value(node).code for field, node in graph.results if field.startswith(STATE)}
    return assembled(context, graph, codes)


# ---- the state before the first position


class _Initial:
    """Writes `init_state` of one step graph."""

    def __init__(self, context: Context, graph: Graph, parts: Constructor, asked: dict[Symbol, str]) -> None:
        self.context = context
        self.graph = graph
        self.parts = parts
        self.capacity = False
        taken = Names([*parts.symbols.values(), *asked.values(), *naming.MODULE_NAMES])

        def ask(symbol: Symbol) -> str:
            made = asked.setdefault(symbol, taken.fresh(naming.local(symbol.name)))
            return f"self.{made}"

        self.sizes = RunTimeSizes({symbol: f"self.{text}" for symbol, text in parts.symbols.items()}, (), Names(), ask)

    def code(self) -> Code:
        words = {field.name: self.field(field) for field in fields(self.context, self.graph)}
        return call(self.context.signatures[self.graph.name].state, **words)

    def field(self, field: Field) -> Code:
        ports = {node.attrs["port"]: node for node in state_ports(self.graph)}
        if field.node is None:
            return self.start(self.graph, ports[field.ports[0]], ports[field.ports[0]].attrs["init"])
        if field.node.kind == "apply":
            return self._of_block(field.node, self.graph)
        words = self._words(class_of(self.context, field.node))
        one = call(name("block.init_state"), ast.Starred(name("lifted"), ast.Load()), **words)
        blocks = self.parts.attributes()[field.node.attrs["label"]]
        return expr("tuple({one} for block in {blocks})", one=one, blocks=blocks)

    def _words(self, signature: Signature) -> dict[str, Code | None]:
        self.capacity = self.capacity or signature.capacity
        words: dict[str, Code | None] = {"dtype": name("dtype"), "device": name("device")}
        if signature.capacity:
            words["capacity"] = name("capacity")
        return words

    def _of_block(self, node: Node, home: Graph) -> Code:
        """The state of a block that is applied, for the axes that the call lifts."""
        signature = class_of(self.context, node)
        attributes = self.parts.attributes()
        target = attributes[node.attrs["block"] or base_of(self.context.program, self.callee(node))]
        lifted = ast.Starred(name("lifted"), ast.Load())
        lifts = [self.sizes.size(size) for size in self._lifted(node, home)]
        return call(expr("{f}.init_state", f=target), lifted, *lifts, **self._words(signature))

    def callee(self, node: Node) -> Graph:
        return self.context.program.graphs[node.attrs["graph"]]

    def _lifted(self, node: Node, home: Graph) -> list[Dim]:
        """Sizes of the axes that a call in `home` lifts."""
        nodes = home.by_name()
        sizes = {axis.label: axis.size for arg in node.args for axis in nodes[arg].type.axes}
        return [sizes[label] for label in node.attrs["lift"]]

    def start(self, graph: Graph, port: Node, word: Word) -> Code:
        """A state before anything: a number everywhere, an empty memory, or one of them for each turn of a loop."""
        for owner in graph.nodes:
            if owner.kind == "apply" and port.name in owner.args:
                own = owner.attrs["ports"][owner.args.index(port.name)]
                if own.startswith(STATE):
                    return expr(
                        "{x}." + member(self.context, self.callee(owner), own)[0], x=self._of_block(owner, graph)
                    )
        if word.name == "memory":
            return self._memory(graph, port)
        if word.name == "turns":
            inner, count, kind = word.get("init"), word.get("count"), word.get("type")
            assert isinstance(inner, Word) and isinstance(count, Dim) and isinstance(kind, Type)
            one = self._turn(graph, port, inner, kind)
            return expr("tuple({one} for _ in range({n}))", one=one, n=self.sizes.size(count))
        return self._filled(port.type, word.get("value"))

    def _filled(self, kind: Type, value: object) -> Code:
        shape = [self.sizes.size(axis.size) for axis in kind.axes]
        if kind.kind.name in ("int", "index", "bool"):
            dtype: Code = expr("torch.bool" if kind.kind.name == "bool" else "torch.int64")
            if not shape:
                return expr("torch.full((), {v}, dtype={t}, device=device)", v=literal(value), t=dtype)
        else:
            dtype = name("dtype")
        size = expr("(*lifted, *{shape})", shape=shape)
        if value == 0:
            return expr("torch.zeros({s}, dtype={t}, device=device)", s=size, t=dtype)
        return expr("torch.full({s}, {v}, dtype={t}, device=device)", s=size, v=literal(value), t=dtype)

    def _turn(self, graph: Graph, port: Node, inner: Word, kind: Type) -> Code:
        """The start of one turn of a loop whose body is written in place."""
        for node in graph.nodes:
            if node.kind == "loop" and port.name in node.args:
                body = self.context.program.graphs[node.attrs["body"]]
                own = node.attrs["ports"][node.args.index(port.name)]
                for one in state_ports(body):
                    if one.attrs["port"] == own:
                        return self.start(body, one, inner)
        return self._filled(kind, inner.get("value"))

    def _memory(self, graph: Graph, port: Node) -> Code:
        node = memory_of(self.context.program, graph, port)
        assert node is not None, "a state of a memory is the first argument of one"
        record: MemoryRecord = node.attrs["record"]
        form = _form(graph, node)
        algorithm = chosen(form)
        if algorithm is None or not algorithm.init:
            raise not_lowered(graph.declaration, node, form)
        kinds = [graph.by_name()[arg].type for arg in node.args]
        sizes = {axis.label: axis.size for kind in kinds for axis in kind.axes}
        inner = {record.sequence, record.source, *record.key, *record.value_axis}
        slots = start_slots(graph, node) or ()
        given = {axis.label for slot in slots for axis in slot.type.axes}
        inner |= given - {axis.label for arg in node.args for axis in _plain_axes(graph, arg, slots)}
        extra = [self.sizes.size(size) for label, size in sizes.items() if label not in inner]
        lead = expr("(*lifted, *{extra})", extra=extra) if extra else name("lifted")
        widths = [self.sizes.size(_product(sizes, labels)) for labels in (record.key, record.value_axis)]
        words: dict[str, Code | None] = {"device": name("device")}
        if isinstance(form, LocalConstant):
            words = {"dtype": name("dtype"), "device": name("device")}
            words["capacity"] = name("capacity") if form.window is None else self.sizes.size(form.window)
            self.capacity = self.capacity or form.window is None
        else:
            words = {"dtype": expr("torch.promote_types(dtype, torch.float32)"), "device": name("device")}
        if isinstance(form, ScalarAffine) and form.read.normalize != "none":
            words["normalize"] = literal({"total": "weight", "absolute": "absolute"}[form.read.normalize])
        if isinstance(form, Descent):
            words["fit"] = fit_code(form, self.context.imports, self.sizes.size)
            if form.read.normalize != "none":
                words["normalize"] = literal({"total": "weight", "absolute": "absolute"}[form.read.normalize])
            if slots:
                words["start"] = expr("{x}", x=[self._slot(slot, record) for slot in slots])
        made = call(self.context.imports(algorithm.module, algorithm.init), lead, *widths, **words)
        if not slots or isinstance(form, Descent):
            return made
        held = expr("{s}.to({t}).expand(*{lead}, -1, -1)", s=self._slot(slots[0], record), t=words["dtype"], lead=lead)
        return expr("{x}._replace(held={held})", x=made, held=held) if isinstance(form, Stream) else held

    def _slot(self, slot: Node, record: MemoryRecord) -> Code:
        """A parameter that a memory begins with."""
        labels = tuple(axis.label for axis in slot.type.axes)
        own = own_axes(record, labels)
        return flattened(reordered(self.parts.attributes()[slot.attrs["path"]], labels, own), own, record)


def _plain_axes(graph: Graph, arg: str, slots: tuple[Node, ...]) -> tuple[Axis, ...]:
    """The axes of an input of a memory that is no parameter of its start."""
    node = graph.by_name()[arg]
    return () if node in slots else node.type.axes


def _product(sizes: Mapping[Symbol, Dim], labels: tuple[Symbol, ...]) -> Dim:
    made = Dim.of(1)
    for label in labels:
        made = made * sizes[label]
    return made


def init_state(
    context: Context, graph: Graph, parts: Constructor, asked: dict[Symbol, str], used: dict[Symbol, None]
) -> MethodPlan:
    """`init_state(*lifted)`: the state before the first position, for the sizes of the carried axes."""
    initial = _Initial(context, graph, parts, asked)
    code = initial.code()
    used.update(dict.fromkeys(initial.sizes.used))
    signature = context.signatures[graph.name]
    context.signatures[graph.name] = replace(signature, capacity=initial.capacity)
    keywords = [Argument("capacity", "int")] if initial.capacity else []
    keywords += [Argument("dtype", "torch.dtype", "torch.float32"), Argument("device", "torch.device | None", "None")]
    lines = tuple(Writer(context.texts, 8).lines([Return(code)]))
    doc = "The state before the first position; `lifted`: sizes of the axes that are carried along."
    if initial.capacity:
        doc = "The state before the first position; `capacity`: how many positions it may hold."
    arguments = (Argument("self", ""), Argument("*lifted", "int"))
    return MethodPlan("init_state", arguments, tuple(keywords), signature.state, (doc,), lines)
