"""The check at a public entry: one call of the runtime's guard with the declared inputs."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim, Symbol
from repc.ir import Graph, Node
from repc.lowering import printer
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.owner import Imports
from repc.lowering.records import Line

_KINDS = {"float": "float", "index": "index", "int": "index", "bool": "bool", "code": "index"}


def check_lines(
    graph: Graph,
    parameters: Mapping[str, str],
    inputs: Mapping[str, Node],
    sizes: Mapping[Symbol, str],
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
    ports = [_port(port, node, names) for port, node in checked.items()]
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


def _size(size: Dim, names: Mapping[Symbol, str]) -> Code:
    return literal(int(size.constant)) if size.constant is not None else literal(size.to_python(names))


def _port(port: str, node: Node, names: Mapping[Symbol, str]) -> Code:
    axes = [expr("{x}", x=[literal(axis.label.name), _size(axis.size, names)]) for axis in node.type.axes]
    kind = _KINDS[node.type.kind.name]
    below = node.type.kind.size
    extra: list[Code] = []
    if kind != "float" or below is not None:
        extra.append(literal(kind))
    if below is not None and node.type.kind.name == "index":
        extra.append(_size(below, names))
    return call("Port", literal(port), expr("{x}", x=axes), *extra)
