"""One declaration as a class or a function: its constructor, `forward`, `step`, and the classes of its results."""

from __future__ import annotations

from dataclasses import replace

from repc.dims import Symbol
from repc.ir import Graph
from repc.lowering.constructor import Constructor
from repc.lowering.documents import class_doc, type_text
from repc.lowering.expression import expr, name
from repc.lowering.methods import MethodBuilder
from repc.lowering.owner import Context
from repc.lowering.records import Argument, ClassPlan, FunctionPlan, MethodPlan, ResultPlan
from repc.lowering.sizes import SizeNames
from repc.lowering.statements import Assign, If, assign_names
from repc.lowering.streaming import init_state, state_plan
from repc.lowering.writing import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.records import Unit
    from repc.lowering.statements import Statement


class GraphBuilder:
    """Builds the units of one graph; its signatures in the context are complete once `units` has run.

    `entry`: it is one of the file's own declarations; `checked`: nothing of the program calls it, so its inputs are
    compared with the declaration. `step`: its step graph, if it has one.
    """

    def __init__(self, context: Context, graph: Graph, entry: bool, checked: bool, step: Graph | None) -> None:
        self.context = context
        self.graph = graph
        self.entry = entry
        self.checked = checked
        self.step = step
        self.parts = Constructor(context, graph)
        self.asked: dict[Symbol, str] = {}
        self.used: dict[Symbol, None] = {}

    def units(self) -> list[Unit]:
        """The class or function, after the classes of its results and its state."""
        context, signature = self.context, self.context.signatures[self.graph.name]
        made: list[Unit] = []
        if signature.results and not signature.turn:
            made.append(self._results())
        forward = MethodBuilder(context, self.graph, self.parts, self.asked)
        methods = [forward.plan("forward" if signature.module else signature.name, self.checked)]
        self.used.update(forward.used)
        if not signature.module:
            self._finish()
            return [*made, FunctionPlan(methods[0])]
        if self.step is not None:
            made.append(state_plan(context, self.step))
            stepped = MethodBuilder(context, self.step, self.parts, self.asked)
            methods.append(stepped.plan("step"))
            methods.append(init_state(context, self.step, self.parts, self.asked, self.used))
            self.used.update(stepped.used)
        self._finish()
        constructor = self._constructor()
        if constructor.keywords or len(constructor.lines) > 1:
            methods.insert(0, constructor)
        doc = class_doc(self.graph, self.parts.holdings, context.program.formulas, signature.turn)
        place = context.texts.place("", self.graph.origin)
        return [*made, ClassPlan(signature.name, "nn.Module", doc, tuple(methods), (), place)]

    def _results(self) -> ResultPlan:
        nodes, signature = self.graph.by_name(), self.context.signatures[self.graph.name]
        fields = tuple(
            (attribute, f"Tensor  # {type_text(nodes[node].type, self.context.program.formulas)}")
            for (_, attribute), (_, node) in zip(signature.results, self.graph.results, strict=True)
        )
        return ResultPlan(signature.result, (f"What `{self.graph.declaration}` returns.",), fields)

    def _finish(self) -> None:
        """The sizes that the body turned out to need become part of the signature."""
        own = self.context.signatures[self.graph.name]
        sizes = tuple({**self.parts.symbols, **self.asked}.items()) if own.module else tuple(self.asked.items())
        seeded = self.entry and not self.parts.holdings.nothing
        self.context.signatures[self.graph.name] = replace(own, sizes=sizes, seeded=seeded)

    def _constructor(self) -> MethodPlan:
        context, signature = self.context, self.context.signatures[self.graph.name]
        all_sizes = {**self.parts.symbols, **self.asked}
        values = context.program.values
        ordered = sorted(all_sizes.items(), key=lambda item: item[0] in values)
        keywords = [Argument(text, "int", str(values.get(symbol, ""))) for symbol, text in ordered]
        if signature.per:
            keywords.append(Argument("per", "tuple[int, ...]", "()"))
        if signature.seeded:
            keywords.append(Argument("seed", "int | None", "0"))
        statements: list[Statement] = [Assign((), expr("super().__init__()"))]
        for symbol in {**self.used, **self.asked}:
            statements.append(Assign((f"self.{all_sizes[symbol]}",), name(all_sizes[symbol])))
        sizes, formulas = self.parts.shortened(SizeNames(tuple(all_sizes.items())))
        statements += [*formulas, *self.parts.statements(sizes)]
        if signature.seeded:
            context.imports("inits", "initialise")
            statements.append(If(expr("seed is not None"), (Assign((), expr("initialise(self, seed)")),)))
        reserved = [*context.reserved, *context.imports.names, "self", *(argument.name for argument in keywords)]
        lines = tuple(Writer(context.texts, 8).lines(assign_names(statements, (), reserved)))
        return MethodPlan("__init__", (Argument("self", ""),), tuple(keywords), "None", (), lines)
