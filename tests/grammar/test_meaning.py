"""What texts parse to: precedence, forms of statements, and words that are names where they may be."""

from __future__ import annotations

import pytest

from rep_grammar import SyntaxFaults, parse
from rep_grammar import tree as t


def value(text: str) -> t.Expr:
    """The expression that a text stands for."""
    item = parse(f"probe p() {{ y = {text} }}").items[0]
    assert isinstance(item, t.Declaration)
    bind = item.body.stmts[0]
    assert isinstance(bind, t.Bind)
    return bind.bindings[0].value


def statements(text: str) -> tuple[t.Node, ...]:
    """The statements of a body."""
    item = parse(f"train T {{ {text} }}").items[0]
    assert isinstance(item, t.TrainItem) and isinstance(item.body, t.Block)
    return item.body.stmts


def shape(node: t.Node | None) -> str:
    """An expression with every operation in brackets."""
    match node:
        case t.Name() | t.Number():
            return node.text
        case t.Binary(_, op, left, right):
            return f"({shape(left)} {op} {shape(right)})"
        case t.Unary(_, op, operand):
            return f"({op} {shape(operand)})"
        case t.Reduce(_, op, subs, body):
            return f"{op.text}[{len(subs.items)}]<{shape(body)}>"
        case t.Cond(_, test, then, other):
            return f"<{shape(test)} ? {shape(then)} : {shape(other)}>"
        case t.Attr(_, base, name):
            return f"{shape(base)}.{name.text}"
        case t.Call(_, func, args):
            return f"{shape(func)}({', '.join(shape(arg.value) for arg in args)})"
        case t.AxesExpr(_, axes):
            return f"[{', '.join(shape(axis.size) for axis in axes)}]"
        case t.Index(_, base, _):
            return f"{shape(base)}[]"
        case t.SetExpr(_, items):
            return f"{{{', '.join(map(shape, items))}}}"
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b // c % d @ e", "((((a / b) // c) % d) @ e)"),
        ("-a + b", "((- a) + b)"),
        ("-a * b", "(- (a * b))"),
        ("a ^ b * c", "((a ^ b) * c)"),
        ("a ^ -b", "(a ^ (- b))"),
        ("not a and b or c", "(((not a) and b) or c)"),
        ("a + 1 == b and c in d", "(((a + 1) == b) and (c in d))"),
        ("1 .. n + 2", "(1 .. (n + 2))"),
        ("x in 0 .. 1", "(x in (0 .. 1))"),
        ("D -> [H, K]", "(D -> [H, K])"),
        ("[T] of V on s across d.test", "((([T] of V) on s) across d.test)"),
        ("[T] of V -> [K] of W", "(([T] of V) -> ([K] of W))"),
        ("sum[i] a * b + c", "(sum[1]<(a * b)> + c)"),
        ("2 * sum[i, j] a * sum[k] b", "(2 * sum[2]<(a * sum[1]<b>)>)"),
        ("mean[b] (x - y)^2", "mean[1]<((x - y) ^ 2)>"),
        ("mean(x) * 2", "(mean(x) * 2)"),
        ("f.a(x).b[1]", "f.a(x).b[]"),
        ("if a then b else if c then d else e", "<a ? b : <c ? d : e>>"),
        ("if a then b else c + 1", "<a ? b : (c + 1)>"),
        ("(a + b) * c", "((a + b) * c)"),
        ("{ a, 1 .. 2 }", "{a, (1 .. 2)}"),
    ],
)
def test_precedence(text: str, wanted: str) -> None:
    assert shape(value(text)) == wanted


def test_subscripts_tell_conditions_slices_and_picks_apart() -> None:
    node = value("x[i, 1:, :2, a:b, T = 3, T = :-1; outside: 0; k: 1]")
    assert isinstance(node, t.Index)
    assert [type(item).__name__ for item in node.subs.items] == [
        "SubExpr", "SubColon", "SubColon", "SubColon", "SubPick", "SubPickSlice",
    ]  # fmt: skip
    assert [option.name.text for option in node.subs.options] == ["outside", "k"]
    second, third = node.subs.items[1], node.subs.items[2]
    assert isinstance(second, t.SubColon) and second.upper is None
    assert isinstance(third, t.SubColon) and third.lower is None


