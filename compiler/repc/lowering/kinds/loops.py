"""`repeat` and `scan`: a Python loop, over modules where every turn has its own parameters, else over a range."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from repc.ir import Graph, Node
from repc.lowering import naming
from repc.lowering.body import Body, packed
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.layout import dim_of
from repc.lowering.signatures import takes_draws
from repc.lowering.statements import Assign, Define, For, merged, variables_in
from repc.lowering.stepping import STATE
from repc.lowering.values import FULL, NONE, PARTIAL, Value, joined_lead
from repc.types import INT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.statements import Statement


class _Loop:
    """One loop while it is written."""

    def __init__(self, outer: Body, node: Node) -> None:
        self.outer = outer
        self.node = node
        self.owner = outer.owner
        self.attrs = node.attrs
        self.body: Graph = self.owner.program.graphs[node.attrs["body"]]
        self.args = {
            port: outer.atom(outer.value(arg), outer.called(arg, port), node)
            for port, arg in zip(node.attrs["ports"], node.args, strict=True)
        }
        self.whole = joined_lead(value.lead for port, value in self.args.items() if not port.startswith(STATE))
        self.draws = takes_draws(self.owner.program, self.body, {})
        self.each: tuple[str, ...] = tuple(node.attrs.get("each", ()))
        self.carried: dict[str, str] = {}
        self.lists: dict[str, str] = {}
        self.after: Code | None = None

    def emit(self) -> Value:
        for port in self.attrs["carried"]:
            self.carried[port] = self._start(port)
        for port in self.attrs["stacked"]:
            self.lists[port] = self.owner.variables.new(naming.port(f"{port}s"))
            self._outside((self.lists[port],), expr("[]"), "list[Tensor]")
        modules = bool(self.attrs["label"]) and self.attrs["label"] in self.owner.attributes
        writes = modules and self.owner.signatures[self.body.name].writes
        counted = self._reads_index() or self.draws or writes or (bool(self.each) and not modules)
        # A body that is a class of its own is given its index, read or not: it is an input of its graph.
        counted = counted or (modules and self._takes_index())
        called = str(self.attrs["index"] or "turn").rpartition(":")[2]
        index = self.owner.variables.new(naming.local(called)) if counted else ""
        for port in self.each:
            self.lists[port] = self.owner.variables.new(naming.port(port.removeprefix(STATE)) + "_after")
            if not modules:
                self._outside((self.lists[port],), expr("[]"), "list[Any]")
        if modules:
            statements, targets, over = self._through_modules(index)
        else:
            statements, targets, over = self._in_place(index)
        self.outer.statements.append(For(targets, over, statements, (self.node.name,), self.node.origin))
        return self._results()

    def _outside(self, targets: tuple[str, ...], code: Code, annotation: str = "") -> None:
        self.outer.statements.append(Assign(targets, code, (self.node.name,), self.node.origin, annotation))

    def _start(self, port: str) -> str:
        """The variable of a carried value, holding what it starts with."""
        given = self.args[port]
        variable = self.owner.variables.new(naming.port(port))
        code = given.code
        if given.plain and dict(self.node.type.fields)[port].kind.name == "float":
            dtype, device = self.owner.dtype_code(), self.owner.device_code()
            code = expr("torch.tensor({x}, dtype={dtype}, device={device})", x=code, dtype=dtype, device=device)
        self._outside((variable,), code)
        return variable

    def _reads_index(self) -> bool:
        index = self.attrs["index"]
        used = {arg for node in self.body.nodes for arg in node.args} | {node for _, node in self.body.results}
        return bool(index) and any(
            node.kind == "input" and node.attrs["port"] == index and node.name in used for node in self.body.nodes
        )

    def _takes_index(self) -> bool:
        signature = self.owner.signatures[self.body.name]
        return self.attrs["index"] in (*signature.ports, *(port for port, _ in signature.keywords))

    def _ports(self, index: str) -> dict[str, Value]:
        ports = dict(self.args)
        for port, variable in self.carried.items():
            lead = FULL if self.whole == FULL and ports[port].lead == FULL else PARTIAL
            ports[port] = Value(name(variable), ports[port].type, lead if self.whole != NONE else NONE)
        if index and self.attrs["index"]:
            ports[self.attrs["index"]] = Value(name(index), Type((), INT), NONE, plain=True)
        return ports

    def _range(self) -> Code:
        made = call("range", self.owner.sizes.size(self.attrs["count"]))
        return call("reversed", made) if self.attrs["reversed"] else made

    def _through_modules(self, index: str) -> tuple[tuple[Statement, ...], tuple[str, ...], Code]:
        signature = self.owner.signatures[self.body.name]
        block = self.owner.variables.new("block")
        ports = self._ports(index)
        words = dict(signature.keywords)
        named = {words[port]: value.code for port, value in ports.items() if port in words}
        if signature.draws:
            named["draws"] = expr("{d}.turn({l}, {i})", d=self.outer.draws, l=literal(self.attrs["label"]), i=index)
        if signature.writes:
            named["writes"] = expr("writes.turn({l}, {i})", l=literal(self.attrs["label"]), i=index)
        stacked = [port for port in self.lists if port not in self.each]
        outs = {port: self.owner.variables.new(naming.port(port)) for port in stacked}
        own = [field for field, _ in self.body.results if field not in self.each]
        order = [self.carried.get(field, outs.get(field, "_")) for field in own]
        modules = self.owner.attribute(self.attrs["label"])
        args = [ports[port].code for port in signature.ports]
        if signature.state:
            return self._through_steps(
                block, index, order, args, named, [self._push(port, name(outs[port])) for port in stacked]
            )
        code = call(name(block), *args, **named)
        statements: list[Statement] = [Assign(tuple(order), code, (self.node.name,), self.node.origin)]
        statements += [self._push(port, name(outs[port])) for port in stacked]
        if self.attrs["reversed"]:
            modules = call("reversed", modules)
        if not index:
            return tuple(statements), (block,), modules
        return tuple(statements), (index, block), call("enumerate", modules)

    def _through_steps(
        self,
        block: str,
        index: str,
        order: list[str],
        args: list[Code],
        named: dict[str, Code],
        pushes: list[Assign],
    ) -> tuple[tuple[Statement, ...], tuple[str, ...], Code]:
        """Every turn has a state of its own, which is a field of this class's state."""
        signature = self.owner.signatures[self.body.name]
        before, after, kept = (self.owner.variables.new(one) for one in ("carried", "carried", "after"))
        self._outside((kept,), expr("[]"), f"list[{signature.state}]")
        code = call(expr("{b}.step", b=block), *args, name(before), **named)
        nodes, origin = (self.node.name,), self.node.origin
        if len(order) == 1:
            made: list[Statement] = [Assign((order[0], after), code, nodes, origin)]
        else:
            results = self.owner.variables.new("results")
            made = [Assign((results, after), code, nodes, origin), Assign(tuple(order), name(results), nodes, origin)]
        push = Assign((), expr("{list}.append({state})", list=kept, state=after), nodes, origin)
        modules = self.owner.attribute(self.attrs["label"])
        states = self.args[self.each[0]].code if self.each else expr("()")
        self.after = expr("tuple({x})", x=kept)
        targets: tuple[str, ...] = (block, before)
        over = [modules, states]
        if index:
            targets, over = (index, *targets), [self._range(), *over]
        return (*made, *pushes, push), targets, call("zip", *over, strict=literal(True))

    def _push(self, port: str, value: Code) -> Assign:
        pushed = expr("{list}.append({value})", list=name(self.lists[port]), value=value)
        return Assign((), pushed, (self.node.name,), self.node.origin)

    def _in_place(self, index: str) -> tuple[tuple[Statement, ...], tuple[str, ...], Code]:
        draws = self.outer.draws
        if self.draws:
            count = self.owner.sizes.size(self.attrs["count"])
            draws = expr('{draws}.inside("", {turn}, of={count})', draws=draws, turn=index, count=count)
        ports = self._ports(index)
        for port in self.each:
            given = ports[port]
            inner_type = self.body.node(_input(self.body, port)).type
            ports[port] = Value(expr("{x}[{i}]", x=given.code, i=index), inner_type, given.lead)
        inner = Body(self.owner, self.body, ports, draws=draws)
        inner.run()
        results = {field: inner.value(node) for field, node in self.body.results}
        statements = [*inner.statements, *(self._push(port, results[port].code) for port in self.lists)]
        news = {port: results[port].code for port in self.carried}
        return self._carry(statements, news), (index or "_",), self._range()

    def _carry(self, statements: list[Statement], news: Mapping[str, Code]) -> tuple[Statement, ...]:
        """The statements of a turn, ending with the carried values at their new ones, all at once."""
        left: dict[str, Code] = {}
        for port, code in news.items():
            variable = self.carried[port]
            others = [one for other, one in news.items() if other != port]
            if _ends_as(statements, code, variable, others):
                statements = list(merged(_variable(code), variable, statements))
                continue
            left[variable] = code
        if left:
            nodes, origin = (self.node.name,), self.node.origin
            statements.append(Assign(tuple(left), packed(left.values()), nodes, origin))
        return tuple(statements)

    def _results(self) -> Value:
        fields: list[tuple[str, Value]] = []
        types = dict(self.node.type.fields)
        for port, variable in self.carried.items():
            fields.append((port, Value(name(variable), types[port], self.whole)))
        for port, variable in self.lists.items():
            if port in self.each:
                code = expr("tuple({x})", x=variable) if self.after is None else self.after
                fields.append((port, Value(code, types[port], self.whole)))
            else:
                fields.append((port, self._stacked(port, types[port], name(variable))))
        return Value(name("loop"), self.node.type, self.whole, False, tuple(fields))

    def _stacked(self, port: str, made: Type, listed: Code) -> Value:
        inner = self.body.node(dict(self.body.results)[port]).type.labels
        (over,) = (label for label in made.labels if label not in inner)
        place = dim_of(over, made.labels)
        turned = expr("{x}[::-1]", x=listed) if self.attrs["reversed"] else listed
        code = expr("torch.stack({x}, dim={dim})", x=turned, dim=literal(place))
        return Value(code, made, self.whole)


