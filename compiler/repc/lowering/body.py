"""A graph as statements: which values get a variable, and how the rest nest into expressions a person would write."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from repc.ir import Graph, Node
from repc.lowering import naming, printer
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.naming import local
from repc.lowering.owner import Owner
from repc.lowering.statements import Assign, variables_in, wanted
from repc.lowering.values import FULL, Value
from repc.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.statements import Statement

# An expression longer than this, or made of more steps, is cut: its longest part gets a variable.
LONGEST = 88
MOST_STEPS = 7


class Body:
    """Statements of one graph. `ports`: what its inputs are; `roots`: nodes that are wanted besides the results."""

    def __init__(
        self,
        owner: Owner,
        graph: Graph,
        ports: Mapping[str, Value],
        roots: Iterable[str] = (),
        draws: Code | None = None,
    ) -> None:
        self.owner = owner
        self.draws = name("draws") if draws is None else draws
        self.writes = True  # whether new values of cells are gathered
        self.graph = graph
        self.ports = ports
        self.statements: list[Statement] = []
        self.values: dict[str, Value] = {}
        self.nodes = graph.by_name()
        results = [node for _, node in graph.results]
        self.needed = _reached(self.nodes, [*results, *roots])
        self.uses = _uses(self.nodes, self.needed, [*results, *roots])
        self.names = {node: naming.variable(site) for site, node in graph.sites if naming.variable(site)}
        for field, result in graph.results:
            # What is carried on, from turn to turn or from step to step, goes by the name of what it replaces.
            if field.startswith("state.") or field in ports:
                self.names.setdefault(result, naming.variable(field))
        self.applications = _applications(graph)

    def run(self) -> None:
        """Build every node that is needed, in order."""
        for node in self.graph.nodes:
            if node.name in self.needed:
                self.values[node.name] = self._settled(node, self._value(node))

    def value(self, node: str) -> Value:
        """The value of a node that has been built."""
        return self.values[node]

    def _value(self, node: Node) -> Value:
        from repc.lowering.kinds import EMITTERS

        return EMITTERS[node.kind](self, node)

    def _settled(self, node: Node, value: Value) -> Value:
        """The value in a variable, if it has a name in the text or is written more than once."""
        if value.fields or value.atomic or value.plain:
            return value
        if node.kind == "memory" or node.type.kind.name == "state":
            return value
        site = self.names.get(node.name)
        if site:
            return self.bound(value, site, node)
        again = self.applications.get(node.name, (0, 1))[1] > 1
        if again and "writes" in variables_in(value.code):
            # What a block writes is folded in the order of its applications, which an expression would not keep.
            return self.bound(value, self.hint(node), node)
        if self.uses.get(node.name, 0) > 1 and not _cheap(value.code):
            return self.bound(value, self.hint(node), node)
        return value

    def bound(self, value: Value, called: str, node: Node | None) -> Value:
        """The value as a new variable."""
        variable = self.owner.variables.new(called)
        nodes = () if node is None else (node.name,)
        self.statements.append(Assign((variable,), value.code, nodes, None if node is None else node.origin))
        return Value(name(variable), value.type, value.lead, value.plain)

    def called(self, node: str, port: str) -> str:
        """What a value may be called that a body reads under a port: a port that is a node's name says nothing."""
        return self.hint(self.nodes[node]) if port[:1].isdigit() else naming.port(port)

    def hint(self, node: Node) -> str:
        """What a value without a name in the text may be called: as the value it is made from and replaces, if any."""
        for arg in node.args if node.kind == "prim" else ():
            code = self.values[arg].code
            if isinstance(code, ast.Name) and self.values[arg].labels == node.type.labels and node.type.axes:
                return wanted(code.id)
        if node.kind == "prim":
            return local(str(node.attrs["op"]))
        if node.kind == "apply":
            return local(str(node.attrs["block"]).rpartition(".")[2] or "out")
        return local(node.kind)

    def arguments(self, node: Node, args: Iterable[str] | None = None) -> list[Value]:
        """The operands of a node; where they would make too long an expression, the longest get variables first."""
        operands = list(node.args if args is None else args)
        while True:
            values = [self.values[operand] for operand in operands]
            sizes = [0 if value.atomic else len(_shown(value.code)) for value in values]
            steps = sum(0 if value.atomic else _steps(value.code) for value in values)
            if sum(sizes) <= LONGEST and steps <= MOST_STEPS:
                return values
            longest = operands[sizes.index(max(sizes))]
            self.values[longest] = self.bound(self.values[longest], self.hint(self.nodes[longest]), self.nodes[longest])

    def draws_of(self, node: Node) -> Code:
        """The draws of a block that this graph applies, at this application of it."""
        path = str(node.attrs["block"])
        place, count = self.applications[node.name]
        if count == 1:
            return self.draws if not path else expr("{draws}.inside({path})", draws=self.draws, path=literal(path))
        inside = expr("{draws}.inside", draws=self.draws)
        return call(inside, literal(path), literal(place), of=literal(count))

    def atom(self, value: Value, called: str, node: Node) -> Value:
        """The value as something that may be written twice."""
        return value if value.atomic else self.bound(value, called, node)

    def result(self) -> Value:
        """What the graph returns: one value, or a record of its named results."""
        if len(self.graph.results) == 1 and not self.graph.results[0][0]:
            return self.values[self.graph.results[0][1]]
        fields = tuple((field, self.values[node]) for field, node in self.graph.results)
        return Value(name("result"), Type((), fields[0][1].type.kind), FULL, False, fields)


def _applications(graph: Graph) -> dict[str, tuple[int, int]]:
    """Which application of its block each apply is, counted from 0, and how many there are."""
    places: dict[str, list[str]] = {}
    for node in graph.nodes:
        if node.kind == "apply":
            places.setdefault(f"{node.attrs['block']}:{node.attrs['graph']}", []).append(node.name)
    return {name: (place, len(names)) for names in places.values() for place, name in enumerate(names)}


def _cheap(code: Code) -> bool:
    """Worth writing twice rather than naming: a view of a variable."""
    match code:
        case ast.Call(func=ast.Attribute(value=inner, attr="detach")):
            return isinstance(inner, ast.Name)
        case _:
            return False


def _shown(code: Code) -> str:
    """The text of an expression, its variables by the names they will probably have."""
    shown = printer.text(code)
    for variable in variables_in(code):
        shown = shown.replace(variable, wanted(variable))
    return shown


def _steps(code: Code) -> int:
    return sum(isinstance(node, ast.Call | ast.BinOp | ast.Compare) for node in ast.walk(code))


def _reached(nodes: Mapping[str, Node], roots: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            # What a slot or cell starts from is computed where it is made, not here.
            waiting += () if nodes[node].kind in ("slot", "read") else nodes[node].args
    return found


def _uses(nodes: Mapping[str, Node], needed: set[str], roots: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for user in needed:
        for arg in () if nodes[user].kind in ("slot", "read") else nodes[user].args:
            counts[arg] = counts.get(arg, 0) + 1
    for root in roots:
        counts[root] = counts.get(root, 0) + 1
    return counts


def packed(values: Iterable[Code]) -> Code:
    """Several values as one: itself, or a tuple."""
    listed = list(values)
    return listed[0] if len(listed) == 1 else ast.Tuple(listed, ast.Load())


__all__ = ["Body", "expr", "literal", "packed"]
