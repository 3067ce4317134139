"""The equations that ops declare hold for their references; their examples are `.rep`; costs are what is counted."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from repc.dims import Dim, Symbol
from repc.ops import REGISTRY, Op, infer
from repc.ops.declare import TypeCall
from repc.ops.evaluate import evaluate
from repc.ops.fields import Sample
from repc.ops.ref import Named, number
from repc.ops.samples import SIZES, A, B, axes, draw, facts, type_of
from repc.types import BOOL, FLOAT, INT, NUMBER, Kind, Type

FACTS = facts()
WORDS = {"==": "eq", "!=": "ne", "<=": "le", ">=": "ge", "<": "lt", ">": "gt"}


class Term:
    """A value with its type: Python's operators and calls are ops of the registry."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Named, type_: Type) -> None:
        self.value, self.type = value, type_

    @staticmethod
    def of(value: Any) -> Term:
        return value if isinstance(value, Term) else Term(number(value), Type((), NUMBER))

    def __add__(self, other: Any) -> Term:
        return apply("add", self, other)

    def __radd__(self, other: Any) -> Term:
        return apply("add", other, self)

    def __sub__(self, other: Any) -> Term:
        return apply("sub", self, other)

    def __rsub__(self, other: Any) -> Term:
        return apply("sub", other, self)

    def __mul__(self, other: Any) -> Term:
        return apply("mul", self, other)

    def __rmul__(self, other: Any) -> Term:
        return apply("mul", other, self)

    def __truediv__(self, other: Any) -> Term:
        return apply("div", self, other)

    def __rtruediv__(self, other: Any) -> Term:
        return apply("div", other, self)

    def __floordiv__(self, other: Any) -> Term:
        return apply("floordiv", self, other)

    def __mod__(self, other: Any) -> Term:
        return apply("mod", self, other)

    def __pow__(self, other: Any) -> Term:
        return apply("pow", self, other)

    def __neg__(self) -> Term:
        return apply("neg", self)

    def __and__(self, other: Any) -> Term:
        return apply("and", self, other)

    def __or__(self, other: Any) -> Term:
        return apply("or", self, other)

    def __invert__(self) -> Term:
        return apply("not", self)

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return apply("eq", self, other)

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return apply("ne", self, other)

    def __lt__(self, other: Any) -> Term:
        return apply("lt", self, other)

    def __le__(self, other: Any) -> Term:
        return apply("le", self, other)

    def __gt__(self, other: Any) -> Term:
        return apply("gt", self, other)

    def __ge__(self, other: Any) -> Term:
        return apply("ge", self, other)


def apply(name: str, *operands: Any, **attrs: Any) -> Term:
    terms = [Term.of(operand) for operand in operands]
    given = {
        key: dim_or(value) if key == "by" else (value,) if key == "over" else value for key, value in attrs.items()
    }
    type_ = infer(name, [term.type for term in terms], given, FACTS)
    made = evaluate(REGISTRY[name], [term.value for term in terms], given, lambda dim: dim.evaluate(SIZES), type_)
    assert isinstance(made, Named)
    return Term(made, type_)


def dim_or(value: Any) -> Any:
    return Dim.of(value) if isinstance(value, int) else value


def variables() -> dict[str, Any]:
    """`x y z` float over [A, B]; `c` over [B]; `p q` positive; `i` whole, `n` positive whole; `a b` bool."""
    generator = torch.Generator().manual_seed(11)

    def make(kind: Kind, values: str, *labels: Symbol) -> Term:
        from repc.ops.fields import Given

        given = Given(axes(*labels), values, kind)
        return Term(Named(draw(given, generator), labels), type_of(given))

    made: dict[str, Any] = {name: make(FLOAT, "normal", A, B) for name in "xyz"}
    made |= {name: make(FLOAT, "positive", A, B) for name in "pq"}
    made |= {name: make(BOOL, "mask", A, B) for name in "ab"}
    made["c"] = make(FLOAT, "normal", B)
    made["i"], made["n"] = make(INT, "whole", A, B), make(INT, "counts", A, B)
    return made


def python(side: str) -> str:
    """An expression of `.rep` in Python's spelling."""
    side = re.sub(r"(\w+): ", r"\1=", side).replace("^", "**").replace("true", "True")
    # In Python `&` binds tighter than a comparison: each comparison gets its parentheses.
    side = re.sub(r"([\w.]+ (?:==|!=|<=|>=|<|>) [\w.]+)", r"(\1)", side)
    return re.sub(r"\bnot ", "~", side).replace(" and ", " & ").replace(" or ", " | ")


LAWS = [pytest.param(law, id=law) for op in REGISTRY.values() for law in op.laws]


@pytest.mark.parametrize("law", LAWS)
def test_a_law_holds_for_the_references(law: str) -> None:
    scope = variables()
    for name in REGISTRY:
        scope[name] = lambda *operands, name=name, **attrs: apply(name, *operands, **attrs)
    left, right = (Term.of(eval(python(side), {"A": A, "B": B, **scope})) for side in law.split(" = "))
    labels = left.value.labels or right.value.labels
    ours, theirs = left.value.over(labels), right.value.over(labels)
    torch.testing.assert_close(ours.double(), theirs.double().expand(ours.shape), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("op", REGISTRY.values(), ids=str)
def test_an_example_is_text_of_the_language(op: Op) -> None:
    from rep_grammar.parser import parse

    assert op.doc.endswith(".")
    state = "  state bank: [B, D] = zeros()\n" if ":=" in op.example else ""
    tree = parse(f"rep 1\nencoder F(x: [T, D]) -> [T, D] {{\n{state}  {op.example}\n  return x\n}}\n")
    assert len(tree.items) == 1


@pytest.mark.parametrize(
    "sample", REGISTRY["contract"].samples.cases, ids=lambda sample: str(dict(sample.attrs)["out"])
)
def test_the_cost_of_a_contraction_is_what_pytorch_counts(sample: Sample) -> None:
    op = REGISTRY["contract"]
    types = [type_of(given) for given in sample.operands]
    result = op.infer(types, dict(sample.attrs), FACTS)
    tensors = [(given, draw(given, torch.Generator().manual_seed(0))) for given in sample.operands]
    tensors = [(given, tensor) for given, tensor in tensors if given.kind.name != "number"]
    letters = {label: "abcdefg"[at] for at, label in enumerate(SIZES)}
    sides = ["".join(letters[axis.label] for axis in given.axes) for given, _ in tensors]
    out = "".join(letters[axis.label] for axis in result.axes)
    with FlopCounterMode(display=False) as counter, torch.backends.opt_einsum.flags(enabled=False):
        torch.einsum(f"{','.join(sides)}->{out}", *(tensor for _, tensor in tensors))
    said = op.cost.flops(TypeCall(op, tuple(types), dict(sample.attrs), FACTS), result).evaluate(SIZES)
    # PyTorch does not count products without a sum, nor sums alone.
    summed = len(tensors) > 1 and counter.get_total_flops() > 0
    assert said == (counter.get_total_flops() if summed else said)
    assert said >= math.prod(SIZES[axis.label] for axis in result.axes)


def test_declaring_the_ops_imports_no_torch() -> None:
    import subprocess
    import sys

    code = "import sys, repc.ops; print('torch' in sys.modules or 'numpy' in sys.modules, len(repc.ops.REGISTRY) >= 70)"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert found.stdout.split() == ["False", "True"]
