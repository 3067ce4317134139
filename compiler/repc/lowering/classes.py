"""One graph as a class or a function: its constructor, its `forward`, its docstring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from repc.dims import Symbol
from repc.ir import Graph, Node, Program
from repc.lowering import naming
from repc.lowering.body import Body
from repc.lowering.constructor import Constructor
from repc.lowering.documents import class_doc, type_text
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.naming import Names
from repc.lowering.owner import Imports, Owner, Signature
from repc.lowering.records import Argument, ClassPlan, FunctionPlan, Line, MethodPlan, ResultPlan
from repc.lowering.sizes import RunTimeSizes, SizeNames
from repc.lowering.statements import Assign, If, Return, assign_names
from repc.lowering.texts import Texts
from repc.lowering.values import FULL, NONE, PARTIAL, Value
from repc.lowering.writing import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.records import Unit
    from repc.lowering.statements import Statement


class GraphBuilder:
    """Builds the units of one graph; `signature` is complete once it has run."""

    def __init__(
        self,
        program: Program,
        graph: Graph,
        signatures: Mapping[str, Signature],
        leads: Mapping[str, Mapping[str, str]],
        imports: Imports,
        texts: Texts,
        reserved: frozenset[str],
        entry: bool,
        checked: bool,
        body: bool,
    ) -> None:
        self.program = program
        self.graph = graph
        self.signatures = signatures
        self.signature = signatures[graph.name]
        self.leads = leads
        self.imports = imports
        self.texts = texts
        self.reserved = reserved
        self.entry = entry
        self.checked = checked
        self.is_body = body
        self.parts = Constructor(program, graph, signatures, imports)
        self.holdings = self.parts.holdings
        self.nodes = graph.by_name()
        self.asked: dict[Symbol, str] = {}
        self.used: dict[Symbol, None] = {}

    # ---- the body

    def units(self) -> list[Unit]:
        """The class or function, after the class of its results if they have names."""
        made: list[Unit] = []
        if self.signature.results and not self.is_body:
            fields = tuple(
                (attribute, type_text(self.nodes[node].type, self.program.formulas))
                for (_, attribute), (_, node) in zip(self.signature.results, self.graph.results, strict=True)
            )
            title = f"What {'`' + self.graph.declaration + '`'} returns."
            made.append(ResultPlan(self._result_name(), (title,), fields))
        method = self._method()
        place = self.texts.place("", self.graph.origin)
        if not self.signature.module:
            made.append(FunctionPlan(method))
            return made
        constructor = self._constructor()
        empty = not constructor.keywords and len(constructor.lines) == 1
        methods = (method,) if empty else (constructor, method)
        doc = class_doc(self.graph, self.holdings, self.program.formulas, self.is_body)
        made.append(ClassPlan(self.signature.name, "nn.Module", doc, methods, (), place))
        return made

    def _result_name(self) -> str:
        base = self.signature.name
        return f"{base if self.signature.module else naming.class_name(base)}Result"

    def _method(self) -> MethodPlan:
        module = self.signature.module
        names = Names([*self.reserved, "self"])
        parameters: dict[str, str] = {}
        for port in self.signature.ports:
            parameters[port] = names.fresh(naming.port(port))
        for port, wanted in self.signature.keywords:
            parameters[port] = names.fresh(wanted)
        blocks = {parameter: names.fresh(wanted) for parameter, wanted in self.signature.blocks}
        extra = ["draws"] * self.signature.draws + ["sites"] * bool(self.signature.sites)
        for word in extra:
            names.fresh(word)
        inputs = {self.nodes[node].attrs["port"]: self.nodes[node] for node in self.graph.inputs}
        sizes = RunTimeSizes(
            {symbol: f"self.{text}" for symbol, text in self.parts.symbols.items()} if module else {},
            [(parameters[port], node.type.axes) for port, node in inputs.items()],
            names,
            self._ask,
        )
        owner = self._owner(sizes, blocks, parameters, inputs)
        leads = self.leads.get(self.graph.name, {})
        ports = {port: Value(name(parameters[port]), node.type, leads.get(port, FULL)) for port, node in inputs.items()}
        sites = dict(self.graph.sites)
        body = Body(owner, self.graph, ports, [sites[site] for site in self.signature.sites if site in sites])
        body.run()
        statements = [*body.statements, *self._sites(body, sites), self._return(body)]
        read = [Assign((variable,), code) for variable, code in sizes.statements]
        fixed = [variable for variable, _ in sizes.statements]
        done = assign_names([*read, *statements], parameters.values(), [*self.reserved, *fixed, "self", *extra])
        self.used = dict.fromkeys(sizes.used)
        lines = (*self._check(parameters, inputs), *Writer(self.texts, 8 if module else 4).lines(done))
        return self._plan(parameters, blocks, lines)

    def _ask(self, symbol: Symbol) -> str:
        """A size that only the caller can tell."""
        taken = Names([*self.parts.symbols.values(), *self.asked.values(), *naming.MODULE_NAMES])
        made = self.asked.setdefault(symbol, taken.fresh(naming.local(symbol.name)))
        return f"self.{made}" if self.signature.module else made

    def _owner(
        self, sizes: RunTimeSizes, blocks: Mapping[str, str], parameters: Mapping[str, str], inputs: Mapping[str, Node]
    ) -> Owner:
        attributes = self.parts.attributes()
        attributes |= {parameter: name(text) for parameter, text in blocks.items()}
        owner = Owner(
            self.program,
            self.graph,
            self.signatures,
            sizes,
            self.imports,
            attributes,
            self.leads,
            PARTIAL if self.signature.per else NONE,
        )
        tensors = [(port, node) for port, node in inputs.items() if node.type.kind.name != "record"]
        floats = [parameters[port] for port, node in tensors if node.type.kind.name == "float"]
        first = self._first_parameter()
        if tensors:
            owner.device = expr("{x}.device", x=parameters[tensors[0][0]])
        elif first is not None:
            owner.device = expr("{x}.device", x=first)
        if floats:
            owner.dtype = expr("{x}.dtype", x=floats[0])
        elif first is not None:
            owner.dtype = expr("{x}.dtype", x=first)
        owner.lead_of = [(parameters[port], len(node.type.axes)) for port, node in tensors if self._lead(port) == FULL]
        owner.lead_whole = bool(owner.lead_of)
        if not owner.lead_of:
            led = [(parameters[port], len(node.type.axes)) for port, node in tensors if self._lead(port) != NONE]
            owner.lead_of = led
        return owner

    def _lead(self, port: str) -> str:
        return self.leads.get(self.graph.name, {}).get(port, FULL)

    def _first_parameter(self) -> Code | None:
        """Some parameter of this module, which tells dtype and device."""
        for node in self.holdings.slots:
            return self.parts.attributes()[node.attrs["path"]]
        return None

    def _sites(self, body: Body, sites: Mapping[str, str]) -> list[Statement]:
        stored = tuple(
            Assign((expr_text(site),), body.value(sites[site]).code, (sites[site],))
            for site in self.signature.sites
            if site in sites
        )
        return [If(expr("sites is not None"), stored)] if stored else []

    def _return(self, body: Body) -> Statement:
        result = body.result()
        nodes = (self.graph.results[0][1],)
        origin = self.nodes[nodes[0]].origin
        if not result.fields:
            return Return(self._as_tensor(body, result), nodes, origin)
        codes = [self._as_tensor(body, value) for _, value in result.fields]
        if self.is_body:
            return Return(expr("{x}", x=codes) if len(codes) > 1 else codes[0], nodes, origin)
        named = {attribute: code for (_, attribute), code in zip(self.signature.results, codes, strict=True)}
        return Return(call(self._result_name(), **named), nodes, origin)

    def _as_tensor(self, body: Body, value: Value) -> Code:
        """A result is a tensor even where it is a plain number."""
        if not value.plain:
            return value.code
        owner = body.owner
        return expr(
            "torch.tensor({x}, dtype={dtype}, device={device})",
            x=value.code,
            dtype=owner.dtype_code(),
            device=owner.device_code(),
        )

    def _check(self, parameters: Mapping[str, str], inputs: Mapping[str, Node]) -> list[Line]:
        if not (self.checked and inputs):
            return []
        from repc.lowering.entry_check import check_lines

        known = {**self.parts.symbols, **self.asked} if self.signature.module else {}
        lines, used = check_lines(self.graph, parameters, inputs, known, self.program.values, self.imports)
        self.used.update(dict.fromkeys(used))
        return lines

    def _plan(self, parameters: Mapping[str, str], blocks: Mapping[str, str], lines: tuple[Line, ...]) -> MethodPlan:
        module = self.signature.module
        words = dict(self.signature.keywords)
        positional = [Argument(text, "Tensor") for port, text in parameters.items() if port not in words]
        keywords = [Argument(text, "Tensor") for port, text in parameters.items() if port in words]
        keywords += [Argument(text, "nn.Module") for text in blocks.values()]
        if not module:
            keywords += [Argument(text, "int", self._default(symbol)) for symbol, text in self.asked.items()]
        if self.signature.draws:
            self.imports("draws", "Draws")
            keywords.append(Argument("draws", "Draws"))
        if self.signature.sites:
            keywords.append(Argument("sites", "dict[str, Tensor] | None", "None"))
        self._finish()
        doc = () if module else class_doc(self.graph, self.holdings, self.program.formulas)
        title = "forward" if module else self.signature.name
        arguments = (*([Argument("self", "")] if module else []), *positional)
        place = self.texts.place("", self.graph.origin)
        return MethodPlan(title, arguments, tuple(keywords), self._returns(), doc, lines, place)

    def _returns(self) -> str:
        if not self.signature.results:
            return "Tensor"
        if not self.is_body:
            return self._result_name()
        count = len(self.signature.results)
        return "Tensor" if count == 1 else f"tuple[{', '.join(['Tensor'] * count)}]"

    def _finish(self) -> None:
        own = self.signature
        sizes = tuple({**self.parts.symbols, **self.asked}.items()) if own.module else tuple(self.asked.items())
        self.signature = replace(own, sizes=sizes, seeded=self.entry and not self.holdings.nothing)

    def _default(self, symbol: Symbol) -> str:
        value = self.program.values.get(symbol)
        return "" if value is None else str(value)

    # ---- the constructor

    def _constructor(self) -> MethodPlan:
        all_sizes = {**self.parts.symbols, **self.asked}
        ordered = sorted(all_sizes.items(), key=lambda item: bool(self._default(item[0])))
        keywords = [Argument(text, "int", self._default(symbol)) for symbol, text in ordered]
        if self.signature.per:
            keywords.append(Argument("per", "tuple[int, ...]", "()"))
        if self.signature.seeded:
            keywords.append(Argument("seed", "int | None", "0"))
        statements: list[Statement] = [Assign((), expr("super().__init__()"))]
        for symbol in {**self.used, **self.asked}:
            text = all_sizes[symbol]
            statements.append(Assign((f"self.{text}",), name(text)))
        sizes, formulas = self.parts.shortened(SizeNames(tuple(all_sizes.items())))
        statements += [*formulas, *self.parts.statements(sizes)]
        if self.signature.seeded:
            self.imports("inits", "initialise")
            statements.append(If(expr("seed is not None"), (Assign((), expr("initialise(self, seed)")),)))
        reserved = [*self.reserved, "self", *(argument.name for argument in keywords)]
        lines = tuple(Writer(self.texts, 8).lines(assign_names(statements, (), reserved)))
        return MethodPlan("__init__", (Argument("self", ""),), tuple(keywords), "None", (), lines)


def expr_text(site: str) -> str:
    """The target that stores a site."""
    from repc.lowering.printer import text

    return f"sites[{text(literal(site))}]"
