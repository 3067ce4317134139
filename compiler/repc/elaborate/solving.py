"""`solve x: T = start minimize e by sgd(..)`: an inner problem as a loop over its unknown (6.7).

Descent and Newton's method are loops whose turns take `grad` of the goal; bisection halves an interval. What they do
stands below as text of the language, and is read with the names and places of the statement.
"""

from __future__ import annotations

from functools import cache

from rep_grammar import parse, tree
from rep_grammar.spans import Span
from repc.dims import Dim
from repc.elaborate.body import Body, describe
from repc.elaborate.stop import stop
from repc.elaborate.values import Static, Tensor
from repc.types import Axis, Refinement, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from repc.ir import Word

DESCENT = """
speed = 0 * unknown
repeat steps shared {
  slope = grad(mean(goal), unknown)
  speed = momentum * speed + slope
  unknown = kept(unknown - rate * speed)
}
"""
# The step solves H p = slope by conjugate gradients, which end after as many turns as there are unknowns.
NEWTON = """
repeat steps shared {
  slope = grad(mean(goal), unknown)
  move = 0 * slope, rest = slope, way = slope, size = sum(slope * slope)
  repeat unknowns shared {
    bent = grad(sum(grad(mean(goal), unknown) * way), unknown)
    share = size / (sum(way * bent) + 1e-30)
    move = move + share * way
    rest = rest - share * bent
    next = sum(rest * rest)
    way = rest + next / (size + 1e-30) * way
    size = next
  }
  unknown = kept(unknown - move)
}
"""
# Along one axis the matrix of second derivatives is made row by row, and solved as it is.
DIRECT = """
repeat steps shared {
  slope = grad(mean(goal), unknown)
  scan turn in along {
    hot[place in along] = float(place == turn)
    row[turn] = rename(grad(sum(grad(mean(goal), unknown) * hot), unknown), along -> across)
  }
  move = linsolve(row, slope)
  unknown = kept(unknown - move)
}
"""
SCALAR = """
repeat steps shared {
  slope = grad(mean(goal), unknown)
  move = slope / grad(grad(mean(goal), unknown), unknown)
  unknown = kept(unknown - move)
}
"""
BISECTION = """
base = left - right
low = lowest + 0 * base, high = highest + 0 * base
unknown = low
repeat steps shared {
  unknown = (low + high) / 2
  gap = left - right
  same = gap * base > 0
  low = if same then unknown else low
  high = if same then high else unknown
}
unknown = (low + high) / 2
"""
DIRECTIONS = {
    "gradient": "",
    "sign": "sign(slope)",
    "unit": "slope / sqrt(sum(slope * slope, over: apart) + 1e-24)",
}
BALLS = {
    "max": "clip(there, -radius, radius)",
    "two": "there * min(1.0, radius / sqrt(sum(there * there, over: apart) + 1e-24))",
}


@cache
def statements(text: str) -> tuple[tree.Stmt, ...]:
    """The statements of a text."""
    (item,) = parse(f"encoder Text() {{ {text} }}").items
    assert isinstance(item, tree.Declaration)
    return item.body.stmts


def expression(text: str) -> tree.Expr:
    """The expression of a text."""
    (bound,) = statements(f"value = {text}")
    assert isinstance(bound, tree.Bind)
    return bound.bindings[0].value


def read(node: tree.Node, span: Span, names: Mapping[str, tree.Node]) -> tree.Node:
    """A tree at the place of a statement, some of its names replaced."""
    if isinstance(node, tree.Name) and node.text in names:
        return names[node.text]
    fields = []
    for field in type(node).__match_args__:
        value = getattr(node, field)
        if isinstance(value, tree.Node):
            value = read(value, span, names)
        elif isinstance(value, tuple):
            value = tuple(read(item, span, names) if isinstance(item, tree.Node) else item for item in value)
        elif isinstance(value, Span):
            value = span
        fields.append(value)
    return type(node)(*fields)


