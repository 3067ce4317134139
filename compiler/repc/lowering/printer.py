"""Python expressions as text: on one line where they fit, else broken at the brackets as formatters do it."""

from __future__ import annotations

import ast
import json

WIDTH = 120

# How tightly a node binds, loosest first.
_TERNARY, _OR, _AND, _NOT, _COMPARE, _BITOR, _BITXOR, _BITAND, _SHIFT, _ADD, _MUL, _UNARY, _POWER, _ATOM = range(14)

_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", _ADD),
    ast.Sub: ("-", _ADD),
    ast.Mult: ("*", _MUL),
    ast.Div: ("/", _MUL),
    ast.FloorDiv: ("//", _MUL),
    ast.Mod: ("%", _MUL),
    ast.MatMult: ("@", _MUL),
    ast.Pow: ("**", _POWER),
    ast.BitOr: ("|", _BITOR),
    ast.BitXor: ("^", _BITXOR),
    ast.BitAnd: ("&", _BITAND),
    ast.LShift: ("<<", _SHIFT),
    ast.RShift: (">>", _SHIFT),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_PREFIX: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}


def text(node: ast.AST) -> str:
    """The expression on one line, with the fewest parentheses."""
    return _print(node)[0]


def _at_least(node: ast.AST, binding: int) -> str:
    written, own = _print(node)
    return written if own >= binding else f"({written})"


def _constant(value: object) -> str:
    if isinstance(value, str):
        # JSON's quoting is Python's with double quotes, for every text without lone surrogates.
        return json.dumps(value) if value.isprintable() else ascii(value)
    # A float's exponent without the zero that `repr` pads it with: 1e-6.
    return "..." if value is Ellipsis else repr(value).replace("e-0", "e-")


def _print(node: ast.AST) -> tuple[str, int]:
    match node:
        case ast.Name():
            return node.id, _ATOM
        case ast.Constant():
            return _constant(node.value), _ATOM
        case ast.Attribute():
            inner = _at_least(node.value, _ATOM)
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, int):
                inner = f"({inner})"
            return f"{inner}.{node.attr}", _ATOM
        case ast.Call():
            return f"{_at_least(node.func, _ATOM)}({', '.join(_arguments(node))})", _ATOM
        case ast.Subscript():
            return f"{_at_least(node.value, _ATOM)}[{_index(node.slice)}]", _ATOM
        case ast.BinOp():
            return _binary(node)
        case ast.UnaryOp():
            binding = _NOT if isinstance(node.op, ast.Not) else _UNARY
            return _PREFIX[type(node.op)] + _at_least(node.operand, binding), binding
        case ast.Compare():
            parts = [_at_least(node.left, _COMPARE + 1)]
            for operator, right in zip(node.ops, node.comparators, strict=True):
                parts += [_COMPARISONS[type(operator)], _at_least(right, _COMPARE + 1)]
            return " ".join(parts), _COMPARE
        case ast.BoolOp():
            word, binding = ("and", _AND) if isinstance(node.op, ast.And) else ("or", _OR)
            return f" {word} ".join(_at_least(value, binding + 1) for value in node.values), binding
        case ast.IfExp():
            return (
                f"{_at_least(node.body, _OR)} if {_at_least(node.test, _OR)} else {_at_least(node.orelse, _TERNARY)}",
                _TERNARY,
            )
        case _:
            return _collection(node)


