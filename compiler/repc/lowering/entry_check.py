"""The check at a public entry: one call of the runtime's guard with the declared inputs."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.ir import Graph, Node
from repc.lowering import printer
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.owner import Imports
from repc.lowering.records import Line
from repc.types import Axis

_KINDS = {"float": "float", "index": "index", "int": "index", "bool": "bool", "code": "index"}


def check_lines(
    graph: Graph,
    parameters: Mapping[str, str],
    inputs: Mapping[str, Node],
    sizes: Mapping[Symbol, str],
    values: Mapping[Symbol, int],
    imports: Imports,
) -> tuple[list[Line], tuple[Symbol, ...]]:
    """The call of `check_entry`, and the sizes of the module that it reads."""
    checked = {port: node for port, node in inputs.items() if node.type.kind.name in _KINDS}
    if not checked:
        return [], ()
    imports("guards", "Port")
    imports("guards", "check_entry")
    names = _names(checked)
    known = [(symbol, text) for symbol, text in sizes.items() if symbol in names]
    spelling = _Spelling(names, frozenset(symbol for symbol in values if symbol not in sizes))
    ports = [_port(port, node, spelling) for port, node in checked.items()]
    tensors = [name(parameters[port]) for port in checked]
    table: Code = expr("{}")
    table.keys = [literal(names[symbol]) for symbol, _ in known]  # type: ignore[attr-defined]
    table.values = [name(f"self.{text}") for _, text in known]  # type: ignore[attr-defined]
    code = call(
        "check_entry",
        literal(graph.declaration),
        expr("{x}", x=ports),
        expr("{x}", x=tensors),
        *([table] if known else []),
    )
    return [Line(line[8:]) for line in printer.lines(code, 8)], tuple(symbol for symbol, _ in known)


def _names(inputs: Mapping[str, Node]) -> dict[Symbol, str]:
    """Spelling of the sizes in the declared types."""
    found: dict[Symbol, str] = {}
    for node in inputs.values():
        sizes = [axis.size for axis in node.type.axes]
        sizes += [node.type.kind.size] if node.type.kind.size is not None else []
        for size in sizes:
            for symbol in sorted(size.symbols(), key=lambda one: one.key):
                spelled, count = symbol.name, 1
                while symbol not in found and spelled in found.values():
                    count += 1
                    spelled = f"{symbol.name}_{count}"
                found.setdefault(symbol, spelled)
    return found


class _Spelling(Record):
    """Names of symbols, and constants of the file that this declaration does not depend on: any size will do."""

    names: Mapping[Symbol, str]
    free: frozenset[Symbol]

    def size(self, axis: Axis) -> Code:
        """The size of an axis; one that only such constants tell goes by its label."""
        size = axis.size
        if size.symbol is None and size.symbols() & self.free:
            return literal(axis.label.name)
        return self.written(size)

    def written(self, size: Dim) -> Code:
        return literal(int(size.constant)) if size.constant is not None else literal(size.to_python(self.names))


def _port(port: str, node: Node, spelling: _Spelling) -> Code:
    axes = [expr("{x}", x=[literal(axis.label.name), spelling.size(axis)]) for axis in node.type.axes]
    kind = _KINDS[node.type.kind.name]
    below = node.type.kind.size
    extra: list[Code] = []
    if kind != "float" or below is not None:
        extra.append(literal(kind))
    if below is not None and node.type.kind.name == "index" and not below.symbols() & spelling.free:
        extra.append(spelling.written(below))
    return call("Port", literal(port), expr("{x}", x=axes), *extra)
