"""`train`: one step as a graph and a list of phases (LANGUAGE.md 6)."""

from __future__ import annotations

from rep_grammar import tree
from repc.diagnostics import Fault
from repc.dims import Dim
from repc.elaborate import definitions, flow, portions, slots, splits, stages
from repc.elaborate.alternatives import members, mentions
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.families import family_axis
from repc.elaborate.instances import Request, configure
from repc.elaborate.objectives import averaged
from repc.elaborate.scope import Scope
from repc.elaborate.signature import signature
from repc.elaborate.sources import inputs, open_source
from repc.elaborate.statements import HANDLERS as BODY
from repc.elaborate.statements import bind_value, bound_names, name_blocks, segment
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import BlockValue, Callee, Fields, Index, Members, Static, Tensor
from repc.ir import Commit, MeasureUse, OptimizerUse, Origin, PlayerUse, SourceUse, Step, Target, Term, Word
from repc.names.entries import DeclarationEntry, DimEntry, TrainEntry
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rep_grammar.spans import Span
    from repc.elaborate.context import Context
    from repc.elaborate.signature import Parameter
    from repc.elaborate.values import Value
    from repc.names import Module

SETTINGS = {"steps", "batch", "seed", "accumulate", "simultaneous", "recompute"}


class Training:
    """What the statements of a train gather."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.sources: list[SourceUse] = body.opened
        self.fills: list[tuple[str, SourceUse, Span]] = []
        self.once = False
        self.inner = False
        self.path = ""
        self.when = ""
        self.terms: list[Term] = []
        self.optimizers: list[OptimizerUse] = []
        self.players: list[PlayerUse] = []
        self.measures: list[MeasureUse] = []
        self.settings: dict[str, object] = {}
        self.given: dict[str, object] = {}
        self.targets: list[Target] = []
        self.frozen: list[tuple[str, int]] = []
        self.models: list[tuple[str, BlockValue]] = []
        self.period = 0
        self.first: list[Step] = []
        self.stages: list[Step] = []
        self.last: list[Step] = []
        self.defaults: dict[str, object] = {"steps": 1000, "batch": 32, "seed": 0}


def as_block(node: tree.TrainItem, name: str) -> bool:
    """Whether a parameter must be a block: it is frozen, or something inside it is read."""
    for inner in tree.walk(node.body):
        if isinstance(inner, tree.FreezeStmt) and any(getattr(value, "text", "") == name for value in inner.values):
            return True
        if isinstance(inner, tree.Attr) and isinstance(inner.base, tree.Name) and inner.base.text == name:
            return True
    return False


def nominal(context: Context, module: Module, node: tree.TrainItem, parameter: Parameter) -> Callee | None:
    """A declaration that a parameter names as its type stands for it where no other is given."""
    kind = parameter.node.type
    if parameter.role != "block" or not isinstance(kind, tree.Name) or as_block(node, parameter.name):
        return None
    found = context.find(module, kind.text)
    return Callee(found.module, found.name) if isinstance(found, DeclarationEntry) else None


def request_of(context: Context, entry: TrainEntry, given: Request | None = None) -> Request | None:
    """What configures a train: `given`, else its overrides; None where it needs an argument that has no default."""
    module, node = context.module(entry.module), entry.node
    own = tuple((".".join(o.path), o.value, context.file_scope(o.scope)) for o in entry.overrides)
    request = Request(Callee(entry.module, entry.name, own)) if given is None else given
    known = {path for path, _, _ in request.callee.overrides} | set(request.settings) | set(request.blocks)
    for parameter in signature(context, module, node).parameters:
        if parameter.node.default is not None or parameter.name in known or parameter.role == "choice":
            continue
        declared = nominal(context, module, node, parameter)
        if declared is None:
            return None
        request.blocks[parameter.name] = declared
    return request


def elaborate_train(context: Context, entry: TrainEntry, given: Request | None = None, name: str = "") -> Step | None:
    """The step of a train with its own defaults, or as `given`; None where it needs an argument."""
    node, module = entry.node, context.module(entry.module)
    if not isinstance(node.body, tree.Block):
        from repc.elaborate.derived_trains import elaborate_derived

        return elaborate_derived(context, entry, given, name)
    request = request_of(context, entry, given)
    if request is None:
        return None
    body = Body(context, module, f"train {name or entry.name}", Origin(node.name.span))
    body.keyword = "train"
    body.scope = Scope(context.file_scope(entry.module))
    configure(body, request, signature(context, module, node))
    body.scope = Scope(body.scope)
    training = Training(body)
    given_settings(training, request)
    run_train_block(training, node.body)
    return gathered(training, name or entry.name, node.name.span, node.doc)


def run_train_block(training: Training, block: tree.Block) -> None:
    """Statements in order; faults in one do not silence the others."""
    failed = False
    for statement in block.stmts:
        try:
            run(training, statement)
        except Stop as stopped:
            training.body.context.report(stopped.fault)
            training.body.broken.update(name for node in tree.statements(statement) for name in bound_names(node))
            failed = True
    if failed:
        raise Stop(None)


def run(training: Training, statement: tree.Node) -> None:
    """One statement of a train."""
    body = training.body
    handler = HANDLERS.get(type(statement))
    body.once = set(bound_names(statement))
    before = len(body.blocks)
    if handler is not None:
        handler(training, statement)
    elif type(statement) in BODY:
        BODY[type(statement)](body, statement)
    else:
        raise stop("statement-not-yet", statement.span, statement=words(statement))
    name_blocks(body, statement, body.blocks[before:])


def words(statement: tree.Node) -> str:
    """A statement in a user's words."""
    name = type(statement).__name__.removesuffix("Stmt").removesuffix("Item").lower()
    return f"`{name}`"


