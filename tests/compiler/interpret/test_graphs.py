"""Graphs by the interpreter: against torch, and lifted against a loop over the lifted positions."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from repc.dims import Dim, Symbol
from repc.interpret import Interpreter, InterpretFault, Named, init_slots, slots_of
from repc.interpret.draws import Draws
from repc.ir import Program
from repc.ir.text import read_program

HEAD = """program {
  value D = 6
  value H = 2
  formula K = D/H
}
"""
LINEAR = """
graph linear(%x) encoder linear {
  formals I, O
  %x = input x() : [I] float
  %w = slot weight() {constraint: none, init: fan_in(gain: 1), trained: true} : [O, I] float
  %b = slot bias() {constraint: none, init: zeros(), trained: true} : [O] float
  %1 = prim contract(%x, %w) {out: (O)} : [O] float
  %2 = prim add(%1, %b) : [O] float
  return %2
}
"""
MIXER = """
graph Mixer(%x) encoder Mixer {
  formals T
  block up = linear {I: <D>, O: <2*D>}
  block down = linear {I: <2*D>, O: <D>}
  %x = input x() : [T, D] float
  %1 = prim l2norm(%x) {over: (D)} : [T, D] float
  %2 = apply linear[up](x: %1)
    {labels: ((I, D), (O, E)), lift: (T), sites: (), sizes: ((I, <D>), (O, <2*D>))}
    : [T, E: 2*D] float
  %3 = prim relu(%2) : [T, E: 2*D] float
  %4 = apply linear[down](x: %3)
    {labels: ((I, E), (O, D)), lift: (T), sites: (), sizes: ((I, <2*D>), (O, <D>))}
    : [T, D] float
  %5 = prim mean(%4) {over: (T)} : [D] float
  %6 = prim sub(%4, %5) : [T, D] float
  sites h: %3
  return %6
}
"""


def program(*graphs: str) -> Program:
    return read_program(HEAD + "".join(graphs))


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def close(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


def test_blocks_slots_and_sites() -> None:
    made = program(LINEAR, MIXER)
    slots = init_slots(made, "Mixer", seed=3)
    assert {name: tuple(slot.shape) for name, slot in slots.items()} == {
        "up.weight": (12, 6),
        "up.bias": (12,),
        "down.weight": (6, 12),
        "down.bias": (6,),
    }
    x = draw(5, 6)
    run = Interpreter(made).run("Mixer", {"x": x}, slots)
    unit = x / torch.sqrt((x * x).sum(-1, keepdim=True) + 1e-6)
    h = torch.relu(unit @ slots["up.weight"].T + slots["up.bias"])
    y = h @ slots["down.weight"].T + slots["down.bias"]
    torch.testing.assert_close(run.tensor(), y - y.mean(0), rtol=1e-5, atol=1e-6)
    site = run.sites["h"]
    assert isinstance(site, Named) and site.data.shape == (5, 12)


def test_initial_values_depend_on_the_path_alone() -> None:
    made = program(LINEAR, MIXER)
    one, two = init_slots(made, "Mixer", seed=3), init_slots(made, "Mixer", seed=4)
    assert not torch.equal(one["up.weight"], two["up.weight"])
    inside = init_slots(made, "Mixer", seed=3, path="a")
    assert torch.equal(inside["a.up.weight"], init_slots(made, "Mixer", seed=3, path="a")["a.up.weight"])
    assert not torch.equal(inside["a.up.weight"], one["up.weight"])
    # Variance 1 / fan_in, the fan being the contracted axis.
    assert abs(float(one["down.weight"].abs().max()) / (3 / 12) ** 0.5 - 1) < 0.1


def test_lifted_axes_are_a_loop_over_their_positions() -> None:
    made = program(LINEAR, MIXER)
    slots = init_slots(made, "Mixer", seed=3)
    x = draw(2, 3, 5, 6)
    whole = Interpreter(made).run("Mixer", {"x": x}, slots, lifted=("B", "G")).tensor()
    for b in range(2):
        for g in range(3):
            close(whole[b, g], Interpreter(made).run("Mixer", {"x": x[b, g]}, slots).tensor())


def test_a_lifted_axis_cannot_meet_a_name_of_the_graph() -> None:
    made = program(LINEAR, MIXER)
    slots = init_slots(made, "Mixer", seed=3)
    x = draw(4, 5, 6)
    # The caller's axis is called like one of the callee.
    lifted = Named(x, (Symbol("I"), Symbol("T"), Symbol("D")))
    found = Interpreter(made).run("Mixer", {"x": lifted}, slots).results[""]
    assert isinstance(found, Named)
    close(
        found.ordered((Symbol("I"), Symbol("T"), Symbol("D")))[2],
        Interpreter(made).run("Mixer", {"x": x[2]}, slots).tensor(),
    )


LOOPED = """
graph turn(%x, %l) encoder Stack {
  block lin = linear {I: <D>, O: <D>}
  %x = input x() : [T, D] float
  %l = input l() : [] int
  %1 = apply linear[lin](x: %x)
    {labels: ((I, D), (O, D)), lift: (T), sites: (), sizes: ((I, <D>), (O, <D>))}
    : [T, D] float
  %2 = prim float(%l) : [] float
  %3 = prim add(%1, %2) : [T, D] float
  return x: %3, h: %1
}

