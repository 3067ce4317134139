"""Every declaration of the library has an example, and the example is right.

A documentation comment holds an indented block. Where the block is a file or a part of one (it declares something), it
is checked as it stands, with the imports it needs. Otherwise its lines are framed as the body of a small declaration:
a free name that stands where the declaration wants a value gets the type that is written there, with the axes that the
example binds (`over: T` makes `Seq` the axis `T`), and whatever else starts upper-case becomes a dim.

Every framed text is checked, compiled, and compared with the interpreter, values and gradients.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

import pytest

from rep_grammar import parse, tree
from repc.names.library import Library
from repc.pipeline import check_spec, generate
from repc.verify import run, verify
from repc.words import MODULES, words_of

# Numbers for features: all distinct, so that no axis passes for another, and divisible by any number of heads.
SIZES = (8, 4, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48)
NAMED = tree.Declaration | tree.Derived | tree.TrainItem | tree.DefItem | tree.SpaceItem
LIBRARY = Library()
NAMES = {name for module in LIBRARY.modules for name in LIBRARY.names(module)}
DECLARES = re.compile(
    r"(?:encoder|memory|objective|probe|train)\s+[A-Za-z_]\w*'*\s*[\[({=]|data\s+\w+\s*[\[({]|(?:use|dim|group|rep)\s"
)


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration of the library: where it stands, the comment above it, and its tree."""

    module: str
    name: str
    doc: str
    source: str
    node: tree.Node


def documented(source: str, start: int) -> str:
    """The `##` lines right above a place."""
    lines = source[:start].splitlines()
    found: list[str] = []
    while lines and lines[-1].startswith("##"):
        found.insert(0, lines.pop()[2:].removeprefix(" "))
    return "\n".join(found)


def declarations() -> Iterator[Declared]:
    for module, files in LIBRARY.modules.items():
        for path in files:
            with open(path, encoding="utf-8") as opened:
                source = opened.read()
            for item in parse(source).items:
                name = getattr(item, "name", None)
                named = isinstance(
                    item, tree.Declaration | tree.Derived | tree.TrainItem | tree.DefItem | tree.SpaceItem
                )
                if named and isinstance(name, tree.Name):
                    yield Declared(module, name.text, documented(source, item.span.start), source, item)


DECLARATIONS = tuple(declarations())


def example_of(doc: str) -> str:
    """The indented block of a comment."""
    lines = doc.splitlines()
    block = [line for line in lines if line.startswith("    ") or not line.strip()]
    return dedent("\n".join(block)).strip("\n")


def is_file(example: str) -> bool:
    """Whether an example declares something of its own."""
    return any(DECLARES.match(line) for line in example.splitlines())


def word_modules() -> dict[str, str]:
    """Names of the library that are made in Python, with their modules."""
    return {word.name: module for module in MODULES for word in words_of(module)}


WORDS = word_modules()


def with_imports(text: str, own: str) -> str:
    """A text in front of which the library names that it mentions are imported, from `own` if it has them."""
    items = parse(text).items
    imported = {item.name.text for use in items if isinstance(use, tree.Use) for item in use.imports}
    made = {node.name.text for node in items if isinstance(node, tree.Declaration | tree.Derived | tree.TrainItem)}
    mentioned = {node.text for item in items for node in tree.walk(item) if isinstance(node, tree.Name)}
    uses = ""
    for name in sorted(mentioned - imported - made):
        modules = [own, *sorted(LIBRARY.modules)]
        found = next((module for module in modules if name in LIBRARY.names(module)), WORDS.get(name))
        uses += f"use {found} ({name})\n" if found else ""
    return uses + text