def role(training: Training, statement: tree.RoleStmt) -> None:
    for slot in statement.slots:
        ROLES[statement.keyword](training, slot)


def only_name(target: tree.Expr) -> tree.Name:
    if isinstance(target, tree.Name):
        return target
    raise stop("target-expected", target.span)


def data(training: Training, slot: tree.Slot) -> None:
    if slot.value is None:
        raise stop("value-needed", slot.span, name="the source")
    for target in slot.targets:
        body, name = training.body, only_name(target)
        if portions.maker(body, slot.value) == "split" and isinstance(slot.value, tree.Call):
            parts = portions.cut(body, name.text, slot.value)
            body.scope.bind(name.text, parts, name.span, fixed=True)
            body.scope.axes[name.text] = (parts.axis,)
            continue
        free = portions.fresh_name(body, name.text)
        if portions.is_made(body, slot.value):
            use = portions.renamed(portions.source_of(body, slot.value, free), free, slot.value.span)
            value = inputs(body, use, slot.value.span)
        else:
            use, value = open_source(body, free, slot.value)
        training.sources.append(use)
        settle_sizes(body, use)
        body.scope.bind(name.text, value, name.span)


def settle_sizes(body: Body, use: SourceUse) -> None:
    """A free dim of the file that the data give a size has that size in the train (1.11)."""
    for _, type_ in use.fields:
        counted = [(axis.label, axis.size, axis.kind) for axis in type_.axes]
        if type_.kind.space is not None and type_.kind.size is not None:
            counted.append((type_.kind.space, type_.kind.size, "plain"))
        for label, size, kind in counted:
            entry = body.context.find(body.module, label.name)
            if not isinstance(entry, DimEntry) or entry.symbol != label or entry.value is not None:
                continue
            if size != Dim.of(label) and label.name not in body.scope.axes:
                own = body.context.axis(entry)
                body.scope.axes[label.name] = (Axis(label, size, entry.kind or kind, own.space, own.ragged),)


def model(training: Training, slot: tree.Slot) -> None:
    body = training.body
    if slot.value is None:
        raise stop("value-needed", slot.span, name="the model")
    for target in slot.targets:
        family = family_axis(body, target) if isinstance(target, tree.Index) else None
        name = only_name(target) if family is None else family[0]
        if family is not None and mentions(slot.value, family[1]):
            differing(training, name, slot.value, family[1], family[2])
            continue
        value = modelled(body, slot.value, family[1] if family is not None else None)
        if family is not None:
            value.per = (family[2], *value.per)
        bind_value(body, name, value)
        training.models.append((name.text, value))