class Problem:
    """One `solve` while it is read."""

    def __init__(self, body: Body, statement: tree.SolveStmt) -> None:
        self.body = body
        self.statement = statement
        self.span = statement.span
        self.names: dict[str, tree.Node] = {}
        self.count = 0
        own = statement.name.text
        for helper in ("speed", "slope", "move", "rest", "way", "size", "bent", "share", "next", "base", "low", "high"):
            self.names[helper] = tree.Name(self.span, f"{own}_{helper}")
        for helper in ("gap", "same", "row", "turn", "hot", "place"):
            self.names[helper] = tree.Name(self.span, f"{own}_{helper}")
        self.names["unknown"] = tree.Name(self.span, own)

    def number(self, value: object) -> tree.Expr:
        """A number or size as an expression; a value of the body by a name of its own."""
        self.count += 1
        name = f"{self.statement.name.text}_{self.count}"
        plain = value if isinstance(value, int | float | Dim) else 0
        self.body.scope.bind(name, Static(plain), self.span)
        return tree.Name(self.span, name)

    def run(self, text: str) -> None:
        from repc.elaborate.statements import run

        for statement in statements(text):
            run(self.body, read(statement, self.span, self.names))


def solve(body: Body, statement: tree.SolveStmt) -> None:
    """Bind the name to the solution."""
    problem = Problem(body, statement)
    word = method(body, statement)
    if word.name == "bisection":
        bisection(problem, word)
    else:
        minimum(problem, word)
    value = body.scope.find(statement.name.text)
    if isinstance(value, Tensor):
        if word.get("through") != "unrolled":
            value = body.prim("sg", [value], statement.span)
        body.scope.bind(statement.name.text, value, statement.name.span)
        if word.get("through") == "implicit":
            # At a minimum one more step of Newton changes nothing, and its derivative is that of the solution.
            problem.names["steps"] = problem.number(1)
            text = newton(problem, value.type)
            if text is NEWTON:
                raise stop("axis-expected", statement.span)
            problem.run(text.replace("kept(unknown - move)", "unknown - move"))
            found = body.scope.find(statement.name.text)
            value = found if isinstance(found, Tensor) else value
        body.sites[statement.name.text] = value.node


def method(body: Body, statement: tree.SolveStmt) -> Word:
    """What stands after `by`; `sgd(..)` is descent."""
    from repc.elaborate.vocabulary import called_word
    from repc.words import families

    by = statement.by
    named = by.func if isinstance(by, tree.Call) else by
    text = named.text if isinstance(named, tree.Name) else ""
    known = families("solver")
    declared = known.get("descent" if text == "sgd" else text)
    wanted = "bisection" if statement.sign == "where" else "descent newton"
    if declared is None or declared.name not in wanted.split():
        raise stop("no-such-word", by.span, name=text or "this expression", known=tuple(wanted.split()))
    return called_word(body, declared, by.args if isinstance(by, tree.Call) else (), by.span)


def minimum(problem: Problem, word: Word) -> None:
    """Descent or Newton's method from the start, or from 0."""
    from repc.elaborate.definitions import conform
    from repc.elaborate.expressions import evaluate

    body, statement, names = problem.body, problem.statement, problem.names
    if statement.type is None:
        raise stop("type-needed", statement.name.span, name=statement.name.text)
    type_, keep = bounds(problem, statement.type)
    start = Static(0.0) if statement.init is None else evaluate(body, statement.init)
    plain = Type(type_.axes, type_.kind)
    body.scope.bind(statement.name.text, conform(body, start, plain, statement.span), statement.name.span)
    goal = statement.value
    names["goal"] = tree.Unary(goal.span, "-", goal) if statement.sign == "maximize" else goal
    names["steps"] = problem.number(word.get("steps"))
    size = Dim.of(1)
    for axis in type_.axes:
        size = size * axis.size
    names["unknowns"] = problem.number(size)
    text = newton(problem, type_)
    if word.name == "descent":
        names["rate"], names["momentum"] = problem.number(word.get("rate")), problem.number(word.get("momentum"))
        direction = DIRECTIONS[str(word.get("direction"))]
        text = DESCENT.replace("* speed + slope", f"* speed + {direction}") if direction else DESCENT
        if word.get("momentum") == 0:
            text = text.replace("speed = 0 * unknown\n", "").replace("momentum * speed + ", "")
    inside = keep.replace("there", "(unknown - rate * speed)" if word.name == "descent" else "(unknown - move)")
    whole = "kept(unknown - rate * speed)" if word.name == "descent" else "kept(unknown - move)"
    problem.run(text.replace(whole, inside))


