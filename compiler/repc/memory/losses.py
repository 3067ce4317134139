"""The loss of a memory on one pair, as an expression of `pred` and `target` in Python."""

from __future__ import annotations

from repc.ir import Word

# Functions of one number in a written loss, by what PyTorch calls them.
FUNCTIONS = {
    **{name: f"torch.{name}" for name in ("abs", "exp", "log", "sqrt", "tanh", "cosh", "relu", "sigmoid", "square")},
    "softplus": "torch.nn.functional.softplus",
}
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
_SQUARE = "(pred - target).square().sum(-1)"


class NoLoss(ValueError):
    """A loss that has no such expression."""


def loss_text(loss: Word) -> str:
    """The loss of answers `[.., P]` against targets `[.., P]`, over `[..]`. Raises `NoLoss`."""
    match loss.name:
        case "squared":
            return f"0.5 * {_SQUARE}"
        case "dot":
            return "-(pred * target).sum(-1)"
        case "huber":
            delta = _number(loss, "delta")
            far = f"{delta!r} * ({_SQUARE}.clamp(min={delta * delta!r}).sqrt() - {delta / 2!r})"
            return f"torch.where({_SQUARE} > {delta * delta!r}, {far}, 0.5 * {_SQUARE})"
        case "lp":
            power = _number(loss, "p")
            return f"(pred - target).abs().pow({power!r}).sum(-1) / {power!r}"
        case _:
            text, wide = _written(loss)
            return f"({text}).sum(-1)" if wide else f"({text}).squeeze(-1)"


def _number(word: Word, name: str) -> float:
    value = word.get(name, word.args[0][1] if word.args else None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoLoss(f"{word.name}({value})")
    return float(value)


def _written(value: object) -> tuple[str, bool]:
    """An expression, and whether it has the channels; what is summed over them keeps an axis of one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value!r}", False
    if not isinstance(value, Word):
        raise NoLoss(str(value))
    if value.name in ("pred", "target") and not value.args:
        return value.name, True
    parts = [_written(part) for _, part in value.args]
    if value.name in _SIGNS and len(parts) == 2:
        (left, wide), (right, also) = parts
        return f"({left} {_SIGNS[value.name]} {right})", wide or also
    if len(parts) != 1:
        raise NoLoss(value.name)
    text, wide = parts[0]
    if value.name == "neg":
        return f"(-{text})", wide
    if value.name == "sum":
        return f"({text}).sum(-1, keepdim=True)", False
    if value.name in FUNCTIONS:
        return f"{FUNCTIONS[value.name]}({text})", wide
    raise NoLoss(value.name)
