"""The plan of a module: every name, order and expression decided, ready to be put into templates."""

from __future__ import annotations

from rep_grammar.record import Record


class Place(Record):
    """Where a line comes from: node and `.rep` place, counted from 1."""

    node: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Line(Record):
    """One line of code without its block's indentation, and its place if it begins a statement of the text."""

    text: str
    place: Place | None = None


class Argument(Record):
    """A parameter of a function: `name: annotation = default`, no default where it is empty."""

    name: str
    annotation: str
    default: str = ""

    @property
    def text(self) -> str:
        return f"{self.name}: {self.annotation}" + (f" = {self.default}" if self.default else "")


class MethodPlan(Record):
    """A function or method. `keywords`: arguments that go by name only."""

    name: str
    arguments: tuple[Argument, ...]
    keywords: tuple[Argument, ...]
    returns: str
    doc: tuple[str, ...]
    lines: tuple[Line, ...]
    place: Place | None = None


class ClassPlan(Record):
    """A class: its docstring, class attributes and methods, `__init__` first."""

    name: str
    base: str
    doc: tuple[str, ...]
    methods: tuple[MethodPlan, ...]
    attributes: tuple[str, ...] = ()
    place: Place | None = None


class ResultPlan(Record):
    """A named tuple: the named results of a declaration, or its state. `fields`: names with annotations."""

    name: str
    doc: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]


class FunctionPlan(Record):
    """A declaration that owns nothing."""

    method: MethodPlan


class Import(Record):
    """`from module import names`."""

    module: str
    names: tuple[str, ...]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Unit: TypeAlias = ClassPlan | ResultPlan | FunctionPlan


class ParameterInfo(Record):
    """A parameter of an entry by its path in the state dict, with its axes and shape in the spec's names."""

    path: str
    axes: str


class Plan(Record):
    """One Python module. `entries`: declaration or train name -> class; `graphs`: graph key -> class or function."""

    title: str
    imports: tuple[Import, ...]
    units: tuple[Unit, ...]
    entries: tuple[tuple[str, str], ...]
    graphs: tuple[tuple[str, str], ...]
    algorithms: tuple[tuple[str, str], ...] = ()