graph Stack(%x) encoder Stack {
  formals T
  %x = input x() : [T, D] float
  %1 = loop turn(x: %x)
    {carried: ("x"), count: <L>, index: "l", label: LABEL, mode: "unroll", over: L, reversed: REVERSED, stacked: ("h")}
    : [] record with {x: [T, D] float, h: [L, T, D] float}
  %2 = prim field(%1) {name: "x"} : [T, D] float
  %3 = prim field(%1) {name: "h"} : [L, T, D] float
  return x: %2, h: %3
}
"""


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_loops_carry_and_stack(reverse: bool, shared: bool) -> None:
    text = LOOPED.replace("LABEL", '""' if shared else '"layers"').replace("REVERSED", "true" if reverse else "false")
    made = program(LINEAR, text)
    values = {Symbol("L"): 3}
    slots = init_slots(made, "Stack", seed=1, values=values)
    if shared:
        assert set(slots) == {"lin.weight", "lin.bias"}
    else:
        assert set(slots) == {f"layers.{i}.lin.{name}" for i in range(3) for name in ("weight", "bias")}
    x = draw(4, 6)
    run = Interpreter(made, values).run("Stack", {"x": x}, slots)
    stacked: dict[int, Tensor] = {}
    for turn in reversed(range(3)) if reverse else range(3):
        prefix = "lin" if shared else f"layers.{turn}.lin"
        stacked[turn] = x @ slots[f"{prefix}.weight"].T + slots[f"{prefix}.bias"]
        x = stacked[turn] + turn
    close(run.tensor("x"), x)
    close(run.tensor("h"), torch.stack([stacked[turn] for turn in range(3)]))


CHOICE = """
graph yes(%x) encoder Choice {
  %x = input x() : [T] float
  %1 = prim log(%x) : [T] float
  return %1
}
graph no(%x) encoder Choice {
  %x = input x() : [T] float
  %1 = prim neg(%x) : [T] float
  return %1
}
graph Choice(%p, %x) encoder Choice {
  formals T
  %p = input p() : [] bool
  %x = input x() : [T] float
  %1 = branch(%p, x: %x) {other: "no", then: "yes"} : [T] float
  return %1
}
"""


def test_a_branch_takes_one_side_at_each_lifted_position() -> None:
    made = program(CHOICE)
    p = torch.tensor([True, False, True])
    x = torch.tensor([[1.0, 2.0], [-1.0, 0.0], [3.0, 4.0]], dtype=torch.float64).requires_grad_(True)
    out = Interpreter(made).run("Choice", {"p": p, "x": x}, lifted=("B",)).tensor()
    close(out, torch.stack([x[0].log(), -x[1], x[2].log()]))
    (gradient,) = torch.autograd.grad(out.sum(), x)
    close(gradient, torch.stack([1 / x[0], -torch.ones(2).double(), 1 / x[2]]).detach())


ENERGY = """
graph energy(%x, %y) encoder Force {
  %x = input x() : [D] float
  %y = input y() : [] float
  %1 = prim mul(%x, %x) : [D] float
  %2 = prim sum(%1) {over: (D)} : [] float
  %3 = prim mul(%2, %y) : [] float
  return %3
}
graph Force(%x, %y) encoder Force {
  %x = input x() : [D] float
  %y = input y() : [] float
  %1 = grad energy(x: %x, y: %y) {wrt: ("x")} : [D] float
  return %1
}
"""


def test_an_inner_derivative_at_each_lifted_position() -> None:
    made = program(ENERGY)
    x, y = draw(6), draw(3).requires_grad_(True)
    run = Interpreter(made).run("Force", {"x": x, "y": y}, lifted=("B",))
    out = run.tensor()
    close(out, 2 * y[:, None] * x)
    (gradient,) = torch.autograd.grad(out.sum(), y)
    close(gradient, 2 * x.sum().expand(3))


EXPERTS = """
graph Experts(%x) encoder Experts {
  formals T
  block lin = linear {I: <D>, O: <D>} per ([E])
  %x = input x() : [T, D] float
  %1 = apply linear[lin](x: %x)
    {labels: ((I, D), (O, D)), lift: (E, T), sites: (), sizes: ((I, <D>), (O, <D>))}
    : [E, T, D] float
  return %1
}
"""


def test_per_axes_multiply_every_slot_of_a_block() -> None:
    made = program(LINEAR, EXPERTS)
    values = {Symbol("E"): 3}
    slots = init_slots(made, "Experts", seed=1, values=values)
    assert slots["lin.weight"].shape == (3, 6, 6)
    assert slots_of(made, "Experts", values)["lin.weight"].fan_in == 6
    x = draw(4, 6)
    out = Interpreter(made, values).run("Experts", {"x": x}, slots).tensor()
    close(out, torch.einsum("ti,eoi->eto", x, slots["lin.weight"]))


MEMORY = """
graph Delta(%q, %k, %v, %b) memory Delta {
  formals T
  %q = input q() : [T, K] float
  %k = input k() : [T, K] float
  %v = input v() : [T, K] float
  %b = input b() : [T] float
  %1 = memory(q: %q, k: %k, v: %v, b: %b)
    {record: MemoryRecord{T from T, key (K), value (K), roles {q: q, k: k, v: v},
      optimizer = sgd(rate: %b, steps: 1) written}}
    : [T, K] float
  return %1
}
"""


def test_a_memory_node_is_the_reference_of_its_record() -> None:
    made = program(MEMORY)
    q, k, v, b = draw(2, 5, 3, seed=1), draw(2, 5, 3, seed=2), draw(2, 5, 3, seed=3), torch.sigmoid(draw(2, 5, seed=4))
    out = Interpreter(made).run("Delta", {"q": q, "k": k, "v": v, "b": b}, lifted=("B",)).tensor()
    for row in range(2):
        state = torch.zeros(3, 3, dtype=torch.float64)
        for t in range(5):
            state = state + b[row, t] * torch.outer(k[row, t], v[row, t] - state.T @ k[row, t])
            close(out[row, t], state.T @ q[row, t])


COMMITS = """
graph Count(%x) encoder Count {
  formals B
  cell seen : [] float = zeros()
  %x = input x() : [B, D] float
  %1 = read seen() : [] float
  %2 = prim mean(%x) {over: (B, D)} : [] float
  %3 = prim add(%1, %2) : [] float
  %4 = effect commit(%3) {phase: 7, target: "seen"} : [] float
  return %2
}
"""


def test_a_commit_is_made_of_the_value_that_was_read() -> None:
    x = draw(4, 6)
    run = Interpreter(program(COMMITS)).run("Count", {"x": x}, cells={"seen": torch.tensor(2.0)})
    close(run.commits["seen"].data, 2 + x.mean())


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({}, "missing"),
        ({"x": torch.zeros(3)}, "axes"),
        ({"x": torch.zeros(3, 5)}, "5 entries, expected 6"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(inputs: dict[str, Tensor], reason: str) -> None:
    with pytest.raises(InterpretFault, match=reason):
        Interpreter(program(LINEAR, MIXER)).run("Mixer", inputs, {})


def test_a_slot_without_a_value_is_refused_by_its_path() -> None:
    with pytest.raises(InterpretFault, match=r"up\.weight"):
        Interpreter(program(LINEAR, MIXER)).run("Mixer", {"x": draw(5, 6)}, {})


def test_sizes_are_formulas_of_known_ones() -> None:
    made = program(
        """
graph Half(%x) encoder Half {
  formals T
  %x = input x() : [M: 2*T] float
  %1 = prim slice(%x) {as: [T], axis: M, start: <0>, stop: <T>} : [T] float
  %2 = const <D/H>() : [] number
  %3 = prim mul(%1, %2) : [T] float
  return %3
}
"""
    )
    x = draw(10)
    close(Interpreter(made).run("Half", {"x": x}).tensor(), 3 * x[:5])
    assert Dim.of(5) == Dim.of(Interpreter(made).run("Half", {"x": x}).sizes[Symbol("T")])


def test_draws_can_be_given() -> None:
    made = program(
        """
graph Noisy(%x) encoder Noisy {
  formals T
  %x = input x() : [T] float
  %0 = const 0() : [] number
  %1 = const 1() : [] number
  %e = draw normal(%0, %1) {has_eval: false, once: false, site: "e"} : [T] float
  %2 = prim add(%x, %e) : [T] float
  return %2
}
"""
    )
    x, e = draw(2, 5, seed=1), draw(2, 5, seed=2)
    given = Draws(given={("e", 0): e})
    close(Interpreter(made).run("Noisy", {"x": x}, draws=given, lifted=("B",)).tensor(), x + e)
