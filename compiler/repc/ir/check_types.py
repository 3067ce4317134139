"""Types of nodes against the rules of their kinds (LANGUAGE.md 9.3, rules 2 to 6 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from repc.dims import Dim, Facts, Symbol
from repc.ir.check_fault import IllFormed
from repc.ir.graph import Graph, Node
from repc.ir.program import MemoryRecord, Program
from repc.types import Axis, Type


class GraphTypes:
    """Checks the types of one graph. `known`: the size symbols that it may use."""

    def __init__(self, program: Program, key: str, graph: Graph, facts: Facts, known: frozenset[Symbol]) -> None:
        self.program = program
        self.key = key
        self.graph = graph
        self.facts = facts
        self.known = known
        self.nodes = graph.by_name()
        self._rules: dict[str, Callable[[Node], Iterator[tuple[int, str]]]] = {
            "prim": self._prim,
            "memory": self._memory,
            "apply": self._apply,
            "loop": self._loop,
            "branch": self._branch,
            "grad": self._grad,
        }

    def faults(self) -> Iterator[IllFormed]:
        """Every node whose type is not what its kind makes."""
        for node in self.graph.nodes:
            found = [*self._axes(node.type)]
            if not found and node.kind in self._rules:
                found += self._rules[node.kind](node)
            for rule, text in found:
                yield IllFormed(rule, f"{self.key}.{node.name}", text)

    def _axes(self, type: Type) -> Iterator[tuple[int, str]]:
        if len(set(type.labels)) != len(type.labels):
            yield 2, f"a label is there twice in {type}"
        for axis in type.axes:
            unknown = axis.size.symbols() - self.known
            if unknown:
                yield 2, f"the size {axis.size} of {axis.label} has no meaning here: {min(unknown)} is not known"
        for _, inner in type.fields:
            yield from self._axes(inner)

    def _type(self, name: str) -> Type:
        return self.nodes[name].type

    def _prim(self, node: Node) -> Iterator[tuple[int, str]]:
        from repc.ops import REGISTRY, OpFault, infer

        op = node.attrs["op"]
        if op not in REGISTRY:
            yield 3, f"there is no op {op}"
            return
        try:
            wanted = infer(op, [self._type(arg) for arg in node.args], node.attrs, self.facts)
        except OpFault as fault:
            yield 3, f"{op} does not take its operands: {fault.name} {_shown(fault.values)}"
            return
        if not self.equal(node.type, wanted):
            yield 3, f"{op} makes {wanted}, not {node.type}"

    def equal(self, left: Type, right: Type, refined: bool = True) -> bool:
        """Equal axes in order (sizes by the facts), kinds and fields; `left` may say less about the entries."""
        if len(left.axes) != len(right.axes) or len(left.fields) != len(right.fields):
            return False
        if not all(self.same(a, b) for a, b in zip(left.axes, right.axes, strict=True)):
            return False
        if left.kind.name != right.kind.name or left.kind.space != right.kind.space or left.kind.of != right.kind.of:
            return False
        if (left.kind.size is None) != (right.kind.size is None):
            return False
        if left.kind.size is not None and not self.facts.equal(left.kind.size, right.kind.size or left.kind.size):
            return False
        if refined and left.refine is not None and not (right.refine is not None and right.refine.within(left.refine)):
            return False
        return all(
            a[0] == b[0] and self.equal(a[1], b[1], refined) for a, b in zip(left.fields, right.fields, strict=True)
        )

    def same(self, left: Axis, right: Axis) -> bool:
        """One label, kind and space, and sizes that are proved equal."""
        return (
            left.label == right.label
            and left.kind == right.kind
            and left.space == right.space
            and self.facts.equal(left.size, right.size)
        )

    def _carries(self, type: Type, wanted: Type) -> bool:
        """Whether a value has at least the axes of a port, and its kind."""
        if type.kind.name == "number" and wanted.kind.name in ("float", "int"):
            return not wanted.axes
        for axis in wanted.axes:
            own = type.axis(axis.label)
            if own is None or not self.facts.equal(own.size, axis.size):
                return False
        return type.kind.name == wanted.kind.name

    def _memory(self, node: Node) -> Iterator[tuple[int, str]]:
        record = node.attrs.get("record")
        ports = node.attrs.get("ports", ())
        if not isinstance(record, MemoryRecord) or len(ports) != len(node.args):
            yield 3, "a memory has a record, and a port for each argument"
            return
        given = dict(zip(ports, node.args, strict=True))
        for role in ("q", "k", "v"):
            if record.role(role) not in given:
                yield 3, f"the memory has no {role}"
                return
        out = node.type.fields[0][1] if node.type.kind.name == "record" else node.type
        value = self._type(given[record.role("v")])
        for label in record.value_axis:
            axis, own = out.axis(label), value.axis(label)
            if axis is None or own is None or not self.facts.equal(axis.size, own.size):
                yield 3, f"the answers have not the axis {label} of the values"

    def _apply(self, node: Node) -> Iterator[tuple[int, str]]:
        attrs = node.attrs
        callee = self.program.graphs[attrs["graph"]]
        labels: Mapping[Symbol, Symbol] = dict(attrs.get("labels", ()))
        sizes: dict[Symbol, Dim] = {own: Dim.of(size) for own, size in attrs.get("sizes", ())}
        ports = {inner.attrs["port"]: inner.type for inner in callee.nodes if inner.kind == "input"}
        if len(attrs["ports"]) != len(node.args):
            yield 4, "there is not one port for each argument"
            return
        given = dict(zip(attrs["ports"], node.args, strict=True))
        for port in ports.keys() - given.keys():
            yield 4, f"the input {port} of {attrs['graph']} is not given"
        for port, arg in given.items():
            if port not in ports:
                yield 4, f"{attrs['graph']} has no input {port}"
                continue
            wanted = ports[port].subst(labels, sizes)
            if not self._carries(self._type(arg), wanted):
                yield 4, f"the input {port} is {wanted}, and gets {self._type(arg)}"
        lift: tuple[Symbol, ...] = attrs.get("lift", ())
        own_labels = {label for inner in callee.nodes for label in inner.type.labels}
        for label in lift:
            if label in own_labels:
                yield 6, f"the lifted axis {label} is an axis inside {attrs['graph']}"
        results = {name: callee.node(inner).type.subst(labels, sizes) for name, inner in callee.results}
        sites = {f"@{name}": callee.node(dict(callee.sites)[name]).type for name in attrs.get("sites", ())}
        for name, found in self._results(node, {**results, **{n: t.subst(labels, sizes) for n, t in sites.items()}}):
            expected = results.get(name)
            missing = [label for label in lift if label not in found.labels]
            if missing and not name.startswith(("@", "state.")):
                yield 6, f"the lifted axis {missing[0]} is not in the result"
            if expected is None:
                continue
            rest = Type(tuple(a for a in found.axes if a.label not in lift), found.kind, None, found.fields)
            # An axis is the caller's, with its kind and space; the label says which one it is.
            if rest.labels != expected.labels or not self._carries(rest, expected):
                yield 3, f"{attrs['graph']} makes {expected} at each lifted position, not {rest}"

    def _results(self, node: Node, wanted: Mapping[str, Type]) -> Iterator[tuple[str, Type]]:
        if tuple(wanted) == ("",):
            yield "", node.type
        else:
            yield from node.type.fields

    def _body(self, node: Node, key: str, given: Mapping[str, Type | None]) -> Iterator[tuple[int, str]]:
        """The inputs of a body against what it is given; None stands for the index of a loop."""
        for inner in self.program.graphs[key].nodes:
            if inner.kind != "input":
                continue
            if inner.attrs["port"] not in given:
                yield 5, f"the input {inner.attrs['port']} of {key} is not given"
                continue
            own = given[inner.attrs["port"]]
            if own is not None and not self._carries(own, inner.type):
                yield 5, f"the input {inner.attrs['port']} of {key} is {inner.type}, and gets {own}"

    def _loop(self, node: Node) -> Iterator[tuple[int, str]]:
        attrs = node.attrs
        body = self.program.graphs[attrs["body"]]
        given: dict[str, Type | None] = dict(zip(attrs["ports"], map(self._type, node.args), strict=True))
        # A state that every turn has is given as all of them together.
        given.update(dict.fromkeys(attrs.get("each", ())))
        inner = {name: body.node(result).type for name, result in body.results}
        counted: dict[str, Type | None] = dict.fromkeys([attrs["index"]] if attrs.get("index") else [])
        yield from self._body(node, attrs["body"], {**given, **counted})
        for name in (*attrs["carried"], *attrs["stacked"]):
            if name not in inner or node.type.field(name) is None:
                yield 5, f"{name} is no result of the loop and its body"
        for name in attrs["carried"]:
            out, field = inner.get(name), node.type.field(name)
            if out is None or field is None or name not in given:
                continue
            start = given[name]
            if start is not None and start.kind.name != "number" and not self.equal(start.plain(), out.plain()):
                yield 5, f"{name} goes in as {start} and comes out as {out}"
            if not self.equal(field.plain(), out.plain()):
                yield 3, f"{name} is {out} in the body and {field} after the loop"
        for name in attrs["stacked"]:
            out, field = inner.get(name), node.type.field(name)
            if out is None or field is None:
                continue
            new = [axis for axis in field.axes if axis.label not in out.labels]
            if len(new) != 1 or not self.facts.equal(new[0].size, Dim.of(attrs["count"])):
                yield 3, f"{name} is stacked along one axis of size {attrs['count']}, not as {field}"

    def _branch(self, node: Node) -> Iterator[tuple[int, str]]:
        attrs = node.attrs
        if self._type(node.args[0]).axes:
            yield 3, "the predicate of a branch has no axes"
        given = {port: self._type(arg) for port, arg in zip(attrs["ports"], node.args[1:], strict=True)}
        for key in (attrs["then"], attrs["other"]):
            yield from self._body(node, key, given)
            body = self.program.graphs[key]
            for name, result in body.results:
                wanted = node.type.field(name) if node.type.kind.name == "record" else node.type
                if wanted is None or not self.equal(wanted.plain(), body.node(result).type.plain()):
                    yield 3, f"{key} makes {body.node(result).type}, not {wanted}"

    def _grad(self, node: Node) -> Iterator[tuple[int, str]]:
        attrs = node.attrs
        body = self.program.graphs[attrs["graph"]]
        given = {port: self._type(arg) for port, arg in zip(attrs["ports"], node.args, strict=True)}
        yield from self._body(node, attrs["graph"], given)
        if len(body.results) != 1 or body.node(body.results[0][1]).type.axes:
            yield 8, "a derivative is taken of a scalar"
        for port in attrs["wrt"]:
            if port not in given:
                yield 3, f"a derivative is taken by {port}, which is no input"


def _shown(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())