def differing(training: Training, name: tree.Name, value: tree.Expr, index: Index, axis: Axis) -> None:
    """`model f[k in N] = F(width: sizes[k])`: members that differ are blocks of their own, at `f.0`, `f.1`."""
    body = training.body
    family = members(body, value, index, axis, lambda expr: modelled(body, expr, None))
    for place, block in enumerate(family.blocks):
        block.path = body.unique_path(f"{segment(name.text)}.{place}")
        training.models.append((f"{name.text}.{place}", block))
    body.scope.bind(name.text, family, name.span, fixed=True)


def modelled(body: Body, expr: tree.Expr, index: Index | None) -> BlockValue:
    """The block of a `model` line; a bare declaration is made with its defaults."""
    outer, body.scope = body.scope, Scope(body.scope)
    try:
        if index is not None:
            body.scope.bind(index.name, index, index.span, fixed=True)
        value = evaluate(body, expr)
        if isinstance(value, Callee):
            value = evaluate(body, tree.Call(expr.span, expr, ()))
    finally:
        body.scope = outer
    if not isinstance(value, BlockValue):
        raise stop("block-expected", expr.span, callee="model", found=describe(value))
    return value


def target(training: Training, slot: tree.Slot) -> None:
    """`target f' = ema(f, rate: r)`: cells that follow a block."""
    from repc.elaborate.followers import follow

    for place in slot.targets:
        training.targets.append(follow(training.body, place, slot))


def state(training: Training, slot: tree.Slot) -> None:
    body = training.body
    if slot.value is not None and portions.maker(body, slot.value) == "buffer" and isinstance(slot.value, tree.Call):
        for place in slot.targets:
            name = only_name(place)
            kept = portions.kept(body, body.unique_path(name.text), slot.value)
            body.scope.bind(name.text, kept, name.span, fixed=True)
        return
    slots.cell(body, slot)


def measure(training: Training, slot: tree.Slot) -> None:
    """`measure acc = e across d.test`."""
    if slot.value is None:
        raise stop("value-needed", slot.span, name="the measure")
    body = training.body
    for place in slot.targets:
        across: tuple[str, ...] = ()
        value = slot.value
        if isinstance(value, tree.Binary) and value.op == "across":
            across = splits.named_split(body, value.right)
            value = value.left
        if isinstance(place, tree.Index) and isinstance(place.base, tree.Name):
            name, made = place.base, definitions.indexed(body, place, value)
        else:
            name, made = only_name(place), body.tensor(evaluate(body, value), value.span)
        if made.node in body.present:
            made = averaged(body, made, slot.span)
        inner = splits.split_of(body, made.node, value.span)
        if inner and across and inner != across:
            raise stop("splits-mixed", value.span, split=".".join(across), other=".".join(inner))
        across = across or inner
        body.scope.bind(name.text, made, name.span)
        training.measures.append(MeasureUse(name.text, made.node, training.period, across, Origin(slot.span)))
        body.sites[f"measure.{name.text}"] = made.node


def param(training: Training, slot: tree.Slot) -> None:
    slots.parameter(training.body, slot)


def term(training: Training, statement: tree.TermStmt) -> None:
    body = training.body
    made = averaged(body, evaluate(body, statement.value), statement.value.span)
    splits.of_the_step(body, made.node, statement.value.span)
    name = statement.name.text if statement.name is not None else f"term{len(training.terms) + 1}"
    count, free = 1, name
    while any(own.name == free for own in training.terms):
        count += 1
        free = f"{name}_{count}"
    training.terms.append(Term(free, statement.sign, made.node, Origin(statement.span)))
    body.sites[f"term.{free}"] = made.node


def optimizer(training: Training, statement: tree.OptimizerStmt) -> None:
    body = training.body
    over: list[str] = []
    for expr in statement.targets:
        value = evaluate(body, expr)
        if isinstance(value, BlockValue | Members):
            over.extend(block.path for block in (value.blocks if isinstance(value, Members) else (value,)))
        elif isinstance(value, Tensor) and body.nodes[value.node].kind == "slot":
            over.append(body.nodes[value.node].attrs["path"])
        else:
            raise stop("block-expected", expr.span, callee="optimizer", found=describe(value))
    rule = evaluate(body, statement.value)
    from repc.elaborate.values import WordValue
    from repc.words import families

    if not isinstance(rule, WordValue) or rule.word.name not in families("optimizer"):
        raise stop("optimizer-expected", statement.value.span, found=describe(rule))
    training.optimizers.append(OptimizerUse(rule.word, tuple(over), Origin(statement.span)))