def newton(problem: Problem, type_: Type) -> str:
    """The step of Newton's method for an unknown of this type."""
    if not type_.axes:
        return SCALAR
    if len(type_.axes) > 1:
        return NEWTON
    axis = type_.axes[0]
    scope = problem.body.scope
    for helper in ("along", "across"):
        name = f"{problem.statement.name.text}_{helper}"
        problem.names[helper] = tree.Name(problem.span, name)
        label = problem.body.fresh(helper)
        scope.axes[name] = (axis,) if helper == "along" else (Axis(label, axis.size, "plain", label),)
    return DIRECT


def bounds(problem: Problem, expr: tree.Expr) -> tuple[Type, str]:
    """The type of the unknown, and how it is kept within its bounds as a text over `there`."""
    from repc.elaborate.expressions import evaluate
    from repc.elaborate.shapes import type_of

    body, names = problem.body, problem.names
    ball = expr.right if isinstance(expr, tree.Binary) and expr.op in {"in", "on"} else None
    base = expr.left if isinstance(expr, tree.Binary) and expr.op in {"in", "on"} else expr
    if isinstance(base, tree.AxesExpr):
        apart = tuple(
            item for item, axis in zip(base.axes, type_of(body, base).axes, strict=False) if axis.kind != "batch"
        )
        names["apart"] = tree.AxesExpr(problem.span, apart)
    if isinstance(ball, tree.Call) and isinstance(ball.func, tree.Name) and ball.func.text == "ball":
        given = {arg.name.text if arg.name is not None else "radius": arg.value for arg in ball.args}
        radius = evaluate(body, given["radius"]) if "radius" in given else Static(1.0)
        if not isinstance(radius, Static):
            raise stop("number-needed", ball.span, what="the radius", found=describe(radius))
        names["radius"] = problem.number(radius.value)
        norm = given.get("norm")
        return type_of(body, base), BALLS["max" if isinstance(norm, tree.Name) and norm.text == "max" else "two"]
    type_ = type_of(body, expr)
    interval = type_.refine
    if isinstance(interval, Refinement) and interval.name == "interval":
        low, high = interval.low, interval.high
        names["lowest"], names["highest"] = problem.number(low), problem.number(high)
        if low > float("-inf") and high < float("inf"):
            return type_, "clip(there, lowest, highest)"
        return type_, "max(there, lowest)" if low > float("-inf") else "min(there, highest)"
    return type_, "there"


def bisection(problem: Problem, word: Word) -> None:
    """The place in an interval where two numbers agree."""
    from repc.elaborate.definitions import conform

    body, statement, names = problem.body, problem.statement, problem.names
    value = statement.value
    if not isinstance(value, tree.Binary) or value.op != "==" or statement.type is None:
        raise stop("number-needed", value.span, what="the condition of a bisection", found="no equation `a == b`")
    type_, _ = bounds(problem, statement.type)
    if type_.axes or "lowest" not in names:
        raise stop("interval-expected", statement.type.span)
    low = Static(type_.refine.low if type_.refine is not None else 0.0)
    own = statement.name
    body.scope.bind(own.text, conform(body, low, Type((), type_.kind), own.span), own.span)
    names["left"], names["right"] = value.left, value.right
    names["steps"] = problem.number(word.get("steps"))
    problem.run(BISECTION)
