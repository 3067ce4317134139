"""Stages of a train: `stage`, `for`, `at`, `if` and `constrain` (LANGUAGE.md 6.6, 6.8).

Every stage is a step of its own whose graph is cut out of the train's one body, so that models, sources and lines that
stages share are the same nodes in each.
"""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.record import with_fields
from rep_grammar.spans import Span
from repc.elaborate import slots
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate, truth
from repc.elaborate.flow import LONGEST, elements
from repc.elaborate.objectives import averaged
from repc.elaborate.scope import Scope
from repc.elaborate.stop import stop
from repc.elaborate.values import Static, Tensor
from repc.ir import Attrs, Cell, Node, Origin, Step, Term, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from repc.elaborate.trains import Training

# Results of a step that are features of samples: what `herd` compares.
LOOK = "look:"


def stage(training: Training, statement: tree.StageStmt) -> None:
    """`stage warm { .. }`."""
    run_stage(training, statement.name.text, statement.body, statement.span)


def for_each(training: Training, statement: tree.ForStmt) -> None:
    """`for t in { .. } { .. }`: one stage for each element, in order."""
    body = training.body
    values = elements(body, statement)
    if len(values) > LONGEST:
        raise stop("too-many-turns", statement.span, count=len(values), most=LONGEST)
    outer = body.scope
    for turn, value in enumerate(values):
        body.scope = Scope(outer)
        body.scope.bind(statement.index.text, value, statement.index.span, fixed=True)
        body.turn = (*body.turn, turn)
        try:
            run_stage(training, f"{statement.index.text}{turn}", statement.body, statement.span)
        finally:
            body.scope, body.turn = outer, body.turn[:-1]


def at(training: Training, statement: tree.AtStmt) -> None:
    """`at start { .. }`, `at end { .. }`: writes that act once, before the first or after the last step."""
    before, training.stages = training.stages, []
    try:
        run_stage(training, statement.when, statement.body, statement.span, once=True)
    finally:
        made, training.stages = training.stages, before
    (training.first if statement.when == "start" else training.last).extend(made)


def branch(training: Training, statement: tree.IfStmt) -> None:
    """A static choice between statements of a train."""
    from repc.elaborate.trains import run

    test = evaluate(training.body, statement.test)
    if not isinstance(test, Static):
        raise stop("condition-needed", statement.test.span, found=describe(test))
    taken = statement.then if truth(training.body, test, statement.test) else statement.other
    for inner in taken.stmts if taken is not None else ():
        run(training, inner)


def run_stage(training: Training, name: str, block: tree.Block, span: Span, once: bool = False) -> None:
    """The statements of a stage, gathered into a step of their own."""
    from repc.elaborate.trains import Training as Gathering
    from repc.elaborate.trains import gathered, run_train_block

    body = training.body
    inner = Gathering(body)
    inner.inner, inner.once = True, once
    inner.path = f"{training.path}.{name}"
    inner.when = name if once else ""
    inner.defaults = {**training.defaults, **training.settings, **({"steps": 1} if once else {})}
    outer, commits, sites, herded = body.scope, body.commits, body.sites, body.herded
    body.scope, body.commits, body.sites, body.herded = Scope(outer), [], dict(sites), []
    try:
        run_train_block(inner, block)
        if inner.terms and not inner.optimizers:
            inner.optimizers = list(training.optimizers)
        taken = {step.name for step in training.stages}
        free, count = name, 1
        while free in taken:
            count += 1
            free = f"{name}_{count}"
        training.stages.append(gathered(inner, free, span))
    finally:
        body.scope, body.commits, body.sites, body.herded = outer, commits, sites, herded


def write_at_once(body: Body, statement: tree.Write) -> None:
    """A write that acts at once: what follows in its block reads the new value (6.2)."""
    for target in statement.targets:
        base = target.base if isinstance(target, tree.Index) else target
        found = body.scope.find(base.text) if isinstance(base, tree.Name) else None
        path = body.cell_of.get(found.node) if isinstance(found, Tensor) else None
        earlier = [one for one in body.commits if one[0] == path]
        body.commits = [one for one in body.commits if one[0] != path]
        slots.write(body, tree.Write(statement.span, (target,), statement.value), 1)
        if path is not None and isinstance(base, tree.Name) and isinstance(found, Tensor):
            _, node, _, _ = body.commits[-1]
            body.cell_of[node] = path
            body.scope.bind(base.text, Tensor(node, found.type), base.span, fixed=True)
        assert path is not None or not earlier


