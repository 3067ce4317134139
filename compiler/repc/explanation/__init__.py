"""What a program says about itself: signatures, parameters, operations per token, bytes of state."""

from __future__ import annotations

from repc.explanation.records import (
    DeclarationNote,
    Explanation,
    MemoryNote,
    ParameterNote,
    Quantity,
    TrainNote,
    quantity,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.dims import Symbol
    from repc.explanation.holdings import Holdings
    from repc.explanation.work import Work
    from repc.ir import Graph, Program, Step

__all__ = [
    "DeclarationNote",
    "Explanation",
    "MemoryNote",
    "ParameterNote",
    "Quantity",
    "TrainNote",
    "explain_program",
    "quantity",
]


def explain_program(program: Program, names: tuple[str, ...] = ()) -> Explanation:
    """Declarations and trains of a program, all of them or those of `names`. Raises Refusal for an unknown name."""
    from repc.explanation.holdings import Holdings
    from repc.explanation.work import Work

    known = (*program.entries, *program.steps)
    for name in names:
        if name not in known:
            from repc.command.refusal import refuse
            from repc.diagnostics.suggest import nearest

            reason = "only what the spec declares can be explained"
            raise refuse(
                "missing-entry", nearest(name, known), where="the spec", name=name, reason=reason, known=list(known)
            )
    holdings, work, steps = Holdings(program), Work(program), Work(program, decoding=True)
    declarations = [
        _declaration(program, name, program.graphs[key], holdings, work, steps)
        for name, key in program.entries.items()
        if not names or name in names
    ]
    trains = [_train(step) for name, step in program.steps.items() if not names or name in names]
    return Explanation(tuple(declarations), tuple(trains))


def _declaration(
    program: Program, name: str, graph: Graph, holdings: Holdings, work: Work, steps: Work
) -> DeclarationNote:
    from repc.dims import Dim
    from repc.explanation.memories import memory_note, state_bytes
    from repc.explanation.names import Names

    values, names = program.values, Names(program)
    parameters = tuple(
        ParameterNote(
            holding.path,
            tuple(names.size(axis.size) for axis in holding.axes),
            quantity(holding.numbers, values),
        )
        for holding in holdings.of(graph.name)
    )
    flops = work.of(graph.name)
    sequence = _sequence(graph)
    per = None if sequence is None else Dim.of(sequence)
    types = {node.name: node.type for node in graph.nodes}
    memories = [node for node in graph.nodes if node.kind == "memory"]
    state = None if sequence is None else state_bytes(program, graph.name)
    return DeclarationNote(
        name=name,
        keyword=graph.keyword,
        doc=graph.doc,
        signature=names.signature(graph),
        parameters=parameters,
        count=quantity(holdings.total(graph.name), values),
        flops=quantity(flops, values),
        sequence="" if sequence is None else str(sequence),
        per_token=None if per is None else quantity(flops / per, values),
        decoding=None if per is None else quantity(steps.of(graph.name) / per, values),
        state=None if state is None else quantity(state, values),
        memory=memory_note(memories[0], types) if graph.keyword == "memory" and memories else None,
    )


def _sequence(graph: Graph) -> Symbol | None:
    """The size symbol of the axis that tokens stand along: that of its causal claim, else its only sequence axis."""
    nodes = graph.by_name()
    axes = [axis for name in graph.inputs for axis in nodes[name].type.axes if axis.size.symbol is not None]
    claimed = {arg for claim in graph.claims if claim.name == "causal" for arg in claim.args}
    for axis in axes:
        if axis.label in claimed:
            return axis.size.symbol
    found = {axis.size.symbol for axis in axes if axis.kind == "seq"}
    return found.pop() if len(found) == 1 else None


def _train(step: Step) -> TrainNote:
    from repc.explanation.names import word_text

    models = [f"{block.path} = {block.graph}" for block in step.graph.blocks]
    terms = [f"{term.sign} {term.name}" for player in step.players for term in player.terms]
    rules = [(f"optimizer {player.name}", word_text(use.rule)) for player in step.players for use in player.optimizers]
    sources = [
        (f"data {source.name}", word_text(source.word) if source.word else source.graph) for source in step.sources
    ]
    settings = [(name, word_text(value)) for name, value in step.settings]
    return TrainNote(
        name=step.name,
        doc=step.doc,
        models=tuple(models),
        terms=tuple(terms),
        measures=tuple(measure.name for measure in step.measures),
        settings=(*sources, *rules, *settings),
    )