def setting(training: Training, statement: tree.Annotated) -> None:
    """`steps: 2000`, or a typed binding."""
    body = training.body
    if statement.value is not None:
        BODY[tree.Annotated](body, statement)
        return
    name = statement.target.text if isinstance(statement.target, tree.Name) else "this"
    if name not in SETTINGS:
        from repc.elaborate.shapes import closest

        known = sorted(SETTINGS)
        raise stop(
            "unknown-setting",
            statement.target.span,
            suggestion=closest(name, known),
            name=name,
            owner="train",
            known=known,
        )
    if name == "batch" and isinstance(statement.type, tree.Name) and statement.type.text == "all":
        training.settings[name] = 0
        return
    if name not in training.given:
        training.settings[name] = plain_setting(body, name, evaluate(body, statement.type), statement.type.span)


def given_settings(training: Training, request: Request) -> None:
    """Settings that the one who asks for a train writes: `Fit(steps: 300)`, `Fit with { batch: 8 }`."""
    body = training.body
    for name, value, scope in request.callee.overrides:
        if name in SETTINGS:
            outer, body.scope = body.scope, scope
            training.given[name] = plain_setting(body, name, evaluate(body, value), value.span)
            body.scope = outer
    training.settings.update(training.given)


def plain_setting(body: Body, name: str, value: Value, span: Span) -> object:
    if isinstance(value, Static) and isinstance(value.value, bool):
        return value.value
    number = body.number(value, span, name)
    if name in {"steps", "batch", "accumulate"} and (
        not isinstance(number, int) or number < (1 if name != "batch" else 0)
    ):
        raise stop("setting-out-of-range", span, name=name, value=number)
    return number


def every(training: Training, statement: tree.EveryStmt) -> None:
    """`every 100 measure ..`, `every 2 { player .. }`, `every 5 { w := .. }`."""
    body = training.body
    period = int(body.number(evaluate(body, statement.every), statement.every.span, "every"))
    if period < 1:
        raise stop("setting-out-of-range", statement.every.span, name="every", value=period)
    before, training.period = training.period, period
    try:
        if isinstance(statement.body, tree.Block):
            for inner in statement.body.stmts:
                run(training, inner)
        elif isinstance(statement.body, tree.Write):
            slots.write(body, statement.body, period)
        else:
            role(training, statement.body)
    finally:
        training.period = before


def write(training: Training, statement: tree.Write) -> None:
    (target, *more) = statement.targets
    found = training.body.scope.find(target.text) if isinstance(target, tree.Name) and not more else None
    if isinstance(found, portions.Kept):
        use = portions.source_of(training.body, statement.value, found.path)
        training.fills.append((found.path, use, statement.span))
        return
    if training.once:
        stages.write_at_once(training.body, statement)
    else:
        slots.write(training.body, statement, max(training.period, 1))


def player(training: Training, statement: tree.PlayerStmt) -> None:
    """A player with its own terms and optimizers."""
    terms, optimizers = training.terms, training.optimizers
    training.terms, training.optimizers = [], []
    outer, training.body.scope = training.body.scope, Scope(training.body.scope)
    period, training.period = training.period, 0
    try:
        for inner in statement.body.stmts:
            run(training, inner)
        made = PlayerUse(statement.name.text, tuple(training.terms), tuple(training.optimizers), max(period, 1))
    finally:
        training.body.scope, training.period = outer, period
        training.terms, training.optimizers = terms, optimizers
    training.players.append(made)


