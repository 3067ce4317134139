"""Names of known memories, told from normal forms: what `explain` says, and nothing that lowering looks at."""

from __future__ import annotations

from collections.abc import Iterator

from rep_grammar.record import Record
from repc.memory.coefficients import ONE, Implicit, Number, is_one, is_zero
from repc.memory.forms import Dense, General, Gram, LocalConstant, NormalForm, RankOne, ScalarAffine, Stream


class Known(Record):
    """A name that a memory goes by, the property that earns it, and where it was published."""

    name: str
    why: str
    source: str = ""


def recognized(form: NormalForm) -> Known | None:
    """The best known name of a memory; None where it has none."""
    return next(_names(form), None)


def _names(form: NormalForm) -> Iterator[Known]:
    match form:
        case ScalarAffine():
            yield from _affine(form)
        case RankOne():
            yield from _rank_one(form)
        case LocalConstant():
            yield from _local(form)
        case Gram():
            yield from _gram(form)
        case Dense():
            yield from _dense(form)
        case Stream() | General():
            return


def _affine(form: ScalarAffine) -> Iterator[Known]:
    if is_zero(form.write):
        return
    if is_one(form.decay):
        divided = "" if form.read.normalize == "none" else ", divided by its total weight"
        yield Known("linear attention", f"a plain sum of outer products{divided}", "Katharopoulos et al. 2020")
    elif is_zero(form.decay):
        return
    elif form.read.normalize == "absolute":
        yield Known("mLSTM", "a gated sum, divided by max(|total weight|, floor)", "Beck et al. 2024")
    elif isinstance(form.decay, Number):
        yield Known("RetNet", "a sum of outer products that fades at one constant rate", "Sun et al. 2023")
    else:
        yield Known("Mamba-2 / simple GLA", "a sum that fades at a rate given for each position", "Dao and Gu 2024")


def _rank_one(form: RankOne) -> Iterator[Known]:
    if isinstance(form.rate, Implicit):
        faded = "" if is_one(form.decay) else ", on a fading state"
        yield Known("Longhorn", f"a proximal step on the newest pair{faded}", "Liu et al. 2024")
    elif is_one(form.decay):
        yield Known("DeltaNet", "one gradient step on the newest pair: the delta rule", "Schlag et al. 2021")
    else:
        order = "decay first" if form.order == "decay_first" else "error first"
        on = "after the state fades" if form.order == "decay_first" else "before the state fades"
        yield Known(f"Gated DeltaNet, {order}", f"the delta rule, its error taken {on}", "Yang et al. 2024")


def _local(form: LocalConstant) -> Iterator[Known]:
    if form.window is not None:
        yield Known("sliding-window attention", f"softmax over the newest {form.window} pairs")
    elif form.mask == "full":
        yield Known("softmax attention, not causal", "a mean weighted by exp(q . k)", "Vaswani et al. 2017")
    else:
        yield Known("softmax attention", "a causal mean weighted by exp(q . k)", "Vaswani et al. 2017")


def _gram(form: Gram) -> Iterator[Known]:
    if is_zero(form.ridge):
        yield Known(
            "the optimal linear memory", "least squares of least norm over all pairs so far", "Wang et al. 2025"
        )
    elif is_one(form.decay):
        yield Known("the mesa layer", "ridge regression over all pairs so far", "von Oswald et al. 2023")
    else:
        kept = "fades with the data" if form.ridge_decays else "is added at the read"
        yield Known("MesaNet, solved exactly", f"fading ridge regression whose ridge {kept}", "von Oswald et al. 2025")


def _dense(form: Dense) -> Iterator[Known]:
    if form.method == "local_constant" and form.kernel == "rbf":
        yield Known("Nadaraya-Watson regression", "a mean weighted by a Gaussian of the distance", "Nadaraya 1964")
    elif form.method == "local_linear":
        yield Known("local linear regression", "a linear fit around every query", "Wang et al. 2025")


def equivalences(form: NormalForm) -> tuple[str, ...]:
    """Other ways to declare the same memory, for `explain`."""
    match form:
        case ScalarAffine(write=write) if write == ONE:
            return ("`optimizer: hebbian`", "`loss: dot`, `optimizer: sgd(rate: 1)`")
        case ScalarAffine():
            return (f"`loss: dot`, `optimizer: sgd(rate: {form.write})`",)
        case RankOne(rate=Implicit() as step):
            return (f"`optimizer: implicit(rate: {step.rate})`", f"the delta rule with rate {step}")
        case RankOne() if is_one(form.decay):
            return (f"`loss: squared`, `optimizer: sgd(rate: {form.rate})`, in either order",)
        case _:
            return ()
