"""Names and texts of a spec on their way to Python: nothing in them can break out of generated code or shadow it."""

from __future__ import annotations

import ast
import inspect
import keyword
from collections.abc import Callable
from typing import Any

import pytest
import torch

from repc.lowering import naming

AWKWARD = """
rep 1
use std.nn (linear)
dim T: seq
dim D = 4
encoder Net(x: [T, D]) -> [T, D] {
  forward = tanh(linear(x, D -> D))
  training = forward + linear(x, D -> D)
  class = training * 2
  self = class + 1
  print = linear(self, D -> D)
  torch = print * forward
  F = torch + 1
  state_dict = F + torch
  __init__ = linear(state_dict, D -> D)
  f' = __init__ * 2
  lambda = f' + 1
  return lambda
}
"""


def test_python_words_builtins_and_attributes_of_modules(source: Callable[[str], Any]) -> None:
    compiled = source(AWKWARD)
    module = compiled.class_of("Net")()
    out = module(torch.randn(2, 3, 4))
    assert out.shape == (2, 3, 4)
    assert {path.split(".")[0] for path in module.state_dict()} == {"forward_", "training_", "print_", "__init___"}
    assert callable(module.forward) and isinstance(module.training, bool)


@pytest.mark.parametrize(
    ("spec", "python"),
    [
        ("class", "class_"),
        ("self", "self_"),
        ("print", "print_"),
        ("match", "match_"),
        ("f'", "f_p"),
        ("f''", "f_pp"),
        ("torch", "torch_"),
        ("x", "x"),
    ],
)
def test_local_names(spec: str, python: str) -> None:
    assert naming.local(spec) == python
    assert not keyword.iskeyword(python)


def test_a_target_copy_is_told_from_a_prime() -> None:
    assert naming.local("f'", frozenset({"f'"})) == "f_target"


def test_every_attribute_of_a_module_is_reserved() -> None:
    own = {name for name in dir(torch.nn.Module()) if not name.startswith("__")}
    for name in own:
        assert naming.attribute(name) != name or name.startswith("_"), name


@pytest.mark.parametrize("name", ["", "1x", "a b", "a;b", "a.b", "x\n", "é", "a-b", 'x"', "__import__('os')", "a()"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(naming.NotAnIdentifier):
        naming.plain(name)


HOSTILE = '''
rep 1
dim D = 3
## """ import os; os.abort() # \\N{BELL} \\x41 {{ 7 * 7 }} {% raise %} \\
##    indented '"" text
encoder Quiet(x: [D]) -> [D] {
  y = x + 1
  return y
}
'''


def test_comments_stay_in_docstrings(source: Callable[[str], Any]) -> None:
    compiled = source(HOSTILE)
    made = compiled.class_of("Quiet")
    told = inspect.getdoc(made)
    assert told is not None and "import os; os.abort()" in told and "{{ 7 * 7 }}" in told and "\\N{BELL}" in told
    tree = ast.parse(compiled.rendered.text)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import) and node.names[0].name == "os"]
    assert torch.equal(made()(torch.zeros(3)), torch.ones(3))


CLASHES = """
rep 1
use std.nn (linear)
dim D = 4
encoder Linear(x: [D]) -> [D] { return 2 * linear(x, D -> D) }
encoder Tensor(x: [D]) -> [D] { return Linear(x) }
encoder concat(x: [D]) -> [D] { return x }
encoder F(x: [D]) -> [D] { return concat(x) }
encoder Use(x: [D]) -> [D] {
  concat = Tensor(x)
  linear = F(concat)
  return linear
}
"""


def test_declarations_that_are_called_like_what_the_module_needs(source: Callable[[str], Any]) -> None:
    compiled = source(CLASHES)
    for name in ("Linear", "Tensor", "F", "Use"):
        assert compiled.class_of(name)()(torch.randn(5, 4)).shape == (5, 4)


def test_numbers_in_paths_become_parts_of_identifiers() -> None:
    assert naming.joined("layers.0.weight") == "layers_0_weight"
    assert naming.joined("4").isidentifier()
