"""Programs as networkx graphs."""

from __future__ import annotations

import networkx

from repc.ir.text import read_program
from repc.ir.view import calls_to_networkx, to_networkx

PROGRAM = read_program("""
program {
}
graph inner(%x) encoder inner {
  %x = input x() : [D] float
  %1 = prim exp(%x) : [D] float
  return %1
}
graph outer(%a, %b) encoder outer {
  %a = input a() : [D] float
  %b = input b() : [D] float
  %1 = apply inner[i](x: %a) {labels: ((D, D)), lift: ()} : [D] float
  %2 = apply inner[i](x: %b) {labels: ((D, D)), lift: ()} : [D] float
  %3 = prim add(%1, %b) : [D] float
  return %3
}
""")


def test_values_flow_through_calls() -> None:
    view = to_networkx(PROGRAM)
    path = networkx.shortest_path(view, ("outer", "a"), ("outer", "3"))
    assert path == [("outer", "a"), ("outer", "1"), ("outer", "3")]
    assert networkx.has_path(view, ("outer", "a"), ("inner", "1"))
    assert not networkx.has_path(view, ("outer", "3"), ("inner", "x"))
    assert view.nodes["inner", "1"]["op"] == "exp"
    assert [data["port"] for _, _, data in view.edges(("outer", "b"), data=True) if data["how"] == "enters"] == ["x"]


def test_who_applies_whom() -> None:
    view = calls_to_networkx(PROGRAM)
    assert list(view.edges(data=True)) == [("outer", "inner", {"nodes": ("1", "2")})]
