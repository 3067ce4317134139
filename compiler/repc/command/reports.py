"""What `--json` prints: models that other programs can rely on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict

from rep_grammar.spans import Source
from repc.diagnostics.model import Diagnostic
from repc.diagnostics.render.machine import structure


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PositionModel(_Model):
    """A place in a text: line and column from 1, `offset` in characters, `utf16` the column from 0 in UTF-16 units."""

    line: int
    column: int
    offset: int
    utf16: int


class LocationModel(_Model):
    """A stretch of a file; without `start` and `end` where the text is not at hand."""

    file: str
    start: PositionModel | None = None
    end: PositionModel | None = None


class LabelModel(_Model):
    """A place with a word on it."""

    location: LocationModel
    text: str
    primary: bool


class FixModel(_Model):
    """The text that should stand at a place; `safe` may be applied unasked."""

    location: LocationModel
    replacement: str
    applicability: str


class DiagnosticModel(_Model):
    """One diagnostic."""

    code: str
    name: str
    severity: str
    message: str
    location: LocationModel | None
    labels: list[LabelModel]
    reason: str
    notes: list[str]
    help: str
    fix: FixModel | None


class Report(_Model):
    """What every command reports: whether it did what was asked, and what was said."""

    version: int = 1
    ok: bool
    diagnostics: list[DiagnosticModel] = []


class CheckReport(Report):
    """`repc check`: the files that were read."""

    files: list[str]


class FormatReport(Report):
    """`repc fmt`: the files that changed, or would change with `--check`."""

    changed: list[str]


class FilesReport(Report):
    """`repc new`, `compile`, `graph`: the files written."""

    files: list[str]


class FormulaModel(_Model):
    """A quantity as a formula in dims, and as a number where all of them have values."""

    formula: str
    value: int | None


class ParameterModel(_Model):
    """A parameter of a block: its path in the state dict, its axes, its size."""

    path: str
    axes: list[str]
    size: FormulaModel


class ConditionModel(_Model):
    """What keeps a memory stable, and whether its declaration guarantees it: `holds`, `unknown` or `fails`."""

    condition: str
    verdict: str
    why: str


class MemoryModel(_Model):
    """What a memory is by its normal form; `fields` are its resolved fields."""

    name: str
    why: str
    lowering: str
    algorithm: str
    fields: dict[str, str]
    same_as: list[str]
    conditions: list[ConditionModel]


class DeclarationModel(_Model):
    """What `repc explain` says of a declaration."""

    name: str
    keyword: str
    doc: str
    signature: str
    parameters: list[ParameterModel]
    parameter_count: FormulaModel
    flops_per_token: FormulaModel | None
    flops: FormulaModel
    flops_per_token_decoding: FormulaModel | None
    state_bytes: FormulaModel | None
    memory: MemoryModel | None


class TrainModel(_Model):
    """What `repc explain` says of a train."""

    name: str
    doc: str
    models: list[str]
    terms: list[str]
    measures: list[str]
    settings: dict[str, str]


class ExplainReport(Report):
    """`repc explain SPEC`."""

    declarations: list[DeclarationModel]
    trains: list[TrainModel]


class PageReport(Report):
    """`repc explain` of a diagnostic or of a module of the library: its page as text."""

    title: str
    text: str


class VerifyRow(_Model):
    """One comparison of `repc verify`; an error that is no number is null."""

    subject: str
    what: str
    cases: int
    largest_error: float | None
    tolerance: float
    passed: bool
    note: str


class VerifyReport(Report):
    """`repc verify`."""

    rows: list[VerifyRow]


class RunReport(Report):
    """`repc train`, `repc eval`: the run folder and the newest value of each column of its log."""

    folder: str
    steps: int
    values: dict[str, float]


def diagnostic_models(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> list[DiagnosticModel]:
    """Diagnostics with their places as lines and columns."""
    return [DiagnosticModel.model_validate(structure(item, sources)) for item in diagnostics]
