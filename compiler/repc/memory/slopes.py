"""The gradient of a loss by the memory's answer, channel by channel."""

from __future__ import annotations

from fractions import Fraction

from rep_grammar.record import Record
from repc.ir import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Slope(Record):
    """`pred_factor * pred + target_factor * target`, or, where the gradient is no such sum, its `text` in Python.

    `text` reads `pred` and `target` and works on tensors `[.., P]`.
    """

    pred_factor: float
    target_factor: float
    text: str = ""


class NoSlope(ValueError):
    """A loss whose gradient is not known here."""


def slope(loss: Word) -> Slope:
    """The gradient of a loss. Raises `NoSlope`."""
    match loss.name:
        case "squared":
            return Slope(1.0, -1.0)
        case "dot":
            return Slope(0.0, -1.0)
        case "huber":
            delta = _number(loss, "delta", 1.0)
            size = "(pred - target).square().sum(-1, keepdim=True)"
            # The error, shortened to the length delta; the clamp keeps the gradient of the root finite at 0.
            return Slope(0.0, 0.0, f"(pred - target) * ({delta!r} * {size}.clamp(min={delta * delta!r}).rsqrt())")
        case "lp":
            power = _number(loss, "p", 2.0)
            if power == 2.0:
                return Slope(1.0, -1.0)
            return Slope(0.0, 0.0, f"(pred - target).sign() * (pred - target).abs() ** {power - 1.0!r}")
        case _:
            return _derived(loss)


def _number(word: Word, name: str, default: float) -> float:
    value = word.get(name, word.args[0][1] if word.args else default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoSlope(f"{word.name}({value})")
    return float(value)


def _derived(loss: Word) -> Slope:
    """The derivative of a loss that is written as an expression of `pred` and `target`, by sympy."""
    import sympy

    pred, target = sympy.symbols("pred target", real=True)
    found = sympy.diff(_formula(loss, pred, target), pred)
    plain = sympy.expand(found)
    affine = sympy.Poly(plain, pred, target) if plain.is_polynomial(pred, target) else None
    if affine is not None and affine.total_degree() <= 1 and affine.coeff_monomial(1) == 0:
        factors = (affine.coeff_monomial(pred), affine.coeff_monomial(target))
        if all(factor.is_number for factor in factors):
            return Slope(float(factors[0]), float(factors[1]))
    return Slope(0.0, 0.0, _python(found))


_TORCH = frozenset({"sign", "abs", "exp", "log", "sqrt", "tanh", "sinh", "cosh"})
_BINARY = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__", "pow": "__pow__"}


def _formula(word: object, pred: Any, target: Any) -> Any:
    import sympy

    if isinstance(word, int | float) and not isinstance(word, bool):
        return sympy.nsimplify(Fraction(word).limit_denominator(10**12)) if word == word else sympy.nan
    if not isinstance(word, Word):
        raise NoSlope(str(word))
    args = [_formula(value, pred, target) for _, value in word.args]
    match word.name, len(args):
        case "pred", 0:
            return pred
        case "target", 0:
            return target
        case (("add" | "sub" | "mul" | "div" | "pow"), 2):
            return getattr(args[0], _BINARY[word.name])(args[1])
        case "neg", 1:
            return -args[0]
        case "square", 1:
            return args[0] ** 2
        case "abs", 1:
            return sympy.Abs(args[0])
        case (("exp" | "log" | "sqrt" | "tanh" | "cosh"), 1):
            return getattr(sympy, word.name)(args[0])
        case _:
            raise NoSlope(word.name)


def _python(formula: Any) -> str:
    """A formula of `pred` and `target` as Python over tensors."""
    if formula.is_Symbol:
        return str(formula)
    if formula.is_Rational and not formula.is_Integer:
        return f"{float(formula)!r}"
    if formula.is_number and not formula.args:
        return str(formula)
    args = [f"({_python(arg)})" if arg.args else _python(arg) for arg in formula.args]
    if formula.is_Add:
        return " + ".join(args)
    if formula.is_Mul:
        return " * ".join(args)
    if formula.is_Pow:
        return f"{args[0]} ** {args[1]}"
    name = formula.func.__name__.lower()
    if name not in _TORCH:
        raise NoSlope(name)
    return f"torch.{name}({', '.join(map(_python, formula.args))})"