def test_a_reduction_keeps_its_condition_as_the_last_colon() -> None:
    node = value("sum[m, j: m <= l; empty: 0] x")
    assert isinstance(node, t.Reduce)
    last = node.subs.items[-1]
    assert isinstance(last, t.SubColon)
    assert (shape(last.lower), shape(last.upper)) == ("j", "(m <= l)")


def test_axes_may_be_labelled_and_variadic() -> None:
    node = value("[T, i: 2 * D, ..S, ..]")
    assert isinstance(node, t.AxesExpr)
    assert [(a.label and a.label.text, a.size and shape(a.size), a.variadic) for a in node.axes] == [
        (None, "T", False), ("i", "(2 * D)", False), (None, "S", True), (None, None, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x: [T] = e", t.Annotated),
        ("steps: 300", t.Annotated),
        ("x = e", t.Bind),
        ("x[i, j] = e", t.Bind),
        ("a, b = e", t.Bind),
        ("c := e", t.Write),
        ("a.b[i], c := e", t.Write),
        ("x ~ law()", t.DrawStmt),
        ("x: [T] ~ law() once eval 3", t.DrawStmt),
        ("param w: [D] = 1, b: [D]", t.RoleStmt),
        ("minimize -x", t.TermStmt),
        ("minimize (x)", t.TermStmt),
        ("minimize n = x", t.TermStmt),
        ("optimizer: sgd()", t.OptimizerStmt),
        ("optimizer f, g: sgd()", t.OptimizerStmt),
        ("every 3 x := 2", t.EveryStmt),
        ("every 3 measure x = 2", t.EveryStmt),
        ("every n { }", t.EveryStmt),
        ("if a == b { } else { }", t.IfStmt),
        ("scan T { }", t.ScanStmt),
        ("repeat 2 * n shared as layers { }", t.RepeatStmt),
        ("def f(x) = x", t.DefItem),
        ("dim F = 3", t.DimsItem),
        ("freeze f.params where owner >= 0", t.FreezeStmt),
    ],
)
def test_forms_of_statements(text: str, kind: type) -> None:
    [statement] = statements(text)
    assert type(statement) is kind


def test_a_body_means_the_same_on_one_line() -> None:
    text = "x = a  y: [T] = b\n  q, r = f(x)\n  steps: 3  batch: 2\n  minimize x  at start { x := 1 }"
    several, one = statements(text), statements(text.replace("\n", " "))
    assert len(several) == 7 and all(map(t.same_tree, several, one))


NAMES_ELSEWHERE = """
data state order every table of by model train encoder use dim group option const def space experiment rep replace
freeze project require solve repeat scan for at stage player run vary expect optimizer minimize return to on as with
across where until once eval shared reversed ragged start end seeds assume sum mean cov any top
"""


@pytest.mark.parametrize("word", NAMES_ELSEWHERE.split())
def test_keywords_are_names_where_a_value_stands(word: str) -> None:
    name = value(f"{word} + r.{word} + f({word}: {word})")
    assert [node.text for node in t.walk(name) if isinstance(node, t.Name)].count(word) == 4


@pytest.mark.parametrize("word", ["data", "state", "order", "every", "table", "model", "return", "repeat", "stage"])
@pytest.mark.parametrize("form", ["{} = 1", "{}: 1", "{} := 1", "{}, a = f(x)", "{} ~ g()", "{}.a = 1", "{}[i] = 1"])
def test_statement_words_are_names_where_a_statement_uses_them_so(word: str, form: str) -> None:
    [_, statement] = statements("x = y " + form.format(word))
    assert isinstance(statement, (t.Bind, t.Annotated, t.Write, t.DrawStmt))


def test_optimizer_with_a_colon_stays_a_statement() -> None:
    first, second = statements("optimizer: sgd()  optimizer = 3")
    assert isinstance(first, t.OptimizerStmt) and isinstance(second, t.Bind)


@pytest.mark.parametrize("word", ["if", "then", "else", "match", "and", "or", "not", "in"])
def test_reserved_words_are_never_names(word: str) -> None:
    with pytest.raises(SyntaxFaults):
        parse(f"dim {word} = 3")


def test_primes_and_underscores_belong_to_names() -> None:
    assert shape(value("f' + f'' + _a1")) == "((f' + f'') + _a1)"
