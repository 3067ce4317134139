"""Bad input, as a user meets it: the whole answer of `repc check` to each text, as recorded in `answers.txt`.

After a change that is meant: `python test_badinput.py --update`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from repc.diagnostics.render import render
from repc.pipeline import check_spec

HEAD = "rep 1\ndim B: batch, T: seq, S: seq, D = 16, E = 8, H = 3\n"
CASES = {
    "unknown name": HEAD + "encoder F(x: [T, D]) -> [T, D] { return x + bias }\n",
    "unknown name, near a known one": HEAD + "encoder F(value: [T, D]) -> [T, D] { return relu(vaule) }\n",
    "wrong arity": HEAD + "encoder F(x: [T, D]) -> [T, D] { return logaddexp(x) }\n",
    "too many arguments": HEAD + "encoder G(x: [D]) -> [D] { return x }\nencoder F(x: [D]) -> [D] { return G(x, x) }\n",
    "wrong axis": HEAD + "encoder F(x: [T, D]) -> [T, D] { return softmax(x, over: S) }\n",
    "two sizes for one axis": HEAD + "encoder F(x: [T, D]) -> [T, D] { require T >= 2\n return x + x[T = 1:] }\n",
    "indivisible heads": HEAD + "dim K = D / H\nencoder F(x: [D]) -> [D] { return x }\n",
    "an index over two sizes": HEAD
    + "encoder F(x: [T, D], y: [E]) -> [T] { s[t] = sum[d] x[t, d] * y[d]  return s }\n",
    "an index that is not bound": HEAD + "encoder F(x: [T, D]) -> [T, D] { return x[t, d] }\n",
    "a missing axis in a contraction": HEAD + "encoder F(x: [T, D], y: [S, E]) -> [T, S] { return x @ y }\n",
    "duplicate declaration": HEAD + "encoder F(x: [D]) -> [D] { return x }\nencoder F(x: [E]) -> [E] { return x }\n",
    "missing file": 'rep 1\nuse "nowhere.rep" (F)\n',
    "recursion": HEAD + "encoder F(x: [D]) -> [D] { return F(x) }\n",
    "a reserved word as a name": "rep 1\ndim D = 4\nencoder match(x: [D]) -> [D] { return x }\n",
    "unclosed brace": HEAD + "encoder F(x: [D]) -> [D] {\n  return x\n",
    "stray character": HEAD + "encoder F(x: [D]) -> [D] { return x ? 1 }\n",
    "empty file": "",
    "deep nesting": "rep 1\ndim D = 4\nencoder F(x: [D]) -> [D] { return " + "(" * 5000 + "x" + ")" * 5000 + " }\n",
    "a megabyte of nesting": "rep 1\ndim D = 4\nencoder F(x: [D]) -> [D] { return " + "(" * 1_000_000 + " }\n",
    "a free index in a scalar": HEAD + "encoder F(x: [D]) -> [] { y: [] = x[d]  return y }\n",
    "a law with =": HEAD + "encoder F(x: [D]) -> [D] { e: [D] = normal(0, 1)  return x + e }\n",
    "a field that a memory lacks": HEAD + "memory M(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] { regresor: linear }\n",
    "an axis of 10^12": "rep 1\ndim D = 1000000000000\nencoder F(x: [D]) -> [D] { return x }\n",
    "an axis of 10^13": "rep 1\ndim D = 10000000000000\nencoder F(x: [D]) -> [D] { return x }\n",
    "a NUL byte": "rep 1\ndim D = 4\0\n",
    "Windows line ends": "rep 1\r\ndim D = 4\r\n",
    "a byte order mark": "\ufeffrep 1\ndim D = 4\n",
    "tabs": "rep 1\ndim\tD = 4\n",
    "a result with another axis": HEAD + "encoder F(x: [T, D]) -> [T, E] { return x }\n",
    "a future leak": HEAD + "encoder F(x: [T, D]) -> [T, D] causal(T) { return x - mean(x, over: T) }\n",
    "a unit interval that is not proved": HEAD
    + "memory M(q: [T, D], k: [T, D], v: [T, D], b: [T] in (0, 1)) -> [T, D] { optimizer: sgd(rate: b) }\n"
    + "encoder F(x: [T, D], b: [T]) -> [T, D] { return M(x, x, x, b) }\n",
}
LEGAL = {
    "Python's words are names": "rep 1\ndim D = 4\n"
    "encoder lambda(self: [D], class: [D]) -> [D] { print = self + class  return print }\n",
    "a text that looks like code": 'rep 1\n## """ + __import__("os").system("true") + """\ndim D = 4\n'
    "encoder F(x: [D]) -> [D] { # '''; import os\n  return x }\n",
}
ANSWERS = Path(__file__).with_name("answers.txt")


def answer(text: str) -> str:
    checked = check_spec(("spec.rep", text))
    assert not any(item.code.startswith("REP99") for item in checked.diagnostics)
    return render(checked.diagnostics, checked.sources).strip()


def recorded() -> dict[str, str]:
    parts = ANSWERS.read_text(encoding="utf-8").split("==== ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_as_recorded(name: str) -> None:
    assert answer(CASES[name]) == recorded()[name]


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_refused(name: str) -> None:
    assert not check_spec(("spec.rep", CASES[name])).ok


@pytest.mark.parametrize("name", LEGAL)
def test_odd_names_and_texts_are_harmless(name: str) -> None:
    from repc.pipeline import generate

    checked = check_spec(("spec.rep", LEGAL[name]))
    assert checked.ok, answer(LEGAL[name])
    scope: dict[str, object] = {"__name__": "made"}
    exec(compile(generate(checked, "spec").text, "spec.py", "exec"), scope)


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python test_badinput.py --update")
    made = "\n\n".join(f"==== {name}\n{answer(text)}" for name, text in CASES.items())
    ANSWERS.write_text(made + "\n", encoding="utf-8")


TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9.]+|->|:=|==|<=|\S")
SPEC = Path(__file__).parents[3] / "specs" / "lm" / "gated_delta.rep"


@pytest.mark.parametrize("start", range(8))
def test_a_spec_with_a_token_left_out_is_answered(start: int) -> None:
    """Whatever is missing, check says so or accepts it: nothing of it is a fault of the compiler."""
    text = SPEC.read_text(encoding="utf-8")
    tokens = list(TOKEN.finditer(text))
    for token in tokens[start * 5 :: 40]:
        answer(text[: token.start()] + " " + text[token.end() :])
