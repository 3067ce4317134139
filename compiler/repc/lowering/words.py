"""Words of closed unions as calls of the runtime: optimizers, schedules, sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from repc.dims import Dim, Symbol
from repc.ir import Origin, Word
from repc.lowering.expression import Code, call, expr, literal
from repc.lowering.faults import LoweringFault
from repc.lowering.owner import Imports
from repc.words import find
from repc.words.declare import Parameter


class WordWriter:
    """Writes words; `values`: the sizes that are known, for sizes among their arguments."""

    def __init__(self, imports: Imports, values: Mapping[Symbol, int], origin: Origin) -> None:
        self.imports = imports
        self.values = values
        self.origin = origin

    def code(self, word: Word, *families: str) -> Code:
        """The call of the runtime that a word stands for. Raises `LoweringFault` for one that the runtime lacks."""
        declared = find(word.name, *families)
        if declared is None or not declared.runtime:
            raise LoweringFault("word-without-lowering", self.origin, {"word": word.name, "family": families[0]})
        module, _, function = declared.runtime.partition(":")
        name = self.imports(module.removeprefix("rep_runtime."), function)
        words: dict[str, Code | None] = {}
        for parameter in declared.parameters:
            given = word.get(parameter.name)
            if given is None or (given == parameter.default and type(given) is type(parameter.default)):
                continue
            words.update(self._argument(parameter, given))
        return call(name, **words)

    def _argument(self, parameter: Parameter, given: object) -> Iterator[tuple[str, Code]]:
        keywords = parameter.keywords or (parameter.name,)
        if parameter.kind in ("dim", "axes") or not keywords[0]:
            # The runtime knows no axes: which dim an axis of a source is was decided in elaboration.
            return
        if parameter.kind == "span":
            both = isinstance(given, Word) and given.name == "span"
            ends = tuple(value for _, value in given.args) if isinstance(given, Word) and both else (given,)
            names = keywords if both else (parameter.alone,)
            for key, value in zip(names, ends, strict=True):
                yield key, self.value(value)
            return
        yield keywords[0], self.value(given)

    def value(self, given: object) -> Code:
        """An argument: a number, a text, a size with a value, another word, several of those."""
        match given:
            case Word():
                return self.code(given, "schedule", "optimizer")
            case Dim():
                number = given.subst({symbol: Dim.of(size) for symbol, size in self.values.items()}).constant
                if number is None:
                    raise LoweringFault("size-not-known", self.origin, {"size": given})
                return literal(int(number) if number == int(number) else float(number))
            case tuple():
                return expr("{x}", x=[self.value(item) for item in given])
            case _:
                return literal(given)


def number_at(writer: WordWriter, given: object) -> Code:
    """A number that may be a schedule, at the step's clock."""
    made = writer.value(given)
    if isinstance(given, Word):
        return expr("{x}(now.step, now.steps)", x=made)
    return made
