"""All comparisons of a spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import ModuleType
from typing import TypeVar

from repc.importing import reach_beside
from repc.interpret import InterpretFault, MemoryFault
from repc.ir import Program
from repc.passes.streaming import stream_all
from repc.passes.streaming.context import causal_axes
from repc.pipeline import Checked, generate
from repc.verify.compare import GRADIENTS, VALUES, Subject, Tally
from repc.verify.generated import instance, moved
from repc.verify.laws import LAWS, broken_by, is_equation, requirements, with_laws
from repc.verify.report import Report, Row
from repc.verify.samples import Case, cases
from repc.verify.trains import TrainSubject

Trial = TypeVar("Trial")
# One position, a few, and more than one block of the block-wise algorithms with a rest.
LENGTHS = (5, 1, 66)
SHORT = (5, 1)
BATCHES = (2,)
# Other inputs later must change nothing but the rounding of sums in another order.
CLAIMS = 1e-12


def verify(checked: Checked, names: Iterable[str] = (), seed: int = 0) -> Report:
    """Rows for every declaration of a spec that has no errors, or for those of `names`.

    Values and gradients of the generated code against the interpreter in float64; step graphs and generated steps
    against the forward pass; lifted axes against one position; claims of causality on inputs that differ later.
    """
    assert checked.program is not None, "a spec without errors has a program"
    reach_beside(checked.workspace.entry.path)
    program, facts = stream_all(checked.program)
    program = with_laws(program)
    wanted = tuple(names) or (*program.entries, *program.steps)
    module, classes, why = _module(checked)
    rows: list[Row] = []
    for name in wanted:
        if name in program.steps and module is not None and name in classes:
            rows += _train_rows(program, TrainSubject(program, module, name, classes[name]), seed)
        if name not in program.entries:
            continue
        subject = Subject(program, module, name, classes.get(name, ""), program.entries[name])
        rows += _rows(subject, seed, why, str(facts.get(subject.key, "")))
    return Report(tuple(rows))


def _module(checked: Checked) -> tuple[ModuleType | None, dict[str, str], str]:
    """The generated module, imported; its classes by declaration; or why there is none."""
    from repc.importing import import_generated
    from repc.lowering.faults import LoweringFault

    try:
        made = generate(checked, "verified")
    except LoweringFault as fault:
        return None, {}, f"nothing is generated: {fault}"
    try:
        return import_generated(made), dict(made.classes), ""
    except Exception as fault:  # Whatever generated code raises belongs into the table.
        return None, {}, f"it cannot be imported: {type(fault).__name__}: {fault}".splitlines()[0]


def _train_rows(program: Program, subject: TrainSubject, seed: int) -> list[Row]:
    terms = Tally(subject.name, "terms", VALUES)
    gradients, writes = Tally(subject.name, "gradients", GRADIENTS), Tally(subject.name, "writes", VALUES)
    trials = [
        (part, case)
        for part, step in enumerate(subject.parts)
        for case in cases(program, step.graph, seed, BATCHES)
    ]  # fmt: skip
    return _tried(
        [terms, gradients, writes],
        trials,
        lambda trial: subject.compare(*trial, terms, gradients, writes),
    )


def _tried(tallies: list[Tally], trials: Iterable[Trial], compare: Callable[[Trial], None]) -> list[Row]:
    """The rows of a comparison over its cases; what stops it is told there."""
    stopped = ""
    try:
        for case in trials:
            compare(case)
    except (InterpretFault, MemoryFault) as fault:
        stopped = f"the interpreter stops: {fault}"
    except Exception as fault:  # Whatever generated code raises belongs into the table.
        stopped = f"{type(fault).__name__}: {fault}".splitlines()[0]
    made: list[Row] = []
    for place, tally in enumerate(tallies):
        row = tally.row()
        if stopped and (place == 0 or row.cases):
            made.append(Row(row.subject, row.what, row.cases, row.largest_error, row.tolerance, False, stopped))
        elif place == 0 or row.cases:
            made.append(row)
    return made


def _rows(subject: Subject, seed: int, why: str, unstreamable: str) -> list[Row]:
    program, graph, name = subject.program, subject.graph, subject.name
    rows: list[Row] = []

    def tried(tallies: list[Tally], lengths: tuple[int, ...], compare: Callable[[Case], None]) -> None:
        rows.extend(_tried(tallies, cases(program, graph, seed, lengths), compare))

    if subject.module is None or not subject.class_name:
        rows.append(Row(name, "values", 0, 0.0, VALUES, False, why or "nothing is generated for it"))
    else:
        values, gradients = Tally(name, "values", VALUES), Tally(name, "gradients", GRADIENTS)

        def forward(case: Case) -> None:
            subject.against_generated(case, values, gradients, 1)
            subject.against_generated(case, values, gradients, 0)

        tried([values, gradients], LENGTHS, forward)
    for site, node in requirements(graph):
        kept = Tally(name, site.replace(".", " "), LAWS if is_equation(graph, node) else 0.0, note="interpreter")
        tried([kept], SHORT, partial(_required, subject, node, kept))
    lifting = Tally(name, "lifted axes", VALUES, note="interpreter")
    if not _varies(program, subject.key):
        tried([lifting], SHORT, lambda case: subject.lifting(case, lifting))
    for time in causal_axes(graph)[:1]:
        if f"{subject.key}.step" in program.graphs:
            stepped = Tally(name, "step graph", VALUES, note="interpreter")
            tried([stepped], SHORT, partial(subject.steps, time=time, tally=stepped, step=subject.reference_step))
        else:
            rows.append(Row(name, "step graph", 0, 0.0, VALUES, True, f"there is none: {unstreamable}"))
        if subject.streams():
            own = Tally(name, "step", VALUES)
            tried([own], LENGTHS, partial(subject.steps, time=time, tally=own, step=subject.generated_step))
        if subject.module is not None and subject.class_name:
            claim = Tally(name, f"causal({time})", CLAIMS)
            tried([claim], (6,), partial(subject.causality, time=time, tally=claim))
    return rows


def _required(subject: Subject, node: str, tally: Tally, case: Case) -> None:
    held = None
    if subject.module is not None and subject.class_name:
        held = moved(instance(subject.module, subject.class_name, case), lambda path: False, case.seed)
    tally.cases += 1
    tally.error = max(tally.error, broken_by(subject.program, subject.graph, node, case, held))


def _varies(program: Program, key: str) -> bool:
    """Whether a graph draws or reads cells: then one lifted position alone has other numbers, or has none."""
    from repc.ir.check import called

    seen: set[str] = set()
    waiting = [key]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        for node in program.graphs[at].nodes:
            if node.kind in ("draw", "read"):
                return True
            waiting += called(node)
    return False
