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
from repc.elaborate.values import Callee
from repc.ir import Origin
from repc.names.entries import TrainEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.context import Context
    from repc.ir import Step


def elaborate_derived(context: Context, entry: TrainEntry) -> Step | None:
    """The step of the train that it is derived from, with what is written here; None where an argument is missing."""
    from repc.elaborate.trains import elaborate_train, request_of

    node = entry.node
    module = context.module(entry.module)
    body = Body(context, module, f"train {entry.name}", Origin(node.name.span))
    body.scope = Scope(context.file_scope(entry.module))
    request = request_of(context, entry)
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
    given = Request(base)
    if call is not None:
        sig = signature(context, context.module(found.module), found.node)
        fill(given, sort_arguments(body, base, sig, call))
    return elaborate_train(context, found, given, entry.name)


def fill(request: Request, arguments: Arguments) -> None:
    """The arguments of the call as configuration of the train."""
    for name, value in arguments.config.items():
        if isinstance(value, Callee):
            request.blocks[name] = value
        else:
            request.settings[name] = value
