"""One graph as one method or function: its parameters, its statements, what it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from repc.dims import Symbol
from repc.ir import Graph, Node
from repc.lowering import naming
from repc.lowering.body import Body
from repc.lowering.constructor import Constructor
from repc.lowering.documents import class_doc
from repc.lowering.entry_check import check_lines
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.naming import Names
from repc.lowering.owner import Context, Owner
from repc.lowering.printer import text
from repc.lowering.records import Argument, Line, MethodPlan
from repc.lowering.sizes import RunTimeSizes
from repc.lowering.statements import Assign, If, Return, assign_names
from repc.lowering.states import state_values
from repc.lowering.streaming import next_state
from repc.lowering.values import FULL, NONE, PARTIAL, Value
from repc.lowering.writing import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.statements import Statement


class MethodBuilder:
    """Writes a graph as `forward`, as `step`, or as a function.

    `parts`: holdings of the class; `asked`: sizes that its constructor gets beside those that the holdings need.
    """

    def __init__(self, context: Context, graph: Graph, parts: Constructor, asked: dict[Symbol, str]) -> None:
        self.context = context
        self.program = context.program
        self.graph = graph
        self.signature = context.signatures[graph.name]
        self.parts = parts
        self.asked = asked
        self.used: dict[Symbol, None] = {}
        self.nodes = graph.by_name()
        self.leads = context.leads.get(graph.name, {})

    def plan(self, title: str, checked: bool = False) -> MethodPlan:
        """The method. `checked`: its inputs are compared with the declaration first."""
        module = self.signature.module
        names = Names([*self.context.reserved, *naming.MODULE_NAMES])
        parameters = {port: names.fresh(naming.port(port)) for port in self.signature.ports}
        parameters |= {port: names.fresh(wanted) for port, wanted in self.signature.keywords}
        blocks = {parameter: names.fresh(wanted) for parameter, wanted in self.signature.blocks}
        extra = ["draws"] * self.signature.draws + ["sites"] * bool(self.signature.sites)
        extra += ["state"] * bool(self.signature.state) + ["writes"] * self.signature.writes
        extra += ["lead"] * self.signature.lead
        for word in extra:
            names.fresh(word)
        inputs = {self.nodes[node].attrs["port"]: self.nodes[node] for node in self.graph.inputs}
        data = {port: node for port, node in inputs.items() if port in parameters}
        sizes = RunTimeSizes(
            {symbol: f"self.{spelled}" for symbol, spelled in self.parts.symbols.items()} if module else {},
            [(parameters[port], node.type.axes) for port, node in data.items()],
            names,
            self._ask,
        )
        body = self._body(sizes, parameters, blocks, inputs)
        sites = dict(self.graph.sites)
        statements = [*body.statements, *self._sites(body, sites), self._return(body)]
        read: list[Statement] = [Assign((variable,), code) for variable, code in sizes.statements]
        if self.signature.writes:
            read.append(Assign(("writes",), expr("writes or Writes()")))
        fixed = [variable for variable, _ in sizes.statements]
        kept = [*self.context.reserved, *self.context.imports.names, *fixed, "self", *extra]
        done = assign_names([*read, *statements], parameters.values(), kept)
        self.used = dict.fromkeys(sizes.used)
        written = Writer(self.context.texts, 8 if module else 4).lines(done)
        lines = (*self._check(parameters, data, checked), *written)
        return self._method(title, parameters, blocks, lines)

    def _ask(self, symbol: Symbol) -> str:
        """A size that only the caller can tell."""
        taken = Names([*self.parts.symbols.values(), *self.asked.values(), *naming.MODULE_NAMES])
        made = self.asked.setdefault(symbol, taken.fresh(naming.local(symbol.name)))
        return f"self.{made}" if self.signature.module else made

    def _body(
        self, sizes: RunTimeSizes, parameters: Mapping[str, str], blocks: Mapping[str, str], inputs: Mapping[str, Node]
    ) -> Body:
        owner = self._owner(sizes, parameters, blocks, inputs)
        ports = {
            port: Value(name(parameters[port]), node.type, self.leads.get(port, FULL))
            for port, node in inputs.items()
            if port in parameters
        }
        if self.signature.state:
            ports |= state_values(self.context, self.graph, self.leads)
        wanted = dict(self.graph.sites)
        roots = [wanted[site] for site in self.signature.sites if site in wanted]
        if self.signature.writes:
            roots += [node.name for node in self.graph.nodes if node.kind == "effect"]
        body = Body(owner, self.graph, ports, roots)
        body.run()
        return body

    def _owner(
        self, sizes: RunTimeSizes, parameters: Mapping[str, str], blocks: Mapping[str, str], inputs: Mapping[str, Node]
    ) -> Owner:
        attributes = self.parts.attributes()
        attributes |= {parameter: name(spelled) for parameter, spelled in blocks.items()}
        lead = PARTIAL if self.signature.per else NONE
        owner = Owner(self.context, self.graph, sizes, attributes, lead)
        tensors = [
            (parameters[port], node, self.leads.get(port, FULL))
            for port, node in inputs.items()
            if port in parameters and node.type.kind.name not in ("record", "state")
        ]
        floats = [variable for variable, node, _ in tensors if node.type.kind.name == "float"]
        owner.device, owner.dtype = self._place([variable for variable, _, _ in tensors], floats)
        if self.signature.lead:
            owner.lead_given = name("lead")
        for wanted in (FULL, PARTIAL):
            found = [(variable, len(node.type.axes)) for variable, node, own in tensors if own == wanted]
            if found:
                owner.lead_of, owner.lead_whole = found, wanted == FULL
                break
        return owner

    def _place(self, tensors: list[str], floats: list[str]) -> tuple[Code | None, Code | None]:
        """Where new tensors go and their dtype: beside an input, else beside a parameter."""
        first = self.parts.first_parameter()
        at = name(tensors[0]) if tensors else first
        kind = name(floats[0]) if floats else first
        device = None if at is None else expr("{x}.device", x=at)
        return device, None if kind is None else expr("{x}.dtype", x=kind)

    # ---- what it gives

    def _sites(self, body: Body, sites: Mapping[str, str]) -> list[Statement]:
        stored = tuple(
            Assign((f"sites[{text(literal(site))}]",), body.value(sites[site]).code, (sites[site],))
            for site in self.signature.sites
            if site in sites
        )
        return [If(expr("sites is not None"), stored)] if stored else []

    def _return(self, body: Body) -> Statement:
        own = [(field, node) for field, node in self.graph.results if not self._is_state(field)]
        codes = [self._as_tensor(body, body.value(node)) for _, node in own]
        first = own[0][1] if own else self.graph.results[0][1]
        if len(own) == 1 and not self.signature.results:
            code: Code = codes[0]
        elif self.signature.turn:
            code = expr("{x}", x=codes) if len(codes) > 1 else codes[0]
        else:
            named = dict(zip((attribute for _, attribute in self.signature.results), codes, strict=True))
            code = call(self.signature.result, **named)
        if self.signature.state:
            code = expr("{x}", x=[code, next_state(self.context, self.graph, body)])
        return Return(code, (first,), self.nodes[first].origin)

    def _is_state(self, field: str) -> bool:
        return bool(self.signature.state) and field.startswith("state.")

    def _as_tensor(self, body: Body, value: Value) -> Code:
        """A result is a tensor even where it is a plain number."""
        if not value.plain:
            return value.code
        dtype, device = body.owner.dtype_code(), body.owner.device_code()
        return expr("torch.tensor({x}, dtype={dtype}, device={device})", x=value.code, dtype=dtype, device=device)

    def _check(self, parameters: Mapping[str, str], inputs: Mapping[str, Node], checked: bool) -> Iterator[Line]:
        if not (checked and inputs):
            return
        known = {**self.parts.symbols, **self.asked} if self.signature.module else {}
        lines, used = check_lines(self.graph, parameters, inputs, known, self.program.values, self.context.imports)
        self.used.update(dict.fromkeys(used))
        yield from lines

    # ---- its head

    def _method(
        self, title: str, parameters: Mapping[str, str], blocks: Mapping[str, str], lines: tuple[Line, ...]
    ) -> MethodPlan:
        module, words = self.signature.module, dict(self.signature.keywords)
        positional = [Argument(spelled, "Tensor") for port, spelled in parameters.items() if port not in words]
        if self.signature.state:
            positional.append(Argument("state", self.signature.state))
        keywords = [Argument(spelled, "Tensor") for port, spelled in parameters.items() if port in words]
        keywords += [Argument(spelled, "nn.Module") for spelled in blocks.values()]
        if not module:
            keywords += [Argument(spelled, "int", self.default(symbol)) for symbol, spelled in self.asked.items()]
        if self.signature.draws:
            self.context.imports("draws", "Draws")
            keywords.append(Argument("draws", "Draws"))
        if self.signature.lead:
            keywords.append(Argument("lead", "tuple[int, ...]", "()"))
        if self.signature.writes:
            self.context.imports("cells", "Writes")
            keywords.append(Argument("writes", "Writes | None", "None"))
        if self.signature.sites:
            keywords.append(Argument("sites", "dict[str, Tensor] | None", "None"))
        doc = () if module else class_doc(self.graph, self.parts.holdings, self.program.formulas)
        arguments = (*([Argument("self", "")] if module else []), *positional)
        place = self.context.texts.place("", self.graph.origin)
        return MethodPlan(title, arguments, tuple(keywords), self._returns(), doc, lines, place)

    def _returns(self) -> str:
        count = len(self.signature.results)
        if not count or (self.signature.turn and count == 1):
            made = "Tensor"
        elif self.signature.turn:
            made = f"tuple[{', '.join(['Tensor'] * count)}]"
        else:
            made = self.signature.result
        return f"tuple[{made}, {self.signature.state}]" if self.signature.state else made

    def default(self, symbol: Symbol) -> str:
        """The file's own value of a size, if it has one."""
        value = self.program.values.get(symbol)
        return "" if value is None else str(value)
