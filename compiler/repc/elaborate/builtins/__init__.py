"""Names that need no import (LANGUAGE.md 4.14)."""

from __future__ import annotations

from repc.elaborate.builtins.along import MAPS, REDUCERS, dist, mapping, reducer, top, unit
from repc.elaborate.builtins.banks import push
from repc.elaborate.builtins.blocks import cost, degree, held, params
from repc.elaborate.builtins.densities import log_prob
from repc.elaborate.builtins.generating import generate
from repc.elaborate.builtins.groups import GROUPS
from repc.elaborate.builtins.layout import concat, contract, rename, reshape, roll, shift, split
from repc.elaborate.builtins.matrices import LINEAR_ALGEBRA, eigh, eye, linear_algebra, linsolve, pinv, svdvals
from repc.elaborate.builtins.pointwise import (
    PAIRS,
    POINTWISE,
    clip,
    inverse_hyperbolic,
    onehot,
    pointwise,
    several,
    straight_through,
    to_float,
    to_index,
    to_int,
    where,
)
from repc.elaborate.builtins.windowing import pad, windows
from repc.elaborate.derivatives import gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.builtins.given import Handler


BUILTINS: dict[str, Handler] = {
    **{name: pointwise(name) for name in POINTWISE},
    **{name: several(op, 3 if name == "lerp" else 2) for name, op in PAIRS.items()},
    **{name: reducer(name) for name in REDUCERS},
    **{name: mapping(name) for name in MAPS},
    **{name: linear_algebra(name) for name in LINEAR_ALGEBRA},
    "arcosh": inverse_hyperbolic("arcosh"),
    "arsinh": inverse_hyperbolic("arsinh"),
    "clip": clip,
    "float": to_float,
    "int": to_int,
    "index": to_index,
    "held": held,
    "ema": held,
    "snapshot": held,
    "fresh": held,
    "rename": rename,
    "reshape": reshape,
    "concat": concat,
    "contract": contract,
    "split": split,
    "shift": shift,
    "roll": roll,
    "pad": pad,
    "push": push,
    "windows": windows,
    "top": top,
    "svdvals": svdvals,
    "eigh": eigh,
    "linsolve": linsolve,
    "pinv": pinv,
    "identity": eye,
    "onehot": onehot,
    "straight_through": straight_through,
    "dist": dist,
    "log_prob": log_prob,
    "unit": unit,
    "params": params,
    "cost": cost,
    "flops": cost,
    "degree": degree,
    "grad": gradient,
    "generate": generate,
    "where": where,
    **GROUPS,
}
