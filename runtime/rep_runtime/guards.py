"""The check at a public entry: sizes of free dims are solved from the actual inputs once, all mismatches told at once.

A size is written as in the spec: an integer, a dim (`T`), or arithmetic over dims (`2*B`, `T + 1`, `D // H`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from rep_runtime.faults import Place, RuntimeFault

Kind = Literal["float", "index", "bool", "complex", "any"]
Size = int | str
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Div, ast.Mod)


@dataclass(frozen=True, slots=True)
class Port:
    """One input as declared: its `name`, written `axes` (label and size), `kind`, and for an index its bound."""

    name: str
    axes: tuple[tuple[str, Size], ...]
    kind: Kind = "float"
    below: Size | None = None

    def __str__(self) -> str:
        written = ", ".join(label if label == str(size) else f"{label}: {size}" for label, size in self.axes)
        of = "" if self.below is None else f" of {self.below}"
        return f"[{written}]{of}"


class _Unknown(Exception):
    """A size whose dims are not all known yet."""


def _value(node: ast.expr, known: Mapping[str, int]) -> int | None:
    """The value of a size expression; None where a division leaves a remainder or has divisor 0."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in known:
            raise _Unknown
        return known[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, known)
        return None if inner is None else -inner
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
        left, right = _value(node.left, known), _value(node.right, known)
        return None if left is None or right is None else _apply(node.op, left, right)
    raise ValueError("a size is an integer, a dim, or + - * / // % over them")


