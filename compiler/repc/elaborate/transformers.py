"""Blocks made from blocks (LANGUAGE.md 3.8)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.instances import Request, declaration, instance
from repc.elaborate.signature import signature
from repc.elaborate.stop import stop
from repc.elaborate.values import Arrow, Axes, BlockValue, Callee, Tensor
from repc.ir import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def transformed(body: Body, name: str, expr: tree.Call) -> Value:
    """`held(f)`, `ema(f, rate: r)`, `snapshot(f)`; `held(v)` of a value stops its gradient."""
    first = next((arg for arg in expr.args if arg.name is None), None)
    if first is None:
        raise stop("missing-argument", expr.span, name="f", callee=name)
    base = evaluate(body, first.value)
    if isinstance(base, Callee) and name == "fresh":
        return base
    if isinstance(base, Tensor) and name == "held":
        return body.prim("sg", [base], expr.span)
    if not isinstance(base, BlockValue):
        raise stop("block-expected", first.span, callee=name, found=describe(base))
    made = BlockValue(base.callee, base.hint, expr.span)
    made.config, made.bound, made.sizes, made.graph = base.config, base.bound, dict(base.sizes), base.graph
    made.labels, made.per, made.treatment, made.origin = dict(base.labels), base.per, name, base
    if name == "held":
        made.path, made.outer = base.path, base.outer
    made.options = tuple((arg.name.text, arg.value) for arg in expr.args if arg.name is not None)
    return made


def refilled(body: Body, base: BlockValue, expr: tree.With) -> Value:
    """`f with { q.weight: e }`: the block with some slots supplied."""
    made = BlockValue(base.callee, base.hint, expr.span)
    made.config, made.sizes, made.graph, made.path = dict(base.config), dict(base.sizes), base.graph, base.path
    made.labels, made.per, made.treatment, made.outer = dict(base.labels), base.per, base.treatment, base.outer
    made.bound = dict(base.bound)
    _, node = declaration(body.context, base.callee)
    sig = signature(body.context, body.context.module(base.callee.module), node)
    for entry in expr.entries:
        if isinstance(entry.path, tree.Name) and entry.path.text in sig.slots:
            made.bound[f"slot:{entry.path.text}"] = evaluate(body, entry.value)
        else:
            raise stop("override-not-yet", entry.path.span, block=base.path or base.hint)
    made.origin = base
    return made


def unapplied(body: Body, block: BlockValue, span: Span) -> None:
    """The graph of a block of which only the configuration is known."""
    module, node = declaration(body.context, block.callee)
    sig = signature(body.context, module, node)
    request = Request(block.callee)
    from repc.elaborate.calls import Arguments, requested

    request = requested(block, sig, Arguments(span), {})
    from repc.elaborate.binding import Binding

    written = {
        name: value for name, value in block.bound.items() if isinstance(value, Axes | Arrow) and ":" not in name
    }
    binding = Binding(body, block.callee, sig, written, {}, {}, span)
    request.arity = binding.arities()
    made = instance(body.context, request, Origin(span))
    binding.open(made)
    block.graph = made.graph.name
    block.sizes.update(binding.sizes)
    block.labels.update({formal: axis.label for formal, axis in binding.axes.items()})
