"""Words of closed unions: optimizers, schedules, fields of a memory (LANGUAGE.md 7.1)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.record import with_fields
from rep_grammar.spans import Span
from repc.dims import Dim
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import Arrow, Axes, Label, LibraryWord, Series, Static, Tensor, WordValue
from repc.ir import Ref, Word
from repc.words import find
from repc.words.arguments import match_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value
    from repc.words import Parameter
    from repc.words import Word as Declared


def word_call(body: Body, word: LibraryWord, expr: tree.Call) -> Value:
    """`adamw(rate: 1e-3)`."""
    if word.name == "classes" and word.module == "std.data":
        from repc.elaborate.portions import classes

        return classes(body, expr)
    declared = find(word.name, "optimizer", "schedule", "source", "solver", "transformer")
    if declared is None:
        raise stop("unknown-name", expr.span, name=word.name)
    if declared.family == "transformer":
        from repc.elaborate.transformers import transformed

        return transformed(body, word.name, expr)
    return WordValue(called_word(body, declared, expr.args, expr.span), expr.span)


def called_word(body: Body, declared: Declared, args: tuple[tree.Arg, ...], span: Span) -> Word:
    """The word with every argument filled in."""
    matched = match_arguments(declared, args, span)
    for fault in matched.faults:
        body.context.report(fault)
    if matched.faults:
        raise Stop(None)
    made: list[tuple[str, object]] = []
    for parameter, given in matched.arguments:
        made.append((parameter.name, parameter.default if given is None else argument(body, parameter, given)))
    return Word(declared.name, tuple(made))


def argument(body: Body, parameter: Parameter, expr: tree.Expr) -> object:
    """One argument by the kind that its parameter takes."""
    kind = parameter.kind
    if kind == "word":
        return field_word(body, (parameter.family,), expr)
    if kind == "choice":
        if isinstance(expr, tree.Name) and expr.text in parameter.choices:
            return expr.text
        from repc.elaborate.shapes import closest

        text = expr.text if isinstance(expr, tree.Name) else "this"
        raise stop(
            "no-such-choice", expr.span, suggestion=closest(text, list(parameter.choices)), name=text,
            choices=parameter.choices,
        )  # fmt: skip
    if kind in {"axes", "dim"}:
        return axis_argument(body, expr)
    if kind == "value" and parameter.family and named_in(expr, parameter.family):
        return field_word(body, (parameter.family,), expr)
    value = evaluate(body, expr)
    if kind == "value":
        return coefficient(body, value, expr.span)
    return plain(body, value, expr.span, parameter.name)


def named_in(expr: tree.Expr, family: str) -> bool:
    """Whether a word of that family stands there, `top_k(4)`."""
    name = expr.func if isinstance(expr, tree.Call) else expr
    return isinstance(name, tree.Name) and find(name.text, family) is not None


def axis_argument(body: Body, expr: tree.Expr) -> object:
    from repc.elaborate.shapes import axes_of

    axes = axes_of(body, expr)
    return axes[0].label if len(axes) == 1 else tuple(axis.label for axis in axes)


def plain(body: Body, value: Value, span: Span, what: str) -> object:
    """A number, size, word, text or list as the value of a word's argument."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, WordValue):
        return value.word
    if isinstance(value, Label):
        return value.name
    if isinstance(value, Series):
        return tuple(plain(body, item, span, what) for item in value.items)
    if isinstance(value, Arrow):
        return Word(
            "span", (("start", plain(body, value.left, span, what)), ("stop", plain(body, value.right, span, what)))
        )
    if isinstance(value, Axes) and len(value.axes) == 1:
        return value.axes[0].size
    raise stop("number-needed", span, what=what, found=describe(value))


def coefficient(body: Body, value: Value, span: Span) -> object:
    """A coefficient of a memory: a number, or a value of its graph."""
    if isinstance(value, Static):
        if isinstance(value.value, (Dim, int | float)):
            return value.value
        raise stop("number-needed", span, what="a coefficient", found=describe(value))
    if isinstance(value, Tensor):
        return Ref(value.node)
    raise stop("number-needed", span, what="a coefficient", found=describe(value))


def treatment(body: Body, call: tree.Call) -> Word:
    """How a target follows its block: the transformer's own settings, without the block."""
    name = call.func
    declared = find(name.text, "transformer") if isinstance(name, tree.Name) else None
    if declared is None:
        raise stop("no-such-word", call.func.span, name="this expression", known=("transformer",))
    rest = tuple(parameter for parameter in declared.parameters if not parameter.by_position)
    own = with_fields(declared, parameters=rest)
    return called_word(body, own, tuple(arg for arg in call.args if arg.name is not None), call.span)


def field_word(body: Body, families: tuple[str, ...], expr: tree.Expr) -> Word:
    """A word of some families, written as a name or a call."""
    if isinstance(expr, tree.Name | tree.Call):
        name = expr if isinstance(expr, tree.Name) else expr.func
        if isinstance(name, tree.Name):
            declared = find(name.text, *families)
            if declared is not None:
                args = expr.args if isinstance(expr, tree.Call) else ()
                return called_word(body, declared, args, expr.span)
            from repc.elaborate.shapes import closest
            from repc.words import families as of

            known = sorted(of(*families))
            if body.scope.find(name.text) is None:
                raise stop("no-such-word", name.span, suggestion=closest(name.text, known), name=name.text, known=known)
    raise stop("no-such-word", expr.span, name="this expression", known=families)
