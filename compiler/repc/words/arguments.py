"""Arguments of a word matched against its declaration, before anything is evaluated."""

from __future__ import annotations

from rep_grammar import tree as t
from rep_grammar.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rep_grammar.spans import Span
    from repc.diagnostics.model import Fault
    from repc.words.declare import Parameter, Word


class Matched(Record):
    """A call of a word: each parameter with its argument, None where the default holds, and what is wrong."""

    arguments: tuple[tuple[Parameter, t.Expr | None], ...]
    faults: tuple[Fault, ...]

    def get(self, name: str) -> t.Expr | None:
        """The argument of a parameter, None where it was not given."""
        for parameter, value in self.arguments:
            if parameter.name == name:
                return value
        return None


def match_arguments(word: Word, args: tuple[t.Arg, ...], span: Span) -> Matched:
    """`args` against the parameters of `word`, which is called at `span`. All independent faults are reported."""
    given: dict[str, t.Arg] = {}
    faults: list[Fault] = []
    waiting = list(word.positional)
    for number, arg in enumerate(args):
        if arg.name is None:
            if not waiting:
                faults.append(_misplaced(word, args, arg, number))
                continue
            name = waiting.pop(0).name
        else:
            name = arg.name.text
            if word.parameter(name) is None:
                faults.append(_unknown(word, arg.name))
                continue
        first = given.setdefault(name, arg)
        if first is not arg:
            faults.append(_fault("argument-twice", arg.span, (first.span, "first here"), name=name, callee=word.name))
    for parameter in word.parameters:
        if parameter.required and parameter.name not in given:
            shown = f"`{word.signature}`"
            faults.append(_fault("missing-argument", span, callee=word.name, name=parameter.name, signature=shown))
    arguments = tuple(
        (parameter, given[parameter.name].value if parameter.name in given else None) for parameter in word.parameters
    )
    return Matched(arguments, tuple(faults))


def _misplaced(word: Word, args: tuple[t.Arg, ...], arg: t.Arg, number: int) -> Fault:
    by_name = [parameter.name for parameter in word.parameters if not parameter.by_position]
    given = {other.name.text for other in args if other.name is not None}
    left = [name for name in by_name if name not in given]
    if left:
        return _fault("config-by-position", arg.span, name=left[0], callee=word.name)
    most = len(word.positional)
    wanted = f"{most} argument{'s' if most != 1 else ''}"
    return _fault(
        "wrong-arity",
        arg.span,
        callee=word.name,
        wanted=wanted,
        given=f"{number + 1} are",
        signature=f"`{word.signature}`",
    )


def _unknown(word: Word, name: t.Name) -> Fault:
    from repc.diagnostics.suggest import nearest

    known = [parameter.name for parameter in word.parameters]
    made: Fault = _fault(
        "unknown-argument", name.span, None, nearest(name.text, known), callee=word.name, name=name.text, known=known
    )
    return made


def _fault(
    name: str, span: Span, /, related: tuple[Span, str] | None = None, suggestion: str | None = None, **values: object
) -> Fault:
    from repc.diagnostics.model import Fault

    return Fault(name, span, values, () if related is None else (related,), suggestion)
