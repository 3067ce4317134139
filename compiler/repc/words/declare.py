"""How a built-in word is declared: one frozen record with everything that is known about it.

A word is a name of a closed union: `adamw(rate: 1e-3)`, `cosine(1e-3, warmup: 100)`, `decay(a)`, `bytes(length: 256)`.
Checking of arguments, hover, completion, documentation and lowering read the same record.
"""

from __future__ import annotations

from rep_grammar.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    ParameterKind: TypeAlias = Literal[
        "number", "schedule", "span", "int", "bool", "choice", "axes", "dim", "labels", "value", "word", "text", "pair"
    ]
    Default: TypeAlias = "int | float | bool | str | Required | None"


class Required(Record):
    """The default of a parameter that has none."""


REQUIRED = Required()


class Parameter(Record):
    """A parameter of a word.

    `kind`:
      number    a number known at compile time
      schedule  a number, or a word of the family `schedule`
      span      a number or `start -> stop`; one number is the end named by `alone`, the other end is 0
      pair      two numbers, `(0.9, 0.999)`
      int       a whole number or a formula of dims
      bool      true or false
      choice    one of `choices`
      axes      an axis or a list of axes
      dim       a named size
      labels    a set or range of whole numbers: `{ 0, 1 }`, `0 .. 4`
      value     a value of the graph, or a number
      word      a word of the family `family`
      text      a text in quotes
    `default` is None where the word decides for itself; REQUIRED where the argument must be given.
    `keywords`: names of the runtime's arguments (`start`, `stop` for a span); empty: the parameter's own name.
    `by_position`: whether it may be given without its name; such parameters stand first.
    """

    name: str
    kind: ParameterKind
    default: Default = REQUIRED
    doc: str = ""
    choices: tuple[str, ...] = ()
    family: str = ""
    alone: str = ""
    keywords: tuple[str, ...] = ()
    by_position: bool = False

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return isinstance(self.default, Required)


class Word(Record):
    """A built-in word. `module` is where it is imported from, "" where it needs no import.

    `runtime`: `module:function` of what it becomes at run time, "" where the compiler alone deals with it.
    `source`: reference of the method.
    """

    name: str
    family: str
    module: str
    parameters: tuple[Parameter, ...]
    doc: str
    example: str
    runtime: str = ""
    source: str = ""

    @property
    def positional(self) -> tuple[Parameter, ...]:
        """The parameters that may be given without their names, in order."""
        return tuple(parameter for parameter in self.parameters if parameter.by_position)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return None

    @property
    def signature(self) -> str:
        """`adamw(rate, decay = 0.01, ..)` in the spelling of the language."""
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(map(_shown, self.parameters))})"


def _shown(parameter: Parameter) -> str:
    if parameter.required:
        return parameter.name
    return f"{parameter.name} = {spelled(parameter.default)}"


def spelled(value: Default) -> str:
    """A default as it is written in a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, Required):
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