def _collection(node: ast.AST) -> tuple[str, int]:
    match node:
        case ast.Tuple():
            inner = ", ".join(map(text, node.elts))
            return f"({inner},)" if len(node.elts) == 1 else f"({inner})", _ATOM
        case ast.List():
            return f"[{', '.join(map(text, node.elts))}]", _ATOM
        case ast.Set():
            return f"{{{', '.join(map(text, node.elts))}}}", _ATOM
        case ast.Dict():
            return f"{{{', '.join(_items(node))}}}", _ATOM
        case ast.Starred():
            return f"*{_at_least(node.value, _BITOR)}", _ATOM
        case ast.Slice():
            return _slice(node), _TERNARY
        case ast.GeneratorExp():
            return f"({_comprehension(node)})", _ATOM
        case ast.ListComp():
            return f"[{_comprehension(node)}]", _ATOM
        case ast.Lambda():
            names = ", ".join(argument.arg for argument in node.args.args)
            return f"lambda{' ' + names if names else ''}: {text(node.body)}", _TERNARY
        case _:
            raise TypeError(f"no text for {type(node).__name__}")


def _comprehension(node: ast.GeneratorExp | ast.ListComp) -> str:
    loops = (f"for {_bare(part.target)} in {_at_least(part.iter, _OR)}" for part in node.generators)
    return f"{text(node.elt)} {' '.join(loops)}"


def _bare(node: ast.expr) -> str:
    """A target: tuples without their brackets."""
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        return ", ".join(map(text, node.elts))
    return text(node)


def _items(node: ast.Dict) -> list[str]:
    pairs = zip(node.keys, node.values, strict=True)
    return [f"**{_at_least(value, _BITOR)}" if key is None else f"{text(key)}: {text(value)}" for key, value in pairs]


def _binary(node: ast.BinOp) -> tuple[str, int]:
    sign, binding = _BINARY[type(node.op)]
    if isinstance(node.op, ast.Pow):
        left, right = _at_least(node.left, _ATOM), _at_least(node.right, _UNARY)
        # Formatters hug the sign of a power between simple operands.
        simple = _hugs(node.left) and _hugs(node.right)
        return (f"{left}**{right}" if simple else f"{left} ** {right}"), binding
    return f"{_at_least(node.left, binding)} {sign} {_at_least(node.right, binding + 1)}", binding


