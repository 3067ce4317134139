"""A `train` as a class: models and cells, one method for each player and each measure, and what each phase does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from repc.dims import Symbol
from repc.ir import Commit, Graph, MeasureUse, Node, PlayerUse, Ref, Step
from repc.lowering import naming
from repc.lowering.body import Body
from repc.lowering.constructor import Constructor
from repc.lowering.documents import train_doc
from repc.lowering.expression import Code, call, dictionary, expr, literal, name, names_in
from repc.lowering.feeds import feeds, look_method, source_code, store_code
from repc.lowering.legs import every_step, total
from repc.lowering.naming import Names
from repc.lowering.owner import Context, Owner
from repc.lowering.records import Argument, ClassPlan, Line, MethodPlan
from repc.lowering.separable import is_mean_over_samples
from repc.lowering.sizes import RunTimeSizes, SizeNames
from repc.lowering.statements import Assign, If, Return, assign_names
from repc.lowering.values import NONE, Value
from repc.lowering.words import WordWriter, number_at
from repc.lowering.writing import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.legs import Leg
    from repc.lowering.statements import Statement

_NOW = Argument("now", "Now")
_SELF = Argument("self", "")
LOOK = "look:"
_SETTINGS = ("steps", "batch", "seed", "accumulate")


class StepBuilder:
    """Builds the class of one train."""

    def __init__(self, context: Context, step: Step, class_name: str, whole: StepBuilder | None = None) -> None:
        self.context = context
        self.program = context.program
        self.step = step
        self.signatures = context.signatures
        self.imports = context.imports
        self.texts = context.texts
        self.reserved = context.reserved
        self.class_name = class_name
        self.graph: Graph = step.graph
        self.nodes = step.graph.by_name()
        self.whole = whole
        stages = tuple(one.graph for one in every_step(step) if one is not step)
        self.parts: Constructor = whole.parts if whole else Constructor(context, step.graph, True, stages)
        # Writes without a term are a turn of their own, which moves no parameter.
        alone = (PlayerUse("main", (), ()),) if step.commits and not step.players else ()
        self.players = (*step.players, *alone)
        heads = (one.partition(".")[0] for one in self.parts.names.values())
        self.methods = Names([*naming.MODULE_ATTRIBUTES, *naming.STEP_ATTRIBUTES, *heads])
        self.numbers = {symbol: str(value) for symbol, value in self.program.values.items()}

    def unit(self, legs: tuple[Leg, ...] = ()) -> ClassPlan:
        """The class. `legs`: the stages in the order in which they run."""
        self.imports("training", "TrainStep")
        turns = {player.name: self.methods.fresh(naming.attribute(player.name)) for player in self.players}
        measured = {one.name: self.methods.fresh(f"measure_{naming.plain(one.name)}") for one in self.step.measures}
        methods = [self._constructor() if self.whole is None else self._shared(), self._feeds()]
        if legs:
            methods.append(self._stages(legs))
        if self.players:
            methods.append(self._players(turns))
        methods += [self._turn(player, turns[player.name], place == 0) for place, player in enumerate(self.players)]
        if self.step.measures:
            methods.append(self._measures(measured))
        methods += [self._measure(one, measured[one.name]) for one in self.step.measures]
        methods += [*self._frozen(), *self._targets(), *self._fills()]
        attributes = (f'name = "{naming.plain(self.step.name)}"',)
        place = self.texts.place("", self.step.origin)
        return ClassPlan(self.class_name, "TrainStep", train_doc(self.step), tuple(methods), attributes, place)

    # ---- writing

    def _method(
        self,
        called: str,
        arguments: Iterable[Argument],
        returns: str,
        statements: Iterable[Statement],
        doc: str = "",
        keywords: tuple[Argument, ...] = (),
        fixed: Iterable[str] = (),
    ) -> MethodPlan:
        listed = tuple(arguments)
        reserved = [*self.reserved, *self.imports.names, *fixed, "self", *(one.name for one in (*listed, *keywords))]
        lines: tuple[Line, ...] = tuple(Writer(self.texts, 8).lines(assign_names(statements, (), reserved)))
        return MethodPlan(called, listed, keywords, returns, (doc,) if doc else (), lines)

    def _writer(self, origin: object = None) -> WordWriter:
        from repc.ir import Origin

        return WordWriter(self.imports, self.program.values, origin if isinstance(origin, Origin) else self.step.origin)

    def _attribute(self, path: str) -> str:
        """The state-dict path of a block or slot of the spec."""
        if path in self.parts.names:
            return self.parts.names[path]
        head, _, rest = path.partition(".")
        return f"{self.parts.names.get(head, naming.attribute(head, step=True))}{'.' + rest if rest else ''}"

    # ---- what the class holds

    def _constructor(self) -> MethodPlan:
        self.imports("training", "Settings")
        settings = dict(self.step.settings)
        if self.step.stages:
            settings["steps"] = total(self.step)
        keywords = tuple(
            Argument(one, "int", str(settings[one])) for one in _SETTINGS if isinstance(settings.get(one), int)
        )
        given = {one.name: name(one.name) for one in keywords}
        statements: list[Statement] = [Assign((), expr("super().__init__({x})", x=call("Settings", **given)))]
        sizes = SizeNames(tuple(self.numbers.items()))
        statements += self.parts.statements(sizes)
        for use in self.step.stores:
            store = (f"self.{naming.attribute(use.name, step=True)}",)
            statements.append(Assign(store, store_code(self.context, use), (), use.origin))
        return self._method("__init__", [_SELF], "None", statements, keywords=keywords)

    def _shared(self) -> MethodPlan:
        """A stage has what the train has."""
        self.imports("training", "Settings")
        settings = dict(self.step.settings)
        given: dict[str, Code | None] = {
            one: literal(settings[one]) for one in ("steps", "batch") if isinstance(settings.get(one), int)
        }
        given["seed"] = name("whole.settings.seed")
        if settings.get("accumulate", 1) != 1:
            given["accumulate"] = literal(settings["accumulate"])
        made = Assign((), expr("super().__init__({x})", x=call("Settings", **given)))
        return self._method(
            "__init__", [_SELF, Argument("whole", "TrainStep")], "None", [made, Assign((), expr("self.share(whole)"))]
        )

    def _stages(self, legs: tuple[Leg, ...]) -> MethodPlan:
        """The stages in order; a class may stand for a leg of its own and for what is measured at its end."""
        self.imports("training", "Stage")
        made: list[Code] = []
        for leg in legs:
            one = name("self") if leg.class_name == self.class_name else call(leg.class_name, name("self"))
            turns = None if leg.turns else literal(False)
            made.append(call("Stage", one, turns=turns, measures=None if leg.measures else literal(False)))
        return self._method("stages", [_SELF], "tuple[Stage, ...]", [Return(expr("{x}", x=made))])

    def _fills(self) -> list[MethodPlan]:
        """Stores take their samples; what models make of samples has a method of its own."""
        if not self.step.fills:
            return []
        self.imports("training", "Now")
        methods: list[MethodPlan] = []
        statements: list[Statement] = []
        for path, use in self.step.fills:
            store = name(f"self.{naming.attribute(path, step=True)}")
            code = source_code(self.context, use, statements)
            statements.append(Assign((), expr("{s}.fill({x})", s=store, x=code), (), use.origin))
        for result, node in self.step.graph.results:
            if result.startswith(LOOK):
                body, lines, fixed = self._body([("", node)], writes=False)
                back = Return(self._scalar(body, node), (node,))
                called = look_method(Ref(node))
                methods.append(self._method(called, [_SELF, _NOW], "Tensor", [*lines, back], fixed=fixed))
        return [*methods, self._method("fill", [_SELF, _NOW], "None", statements)]

    def _feeds(self) -> MethodPlan:
        """Phase 1."""
        statements, code = feeds(self.context, self.step)
        return self._method("feeds", [_SELF], "dict[str, Feed]", [*statements, Return(code)])

    # ---- phase 5

    def _players(self, turns: Mapping[str, str]) -> MethodPlan:
        self.imports("training", "Player")
        self.imports("training", "Optimize")
        made: list[Code] = []
        for player in self.players:
            rules: list[Code] = []
            for use in player.optimizers:
                rule = self._writer(use.origin).code(use.rule, "optimizer")
                over = tuple(self._attribute(path) for path in use.over)
                rules.append(call("Optimize", rule, *([literal(over)] if over else [])))
            up = sorted(term.name for term in player.terms if term.sign == "maximize")
            negated = (
                expr("frozenset({x})", x=dictionary([])) if not up else expr("frozenset({x})", x=literal(tuple(up)))
            )
            made.append(
                call(
                    "Player",
                    literal(player.name),
                    name(f"self.{turns[player.name]}"),
                    expr("{x}", x=rules),
                    maximize=negated if up else None,
                    every=literal(player.every) if player.every != 1 else None,
                )
            )
        return self._method("players", [_SELF], "tuple[Player, ...]", [Return(expr("{x}", x=made))])

    def _body(self, roots: list[tuple[str, str]], writes: bool = True) -> tuple[Body, list[Statement], list[str]]:
        """The statements that compute some nodes of the step, each under a name."""
        names = Names([*self.reserved, "self", "now", "writes"])
        graph = self.graph.with_(results=tuple(roots), sites=self.graph.sites)
        inputs = {self.nodes[node].attrs["port"]: self.nodes[node] for node in self.graph.inputs}
        variables = {port: names.fresh(self._source_name(port)) for port in inputs}
        sizes = RunTimeSizes(
            self.numbers, [(variables[port], node.type.axes) for port, node in inputs.items()], names, self._unknown
        )
        owner = Owner(self.context, graph, sizes, self.parts.attributes(), NONE)
        owner.device = expr("now.draws.device")
        owner.dtype = expr("now.draws.dtype")
        ports = {port: Value(name(variables[port]), node.type, NONE) for port, node in inputs.items()}
        body = Body(owner, graph, ports, draws=name("now.draws"))
        body.writes = writes
        body.run()
        measured = {one for _, code in sizes.statements for one in names_in(code)}
        gathered: list[Statement] = []
        if writes and any(self._writes_cells(node) for node in self.graph.nodes if node.name in body.needed):
            self.imports("cells", "Writes")
            gathered = [Assign(("writes",), expr("Writes()"))]
        read = [
            self._load(port, variables[port])
            for port, node in inputs.items()
            if node.name in body.needed or variables[port] in measured
        ]
        shapes = [Assign((variable,), code) for variable, code in sizes.statements]
        fixed = [*variables.values(), *(variable for variable, _ in sizes.statements)]
        return body, [*read, *gathered, *shapes, *body.statements], fixed

    def _writes_cells(self, node: Node) -> bool:
        """Whether a call gives cells of a model new values."""
        if node.kind != "apply" or not self.signatures[node.attrs["graph"]].writes:
            return False
        return not any(block.path == node.attrs["block"] and block.treatment for block in self.graph.blocks)

    def _unknown(self, symbol: Symbol) -> str:
        from repc.lowering.faults import LoweringFault

        raise LoweringFault("size-not-known", self.step.origin, {"size": symbol.name})

    def _source_name(self, port: str) -> str:
        source, _, path = port.partition(".")
        field = path.replace(".", "_")
        single = any(use.name == source and len(use.fields) == 1 for use in self.step.sources)
        return naming.local(source if single else f"{naming.plain(source)}_{naming.plain(field)}")

    def _load(self, port: str, variable: str) -> Assign:
        source, _, field = port.partition(".")
        code = expr("now.batch[{a}][{b}]", a=literal(source), b=literal(field or "x"))
        # What all samples of a source share comes once for each of them.
        return Assign((variable,), expr("{x}[0]", x=code) if port in self.step.shared else code)

    def _turn(self, player: PlayerUse, called: str, first: bool) -> MethodPlan:
        self.imports("training", "Now")
        self.imports("training", "Outcome")
        commits = self.step.commits if first else ()
        roots = [(f"term:{term.name}", term.node) for term in player.terms]
        roots += [(f"commit:{commit.cell}", commit.node) for commit in commits]
        body, statements, fixed = self._body(roots)
        terms = dictionary([(literal(term.name), self._scalar(body, term.node)) for term in player.terms])
        writes, after = self._writes(body, commits)
        outcome = call("Outcome", terms=terms, writes=writes)
        doc = f"What `{player.name}` is after." if len(self.step.players) > 1 else ""
        return self._method(called, [_SELF, _NOW], "Outcome", [*statements, *after, Return(outcome)], doc, fixed=fixed)

    def _scalar(self, body: Body, node: str) -> Code:
        value = body.value(node)
        return expr("torch.tensor({x})", x=value.code) if value.plain else value.code

    def _writes(self, body: Body, commits: tuple[Commit, ...]) -> tuple[Code | None, list[Statement]]:
        """Phase 7: new values of cells; those that are not written at every step are added where they are."""
        always: list[tuple[Code | None, Code]] = [
            (literal(self._attribute(one.cell)), body.value(one.node).code) for one in commits if one.every == 1
        ]
        rest = [one for one in commits if one.every != 1]
        inner = any(self._writes_cells(node) for node in self.graph.nodes if node.name in body.needed)
        if inner:
            always.insert(0, (None, name("writes.values")))
        if not rest:
            alone = inner and len(always) == 1
            return (name("writes.values") if alone else dictionary(always) if always else None), []
        variable = body.owner.variables.new("written")
        made: list[Statement] = [Assign((variable,), dictionary(always), (), None, "dict[str, Tensor]")]
        for one in rest:
            target = f"{variable}[{literal_text(self._attribute(one.cell))}]"
            write = Assign((target,), body.value(one.node).code, (one.node,), one.origin)
            made.append(If(expr("now.step % {n} == 0", n=literal(one.every)), (write,)))
        return name(variable), made

    # ---- phase 9

    def _measures(self, methods: Mapping[str, str]) -> MethodPlan:
        self.imports("training", "Measure")
        made: list[Code] = []
        for one in self.step.measures:
            across: Code | None = None
            if one.across:
                self.imports("training", "Across")
                across = call("Across", *map(literal, one.across))
            whole = one.across and not is_mean_over_samples(self.program, self.graph, one.node, self._batch(one))
            made.append(
                call(
                    "Measure",
                    literal(one.name),
                    name(f"self.{methods[one.name]}"),
                    every=literal(one.every) if one.every else None,
                    across=across,
                    whole=literal(True) if whole else None,
                )
            )
        return self._method("measures", [_SELF], "tuple[Measure, ...]", [Return(expr("{x}", x=made))])

    def _batch(self, measure: MeasureUse) -> Symbol | None:
        for use in self.step.sources:
            if measure.across and use.name == measure.across[0]:
                return use.batch
        return None

    def _measure(self, measure: MeasureUse, called: str) -> MethodPlan:
        """A measure that keeps the axis of the samples is averaged over all its axes."""
        body, statements, fixed = self._body([("", measure.node)], writes=False)
        value = body.value(measure.node)
        code = self._scalar(body, measure.node)
        batches = {use.batch for use in self.step.sources}
        if any(label in batches for label in value.labels):
            code = expr("{x}.mean()", x=code if value.type.kind.name == "float" else expr("{x}.float()", x=code))
        return self._method(
            called, [_SELF, _NOW], "Tensor", [*statements, Return(code, (measure.node,), measure.origin)], fixed=fixed
        )

    # ---- the other phases

    def _frozen(self) -> list[MethodPlan]:
        if not self.step.frozen:
            return []
        always = [literal(self._attribute(path)) for path, until in self.step.frozen if not until]
        parts: list[Code] = [expr("{x}", x=always)] if always else []
        for path, until in self.step.frozen:
            if until:
                one = expr("{x}", x=[literal(self._attribute(path))])
                parts.append(expr("{one} if step < {until} else ()", one=one, until=literal(until)))
        code = reduce(lambda left, right: expr("{a} + {b}", a=left, b=right), parts)
        return [self._method("frozen", [_SELF, Argument("step", "int")], "tuple[str, ...]", [Return(code)])]

    def _targets(self) -> list[MethodPlan]:
        """Targets start as copies; running averages move before the forward pass or after the step."""
        if not self.step.targets:
            return []
        copy = self.imports("targets", "copy_")
        start: list[Statement] = []
        before: list[Statement] = []
        after: list[Statement] = []
        end: list[Statement] = []
        held = {block.path for block in self.parts.graph.blocks} | {cell.path for cell in self.parts.graph.cells}
        for target in self.step.targets:
            if target.name not in held:
                # Nothing reads it in any stage.
                continue
            pair = [name(f"self.{self._attribute(path)}") for path in (target.name, target.of)]
            row = target.treatment.get("row")
            copied = Assign((), call(copy, *pair, row=None if row is None else literal(row)), (), target.origin)
            (end if target.treatment.get("at") == "stage_end" else start).append(copied)
            if target.treatment.name == "ema":
                function = self.imports("targets", "ema_")
                rate = number_at(self._writer(target.origin), target.treatment.get("rate"))
                cells = target.treatment.get("cells", "copy")
                moved = Assign(
                    (), call(function, *pair, rate, *([literal(cells)] if cells != "copy" else [])), (), target.origin
                )
                (before if target.treatment.get("at") == "before_forward" else after).append(moved)
        if end:
            after.append(If(expr("now.step + 1 == now.steps"), tuple(end)))
        first: list[Statement] = [*([If(expr("now.step == 0"), tuple(start))] if start else []), *before]
        methods = [self._method("target_before", [_SELF, _NOW], "None", first)] if first else []
        if after:
            methods.append(self._method("target_after", [_SELF, _NOW], "None", after))
        return methods


def literal_text(value: str) -> str:
    """A text as a Python literal."""
    from repc.lowering.printer import text

    return text(literal(value))
