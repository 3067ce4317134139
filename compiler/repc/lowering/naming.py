"""Identifiers of generated code: every name of a spec on its way to Python passes through here (LANGUAGE.md 2.2).

A name that is no identifier, or that would shadow something the generated code needs, is changed or refused; nothing
else of a spec's text ever becomes code.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# What generated modules themselves mean by these names.
MODULE_NAMES = frozenset({"torch", "nn", "F", "Tensor", "math", "NamedTuple", "self", "annotations"})

# Attributes of nn.Module (and of what generated classes add to it) that a block, slot or cell must not replace.
# fmt: off
MODULE_ATTRIBUTES = frozenset([
    "T_destination", "add_module", "apply", "bfloat16", "bool", "buffers", "call_super_init", "children", "compile",
    "cpu", "cuda", "double", "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer",
    "get_extra_state", "get_parameter", "get_submodule", "half", "init_state", "inits", "ipu", "load_state_dict",
    "modules", "mtia", "named_buffers", "named_children", "named_modules", "named_parameters", "parameters",
    "register_backward_hook", "register_buffer", "register_forward_hook", "register_forward_pre_hook",
    "register_full_backward_hook", "register_full_backward_pre_hook", "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook", "register_module", "register_parameter", "register_state_dict_post_hook",
    "register_state_dict_pre_hook", "requires_grad_", "set_extra_state", "set_submodule", "share_memory",
    "state_dict", "step", "to", "to_empty", "train", "training", "type", "xpu", "zero_grad",
])
# fmt: on

# Attributes of a generated train class, besides those.
# fmt: off
STEP_ATTRIBUTES = frozenset([
    "name", "settings", "feeds", "players", "measures", "frozen", "project_before", "target_before", "project_after",
    "target_after", "stages", "share", "look", "fill",
])
# fmt: on

_RESERVED = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins)) | MODULE_NAMES


class NotAnIdentifier(ValueError):
    """A name that no rule turns into a Python identifier: a fault of whoever made the program."""


def plain(name: str, targets: frozenset[str] = frozenset()) -> str:
    """The identifier of a name of a spec: primes are spelled out, `f'` -> `f_target` if it is a target, else `f_p`."""
    body = name.rstrip("'")
    primes = len(name) - len(body)
    if not _WORD.fullmatch(body):
        raise NotAnIdentifier(name)
    if not primes:
        return body
    return f"{body}_target{'_p' * (primes > 1)}" if name in targets else f"{body}_{'p' * primes}"


def local(name: str, targets: frozenset[str] = frozenset()) -> str:
    """A local variable or parameter."""
    made = plain(name, targets)
    return f"{made}_" if made in _RESERVED else made


def port(name: str) -> str:
    """The parameter of a port of a body: `index:t` is `t`, `state.h` is `state_h`, a captured node `4` is `x4`."""
    made = "_".join(
        plain(part) if _WORD.fullmatch(part.rstrip("'")) else f"x{part}" for part in name.rpartition(":")[2].split(".")
    )
    return local(made)


def variable(site: str) -> str:
    """The local variable of a named value, "" where its name is none: of `term.align` the last part."""
    last = site.rpartition(".")[2]
    return local(last) if _WORD.fullmatch(last.rstrip("'")) else ""


def attribute(name: str, targets: frozenset[str] = frozenset(), step: bool = False) -> str:
    """An attribute of a generated class: a block, a slot or a cell. `step`: of a train class."""
    made = plain(name, targets)
    taken = made in _RESERVED or made in MODULE_ATTRIBUTES or (step and made in STEP_ATTRIBUTES)
    return f"{made}_" if taken or made.startswith("__") else made


def class_name(declaration: str) -> str:
    """The class of a declaration: its name, in capitals and without underscores where it is a lower-case one."""
    made = plain(declaration)
    if not made[0].isupper():
        made = "".join(part[:1].upper() + part[1:] for part in made.split("_") if part) or made
    if not made[:1].isalpha() or made in _RESERVED:
        return f"{made}_" if made[:1].isalpha() else f"Class{made}"
    return made


def function_name(declaration: str) -> str:
    """The function of a declaration that owns nothing: snake case."""
    made = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", plain(declaration)).lower()
    return f"{made}_" if made in _RESERVED else made


def joined(path: str) -> str:
    """One identifier for a dotted path, `q.weight` -> `q_weight`."""
    # Turns of a loop are numbers in a path, `layers.0.weight`; a value without a name that a body reads is one alone.
    made = "_".join(part if part.isdigit() else plain(part) for part in path.split("."))
    return local(f"value_{made}" if made[0].isdigit() else made)


class Names:
    """Hands out identifiers that are free in one scope."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def fresh(self, wanted: str) -> str:
        """`wanted`, or with `_2`, `_3` where it is taken."""
        made, count = wanted, 1
        while made in self._taken:
            count += 1
            made = f"{wanted}_{count}"
        self._taken.add(made)
        return made
