"""Statistics of two values along shared axes."""

from __future__ import annotations

from repc.dims import Dim
from repc.ops.classes import EMPTY, MASKED, OVER, Reduce
from repc.ops.contract import letters
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import DROPS, Action, Cost, Samples, Split, size
from repc.ops.lowering import LowerCall, Written, laid_out
from repc.ops.reduce import DDOF, Sets, spread
from repc.ops.rules import union
from repc.ops.samples import A, B, C, bools, case, floats
from repc.types import Refinement, Type


def flops(call: TypeCall, result: Type) -> Dim:
    """Those of one contraction over the union of the axes."""
    return 2 * size(union(call.operands, call.facts))


def paired(name: str, *options: str) -> Written:
    """The runtime's function: a contraction where nothing is masked, else over the union of the axes."""

    def write(call: LowerCall) -> str:
        over = call.attr("over")
        keywords = "".join(f", {option}={call.number(call.attr(option))}" for option in options)
        both = all(label in type.labels for type in call.types for label in over)
        if call.masked or not both:
            axes = union(call.types, call.facts)
            labels = tuple(axis.label for axis in axes)
            parts = [laid_out(call, at, labels) for at in range(len(call.types))]
            dims = [labels.index(label) - len(labels) for label in over]
            dim = str(dims[0]) if len(dims) == 1 else str(tuple(dims))
            where = parts[2] if call.masked else f"torch.ones((), dtype=torch.bool, device={call.device})"
            empty = call.attr("empty")
            if empty is not None:
                keywords += f", empty={call.number(0.0 if empty == 'skip' else empty)}"
            return f"{call.runtime('functional', f'masked_{name}')}({parts[0]}, {parts[1]}, {where}, {dim}{keywords})"
        named = letters(call.types)
        sides = ["".join(named[label] for label in type.labels) for type in call.types]
        out = "".join(named[label] for label in call.result.labels)
        equation = f"...{sides[0]},...{sides[1]}->...{out}"
        dims_x, dims_y = (call.dims(over, at) for at in (0, 1))
        x, y = call.operands
        return f"{call.runtime('functional', name)}({x}, {y}, {dims_x}, {dims_y}, {equation!r}{keywords})"

    return Written(write)


class Statistic(Reduce):
    """A statistic of two values; nothing of the size of the union of their axes is made."""

    operands = (Operand("x"), Operand("y"))
    attributes: tuple[Attr, ...] = (OVER, MASKED, EMPTY, DDOF)
    cost = Cost(formula=flops)
    split = Split("moments")
    aligned = False
    samples = Samples(
        (
            case(floats(B, A), floats(B, C), over=(B,)),
            case(floats(A, B, C), floats(B, A), over=(B,)),
            case(floats(B, A), floats(C, A, B), over=(A, B)),
            case(floats(B, A), floats(B, C), bools(B, C, values="most"), over=(B,), masked=True),
            case(floats(B, A), floats(B, C), bools(B, values="most"), over=(B,), masked=True),
        )
    )


@op
class Cov(Statistic):
    doc = "The mean product of the distances from the means along `over`, divided by `n - ddof`."
    example = "c = cov[b](x[b, d], x[b, e])"
    reference = Sets(spread)
    lower = paired("cov", "ddof")
    laws = ("cov(x, x, over: A) = var(x, over: A)", "cov(x + c, y, over: A) = cov(x, y, over: A)")


@op
class Corr(Statistic):
    doc = "The correlation along `over`: the covariance over the product of the standard deviations."
    example = "c = corr[b](x[b, d], x[b, e])"
    attributes = (OVER, MASKED, EMPTY)
    ranges = Refinement("interval", -1.0, 1.0, False, False)
    reference = Sets(lambda v, w, keep: spread(v, w, keep, 0) / (spread(v, v, keep, 0) * spread(w, w, keep, 0)) ** 0.5)
    lower = paired("corr")
    action = Action(DROPS, DROPS, "invariant")
    laws = ("corr(x, y, over: A) = cov(x, y, over: A) / (std(x, over: A) * std(y, over: A))",)