def needed(nodes: Mapping[str, Node], roots: list[str]) -> set[str]:
    """Nodes that some nodes are made of, themselves included."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(nodes[name].args)
    return found


def cut_out(step: Step, path: str) -> Step:
    """A stage with what it reads alone: nodes that its results need, and the sources of its inputs."""
    nodes = step.graph.by_name()
    written = {commit.node for commit in step.commits}
    effects = [
        node.name for node in step.graph.nodes if node.kind == "effect" and node.args and node.args[0] in written
    ]
    waiting = [node for _, node in step.graph.results] + effects
    looked = {node for name, node in step.graph.results if name.startswith(LOOK)}
    waiting += [node.name for node in step.graph.nodes if node.kind == "slot"]
    # What only a choice of samples looks at is read when they are chosen, not in batches.
    seen = needed(nodes, [node for node in waiting if node not in looked])
    live = seen | needed(nodes, waiting)
    inputs = tuple(name for name in step.graph.inputs if name in live)
    read = {str(nodes[name].attrs["port"]).partition(".")[0] for name in inputs if name in seen}
    read |= {measure.across[0] for measure in step.measures if measure.across}
    graph = step.graph.with_(
        name=f"{step.graph.name}{path}",
        nodes=tuple(node for node in step.graph.nodes if node.name in live),
        inputs=inputs,
        sites=tuple((name, node) for name, node in step.graph.sites if node in live),
    )
    sources = tuple(use for use in step.sources if use.name in read)
    return with_fields(step, graph=graph, sources=sources)


def constrain(training: Training, statement: tree.ConstrainStmt) -> None:
    """`constrain g <= c by dual(rate: r)`: a multiplier that ascends where the term is broken."""
    body = training.body
    value = statement.value
    if not isinstance(value, tree.Binary) or value.op not in {"<=", ">=", "=="}:
        raise stop("condition-needed", value.span, found="an expression without a comparison")
    low, high = (value.right, value.left) if value.op == ">=" else (value.left, value.right)
    gap = body.prim("sub", [scalar(body, low), scalar(body, high)], value.span)
    rate = dual_rate(body, statement.by)
    path = body.unique_path("multiplier")
    body.cells.append(Cell(path, gap.type, Word("constant", (("value", 0.0),)), Origin(statement.span)))
    multiplier = body.add("read", (), Attrs(cell=path), gap.type, statement.span)
    term = body.prim("mul", [multiplier, gap], statement.span)
    training.terms.append(Term(path, "minimize", term.node, Origin(statement.span)))
    step = body.prim("mul", [rate, body.prim("sg", [gap], statement.span)], statement.span)
    raised = body.prim("add", [multiplier, step], statement.span)
    if value.op != "==":
        raised = body.prim("relu", [raised], statement.span)
    body.commits.append((path, raised.node, statement.span, 1))
    body.add(
        "effect", (raised.node,), Attrs(action="commit", target=path, phase=7, every=1), raised.type, statement.span
    )


def scalar(body: Body, expr: tree.Expr) -> Tensor:
    """One side of a constraint: a number, or a term averaged over what is left of its axes."""
    value = evaluate(body, expr)
    return body.tensor(value, expr.span) if isinstance(value, Static) else averaged(body, value, expr.span)


def dual_rate(body: Body, expr: tree.Expr) -> Static:
    """The rate of `dual(rate: 1e-2)`."""
    if isinstance(expr, tree.Call) and isinstance(expr.func, tree.Name) and expr.func.text == "dual":
        given = {arg.name.text if arg.name is not None else "rate": arg.value for arg in expr.args}
        if set(given) == {"rate"}:
            return Static(body.number(evaluate(body, given["rate"]), expr.span, "rate"))
    raise stop("no-such-word", expr.span, name="this", known=("dual(rate: r)",))
