"""`generate(f, x, pick: argmax)`: the argument that is left out, filled in step by step from the scores of a model."""

from __future__ import annotations

from rep_grammar import parse, tree
from repc.elaborate.binding import Binding, matched, renamed
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.scope import Scope
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Label, Tensor
from repc.ir import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.calls import Arguments
    from repc.elaborate.signature import Signature
    from repc.elaborate.values import Value
    from repc.types import Axis

# What a model must not see of its own answer it does not: its claim `strictly_causal` says so. Every turn settles one
# position from the scores of all, and the positions after it do not matter yet.
TURNS = """encoder Turns() {
  scan step in Step {
    scores = model(%s)
    best = argmax(scores[Step = step], over: Choice)
    answer = if place == step then best else answer
  }
}"""


def generate(body: Body, call: tree.Call) -> Value:
    """The answer that a model gives where every position is the best choice after those before it."""
    from repc.elaborate.calls import sort_arguments
    from repc.elaborate.instances import declaration
    from repc.elaborate.signature import signature

    first = call.args[0].value if call.args and call.args[0].name is None else None
    model = evaluate(body, first) if first is not None else None
    if not isinstance(model, BlockValue):
        found = "nothing" if model is None else describe(model)
        raise stop("block-expected", call.span, callee="generate", found=found)
    picked(body, call)
    given = tuple(arg for arg in call.args[1:] if arg.name is None or arg.name.text != "pick")
    module, node = declaration(body.context, model.callee)
    sig = signature(body.context, module, node)
    arguments = sort_arguments(body, model.callee, sig, tree.Call(call.span, call.func, given))
    left = [p.name for p in sig.of_role("data") if p.node.default is None and p.name not in arguments.data]
    if len(left) != 1:
        title = model.callee.title
        if not left:
            raise stop("too-many-arguments", call.span, callee=title, expected=len(arguments.data) - 1, parameters=left)
        raise stop("missing-argument", call.span, name=left[0], callee=title)
    return turns(body, call, model, sig, arguments, left[0])


def picked(body: Body, call: tree.Call) -> None:
    """`pick:` says how a choice is made of scores."""
    from repc.elaborate.expressions import item
    from repc.elaborate.values import Builtin

    for arg in call.args:
        if arg.name is not None and arg.name.text == "pick":
            value = item(body, arg.value)
            name = value.name if isinstance(value, Label | Builtin) else describe(value)
            if name != "argmax":
                raise stop("no-such-choice", arg.value.span, suggestion="argmax", name=name, choices=["argmax"])


def turns(body: Body, call: tree.Call, model: BlockValue, sig: Signature, arguments: Arguments, grown: str) -> Value:
    """The loop over the positions of the argument that is left out."""
    from repc.elaborate.calls import flatten, requested
    from repc.elaborate.flow import scan
    from repc.elaborate.instances import instance

    span = call.span
    slots = {name[5:]: value for name, value in model.bound.items() if name.startswith("slot:")}
    written = {name: value for name, value in model.bound.items() if ":" not in name} | arguments.axes
    data = flatten(body, arguments, span)
    binding = Binding(body, model.callee, sig, written, data, arguments.spans, span)
    request = requested(model, sig, arguments, slots)
    request.arity = binding.arities()
    made = instance(body.context, request, Origin(span, ()))
    _, lift = matched(body, model, made, binding, data, span)
    nodes = made.graph.by_name()
    port = next(nodes[name] for name in made.graph.inputs if nodes[name].attrs["port"] == grown)
    type_ = renamed(body, binding, port.type, lift, span)
    scored = renamed(body, binding, nodes[made.graph.results[0][1]].type, lift, span)
    choice = next((axis for axis in scored.axes if axis.space == type_.kind.space), None)
    if type_.kind.name != "index" or len(type_.axes) != len(lift) + 1 or choice is None:
        raise stop("nothing-to-generate", span, name=grown, type=port.type, callee=model.callee.title)
    step = type_.axes[-1]
    outer, body.scope = body.scope, Scope(body.scope)
    try:
        open_names(body, model, step, choice, span)
        body.scope.bind("answer", start(body, type_.axes, choice, span), span)
        names = []
        for name in arguments.data:
            body.scope.bind(f"given_{name}", arguments.data[name], span, fixed=True)
            names.append(f"{name}: given_{name}")
        text = TURNS % ", ".join([*names, f"{grown}: answer"])
        (item,) = parse(text).items
        assert isinstance(item, tree.Declaration)
        (loop,) = item.body.stmts
        assert isinstance(loop, tree.ScanStmt)
        scan(body, loop)
        answer = body.scope.find("answer")
    finally:
        body.scope = outer
    assert isinstance(answer, Tensor)
    return answer


def open_names(body: Body, model: BlockValue, step: Axis, choice: Axis, span: tree.Span) -> None:
    """What the text of the loop calls the model, the two axes and the positions."""
    body.scope.axes["Step"], body.scope.axes["Choice"] = (step,), (choice,)
    body.scope.bind("model", model, span, fixed=True)
    place = body.prim("iota", (), span, axis=step)
    body.scope.bind("place", place, span, fixed=True)


def start(body: Body, axes: tuple[Axis, ...], choice: Axis, span: tree.Span) -> Tensor:
    """The first choice everywhere: no position is read before it is settled."""
    first = body.prim("index", [body.const(0, span)], span, space=choice.space, size=choice.size)
    return body.prim("expand", [first], span, axes=axes)
