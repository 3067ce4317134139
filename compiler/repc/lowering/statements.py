"""Statements before their variables have names, and the choice of those names.

While a body is built a variable is a placeholder, `x%12`: what it would like to be called and which one it is.
`assign_names` then gives it that name if no other living value holds it: `x = x + mixer(x)` writes over `x` as a
person would, and a value that is needed later keeps its own name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from rep_grammar.record import Record
from repc.ir import Origin
from repc.lowering.expression import Code, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

MARK = "%"


class Assign(Record):
    """`targets = code`; no target: the expression alone."""

    targets: tuple[str, ...]
    code: Code
    nodes: tuple[str, ...] = ()
    origin: Origin | None = None
    annotation: str = ""


class Return(Record):
    """`return code`."""

    code: Code
    nodes: tuple[str, ...] = ()
    origin: Origin | None = None


class For(Record):
    """`for targets in code:`."""

    targets: tuple[str, ...]
    code: Code
    body: tuple[Statement, ...]
    nodes: tuple[str, ...] = ()
    origin: Origin | None = None


class If(Record):
    """`if code:` and what else."""

    code: Code
    body: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()
    nodes: tuple[str, ...] = ()
    origin: Origin | None = None


class Define(Record):
    """`def target(parameters):`, called by the statement after it."""

    target: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    nodes: tuple[str, ...] = ()
    origin: Origin | None = None


if TYPE_CHECKING:
    Statement: TypeAlias = Assign | Return | For | If | Define


class Variables:
    """Makes placeholders."""

    def __init__(self) -> None:
        self._count = 0

    def new(self, wanted: str) -> str:
        """A variable that would like to be called `wanted`."""
        self._count += 1
        return f"{wanted}{MARK}{self._count}"


def wanted(variable: str) -> str:
    """What a placeholder would like to be called; a name that is no placeholder is itself."""
    return variable.partition(MARK)[0]


def variables_in(code: ast.AST) -> Iterator[str]:
    """Every variable that an expression reads."""
    return (node.id for node in ast.walk(code) if isinstance(node, ast.Name))


class _Life:
    """First and last place of every variable, counted over the flattened statements."""

    def __init__(self) -> None:
        self.last: dict[str, int] = {}
        self.born: dict[str, int] = {}
        self.clock = 0

    def _use(self, code: ast.AST) -> None:
        for variable in variables_in(code):
            self.last[variable] = max(self.last.get(variable, 0), self.clock)

    def _define(self, targets: Iterable[str]) -> None:
        for target in targets:
            if "[" in target:
                # An entry of something that is there already.
                base = target.partition("[")[0]
                self.last[base] = max(self.last.get(base, 0), self.clock)
                continue
            self.born.setdefault(target, self.clock)
            self.last.setdefault(target, self.clock)

    def walk(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            self.clock += 1
            match statement:
                case Assign():
                    self._use(statement.code)
                    self._define(statement.targets)
                case Return():
                    self._use(statement.code)
                case For():
                    self._use(statement.code)
                    self._loop(statement.targets, statement.body)
                case If():
                    self._use(statement.code)
                    self.walk(statement.body)
                    self.walk(statement.other)
                case Define():
                    self._define([statement.target])
                    self._loop(statement.parameters, statement.body)

    def _loop(self, targets: tuple[str, ...], body: tuple[Statement, ...]) -> None:
        start = self.clock
        self.clock += 1
        self._define(targets)
        self.walk(body)
        self.clock += 1
        for variable, last in self.last.items():
            # What a loop reads from outside, or carries round, lives until the loop ends.
            if last > start and self.born.get(variable, 0) <= start:
                self.last[variable] = self.clock


class _Namer:
    def __init__(self, life: _Life, fixed: Iterable[str], reserved: Iterable[str]) -> None:
        self.life = life
        self.reserved = set(reserved)
        self.names: dict[str, str] = {one: one for one in fixed}
        self.holder: dict[str, str] = dict(self.names)
        self.clock = 0

    def _name(self, variable: str) -> str:
        if "[" in variable:
            base, bracket, rest = variable.partition("[")
            return f"{self.names.get(base, base)}{bracket}{rest}"
        if variable in self.names or MARK not in variable:
            return self.names.get(variable, variable)
        base = wanted(variable)
        made, count = base, 1
        while not self._free(made):
            count += 1
            made = f"{base}_{count}"
        self.names[variable] = made
        self.holder[made] = variable
        return made

    def _free(self, made: str) -> bool:
        if made in self.reserved:
            return False
        held = self.holder.get(made)
        if held is None:
            return True
        last, born = self.life.last.get(held, 0), self.life.born.get(held, 0)
        return last < self.clock or (last == self.clock and born < self.clock)

    def rename(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        for statement in statements:
            self.clock += 1
            match statement:
                case Assign():
                    code = self._read(statement.code)
                    targets = tuple(map(self._name, statement.targets))
                    if len(targets) == 1 and isinstance(code, ast.Name) and code.id == targets[0]:
                        continue
                    yield Assign(targets, code, statement.nodes, statement.origin, statement.annotation)
                case Return():
                    yield Return(self._read(statement.code), statement.nodes, statement.origin)
                case For():
                    code = self._read(statement.code)
                    self.clock += 1
                    targets = tuple(map(self._name, statement.targets))
                    body = tuple(self.rename(statement.body))
                    self.clock += 1
                    yield For(targets, code, body, statement.nodes, statement.origin)
                case If():
                    code = self._read(statement.code)
                    body, other = tuple(self.rename(statement.body)), tuple(self.rename(statement.other))
                    yield If(code, body, other, statement.nodes, statement.origin)
                case Define():
                    target = self._name(statement.target)
                    self.clock += 1
                    parameters = tuple(map(self._name, statement.parameters))
                    body = tuple(self.rename(statement.body))
                    self.clock += 1
                    yield Define(target, parameters, body, statement.nodes, statement.origin)

    def _read(self, code: Code) -> Code:
        made = _Renamed(self.names).visit(code)
        assert isinstance(made, ast.expr)
        return made


class _Renamed:
    """A copy of an expression with its variables renamed."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name):
            return name(self.names.get(node.id, node.id)) if MARK in node.id else node
        fields: dict[str, object] = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[field] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
            else:
                fields[field] = self.visit(value) if isinstance(value, ast.AST) else value
        return type(node)(**fields)