class Frame:
    """The lines of an example as the body of a declaration."""

    def __init__(self, declared: Declared, lines: str) -> None:
        self.declared = declared
        self.lines = re.sub(r"^measure ", "", lines, flags=re.M)
        self.inputs: dict[str, str] = {}
        self.dims: dict[str, str] = {}
        self.kinds = self._kinds()
        self.bound: dict[str, None] = {}
        self.source = "encoder Example() {\n" + self.lines + "\n}\n"
        (item,) = parse(self.source).items
        assert isinstance(item, tree.Declaration)
        self.body = item.body.stmts
        for stmt in self.body:
            for call in (node for node in tree.walk(stmt) if isinstance(node, tree.Call)):
                if isinstance(call.func, tree.Name) and call.func.text == declared.name:
                    self._see(call)
            self.bound |= dict.fromkeys(assigned(stmt))
        for name in (node.text for stmt in self.body for node in tree.walk(stmt) if isinstance(node, tree.Name)):
            if name[0].isupper() and name not in NAMES:
                self.dims.setdefault(name, "feature")

    def _kinds(self) -> dict[str, str]:
        """Kinds of the axes that callers bind."""
        found = {}
        for item in parse(self.declared.source).items:
            if isinstance(item, tree.DimsItem):
                found |= {dim.name.text: dim.axis_kind.text if dim.axis_kind else "plain" for dim in item.dims}
        for formal in getattr(self.declared.node, "formals", ()):
            found[formal.name.text] = formal.kind.text if formal.kind else "plain"
        return found

    def _see(self, call: tree.Call) -> None:
        """Types for the free names among the arguments of a call of the declaration."""
        params = getattr(self.declared.node, "params", None) or ()
        by_name = {param.name.text: param for param in params}
        data = [param for param in params if is_data(param)]
        axes: dict[str, tuple[str, ...]] = {}
        values: list[tuple[tree.Param, tree.Expr]] = []
        for arg in call.args:
            if isinstance(arg.value, tree.Binary) and arg.value.op == "->":
                io = next(param for param in params if isinstance(param.default, tree.Binary))
                assert isinstance(io.default, tree.Binary)
                for formal, given in ((io.default.left, arg.value.left), (io.default.right, arg.value.right)):
                    axes[words(formal)[0]] = self._listed(given)
            elif isinstance(arg.value, tree.Number):
                continue
            elif arg.name is None and not data and isinstance(arg.value, tree.Call):
                # A source that another is made from.
                continue
            elif arg.name is None and not data:
                formals = getattr(self.declared.node, "formals", ())
                axes[formals[len(axes)].name.text] = self._listed(arg.value)
            elif arg.name is None:
                values.append((data[len(values)], arg.value))
            elif (param := by_name.get(arg.name.text)) is None:
                axes[arg.name.text] = self._listed(arg.value)
            elif is_data(param):
                values.append((param, arg.value))
            elif (
                isinstance(param.type, tree.Name) and param.type.text == "axes" and isinstance(param.default, tree.Name)
            ):
                axes[param.default.text] = self._listed(arg.value)
        for formal, given in axes.items():
            for axis in given:
                self.dims.setdefault(axis, self.kinds.get(formal, "feature"))
        for param, value in values:
            for name in words(value):
                if name not in self.bound and name not in self.inputs and name[0].islower():
                    self.inputs[name] = self._type(param, axes)

    def _listed(self, value: tree.Expr) -> tuple[str, ...]:
        """An axis, or those in a bracket."""
        items = value.axes if isinstance(value, tree.AxesExpr) else (value,)
        return tuple(self.source[item.span.start : item.span.end] for item in items)

    def _type(self, param: tree.Param, axes: dict[str, tuple[str, ...]]) -> str:
        """The written type of a parameter, over the axes of the call."""
        assert param.type is not None
        text, start = self.declared.source, param.type.span.start
        made, at = "", start
        for node in tree.walk(param.type):
            variadic = isinstance(node, tree.AxisItem) and node.variadic
            name = words(node)[0] if variadic and words(node) else node.text if isinstance(node, tree.Name) else ""
            if not name[:1].isupper() or node.span.start < at:
                continue
            given = axes.get(name, (name,))
            if name not in axes:
                self.dims.setdefault(name, self.kinds.get(name, "feature"))
            made += text[at : node.span.start] + ", ".join(given)
            at = node.span.end
        return re.sub(r", (?=\])|(?<=\[), ", "", made + text[at : param.type.span.end])

    def text(self) -> str:
        """The whole small spec."""
        named = [f"{name}: {type}" for name, type in self.inputs.items()]
        terms = any(isinstance(stmt, tree.TermStmt) for stmt in self.body)
        trained = any(isinstance(stmt, tree.RoleStmt) for stmt in self.body)
        sizes = iter(SIZES)
        text = "".join(
            f"dim {name} = {next(sizes)}\n"
            if kind == "feature" or (trained and kind == "plain")
            else f"dim {name}: {kind}\n"
            for name, kind in self.dims.items()
        )
        head = "train Example" if trained else f"{'objective' if terms else 'encoder'} Example({', '.join(named)})"
        last = list(assigned(self.body[-1]))
        result = "" if terms or trained else f"  return {last[0] if len(last) == 1 else record(last)}\n"
        body = "".join(f"  {line}\n" for line in self.lines.splitlines())
        if trained and not terms:
            # A train that is about its data still has to train something.
            body += "  param own: [] = 1\n  minimize nothing = own^2\n  optimizer: sgd(rate: 0.1)\n"
        return f"{text}\n{head} {{\n{body}{result}}}\n"


