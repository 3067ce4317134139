"""`train Own = Fit with { R: 4 }`, `train Long(n: int = 8) = Fit(layers: n)` (LANGUAGE.md 12b d)."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body
from repc.elaborate.calls import Arguments, sort_arguments
from repc.elaborate.expressions import evaluate
from repc.elaborate.instances import Request, configure
from repc.elaborate.scope import Scope
from repc.elaborate.signature import signature
from repc.elaborate.stop import stop
from repc.elaborate.values import Callee, Deferred
from repc.ir import Origin
from repc.names.entries import TrainEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.context import Context
    from repc.ir import Step


def elaborate_derived(context: Context, entry: TrainEntry, given: Request | None, name: str) -> Step | None:
    """The step of the train that it is derived from, with what is written here; None where an argument is missing."""
    from repc.elaborate.trains import SETTINGS, elaborate_train, request_of

    node = entry.node
    module = context.module(entry.module)
    body = Body(context, module, f"train {entry.name}", Origin(node.name.span))
    body.keyword = "derived"
    body.scope = Scope(context.file_scope(entry.module))
    request = request_of(context, entry, given)
    if request is None:
        return None
    configure(body, request, signature(context, module, node))
    assert not isinstance(node.body, tree.Block)
    call = node.body if isinstance(node.body, tree.Call) else None
    base = evaluate(body, node.body if call is None else call.func)
    if not isinstance(base, Callee):
        raise stop("train-expected", node.body.span, name=entry.name)
    found = context.module(base.module).find(base.name)
    if not isinstance(found, TrainEntry):
        raise stop("train-expected", node.body.span, name=entry.name)
    settings = [override for override in request.callee.overrides if override[0] in SETTINGS]
    if call is not None:
        sig = signature(context, context.module(found.module), found.node)
        own = [
            arg
            for arg in call.args
            if arg.name is not None and arg.name.text in SETTINGS and not sig.get(arg.name.text)
        ]
        settings = [(arg.name.text, arg.value, body.scope) for arg in own if arg.name is not None] + settings
    made = Request(Callee(base.module, base.name, (*base.overrides, *settings), base.shown))
    if call is not None:
        rest = tree.Call(call.span, call.func, tuple(arg for arg in call.args if arg not in own))
        fill(made, sort_arguments(body, base, sig, rest))
    return elaborate_train(context, found, made, name or entry.name)


def fill(request: Request, arguments: Arguments) -> None:
    """The arguments of the call as configuration of the train."""
    for name, value in arguments.config.items():
        if isinstance(value, Callee | Deferred):
            request.blocks[name] = value
        else:
            request.settings[name] = value
    request.axes = dict(arguments.axes)
