"""What `repc explain` knows of a program, as data."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.record import Record
from repc.dims import Dim, DimFault, Symbol


class Quantity(Record):
    """A number of things as a formula in dims, and as a number where every dim in it has a value."""

    formula: Dim
    value: int | None

    def __str__(self) -> str:
        shown = str(self.formula)
        if self.value is None or shown == str(self.value):
            return shown
        return f"{shown} = {self.value:,}"


def quantity(formula: Dim, values: Mapping[Symbol, int]) -> Quantity:
    """A formula with its number, rounded up where it is no whole one."""
    try:
        number = formula.value(values)
    except DimFault:
        return Quantity(formula, None)
    return Quantity(formula, -int(-number // 1))


class ParameterNote(Record):
    """A parameter: its path in the state dict (`<i>` in it counts the turns of a loop), its axes, how many numbers."""

    path: str
    axes: tuple[str, ...]
    size: Quantity


class MemoryNote(Record):
    """What a memory is by its normal form: the name it goes by and why ("" for none), how it is computed, its resolved
    fields as (field, value, where from), other ways to declare it, and (condition, verdict, why) of its stability."""

    name: str
    why: str
    lowering: str
    algorithm: str
    fields: tuple[tuple[str, str, str], ...]
    same_as: tuple[str, ...]
    conditions: tuple[tuple[str, str, str], ...]


class DeclarationNote(Record):
    """What is known of one declaration.

    `flops`: one forward pass of one item of every axis that is carried along. `per_token`: that divided by the length
    of `sequence`, where it has one; `decoding`: the same where memories run one position after the other. `state`:
    bytes between two steps in float32, where there is a sequence.
    """

    name: str
    keyword: str
    doc: str
    signature: str
    parameters: tuple[ParameterNote, ...]
    count: Quantity
    flops: Quantity
    sequence: str
    per_token: Quantity | None
    decoding: Quantity | None
    state: Quantity | None
    memory: MemoryNote | None


class TrainNote(Record):
    """What a train consists of."""

    name: str
    doc: str
    models: tuple[str, ...]
    terms: tuple[str, ...]
    measures: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]


class Explanation(Record):
    """All declarations and trains of a spec."""

    declarations: tuple[DeclarationNote, ...]
    trains: tuple[TrainNote, ...]