def is_data(param: tree.Param) -> bool:
    """Whether a parameter takes values with axes."""
    return isinstance(param.type, tree.AxesExpr) or (
        isinstance(param.type, tree.Binary) and any(isinstance(node, tree.AxesExpr) for node in tree.walk(param.type))
    )


def record(names: list[str]) -> str:
    return f"({', '.join(f'{name}: {name}' for name in names)})"


def assigned(stmt: tree.Stmt) -> Iterator[str]:
    """Names that a statement binds."""
    if isinstance(stmt, tree.Bind):
        for binding in stmt.bindings:
            for target in binding.targets:
                yield words(target)[0]


def words(node: tree.Node) -> list[str]:
    """Names that stand for values or axes: neither what is called, nor what is inside a bracket."""
    if isinstance(node, tree.Name):
        return [node.text]
    if isinstance(node, tree.Subs):
        return []
    inner = list(tree.children(node))
    if isinstance(node, tree.Call):
        inner = [arg.value for arg in node.args]
    if isinstance(node, tree.Reduce | tree.Stat):
        inner = inner[1:]
    if isinstance(node, tree.Attr):
        inner = inner[:1]
    return [name for child in inner for name in words(child)]


def framed(declared: Declared, example: str) -> str:
    """An example as a spec of its own."""
    text = example + "\n" if is_file(example) else Frame(declared, example).text()
    if text.startswith("rep "):
        return text
    return "rep 1\n" + with_imports(text, declared.module)


@pytest.mark.parametrize("declared", DECLARATIONS, ids=lambda declared: f"{declared.module}.{declared.name}")
def test_an_example_is_right(declared: Declared, monkeypatch: pytest.MonkeyPatch) -> None:
    # One short length: long ones are for the tests of algorithms.
    for name in ("LENGTHS", "SHORT"):
        monkeypatch.setattr(run, name, (5,))
    example = example_of(declared.doc)
    assert example, f"{declared.name} has no example: an indented block in the comment above it"
    text = framed(declared, example)
    checked = check_spec(("example.rep", text))
    assert checked.ok, "\n".join([text, *(f"{found.code}: {found.message}" for found in checked.diagnostics)])
    generate(checked, "example")
    report = verify(checked)
    assert report.rows, text
    assert report.passed, f"{text}\n{report.table()}"


def test_the_library_is_not_empty() -> None:
    assert len(DECLARATIONS) > 30