def freeze(training: Training, statement: tree.FreezeStmt) -> None:
    """`freeze f`, `freeze f until 1000`."""
    body = training.body
    if statement.where is not None:
        raise stop("statement-not-yet", statement.span, statement="`freeze .. where`")
    until = 0
    if statement.until is not None:
        until = int(body.number(evaluate(body, statement.until), statement.until.span, "until"))
    for expr in statement.values:
        value = evaluate(body, expr)
        if isinstance(value, BlockValue | Members):
            blocks = value.blocks if isinstance(value, Members) else (value,)
            training.frozen.extend((block.path, until) for block in blocks)
        elif isinstance(value, Tensor) and value.node in body.nodes and body.nodes[value.node].kind == "slot":
            training.frozen.append((body.nodes[value.node].attrs["path"], until))
        else:
            raise stop("block-expected", expr.span, callee="freeze", found=describe(value))


def gathered(training: Training, name: str, span: Span, doc: str = "") -> Step:
    """All that was gathered, in one record; what is missing is an error."""
    body = training.body
    players = list(training.players)
    if training.terms:
        players.insert(0, PlayerUse("main", tuple(training.terms), tuple(training.optimizers)))
    learns = [use for use in players if use.terms]
    for use in learns:
        if not use.optimizers:
            raise stop("optimizer-missing", span, name=name, player=use.name)
    if learns and training.fills:
        raise stop("store-in-a-step", training.fills[0][2], name=training.fills[0][0])
    if learns:
        unused(training)
        moved_twice(players)
    elif training.optimizers and not training.stages:
        raise stop("nothing-to-minimize", training.optimizers[0].origin.span, name=name)
    commits = tuple(Commit(cell, value, Origin(span), period) for cell, value, span, period in body.commits)
    results = [(f"term:{t.name}", t.node) for use in players for t in use.terms]
    results += [(f"measure:{m.name}", m.node) for m in training.measures]
    results += [(f"commit:{c.cell}", c.node) for c in commits]
    results += [(f"{stages.LOOK}{node}", node) for node in body.herded]
    graph = body.finish(name, tuple(results), ())
    settings = training.defaults | training.settings | ({} if learns else {"steps": 1})
    step = Step(
        name=name,
        graph=graph,
        sources=tuple(training.sources),
        players=tuple(players),
        measures=tuple(training.measures),
        settings=tuple(settings.items()),
        origin=Origin(span),
        commits=commits,
        targets=tuple(training.targets),
        frozen=tuple(training.frozen),
        stages=(*training.first, *training.stages, *training.last),
        doc=doc,
        fills=tuple((path, use) for path, use, _ in training.fills),
        stores=tuple(body.stores),
        when=training.when,
    )
    return stages.cut_out(step, training.path) if training.inner or step.stages else step


def moved_twice(players: list[PlayerUse]) -> None:
    """One parameter, one optimizer (6.6)."""
    moved: dict[str, OptimizerUse] = {}
    for use in (one for player in players for one in player.optimizers):
        for path in use.over:
            if path in moved:
                raise stop(
                    "two-optimizers", use.origin.span, (moved[path].origin.span, "moved here"), parameters=f"`{path}`"
                )
            moved[path] = use


def unused(training: Training) -> None:
    """A model of a learning train that is applied nowhere keeps its first parameters: a fault (6.6)."""
    for name, block in training.models:
        frozen = any(path in {block.path, name} for path, _ in training.frozen)
        if not block.graph and not frozen:
            reason = "it is applied nowhere"
            training.body.context.report(
                Fault("parameter-unreached", block.span, {"parameters": f"`{name}`", "reason": reason})
            )


ROLES = {"data": data, "model": model, "target": target, "state": state, "measure": measure, "param": param}
HANDLERS: dict[type, Callable[[Training, Any], None]] = {
    tree.RoleStmt: role,
    tree.TermStmt: term,
    tree.OptimizerStmt: optimizer,
    tree.Annotated: setting,
    tree.EveryStmt: every,
    tree.Write: write,
    tree.PlayerStmt: player,
    tree.FreezeStmt: freeze,
    tree.StageStmt: stages.stage,
    tree.ForStmt: stages.for_each,
    tree.AtStmt: stages.at,
    tree.IfStmt: stages.branch,
    tree.ConstrainStmt: stages.constrain,
}

__all__ = ["Dim", "Fields", "Training", "Word", "elaborate_train", "flow", "segment"]
