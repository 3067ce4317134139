"""One graph as a class or a function: its constructor, its `forward`, its docstring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from repc.dims import Dim, Symbol
from repc.ir import Block, Graph, Node, Program
from repc.lowering import naming
from repc.lowering.body import Body
from repc.lowering.documents import class_doc, type_text
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.initial import fans, init_rule
from repc.lowering.naming import Names
from repc.lowering.owned import Owned, owned
from repc.lowering.owner import Imports, Owner, Signature
from repc.lowering.records import Argument, ClassPlan, FunctionPlan, Line, MethodPlan, ResultPlan
from repc.lowering.sizes import RunTimeSizes, SizeNames, symbols_in_order
from repc.lowering.statements import Assign, If, Return, assign_names
from repc.lowering.texts import Texts
from repc.lowering.values import FULL, NONE, Value
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
        self.holdings: Owned = owned(program, graph)
        self.nodes = graph.by_name()
        self.attribute_names = self._attribute_names()
        self.built = self._constructor_symbols()
        self.asked: dict[Symbol, str] = {}
        self.used: dict[Symbol, None] = {}

    # ---- names

    def _attribute_names(self) -> dict[str, str]:
        """Attributes of blocks, slots, cells and module lists by their paths."""
        taken = Names()
        found: dict[str, str] = {}
        paths = [
            *(block.path for block in self.holdings.blocks),
            *(node.attrs["label"] for node in self.holdings.loops),
            *(node.attrs["path"] for node in self.holdings.slots),
            *(cell.path for cell in self.holdings.cells),
        ]
        for node in self.graph.nodes:
            if node.kind == "apply" and not node.attrs["block"] and self.signatures[node.attrs["graph"]].module:
                paths.append(node.attrs["graph"])
        for path in dict.fromkeys(paths):
            wanted = path
            if path in self.program.graphs and path not in {block.path for block in self.holdings.blocks}:
                wanted = naming.function_name(self.program.graphs[path].declaration)
            found[path] = taken.fresh(naming.attribute("_".join(wanted.split("."))))
        return found

    def _constructor_symbols(self) -> dict[Symbol, str]:
        """Sizes that must be known when the module is made, by the names of the constructor's parameters."""
        sizes: list[Dim] = []
        for node in self.holdings.slots:
            sizes += [axis.size for axis in node.type.axes]
        for cell in self.holdings.cells:
            sizes += [axis.size for axis in cell.type.axes]
        for block in self.holdings.blocks:
            sizes += [size for _, size in self._block_sizes(block)]
        for node in self.holdings.loops:
            sizes.append(node.attrs["count"])
            sizes += [Dim.of(symbol) for symbol, _ in self._sizes_of(node.attrs["body"])]
        taken = Names(naming.MODULE_NAMES)
        ordered = symbols_in_order(self._in_interface_order(sizes))
        return {symbol: taken.fresh(naming.local(symbol.name)) for symbol in ordered}

    def _in_interface_order(self, sizes: list[Dim]) -> list[Dim]:
        needed = {symbol for size in sizes for symbol in size.symbols()}
        front: list[Dim] = []
        for node in (*self.graph.inputs, *(result for _, result in self.graph.results)):
            kind = self.nodes[node].type
            for dim in (*(axis.size for axis in kind.axes), *([kind.kind.size] if kind.kind.size else [])):
                front += [Dim.of(one) for one in symbols_in_order([dim]) if one in needed]
        return [*front, *sizes]

    def _sizes_of(self, key: str) -> tuple[tuple[Symbol, str], ...]:
        return tuple((symbol, text) for symbol, text in self.signatures[key].sizes if isinstance(symbol, Symbol))

    def _block_sizes(self, block: Block) -> list[tuple[str, Dim]]:
        """The constructor arguments of a block, in this graph's sizes."""
        given = {symbol: size for symbol, size in block.sizes if isinstance(size, Dim)}
        return [(text, given.get(symbol, Dim.of(symbol))) for symbol, text in self._sizes_of(block.graph)]

    # ---- the body

    def units(self) -> list[Unit]:
        """The class or function, after the class of its results if they have names."""
        made: list[Unit] = []
        if self.signature.results and not self.is_body:
            fields = tuple(
                (attribute, type_text(self.nodes[node].type))
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
        doc = class_doc(self.graph, self.holdings, self.is_body)
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
            parameters[port] = names.fresh(naming.local(port))
        for port, wanted in self.signature.keywords:
            parameters[port] = names.fresh(wanted)
        blocks = {parameter: names.fresh(wanted) for parameter, wanted in self.signature.blocks}
        extra = ["draws"] * self.signature.draws + ["sites"] * bool(self.signature.sites)
        for word in extra:
            names.fresh(word)
        inputs = {self.nodes[node].attrs["port"]: self.nodes[node] for node in self.graph.inputs}
        sizes = RunTimeSizes(
            {symbol: f"self.{text}" for symbol, text in self.built.items()} if module else {},
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
        taken = Names([*self.built.values(), *self.asked.values(), *naming.MODULE_NAMES])
        made = self.asked.setdefault(symbol, taken.fresh(naming.local(symbol.name)))
        return f"self.{made}" if self.signature.module else made

    def _owner(
        self, sizes: RunTimeSizes, blocks: Mapping[str, str], parameters: Mapping[str, str], inputs: Mapping[str, Node]
    ) -> Owner:
        attributes: dict[str, Code] = {path: name(f"self.{text}") for path, text in self.attribute_names.items()}
        attributes |= {parameter: name(text) for parameter, text in blocks.items()}
        owner = Owner(self.program, self.graph, self.signatures, sizes, self.imports, attributes, self.leads)
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
            return name(f"self.{self.attribute_names[node.attrs['path']]}")
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

        known = {**self.built, **self.asked} if self.signature.module else {}
        lines, used = check_lines(self.graph, parameters, inputs, known, self.imports)
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
        doc = () if module else class_doc(self.graph, self.holdings)
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
        sizes = tuple({**self.built, **self.asked}.items()) if own.module else tuple(self.asked.items())
        self.signature = replace(own, sizes=sizes, seeded=self.entry and not self.holdings.nothing)

    def _default(self, symbol: Symbol) -> str:
        value = self.program.values.get(symbol)
        return "" if value is None else str(value)

    # ---- the constructor

    def _constructor(self) -> MethodPlan:
        all_sizes = {**self.built, **self.asked}
        ordered = sorted(all_sizes.items(), key=lambda item: bool(self._default(item[0])))
        keywords = [Argument(text, "int", self._default(symbol)) for symbol, text in ordered]
        if self.signature.seeded:
            keywords.append(Argument("seed", "int | None", "0"))
        sizes = SizeNames(tuple(all_sizes.items()))
        statements: list[Statement] = [Assign((), expr("super().__init__()"))]
        for symbol in {**self.used, **self.asked}:
            text = all_sizes[symbol]
            statements.append(Assign((f"self.{text}",), name(text)))
        statements += self._slot_statements(sizes)
        statements += self._block_statements(sizes)
        if self.signature.seeded:
            self.imports("inits", "initialise")
            statements.append(If(expr("seed is not None"), (Assign((), expr("initialise(self, seed)")),)))
        lines = tuple(Writer(self.texts, 8).lines(statements))
        return MethodPlan("__init__", (Argument("self", ""),), tuple(keywords), "None", (), lines)

    def _slot_statements(self, sizes: SizeNames) -> list[Statement]:
        made: list[Statement] = []
        rules: list[tuple[str, Code]] = []
        for node in self.holdings.slots:
            attribute = self.attribute_names[node.attrs["path"]]
            shape = [sizes.size(axis.size) for axis in node.type.axes]
            empty = call("torch.empty", *shape) if shape else expr("torch.empty(())")
            nodes, origin = (node.name,), node.origin
            if node.attrs.get("trained", True):
                made.append(Assign((f"self.{attribute}",), call("nn.Parameter", empty), nodes, origin))
            else:
                made.append(Assign((), call("self.register_buffer", literal(attribute), empty), nodes, origin))
            rule = init_rule(node.attrs["init"], node.type, fans(self.graph, node), 0, sizes.size, sizes.number)
            rules.append((attribute, rule))
        for cell in self.holdings.cells:
            attribute = self.attribute_names[cell.path]
            shape = [sizes.size(axis.size) for axis in cell.type.axes]
            empty = call("torch.empty", *shape) if shape else expr("torch.empty(())")
            made.append(Assign((), call("self.register_buffer", literal(attribute), empty), (), cell.origin))
            one = Dim.of(1)
            rules.append((attribute, init_rule(cell.init, cell.type, (one, one), 0, sizes.size, sizes.number)))
        if rules:
            self.imports("inits", "Init")
            table = expr("{}")
            table.keys = [literal(attribute) for attribute, _ in rules]  # type: ignore[attr-defined]
            table.values = [rule for _, rule in rules]  # type: ignore[attr-defined]
            made.append(Assign(("self.inits",), table))
        return made

    def _block_statements(self, sizes: SizeNames) -> list[Statement]:
        made: list[Statement] = []
        for block in self.holdings.blocks:
            words = {text: sizes.size(size) for text, size in self._block_sizes(block)}
            made.append(self._block(block.path, block.graph, words, block.origin))
        for node in self.holdings.loops:
            key = node.attrs["body"]
            words = {text: sizes.size(Dim.of(symbol)) for symbol, text in self._sizes_of(key)}
            one = call(self.signatures[key].name, **words)
            modules = expr(
                "nn.ModuleList({one} for _ in range({count}))", one=one, count=sizes.size(node.attrs["count"])
            )
            attribute = self.attribute_names[node.attrs["label"]]
            made.append(Assign((f"self.{attribute}",), modules, (node.name,), node.origin))
        known = {block.path for block in self.holdings.blocks}
        for path in self.attribute_names:
            if path in self.program.graphs and path not in known:
                words = {text: sizes.size(Dim.of(symbol)) for symbol, text in self._sizes_of(path)}
                made.append(self._block(path, path, words, None))
        return made

    def _block(self, path: str, key: str, words: Mapping[str, Code], origin: object) -> Assign:
        named: dict[str, Code] = dict(words)
        if self.signatures[key].seeded:
            named["seed"] = literal(None)
        from repc.ir import Origin

        place = origin if isinstance(origin, Origin) else None
        return Assign((f"self.{self.attribute_names[path]}",), call(self.signatures[key].name, **named), (), place)


def expr_text(site: str) -> str:
    """The target that stores a site."""
    from repc.lowering.printer import text

    return f"sites[{text(literal(site))}]"