def _apply(operator: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if right == 0:
        return None
    if isinstance(operator, ast.Mod):
        return left % right
    return left // right if isinstance(operator, ast.FloorDiv) or left % right == 0 else None


def size_of(size: Size, known: Mapping[str, int]) -> int | None:
    """The number that a size stands for; None where a dim is unknown or a division is not exact."""
    if isinstance(size, int):
        return size
    try:
        return _value(ast.parse(size, mode="eval").body, known)
    except _Unknown:
        return None


def _names(size: Size) -> set[str]:
    if isinstance(size, int):
        return set()
    return {node.id for node in ast.walk(ast.parse(size, mode="eval")) if isinstance(node, ast.Name)}


def _solve_affine(size: str, name: str, actual: int, known: Mapping[str, int]) -> int | None:
    """The n >= 0 with size(n) = actual, for a size affine in its one unknown dim; None where there is none."""
    at = [size_of(size, {**known, name: n}) for n in (0, 1, 2)]
    if at[0] is None or at[1] is None or at[2] is None or at[2] - at[1] != at[1] - at[0] or at[1] == at[0]:
        return None
    answer, rest = divmod(actual - at[0], at[1] - at[0])
    return answer if rest == 0 and answer >= 0 else None


@dataclass(slots=True)
class _Bindings:
    """Sizes of dims with where each comes from."""

    sizes: dict[str, int]
    origins: dict[str, str]

    def bind(self, name: str, size: int, origin: str) -> None:
        self.sizes[name] = size
        self.origins[name] = origin

    def table(self) -> str:
        return "\n".join(f"  {name} = {size}  ({self.origins[name]})" for name, size in self.sizes.items())


def _actual(port: Port, tensor: Tensor) -> tuple[int, ...] | None:
    """The sizes of the written axes, which come last; axes before them are lifted."""
    count = len(port.axes)
    return tuple(tensor.shape[tensor.ndim - count :]) if tensor.ndim >= count else None


def solve(ports: Sequence[Port], tensors: Sequence[Tensor], sizes: Mapping[str, int] | None = None) -> dict[str, int]:
    """Sizes of all dims that the inputs determine, on top of the known `sizes`."""
    return _bind(ports, tensors, sizes or {}).sizes


def _bind(ports: Sequence[Port], tensors: Sequence[Tensor], sizes: Mapping[str, int]) -> _Bindings:
    found = _Bindings(dict(sizes), dict.fromkeys(sizes, "of the model"))
    sites = [
        (f"axis {label} of `{port.name}`", size, actual)
        for port, tensor in zip(ports, tensors, strict=True)
        for (label, size), actual in zip(port.axes, _actual(port, tensor) or (), strict=False)
        if isinstance(size, str)
    ]
    # A bare dim says its size outright; arithmetic is solved after that, as long as it teaches something.
    for origin, size, actual in sites:
        if size.isidentifier() and size not in found.sizes:
            found.bind(size, actual, origin)
    learned = True
    while learned:
        learned = False
        for origin, size, actual in sites:
            unknown = _names(size) - found.sizes.keys()
            answer = _solve_affine(size, next(iter(unknown)), actual, found.sizes) if len(unknown) == 1 else None
            if answer is not None:
                found.bind(next(iter(unknown)), answer, origin)
                learned = True
    return found


def _kind_of(tensor: Tensor) -> Kind:
    if tensor.dtype == torch.bool:
        return "bool"
    if tensor.is_complex():
        return "complex"
    return "float" if tensor.is_floating_point() else "index"


def _shape(tensor: Tensor) -> str:
    return f"[{', '.join(map(str, tensor.shape))}] {str(tensor.dtype).removeprefix('torch.')}"


def _mismatches(port: Port, tensor: Tensor, known: _Bindings) -> list[str]:
    actual = _actual(port, tensor)
    if actual is None:
        return [f"`{port.name}` is {_shape(tensor)}, but {port} has {len(port.axes)} axes"]
    lines: list[str] = []
    if port.kind != "any" and _kind_of(tensor) != port.kind:
        lines.append(f"`{port.name}` holds {_kind_of(tensor)} values ({_shape(tensor)}), {port.kind} is declared")
    for (label, size), have in zip(port.axes, actual, strict=True):
        want = size_of(size, known.sizes)
        if want is not None and want != have:
            said = "" if str(size) == str(want) else f" = {size}"
            lines.append(f"axis {label} of `{port.name}` has size {have}, expected {want}{said}")
        elif want is None and not _names(size) - known.sizes.keys():
            lines.append(f"axis {label} of `{port.name}`: {size} is no whole number here")
        elif want is None:
            lines.append(f"axis {label} of `{port.name}` has size {have}, which no {size} gives")
    if port.kind == "index" and port.below is not None and tensor.device.type == "cpu" and tensor.numel():
        below, low, high = size_of(port.below, known.sizes), int(tensor.min()), int(tensor.max())
        if below is not None and not (low >= 0 and high < below):
            lines.append(f"`{port.name}` holds the index {low if low < 0 else high}, allowed are 0 .. {below - 1}")
    return lines


def _lifted(ports: Sequence[Port], tensors: Sequence[Tensor]) -> list[str]:
    """Axes before the written ones are carried along, so all inputs that have any must have the same."""
    fronts = {
        port.name: tuple(tensor.shape[: tensor.ndim - len(port.axes)])
        for port, tensor in zip(ports, tensors, strict=True)
        if tensor.ndim > len(port.axes)
    }
    if len(set(fronts.values())) <= 1:
        return []
    listed = ", ".join(f"`{name}` {list(front)}" for name, front in fronts.items())
    return [f"the axes before the declared ones differ: {listed}"]


def check_entry(
    name: str,
    ports: Sequence[Port],
    tensors: Sequence[Tensor],
    sizes: Mapping[str, int] | None = None,
    place: Place | None = None,
) -> None:
    """Check the inputs of a public entry against their declaration.

    `sizes`: dims the model was built with. Written axes are the last ones of a tensor, axes before them are lifted and
    must agree. Bounds of indices are checked for inputs on the CPU. Does nothing while a graph is being captured
    (`torch.compile`, `torch.export`). Raises RuntimeFault REP0709 with every mismatch and the table of dims.
    """
    if torch.compiler.is_compiling():
        return
    found = _bind(ports, tensors, sizes or {})
    lines = [line for port, tensor in zip(ports, tensors, strict=True) for line in _mismatches(port, tensor, found)]
    lines += _lifted(ports, tensors)
    if not lines:
        return
    told = "\n".join(f"  {line}" for line in lines)
    given = "\n".join(
        f"  `{port.name}: {port}` got {_shape(tensor)}" for port, tensor in zip(ports, tensors, strict=True)
    )
    table = f"\ndims:\n{found.table()}" if found.sizes else ""
    raise RuntimeFault("REP0709", f"the inputs of `{name}` do not fit:\n{told}\ninputs:\n{given}{table}", place=place)