def _hugs(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return isinstance(node.value, int | float)
        case ast.Name():
            return True
        case ast.Attribute():
            return _hugs(node.value) and not isinstance(node.value, ast.Constant)
        case ast.UnaryOp():
            return isinstance(node.op, ast.USub) and _hugs(node.operand)
        case _:
            return False


def _slice(node: ast.Slice) -> str:
    def bound(part: ast.expr | None) -> str:
        return "" if part is None else text(part)

    plain = ast.Name | ast.Constant | ast.UnaryOp
    if all(part is None or isinstance(part, plain) for part in (node.lower, node.upper, node.step)):
        made = f"{bound(node.lower)}:{bound(node.upper)}"
    else:
        made = f"{bound(node.lower)} : {bound(node.upper)}".strip()
    return made if node.step is None else f"{made}:{bound(node.step)}"


def _index(node: ast.expr) -> str:
    if isinstance(node, ast.Tuple) and node.elts:
        inner = ", ".join(map(text, node.elts))
        return f"{inner}," if len(node.elts) == 1 else inner
    return text(node)


def _arguments(node: ast.Call) -> list[str]:
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
        return [_comprehension(node.args[0])]
    return [*map(text, node.args), *map(_keyword, node.keywords)]


def _keyword(word: ast.keyword) -> str:
    return f"**{_at_least(word.value, _BITOR)}" if word.arg is None else f"{word.arg}={text(word.value)}"


def lines(node: ast.expr, indent: int = 0, before: str = "", after: str = "") -> list[str]:
    """The text of `before` + expression + `after`, indented; broken where it is longer than the width.

    `before` is what stands in front of the expression on its line (`x = `, `return `), `after` what follows (`:`).
    """
    margin = " " * indent
    flat = f"{margin}{before}{text(node)}{after}"
    if len(flat) <= WIDTH:
        return [flat]
    match node:
        case ast.Call() if node.args or node.keywords:
            return _exploded(_at_least(node.func, _ATOM) + "(", _parts(node), ")", indent, before, after)
        case ast.Subscript():
            return lines(node.value, indent, before, f"[{_index(node.slice)}]{after}")
        case ast.Attribute() if not isinstance(node.value, ast.Name):
            return lines(node.value, indent, before, f".{node.attr}{after}")
        case ast.Dict() if node.keys:
            return _exploded("{", _parts(node), "}", indent, before, after, each=True)
        case ast.List() | ast.Tuple() if node.elts:
            opening, closing = ("[", "]") if isinstance(node, ast.List) else ("(", ")")
            return _exploded(opening, _parts(node), closing, indent, before, after, each=True)
        case ast.BinOp() | ast.BoolOp() | ast.IfExp() | ast.Compare():
            return [f"{margin}{before}(", *_operands(node, indent + 4), f"{margin}){after}"]
        case _:
            return [flat]


def _parts(node: ast.expr) -> list[tuple[str, ast.expr]]:
    """What stands between the brackets of a node: what precedes each part, and the part."""
    match node:
        case ast.Call():
            named = [("**" if word.arg is None else f"{word.arg}=", word.value) for word in node.keywords]
            return [*(("", arg) for arg in node.args), *named]
        case ast.Dict():
            pairs = zip(node.keys, node.values, strict=True)
            return [("**" if key is None else f"{text(key)}: ", value) for key, value in pairs]
        case ast.List() | ast.Tuple():
            return [("", item) for item in node.elts]
        case _:
            raise TypeError(f"{type(node).__name__} has no brackets")


def _exploded(
    opening: str,
    parts: list[tuple[str, ast.expr]],
    closing: str,
    indent: int,
    before: str,
    after: str,
    each: bool = False,
) -> list[str]:
    """The parts between their brackets on lines of their own; `each`: never several on one line."""
    margin, inner = " " * indent, indent + 4
    joined = ", ".join(f"{head}{text(part)}" for head, part in parts)
    lone = len(parts) == 1 and isinstance(parts[0][1], ast.GeneratorExp)
    if lone:
        joined = joined[1:-1]
    single = f"{' ' * inner}{joined}"
    if len(single) <= WIDTH and not (each and len(parts) > 1):
        body = [single]
    else:
        ending = "" if lone else ","
        body = [line for head, part in parts for line in lines(part, inner, head, ending)]
    return [f"{margin}{before}{opening}", *body, f"{margin}{closing}{after}"]


def _operands(node: ast.expr, indent: int) -> list[str]:
    """The operands of a long chain, each on a line that starts with its operator."""
    return [line for sign, operand, ending in _chain(node) for line in lines(operand, indent, sign, ending)]


def _chain(node: ast.expr) -> list[tuple[str, ast.expr, str]]:
    match node:
        case ast.BinOp():
            sign, binding = _BINARY[type(node.op)]
            same = isinstance(node.left, ast.BinOp) and _BINARY[type(node.left.op)][1] == binding
            head = _chain(node.left) if same else [_operand("", node.left, binding)]
            return [*head, _operand(f"{sign} ", node.right, binding + 1)]
        case ast.BoolOp():
            word, binding = ("and ", _AND) if isinstance(node.op, ast.And) else ("or ", _OR)
            return [_operand(word if index else "", value, binding + 1) for index, value in enumerate(node.values)]
        case ast.IfExp():
            tail = _operand("else ", node.orelse, _TERNARY)
            return [_operand("", node.body, _OR), _operand("if ", node.test, _OR), tail]
        case ast.Compare():
            signs = [f"{_COMPARISONS[type(operator)]} " for operator in node.ops]
            operands = zip(["", *signs], [node.left, *node.comparators], strict=True)
            return [_operand(sign, operand, _COMPARE + 1) for sign, operand in operands]
        case _:
            return [("", node, "")]


def _operand(sign: str, node: ast.expr, binding: int) -> tuple[str, ast.expr, str]:
    return (sign, node, "") if _print(node)[1] >= binding else (f"{sign}(", node, ")")
