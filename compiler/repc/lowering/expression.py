"""Python expressions under construction: syntax trees made from templates, so that parentheses are never guessed.

`expr("torch.exp({x})", x=code)` parses the template once and puts the parts in. Nothing of a spec's text goes in
except identifiers that `naming` has checked and literals that `literal` has quoted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

Code: TypeAlias = ast.expr
Part: TypeAlias = "Code | Sequence[Code] | str | int | float | bool | None"

_HOLE = re.compile(r"\{(\w+)\}")
_MARK = "hole_of_a_template_"


@lru_cache(maxsize=2048)
def _parsed(template: str) -> ast.expr:
    return ast.parse(_HOLE.sub(lambda found: _MARK + found[1], template), mode="eval").body


def expr(template: str, **parts: Part) -> Code:
    """The expression of a template; `{name}` is replaced by a part, `*{name}` by the elements of a sequence."""
    return substituted(_parsed(template), {_MARK + hole: part for hole, part in parts.items()})


def substituted(code: Code, parts: Mapping[str, Part]) -> Code:
    """A copy of an expression with some of its variables replaced by expressions."""
    return _Filler(parts).visit(code)


def name(text: str) -> Code:
    """A variable or a dotted path of attributes."""
    head, *rest = text.split(".")
    made: Code = ast.Name(head, ast.Load())
    for part in rest:
        made = ast.Attribute(made, part, ast.Load())
    return made


def literal(value: object) -> Code:
    """A Python literal of a number, a text, a bool, None or a tuple of those."""
    if isinstance(value, tuple):
        return ast.Tuple([literal(item) for item in value], ast.Load())
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return expr("float({text})", text=ast.Constant(str(value)))
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if value is None or isinstance(value, int | float | str | bool):
        return ast.Constant(value)
    raise TypeError(f"no literal for {type(value).__name__}")


def call(function: Code | str, *args: Code, **keywords: Code | None) -> Code:
    """A call; keywords that are None are left out."""
    made = name(function) if isinstance(function, str) else function
    named = [ast.keyword(key, value) for key, value in keywords.items() if value is not None]
    return ast.Call(made, list(args), named)


def dictionary(pairs: Sequence[tuple[Code | None, Code]]) -> Code:
    """`{key: value, ..}`; without a key, `**value`."""
    return ast.Dict([key for key, _ in pairs], [value for _, value in pairs])


def _code(part: Part) -> Code:
    if isinstance(part, ast.expr):
        return part
    if isinstance(part, str):
        return name(part)
    if part is None or isinstance(part, int | float):
        return literal(part)
    return ast.Tuple([_code(item) for item in part], ast.Load())


class _Filler:
    """Copies a tree with the parts in place of variables; the tree itself is never changed."""

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self.parts = parts

    def visit(self, node: ast.expr) -> ast.expr:
        made = self._visit(node)
        assert isinstance(made, ast.expr)
        return made

    def _visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name):
            return _code(self.parts[node.id]) if node.id in self.parts else node
        fields: dict[str, object] = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[field] = [made for item in value for made in self._spread(item)]
            else:
                fields[field] = self._visit(value) if isinstance(value, ast.AST) else value
        return type(node)(**fields)

    def _spread(self, item: object) -> Iterator[object]:
        if isinstance(item, ast.Starred) and isinstance(item.value, ast.Name):
            part = self.parts.get(item.value.id)
            if isinstance(part, Sequence) and not isinstance(part, str):
                yield from map(_code, part)
                return
        yield self._visit(item) if isinstance(item, ast.AST) else item


def simpler(code: Code) -> Code:
    """The expression without a step that changes nothing: a transposition and back, a factor 1, a summand 0."""
    match code:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=x, attr="transpose"), args=first), attr="transpose"
            ),
            args=second,
        ) if list(map(ast.dump, first)) == list(map(ast.dump, second)):
            return x
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Mult(), right=x) if not isinstance(x, ast.Constant):
            return x
        case ast.BinOp(left=x, op=ast.Mult() | ast.Div(), right=ast.Constant(value=1)) if not isinstance(
            x, ast.Constant
        ):
            return x
        case ast.BinOp(left=ast.Constant(value=0), op=ast.Add(), right=x) if not isinstance(x, ast.Constant):
            return x
        case ast.BinOp(left=x, op=ast.Add() | ast.Sub(), right=ast.Constant(value=0)) if not isinstance(
            x, ast.Constant
        ):
            return x
        case _:
            return code


def names_in(code: ast.AST) -> set[str]:
    """All variables that an expression reads, heads of attribute paths included."""
    return {node.id for node in ast.walk(code) if isinstance(node, ast.Name)}


def equal(left: ast.AST, right: ast.AST) -> bool:
    """Whether two expressions are written the same."""
    return ast.dump(left) == ast.dump(right)


def integer(code: Code) -> int | None:
    """The whole number that a literal is."""
    if isinstance(code, ast.Constant) and type(code.value) is int:
        return code.value
    if isinstance(code, ast.UnaryOp) and isinstance(code.op, ast.USub):
        inner = integer(code.operand)
        return None if inner is None else -inner
    return None