def _input(graph: Graph, port: str) -> str:
    """The input node of a port."""
    return next(node.name for node in graph.nodes if node.kind == "input" and node.attrs["port"] == port)


def _variable(code: Code) -> str:
    return code.id if isinstance(code, ast.Name) else ""


def _ends_as(statements: list[Statement], code: Code, carried: str, others: list[Code]) -> bool:
    """Whether the new value may be made in the carried variable itself: nothing reads the old one after that."""
    made = _variable(code)
    place = _defined(statements, made)
    if place is None or any(one in (carried, made) for other in others for one in variables_in(other)):
        return False
    return not any(_reads(statement, carried) for statement in statements[place + 1 :])


def _defined(statements: list[Statement], variable: str) -> int | None:
    """Where in a turn a variable is given its value, if it is, at the turn's own level."""
    for place, statement in enumerate(statements):
        if isinstance(statement, Assign) and variable in statement.targets:
            return place
    return None


def _reads(statement: Statement, variable: str) -> bool:
    if not isinstance(statement, Define) and variable in variables_in(statement.code):
        return True
    inner = [*getattr(statement, "body", ()), *getattr(statement, "other", ())]
    return any(_reads(one, variable) for one in inner)


def emit_loop(body: Body, node: Node) -> Value:
    """A loop's results: its carried values, and those stacked along its axis."""
    made = _Loop(body, node).emit()
    if not node.type.fields:
        return made.fields[0][1]
    return made
