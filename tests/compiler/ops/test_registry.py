"""One set of checks over every op: the reference, the lowering, and each declared property, on the op's own samples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import rep_runtime.functional
from repc.dims import Dim, Symbol
from repc.ops import REGISTRY, Op
from repc.ops.declare import TypeCall
from repc.ops.evaluate import evaluate
from repc.ops.fields import BREAKS, DROPS, KEEPS, ZERO, Sample
from repc.ops.lowering import LowerCall
from repc.ops.ref import Named
from repc.ops.rules import union
from repc.ops.samples import SIZES, draw, facts, type_of
from repc.types import Axis, Type

FACTS = facts()
CASES = [
    pytest.param(op, sample, id=f"{op.name}-{at}")
    for op in REGISTRY.values()
    for at, sample in enumerate(op.samples.cases)
]


def differentiable(op: Op, sample: Sample) -> bool:
    return op.samples.gradients and any(given.kind.name == "float" for given in sample.operands)


FLOAT_CASES = [case for case in CASES if differentiable(*case.values)]
Value = Any


def size(dim: Dim) -> int:
    return dim.evaluate(SIZES)


def types_of(op: Op, sample: Sample) -> tuple[list[Type], Type]:
    types = [type_of(given) for given in sample.operands]
    return types, op.infer(types, dict(sample.attrs), FACTS)


def operands_of(sample: Sample, seed: int, lead: tuple[int, ...] = (), led: tuple[bool, ...] = ()) -> list[Tensor]:
    """Operands with `lead` dims in front of those that are `led`, floats with gradient."""
    generator = torch.Generator().manual_seed(seed)
    made = []
    for at, given in enumerate(sample.operands):
        carried = lead if given.kind.name != "number" and (not led or led[at]) else ()
        tensor = draw(given, generator, carried)
        made.append(tensor.requires_grad_() if tensor.is_floating_point() and given.kind.name == "float" else tensor)
    return made


def reference(op: Op, sample: Sample, result: Type, tensors: list[Tensor]) -> list[Tensor]:
    named = [
        Named(tensor, [axis.label for axis in given.axes])
        for given, tensor in zip(sample.operands, tensors, strict=True)
    ]
    return flat(op, evaluate(op, named, dict(sample.attrs), size, result))


def flat(op: Op, value: Value) -> list[Tensor]:
    """Tensors of a value, records in order; the sign of an eigenvector is arbitrary."""
    if isinstance(value, Named):
        return [value.data]
    if isinstance(value, Tensor | int | float | bool):
        return [torch.as_tensor(value)]
    parts = list(value.values()) if isinstance(value, dict) else list(value)
    made = [tensor for part in parts for tensor in flat(op, part)]
    if op.name == "eigh":
        made[1] = made[1] * torch.sign(made[1].detach().sum(-2, keepdim=True))
    return made


def rendered(op: Op, sample: Sample, types: list[Type], result: Type) -> tuple[str, dict[str, Any]]:
    scope: dict[str, Any] = {"torch": torch, "F": F, "math": math}

    def runtime(module: str, function: str) -> str:
        assert module == "functional"
        scope[function] = getattr(rep_runtime.functional, function)
        return function

    names = tuple(f"x{at}" for at in range(len(types)))
    device, dtype = "torch.device('cpu')", "torch.float64"
    call = LowerCall(
        op, names, tuple(types), result, dict(sample.attrs), FACTS, lambda d: str(size(d)), runtime, device, dtype
    )
    return op.lower(call), scope


def lowered(op: Op, sample: Sample, types: list[Type], result: Type, tensors: list[Tensor]) -> list[Tensor]:
    """The expression of the lowering, computed; operands of aligned ops are brought to the union of the axes first."""
    text, scope = rendered(op, sample, types, result)
    labels = [axis.label for axis in union(types, FACTS)] if types else []
    for at, (type_, tensor) in enumerate(zip(types, tensors, strict=True)):
        value: Any = tensor.item() if type_.kind.name == "number" else tensor
        if op.aligned and isinstance(value, Tensor):
            value = aligned(tensor, list(type_.labels), labels)
        scope[f"x{at}"] = value
    return flat(op, eval(text, scope))


def aligned(tensor: Tensor, own: list[Symbol], labels: list[Symbol]) -> Tensor:
    have = [label for label in labels if label in own]
    moved = tensor.movedim([own.index(label) - len(own) for label in have], list(range(-len(have), 0)))
    for place, label in enumerate(labels):
        if label not in own:
            moved = moved.unsqueeze(
                moved.dim() - sum(1 for later in labels[place + 1 :] if later in own or later in have)
            )
            have.append(label)
    return moved


def by_loop(
    op: Op, sample: Sample, result: Type, tensors: list[Tensor], lead: tuple[int, ...], led: tuple[bool, ...]
) -> list[Tensor]:
    """The reference for each position of the axes in front, side by side."""
    rows = []
    for place in itertools.product(*map(range, lead)):
        parts = [tensor[place] if carried else tensor for tensor, carried in zip(tensors, led, strict=True)]
        rows.append(reference(op, sample, result, parts))
    return [torch.stack(list(column)).unflatten(0, lead) if lead else column[0] for column in zip(*rows, strict=True)]


def gradients(op: Op, outputs: list[Tensor], tensors: list[Tensor]) -> list[Tensor]:
    inputs = [tensor for tensor in tensors if tensor.requires_grad]
    total = torch.zeros((), dtype=torch.float64)
    generator = torch.Generator().manual_seed(7)
    for output in outputs:
        weights = torch.rand(output.shape, generator=generator, dtype=torch.float64) + 0.5
        finite = torch.where(torch.isfinite(output.detach()), output, 0)
        total = total + (finite * weights).sum()
    if not total.requires_grad:
        return [torch.zeros_like(one) for one in inputs]
    found = torch.autograd.grad(total, inputs, allow_unused=True)
    return [torch.zeros_like(one) if grad is None else grad for one, grad in zip(inputs, found, strict=True)]


def leads(sample: Sample) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """Axes in front: none, one, two; of all operands, of the first alone, of all others."""
    tensors = [given.kind.name != "number" for given in sample.operands]
    yield (), tuple(False for _ in tensors)
    yield (2,), tuple(tensors)
    yield (2, 3), tuple(tensors)
    if sum(tensors) > 1:
        first = tensors.index(True)
        yield (2,), tuple(at == first for at in range(len(tensors)))
        yield (3, 2), tuple(own and at != first for at, own in enumerate(tensors))


@pytest.mark.parametrize(("op", "sample"), CASES)
def test_the_lowering_computes_the_reference_under_any_axes_in_front(op: Op, sample: Sample) -> None:
    types, result = types_of(op, sample)
    for lead, led in leads(sample) if sample.operands else [((), ())]:
        tensors = operands_of(sample, 1, lead, led)
        expected = by_loop(op, sample, result, tensors, lead, led)
        found = lowered(op, sample, types, result, tensors)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one.expand(other.shape), other, rtol=1e-9, atol=1e-9, equal_nan=True)
            assert one.dtype == other.dtype
            assert one.dim() <= other.dim()
        if differentiable(op, sample):
            whole = [one.expand(other.shape) for one, other in zip(found, expected, strict=True)]
            ours, theirs = gradients(op, whole, tensors), gradients(op, expected, tensors)
            for grad, wanted in zip(ours, theirs, strict=True):
                torch.testing.assert_close(grad, wanted, rtol=1e-8, atol=1e-8)
        elif op.grad == ZERO:
            assert not any(bool(grad.any()) for grad in gradients(op, found, tensors))


@pytest.mark.parametrize(("op", "sample"), CASES)
def test_the_result_has_the_axes_kind_and_range_of_its_type(op: Op, sample: Sample) -> None:
    _, result = types_of(op, sample)
    fields = [inner for _, inner in result.fields] if result.kind.name == "record" else [result]
    for seed in range(3):
        for made, type_ in zip(reference(op, sample, result, operands_of(sample, seed)), fields, strict=True):
            assert tuple(made.shape) == tuple(size(axis.size) for axis in type_.axes)
            assert made.dtype == {"float": torch.float64, "bool": torch.bool}.get(type_.kind.name, torch.int64)
            if type_.kind.name == "index":
                assert type_.kind.size is not None
                assert bool(((made >= 0) & (made < size(type_.kind.size))).all())
            if type_.refine is not None and type_.refine.name == "interval":
                assert bool(((made >= type_.refine.low) & (made <= type_.refine.high)).all())
            elif type_.refine is not None:
                on = [type_.labels.index(label) for label in type_.refine.axes]
                whole = made.sum(on) if type_.refine.name == "simplex" else made.square().sum(on)
                torch.testing.assert_close(whole, torch.ones_like(whole), rtol=0, atol=1e-4)


@pytest.mark.parametrize(("op", "sample"), FLOAT_CASES)
def test_an_entry_depends_only_on_what_is_declared(op: Op, sample: Sample) -> None:
    types, result = types_of(op, sample)
    call = TypeCall(op, tuple(types), dict(sample.attrs), FACTS)
    outputs = [inner for _, inner in result.fields] if result.kind.name == "record" else [result]
    floats = [at for at, given in enumerate(sample.operands) if given.kind.name == "float"]
    seen: dict[tuple[int, int], Tensor] = {}
    for seed in range(3):
        tensors = operands_of(sample, seed)

        def compute(*given: Tensor, tensors: list[Tensor] = tensors) -> tuple[Tensor, ...]:
            full = list(tensors)
            for at, tensor in zip(floats, given, strict=True):
                full[at] = tensor
            return tuple(
                torch.where(torch.isfinite(out.detach()), out, 0) for out in reference(op, sample, result, full)
            )

        jacobian = torch.autograd.functional.jacobian(compute, tuple(tensors[at] for at in floats))
        for out, (row, output) in enumerate(zip(jacobian, outputs, strict=True)):
            for at, block in zip(floats, row, strict=True):
                allowed = allowance(op, call, at, output)
                touched = block.abs() > 1e-12
                assert not bool((touched & ~allowed).any()), f"operand {at} is seen where it should not be"
                seen[out, at] = seen.get((out, at), torch.zeros_like(touched)) | touched
    if op.samples.dense and not dict(sample.attrs).get("masked"):
        for (out, at), touched in seen.items():
            assert bool((touched == allowance(op, call, at, outputs[out])).all()), "more is declared than is seen"


def allowance(op: Op, call: TypeCall, at: int, output: Type) -> Tensor:
    """Which entries of operand `at` an entry of the result may see: `[result.., operand..]`."""
    operand = call.operands[at]
    shape = [size(axis.size) for axis in (*output.axes, *operand.axes)]
    grid = torch.meshgrid([torch.arange(n) for n in shape], indexing="ij") if shape else ()
    allowed = torch.ones(shape, dtype=torch.bool)
    for place, axis in enumerate(operand.axes):
        s = grid[len(output.axes) + place]
        for reach in op.depends(call, at, axis):
            if reach.to is not None and output.axis(reach.to) is None:
                continue
            t = grid[output.labels.index(reach.to)] if reach.to is not None else torch.zeros_like(s)
            if reach.low is not None:
                allowed &= s >= size(reach.stride) * t + size(reach.low)
            if reach.high is not None:
                allowed &= s <= size(reach.stride) * t + size(reach.high)
    return allowed


def named_spaces(sample: Sample) -> set[Symbol]:
    """Spaces of the axes that attributes name."""
    found: set[Symbol] = set()

    def visit(value: object) -> None:
        if isinstance(value, Symbol):
            found.add(value)
        elif isinstance(value, Axis):
            found.update((value.label, value.space))
        elif isinstance(value, tuple):
            for item in value:
                visit(item)

    for _, value in sample.attrs:
        visit(value)
    for given in sample.operands:
        found.update(axis.space for axis in given.axes if axis.label in found)
        if given.kind.space is not None:
            found.add(given.kind.space)
    return found


def moved(tensor: Tensor, type_: Type, space: Symbol, order: Tensor, axes_too: bool = True) -> Tensor:
    """A permutation of a space: of its axes, and of the values that are positions of it."""
    if axes_too:
        for place, axis in enumerate(type_.axes):
            if axis.space == space:
                tensor = tensor.index_select(place, order)
    if type_.kind.name == "index" and type_.kind.space == space:
        tensor = order.argsort()[tensor]
    return tensor


ACTION_CASES = [case for case in CASES if case.values[1].operands]


def survives(op: Op, sample: Sample, space: Symbol, order: Tensor, how: str) -> bool:
    types, result = types_of(op, sample)
    outputs = [inner for _, inner in result.fields] if result.kind.name == "record" else [result]
    with torch.no_grad():
        tensors = operands_of(sample, 5)
        acted = [moved(tensor, type_, space, order) for tensor, type_ in zip(tensors, types, strict=True)]
        before = reference(op, sample, result, tensors)
        after = reference(op, sample, result, acted)
        expected = [moved(made, type_, space, order, how != DROPS) for made, type_ in zip(before, outputs, strict=True)]
        return all(
            one.shape == two.shape and torch.allclose(one.double(), two.double(), equal_nan=True)
            for one, two in zip(after, expected, strict=True)
        )


def spaces_of(sample: Sample) -> dict[Symbol, int]:
    return {axis.space: size(axis.size) for given in sample.operands for axis in given.axes}


@pytest.mark.parametrize(("op", "sample"), ACTION_CASES)
def test_permutations_pass_through_as_declared(op: Op, sample: Sample) -> None:
    own = named_spaces(sample)
    # Of equal entries the first is chosen, which no permutation respects: the claim is for different ones.
    ties = op.action.scalar == "invariant" and any(given.kind.name == "int" for given in sample.operands)
    for space, count in spaces_of(sample).items():
        order = torch.randperm(count, generator=torch.Generator().manual_seed(3))
        how = op.action.along if space in own else KEEPS
        if how != BREAKS and not (ties and space in own):
            assert survives(op, sample, space, order, how), f"a permutation of {space} should pass"
        shift = op.action.shift if space in own else KEEPS
        if shift != BREAKS and not (ties and space in own):
            assert survives(op, sample, space, torch.arange(count).roll(1), shift), f"a shift of {space} should pass"


@pytest.mark.parametrize(
    "op", [op for op in REGISTRY.values() if op.action.along == BREAKS and op.samples.cases and op.operands], ids=str
)
def test_an_op_that_is_said_to_break_permutations_does(op: Op) -> None:
    broken = False
    for sample in op.samples.cases:
        for space in named_spaces(sample) & set(spaces_of(sample)):
            orders = itertools.permutations(range(spaces_of(sample)[space]))
            broken |= any(
                not survives(op, sample, space, torch.tensor(order), KEEPS) for order in itertools.islice(orders, 1, 8)
            )
    assert broken


def homogeneous(sample: Sample) -> bool:
    """Whether everything in the sample that is added is an operand that is a float."""
    kinds = {given.kind.name for given in sample.operands}
    return "float" in kinds and "number" not in kinds and not isinstance(dict(sample.attrs).get("empty"), float)


@pytest.mark.parametrize(
    ("op", "sample"),
    [case for case in CASES if case.values[0].action.scalar != "generic" and homogeneous(case.values[1])],
)
def test_factors_pass_through_as_declared(op: Op, sample: Sample) -> None:
    _, result = types_of(op, sample)
    floats = [at for at, given in enumerate(sample.operands) if given.kind.name == "float"]

    def compute(change: Callable[[int, Tensor], Tensor]) -> list[Tensor]:
        with torch.no_grad():
            given = operands_of(sample, 2)
            return reference(op, sample, result, [change(at, x) if at in floats else x for at, x in enumerate(given)])

    def close(left: list[Tensor], right: list[Tensor]) -> bool:
        return all(torch.allclose(a.double(), b.double(), equal_nan=True) for a, b in zip(left, right, strict=True))

    plain = compute(lambda at, x: x)
    other = operands_of(sample, 9)
    first = floats[0]
    kind = op.action.scalar
    if kind == "positive":
        assert close(compute(lambda at, x: 3 * x if at == first else x), [3 * y for y in plain])
    elif kind == "invariant":
        assert close(compute(lambda at, x: 3 * x if at == first else x), plain)
    elif kind in ("odd", "even"):
        sign = -1 if kind == "odd" else 1
        assert close(compute(lambda at, x: -x), [sign * y for y in plain])
    else:
        for chosen in [floats] if kind == "linear" else [[at] for at in floats]:
            with torch.no_grad():
                others = compute(lambda at, x, chosen=chosen: other[at] if at in chosen else x)  # type: ignore[misc]
                both = compute(lambda at, x, chosen=chosen: 2 * x - 3 * other[at] if at in chosen else x)  # type: ignore[misc]
                assert close(both, [2 * y - 3 * z for y, z in zip(plain, others, strict=True)])


@pytest.mark.parametrize(("op", "sample"), [case for case in FLOAT_CASES if dict(case.values[1].attrs).get("masked")])
def test_what_a_condition_leaves_out_reaches_neither_value_nor_gradient(op: Op, sample: Sample) -> None:
    types, result = types_of(op, sample)
    tensors = operands_of(sample, 4)
    where = sample.operands[-1]
    for poison in (float("nan"), float("inf")):
        poisoned = list(tensors)
        for at, given in enumerate(sample.operands[:-1]):
            if given.kind.name != "float":
                continue
            keep = Named(tensors[-1], [axis.label for axis in where.axes])
            gone = tuple(label for label in keep.labels if label not in [axis.label for axis in given.axes])
            some = keep.data.any(tuple(map(keep.labels.index, gone))) if gone else keep.data
            left = Named(some, [label for label in keep.labels if label not in gone])
            mask = left.over(tuple(axis.label for axis in given.axes))
            poisoned[at] = torch.where(mask, tensors[at], poison).detach().requires_grad_()
        plain = lowered(op, sample, types, result, tensors)
        found = lowered(op, sample, types, result, poisoned)
        for one, other in zip(found, plain, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
        for grad, wanted in zip(gradients(op, found, poisoned), gradients(op, plain, tensors), strict=True):
            assert bool(torch.isfinite(grad).all())
            torch.testing.assert_close(grad, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("op", [op for op in REGISTRY.values() if op.partial], ids=str)
def test_a_partial_op_is_finite_at_its_safe_value_and_not_outside_its_domain(op: Op) -> None:
    for domain in op.partial:

        def at(value: float, domain: Any = domain) -> tuple[Tensor, Tensor]:
            given = [torch.tensor(0.5, dtype=torch.float64) for _ in op.operands]
            x = given[domain.operand] = torch.tensor(value, dtype=torch.float64, requires_grad=True)
            made = op.reference(*(Named(tensor, ()) for tensor in given)).data
            return made.detach(), torch.autograd.grad(made, x)[0] if made.requires_grad else torch.zeros(())

        value, grad = at(domain.safe)
        assert math.isfinite(value) and math.isfinite(grad)
        outside = [*domain.but, *([domain.defined.low - 1] if domain.defined.low > -math.inf else [])]
        for point in outside:
            assert not math.isfinite(at(point)[0])


@pytest.mark.parametrize("op", [op for op in REGISTRY.values() if getattr(op.lower, "number", "")], ids=str)
def test_a_function_of_plain_numbers_is_pythons_own(op: Op) -> None:
    from repc.types import NUMBER

    types = [Type((), NUMBER)] * len(op.operands)
    result = op.infer(types, {}, FACTS)
    text, scope = rendered(op, Sample(()), types, result)
    scope.update({f"x{at}": 0.75 for at in range(len(types))})
    expected = op.reference(*(Named(torch.tensor(0.75, dtype=torch.float64), ()) for _ in types)).data.item()
    assert eval(text, scope) == pytest.approx(expected)
    assert not isinstance(eval(text, scope), Tensor)
