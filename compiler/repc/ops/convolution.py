"""Windows of a value against a kernel, in one operation."""

from __future__ import annotations

from collections.abc import Iterable

from repc.dims import Dim, Symbol
from repc.ops import ref
from repc.ops.classes import HERE, NOTHING, Contract, own
from repc.ops.contract import products
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import BREAKS, Action, Cost, Depends, Ragged, Reach, Reference, Samples, size
from repc.ops.lowering import LowerCall, Written, moved
from repc.ops.rules import need_axis, need_distinct, need_equal, union
from repc.ops.samples import A, B, C, E, I, J, M, case, floats
from repc.ops.shape import framed, new
from repc.types import FLOAT, Axis, Type


def convolved(call: TypeCall) -> Type:
    """Axes of both operands in the order of `out`, those of `over` as those of `as`."""
    x, weight = call.operands
    over, within, places = call.attr("over"), call.attr("within"), call.attr("as")
    reach = Dim.of(call.attr("dilation"))
    axes = {axis.label: axis for axis in union(call.operands, call.facts)}
    for label, inner, place in zip(over, within, places, strict=True):
        axis, window = need_axis(call, x.axes, label), need_axis(call, weight.axes, inner)
        count = (axis.size - reach * (window.size - 1) - 1) // Dim.of(call.attr("stride")) + 1
        need_equal(call, place.label, count, place.size)
        axes[place.label] = place
    return Type(tuple(need_axis(call, axes.values(), label) for label in need_distinct(call, call.attr("out"))), FLOAT)


def by_windows(
    x: ref.Named,
    weight: ref.Named,
    over: ref.Labels,
    within: ref.Labels,
    as_: tuple[ref.Extent, ...],
    stride: int,
    dilation: int,
    out: ref.Labels,
) -> ref.Named:
    """All windows, then the products with the kernel, summed over what the result lacks."""
    for label, inner, place in zip(over, within, as_, strict=True):
        x = framed(x, label, weight.size(inner), stride, dilation, place, ref.Extent(inner, weight.size(inner)))
    return products(x, weight, out=out)


def seen(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """A place sees its window; what the result lacks is seen whole."""
    over, within, places = call.attr("over"), call.attr("within"), call.attr("as")
    if at == 0 and axis.label in over:
        place = over.index(axis.label)
        window = call.operands[1].axis(within[place])
        assert window is not None
        stride, dilation = Dim.of(call.attr("stride")), Dim.of(call.attr("dilation"))
        return (Reach(places[place].label, stride, NOTHING, dilation * (window.size - HERE)),)
    return own(call, at, axis) if axis.label in call.attr("out") else (Reach(None),)


def kernel_flops(call: TypeCall, result: Type) -> Dim:
    """Two for each entry of the result and each place of the kernel that it sums over."""
    summed = tuple(axis for axis in call.operands[1].axes if axis.label not in call.attr("out"))
    return 2 * size(result.axes) * size(summed)


def convolve_text(call: LowerCall) -> str:
    """The runtime's function: both operands laid out as it takes them, the result put in its order."""
    (x, weight), over, out = (kind.labels for kind in call.types), call.attr("over"), call.attr("out")
    within = call.attr("within")
    shared = [label for label in weight if label in x and label in out]
    summed = [label for label in weight if label in x and label not in out]
    outs = [label for label in weight if label not in x and label not in within]
    kept = [label for label in x if label not in weight and label not in over]
    words = {"kept": kept, "shared": shared, "summed": summed, "outs": outs}
    counts = [f"{name}={len(labels)}" for name, labels in words.items() if labels]
    steps = [f"{name}={call.size(call.attr(name))}" for name in ("stride", "dilation")]
    operands = (
        moved(call.operands[0], x, [*kept, *shared, *summed, *over]),
        moved(call.operands[1], weight, [*shared, *outs, *summed, *within]),
        str(len(over)),
        *counts,
        *(step for step in steps if not step.endswith("=1")),
    )
    made = f"{call.runtime('functional', 'convolve')}({', '.join(operands)})"
    return moved(made, [*kept, *labels_of(call.attr("as")), *shared, *outs], call.result.labels)


def labels_of(axes: Iterable[Axis]) -> list[Symbol]:
    return [axis.label for axis in axes]


@op
class Convolve(Contract):
    doc = "The product of every window of some axes with a kernel, summed over every label that is not in `out`."
    example = "y = contract(windows(x, over: T, size: 3, within: W), weight, over: [C, W])"
    operands = (Operand("x"), Operand("weight"))
    attributes = (
        Attr("over", "axes", "Axes of `x` along which the windows lie."),
        Attr("within", "axes", "Axes of `weight` that are the places in a window, one for each of `over`."),
        Attr("as", "new axes", "The axes of the windows."),
        Attr("stride", "size", "Distance of windows.", False, Dim.of(1)),
        Attr("dilation", "size", "Distance of entries.", False, Dim.of(1)),
        Attr("out", "axes", "Labels of the result, in its order."),
    )
    result = staticmethod(convolved)
    reference = Reference(by_windows)
    lower = Written(convolve_text)
    action = Action(BREAKS, BREAKS, "multilinear")
    depends = Depends(seen)
    cost = Cost(formula=kernel_flops)
    ragged = Ragged("refused")
    samples = Samples(
        (
            case(floats(B, A), floats(E, A, C), over=(B,), within=(C,), as_=(new(M, Dim.of(B) - 1),), out=(M, E)),
            case(floats(B, A), floats(E, C), over=(B,), within=(C,), as_=(new(M, Dim.of(B) - 1),), out=(A, E, M)),
            case(floats(A, B), floats(A, C), over=(B,), within=(C,), as_=(new(M, Dim.of(B) - 1),), out=(M, A)),
            case(
                floats(E, A),
                floats(A, C, I),
                over=(E,),
                within=(I,),
                as_=(new(M, (Dim.of(E) - 4) // 2 + 1),),
                stride=Dim.of(2),
                out=(M, C),
            ),
            case(
                floats(E, B),
                floats(A, C, I),
                over=(E, B),
                within=(A, C),
                as_=(new(J, Dim.of(E) - 4), new(M, Dim.of(B) - 2)),
                dilation=Dim.of(2),
                out=(I, J, M),
            ),
        ),
        dense=False,
    )