def assign_names(
    statements: Iterable[Statement], parameters: Iterable[str] = (), reserved: Iterable[str] = ()
) -> tuple[Statement, ...]:
    """The statements with real variables. `parameters` may be written over once they are no longer read; `reserved`
    names never."""
    listed = tuple(statements)
    life = _Life()
    life.walk(listed)
    return tuple(_Namer(life, parameters, reserved).rename(listed))


def merged(old: str, new: str, statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements with the variable `old` made one with `new`."""
    rename = _Renamed({old: new})

    def code_of(code: Code) -> Code:
        made = rename.visit(code)
        assert isinstance(made, ast.expr)
        return made

    def one(statement: Statement) -> Statement:
        nodes, origin = statement.nodes, statement.origin
        match statement:
            case Assign():
                targets = tuple(new if target == old else target for target in statement.targets)
                return Assign(targets, code_of(statement.code), nodes, origin, statement.annotation)
            case Return():
                return Return(code_of(statement.code), nodes, origin)
            case For():
                body = tuple(map(one, statement.body))
                return For(statement.targets, code_of(statement.code), body, nodes, origin)
            case If():
                body, other = tuple(map(one, statement.body)), tuple(map(one, statement.other))
                return If(code_of(statement.code), body, other, nodes, origin)
            case Define():
                return Define(statement.target, statement.parameters, tuple(map(one, statement.body)), nodes, origin)

    return tuple(map(one, statements))
