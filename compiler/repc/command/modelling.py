"""Explanations and results of stages as the models of `--json`."""

from __future__ import annotations

from repc.command.reports import (
    ConditionModel,
    DeclarationModel,
    ExplainReport,
    FormulaModel,
    MemoryModel,
    ParameterModel,
    TrainModel,
    diagnostic_models,
)
from repc.explanation import DeclarationNote, Explanation, MemoryNote, Quantity
from repc.pipeline import Checked


def explain_report(explanation: Explanation, checked: Checked) -> ExplainReport:
    """`repc explain SPEC --json`."""
    return ExplainReport(
        ok=checked.ok,
        diagnostics=diagnostic_models(checked.diagnostics, checked.sources),
        declarations=[_declaration(note) for note in explanation.declarations],
        trains=[
            TrainModel(
                name=note.name,
                doc=note.doc,
                models=list(note.models),
                terms=list(note.terms),
                measures=list(note.measures),
                settings=dict(note.settings),
            )
            for note in explanation.trains
        ],
    )


def _memory(note: MemoryNote) -> MemoryModel:
    return MemoryModel(
        name=note.name,
        why=note.why,
        lowering=note.lowering,
        algorithm=note.algorithm,
        fields={name: value for name, value, _ in note.fields},
        same_as=list(note.same_as),
        conditions=[ConditionModel(condition=a, verdict=b, why=c) for a, b, c in note.conditions],
    )


def _formula(quantity: Quantity) -> FormulaModel:
    return FormulaModel(formula=str(quantity.formula), value=quantity.value)


def _declaration(note: DeclarationNote) -> DeclarationModel:
    parameters = [
        ParameterModel(path=item.path, axes=list(item.axes), size=_formula(item.size)) for item in note.parameters
    ]
    return DeclarationModel(
        name=note.name,
        keyword=note.keyword,
        doc=note.doc,
        signature=note.signature,
        parameters=parameters,
        parameter_count=_formula(note.count),
        flops=_formula(note.flops),
        flops_per_token=None if note.per_token is None else _formula(note.per_token),
        flops_per_token_decoding=None if note.decoding is None else _formula(note.decoding),
        state_bytes=None if note.state is None else _formula(note.state),
        memory=None if note.memory is None else _memory(note.memory),
    )
