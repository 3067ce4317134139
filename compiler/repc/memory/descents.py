"""The general form of a memory that takes steps: what is declared, with nothing worked out beforehand."""

from __future__ import annotations

from repc.ir import Word
from repc.memory.coefficients import ONE, ZERO, Coefficient
from repc.memory.fields import argument, named, whole
from repc.memory.forms import Descent
from repc.memory.losses import NoLoss, loss_text
from repc.memory.reader import Outside, Reader
from repc.memory.slopes import Slope


def affine_text(found: Slope) -> str:
    """An affine gradient as an expression of `pred` and `target`."""
    if (found.pred_factor, found.target_factor) == (1.0, -1.0):
        return "pred - target"
    if found.pred_factor == 0:
        return f"{found.target_factor!r} * target"
    return f"{found.pred_factor!r} * pred + {found.target_factor!r} * target"


def descent(reader: Reader, optimizer: Word) -> Descent:
    """A memory by its declared steps. Raises `Outside`."""
    own = _Descent(reader)
    regressor = reader.field("regressor", "linear")
    if regressor.name not in ("linear", "diagonal", "mlp"):
        raise Outside("regressor", f"the state is `{regressor.name}`")
    loss = reader.field("loss", "squared")
    try:
        text = loss_text(loss)
    except NoLoss as unknown:
        raise Outside("loss", f"the loss `{unknown}` is not known") from None
    if optimizer.name == "implicit" and (regressor.name != "linear" or loss.name not in ("squared", "dot")):
        raise Outside("loss", "a proximal step is known for a linear state and the squared or the dot loss")
    weights = reader.field("weights", "uniform")
    sight = reader.visible(weights)
    if sight.given or sight.top is not None:
        raise Outside("weights", f"the weights of a memory that takes steps are `{weights.name}`")
    if not reader.along_one():
        raise Outside("weights", "queries and pairs run along two axes")
    steps, block = own.number(optimizer, "steps"), own.block()
    if block > 1 and steps > 1:
        raise Outside("per", "several steps a pair and one gradient point a block exclude each other")
    fading = argument(weights, "rate", "a", "value", default=1) if weights.name == "decay" else 1
    retain = reader.field("retain")
    ridge, l1 = own.penalty()
    depth = own.number(regressor, "depth", 2)
    hidden = whole(regressor.get("hidden")) if regressor.name == "mlp" else None
    if regressor.name == "mlp" and hidden is None:
        raise Outside("regressor", "the width of a hidden layer is no whole number")
    activation = regressor.get("activation", "gelu")
    bonus = reader.field("bonus")
    if bonus.name != "none" and regressor.name == "mlp":
        raise Outside("bonus", "a bonus is read through a linear state")
    if regressor.name != "linear" and reader.field("normalize").name != "none":
        raise Outside("normalize", "a total weight is read through a linear state")
    return Descent(
        regressor.name,
        (hidden,) * (depth - 1) if hidden is not None else (),
        activation.name if isinstance(activation, Word) else str(activation),
        bool(regressor.get("residual", False)),
        str(regressor.get("norm", "none")),
        text,
        loss.name == "dot",
        optimizer.name,
        steps,
        own.coefficient("rate", named(optimizer, "rate", 1)),
        own.coefficient("momentum", named(optimizer, "momentum", 0)),
        bool(named(optimizer, "nesterov", False)),
        own.number(optimizer, "window"),
        block,
        reader.field("order", "decay_first").name,
        sight.kind,
        sight.length,
        reader.known(fading, "weights", ""),
        ONE if retain.name == "none" else own.coefficient("decay", argument(retain, "a", "value", default=1)),
        ridge,
        l1,
        ZERO if bonus.name == "none" else own.coefficient("bonus", argument(bonus, "value", "u", default=0)),
        tuple(own.axes.items()),
        own.start(regressor.name),
        reader.scale_of(),
        reader.reading(),
    )


class _Descent:
    """What a descent reads of its fields."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.axes: dict[str, str] = {}

    def coefficient(self, name: str, value: object) -> Coefficient:
        """A coefficient for each pair, or for each channel of a key or a value."""
        per = self.reader.per_channel(value)
        if per and self.reader.field("regressor", "linear").name == "mlp":
            raise Outside("retain" if name == "decay" else "optimizer", "the maps of an mlp share one number")
        if per:
            self.axes[name] = per
        return self.reader.known(value, name, "channel")

    def number(self, word: Word, name: str, default: int = 1) -> int:
        found = whole(named(word, name, default))
        if found is None or found.constant is None:
            raise Outside("optimizer", f"`{name}` is no whole number")
        return int(found.constant)

    def block(self) -> int:
        per = self.reader.field("per")
        if per.name == "none":
            return 1
        found = whole(argument(per, "length", "per", "value", default=1))
        if found is None or found.constant is None:
            raise Outside("per", "the length of a block is no whole number")
        return int(found.constant)

    def penalty(self) -> tuple[float, float]:
        """The strengths of a ridge and of an l1 penalty."""
        word = self.reader.field("regularizer")
        if word.name == "none":
            return 0.0, 0.0
        size = argument(word, "l", "rate", "value", default=1)
        if word.name not in ("ridge", "l1") or isinstance(size, bool) or not isinstance(size, int | float):
            raise Outside("regularizer", f"the regularizer is `{word.name}`, or its strength no number")
        return (float(size), 0.0) if word.name == "ridge" else (0.0, float(size))

    def start(self, regressor: str) -> tuple[str, ...]:
        """The inputs that hold the parameters before the first pair."""
        found = self.reader.started()
        if regressor == "mlp" and not found:
            raise Outside("init", "an mlp of zeros learns nothing: `init: learned`")
        return found
