"""Reads values, types and places of the text form: the inverse of `text_values`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from rep_grammar.spans import Span
from repc.dims import AtLeast, Dim, Divides, Equal, Fact, Symbol
from repc.ir.attributes import Attrs
from repc.ir.graph import Origin
from repc.ir.program import Choice, MemoryRecord, Ref, Word
from repc.ir.text_tokens import PLACE, Tokens, unquoted
from repc.ir.text_values import NO_SPACE, RECORDS, RESERVED
from repc.types import Axis, Kind, Refinement, Type
from repc.types.axes import AXIS_KINDS

Item = TypeVar("Item")


class ValueReader:
    """Reads from the front of `tokens`; every method leaves the token after what it read."""

    __slots__ = ("file", "tokens")

    def __init__(self, tokens: Tokens, file: str) -> None:
        self.tokens = tokens
        self.file = file

    def several(self, opening: str, closing: str, item: Callable[[], Item]) -> tuple[Item, ...]:
        """Items between brackets, separated by commas; a last comma is allowed."""
        self.tokens.expect(opening)
        found: list[Item] = []
        while not self.tokens.take_if(closing):
            found.append(item())
            if not self.tokens.is_mark(closing):
                self.tokens.expect(",")
        return tuple(found)

    def listed(self, item: Callable[[], Item]) -> tuple[Item, ...]:
        """Items separated by commas."""
        found = [item()]
        while self.tokens.take_if(","):
            found.append(item())
        return tuple(found)

    def reference(self) -> str:
        """`%name`."""
        if self.tokens.next.kind != "reference":
            self.tokens.fail("a node such as `%x`")
        text = self.tokens.take().text[1:]
        return unquoted(text) if text.startswith('"') else text

    def symbol(self) -> Symbol:
        """A symbol with its scope."""
        token = self.tokens.next
        if token.kind not in ("word", "quoted"):
            self.tokens.fail("a symbol")
        self.tokens.take()
        spelled = unquoted(f'"{token.text[1:-1]}"') if token.kind == "quoted" else token.text
        if self.tokens.next.kind != "scope":
            return Symbol(spelled)
        scope = self.tokens.take().text[1:]
        return Symbol(spelled, unquoted(scope) if scope.startswith('"') else scope)

    def dim(self) -> Dim:
        """A sum of products."""
        total = -self._product() if self.tokens.take_if("-") else self._product()
        while True:
            if self.tokens.take_if("+"):
                total = total + self._product()
            elif self.tokens.take_if("-"):
                total = total - self._product()
            else:
                return total

    def _product(self) -> Dim:
        total = self._power()
        while True:
            if self.tokens.take_if("*"):
                total = total * self._power()
            elif self.tokens.take_if("/"):
                total = total / self._power()
            elif self.tokens.take_if("//"):
                total = total // self._power()
            elif self.tokens.take_if("%"):
                total = total % self._power()
            else:
                return total

    def _power(self) -> Dim:
        if self.tokens.take_if("("):
            base = self.dim()
            self.tokens.expect(")")
        elif self.tokens.next.kind == "number":
            base = Dim.of(self._whole())
        else:
            base = Dim.of(self.symbol())
        return base ** self._whole() if self.tokens.take_if("^") else base

    def _whole(self) -> int:
        token = self.tokens.next
        if token.kind != "number" or not token.text.isdigit():
            self.tokens.fail("a whole number")
        return int(self.tokens.take().text)

    def fact(self) -> Fact:
        """`a == b`, `a >= b` or `a divides b`."""
        left = self.dim()
        if self.tokens.take_if("=="):
            return Equal(left, self.dim())
        if self.tokens.take_if(">="):
            return AtLeast(left, self.dim())
        self.tokens.expect("divides")
        return Divides(left, self.dim())

    def axis(self) -> Axis:
        """`T`, `m: 2*B`, `j: N set of N`."""
        label = self.symbol()
        size = self.dim() if self.tokens.take_if(":") else Dim.of(label)
        kind = "plain"
        token = self.tokens.next
        if token.kind == "string" or (token.kind == "word" and token.text in AXIS_KINDS):
            kind = self.tokens.name()
        space = self.symbol() if self.tokens.take_if("of") else label
        return Axis(label, size, kind, space, self.tokens.take_if("ragged"))

    def kind(self) -> Kind:
        """`float`, `index(V)`, `index(V: 3)`, `element<"SO(3)">`."""
        name = self.tokens.name("a kind")
        space: Symbol | None = None
        size: Dim | None = None
        if self.tokens.take_if("("):
            space = None if self.tokens.take_if(NO_SPACE) else self.symbol()
            if self.tokens.take_if(":"):
                size = None if self.tokens.take_if(NO_SPACE) else self.dim()
            elif space is not None:
                size = Dim.of(space)
            self.tokens.expect(")")
        of = ""
        if self.tokens.take_if("<"):
            of = self.tokens.name()
            self.tokens.expect(">")
        return Kind(name, space, size, of)

    def number(self) -> int | float | Fraction:
        """A number, or `inf` and `nan`."""
        negative = self.tokens.take_if("-")
        token = self.tokens.next
        made: int | float | Fraction
        if token.kind == "word" and token.text in ("inf", "nan"):
            made = float(self.tokens.take().text)
        elif token.kind == "number":
            text = self.tokens.take().text
            made = int(text) if text.isdigit() else float(text)
            if isinstance(made, int) and self.tokens.take_if("/"):
                made = Fraction(made, self._whole())
        else:
            self.tokens.fail("a number")
        return -made if negative else made

    def _bounds(self) -> tuple[float, float, bool, bool]:
        low_open = self.tokens.is_mark("(")
        if not self.tokens.take_if("(", "["):
            self.tokens.fail("`(` or `[`")
        low = float(self.number())
        self.tokens.expect(",")
        high = float(self.number())
        high_open = self.tokens.is_mark(")")
        if not self.tokens.take_if(")", "]"):
            self.tokens.fail("`)` or `]`")
        return low, high, low_open, high_open

    def refinement(self) -> Refinement | None:
        """`in (0.0, 1.0]` or `on sphere(K)`, if one stands here."""
        if self.tokens.take_if("in"):
            bounds = self._bounds()
            axes = self.several("(", ")", self.symbol) if self.tokens.take_if("over") else ()
            return Refinement("interval", *bounds, axes)
        if self.tokens.take_if("on"):
            name = self.tokens.name("a manifold")
            axes = self.several("(", ")", self.symbol)
            if self.tokens.take_if("in"):
                return Refinement(name, *self._bounds(), axes)
            return Refinement(name, axes=axes)
        return None

    def type(self) -> Type:
        """Axes, kind, refinement, fields and actions."""
        axes = self.several("[", "]", self.axis)
        kind = self.kind()
        refine = self.refinement()
        fields: tuple[tuple[str, Type], ...] = ()
        action: tuple[tuple[str, str], ...] = ()
        if self.tokens.take_if("with"):
            fields = self.several("{", "}", lambda: self._pair(self.type))
        if self.tokens.take_if("acts"):
            action = self.several("{", "}", lambda: self._pair(self.tokens.name))
        return Type(axes, kind, refine, fields, action)

    def _pair(self, item: Callable[[], Item]) -> tuple[str, Item]:
        name = self.tokens.name()
        self.tokens.expect(":")
        return name, item()

    def span(self) -> Span:
        """`@ file:start:end`."""
        if self.tokens.next.kind != "place":
            self.tokens.fail("a place `@ file:start:end`")
        found = PLACE.fullmatch(self.tokens.take().text)
        assert found is not None, "the token has this form"
        file, start, end = found.groups()
        return Span(unquoted(file) if file.startswith('"') else file, int(start), int(end))

    def origin(self, since: int) -> Origin:
        """The places that stand here; where none does, the place in this text since `since`."""
        if self.tokens.next.kind != "place":
            return Origin(Span(self.file, since, self.tokens.last_end))
        first = self.span()
        via: list[Span] = []
        while self.tokens.next.kind == "place":
            via.append(self.span())
        return Origin(first, tuple(via))

    def attrs(self) -> Attrs:
        """`{name: value, ..}`."""
        return Attrs(**dict(self.several("{", "}", lambda: self._pair(self.value))))

    def value(self) -> Any:
        """Any value."""
        token, after = self.tokens.next, self.tokens.ahead()
        called = after.kind == "mark" and after.text == "("
        if token.kind == "string":
            return self._word() if called else self.tokens.name()
        if token.kind == "place":
            return self.origin(token.start)
        if token.kind == "reference":
            return Ref(self.reference())
        if token.kind == "number":
            return self.number()
        if token.kind == "quoted":
            return self.symbol()
        if token.kind == "mark":
            return self._bracketed(token.text)
        if token.kind != "word":
            self.tokens.fail("a value")
        if called:
            return self._word()
        if after.kind == "mark" and after.text == "{":
            return self.memory() if token.text == "MemoryRecord" else self._record()
        if token.text in RESERVED:
            return self._constant()
        if token.text == "type" and after.kind == "mark" and after.text == "[":
            self.tokens.take()
            return self.type()
        if token.text == "at" and after.kind == "place":
            self.tokens.take()
            return self.span()
        return self.symbol()

    def _bracketed(self, mark: str) -> Any:
        if mark == "(":
            return self.several("(", ")", self.value)
        if mark == "{":
            return self.attrs()
        if mark == "-":
            return self.number()
        if mark == "<":
            self.tokens.take()
            size = self.dim()
            self.tokens.expect(">")
            return size
        if mark == "[":
            self.tokens.take()
            axis = self.axis()
            self.tokens.expect("]")
            return axis
        self.tokens.fail("a value")

    def _constant(self) -> Any:
        if self.tokens.next.text in ("inf", "nan"):
            return self.number()
        return {"true": True, "false": False, "none": None}[self.tokens.take().text]

    def _word(self) -> Word:
        name = self.tokens.name()
        return Word(name, self.several("(", ")", lambda: self._pair(self.value)))

    def _record(self) -> Any:
        name = self.tokens.next.text
        if name not in RECORDS:
            self.tokens.fail("a record")
        self.tokens.take()
        return RECORDS[name](**dict(self.attrs()))

    def memory(self) -> MemoryRecord:
        """A memory with all fields."""
        self.tokens.expect("MemoryRecord")
        self.tokens.expect("{")
        sequence = self.symbol()
        self.tokens.expect("from")
        source = self.symbol()
        self.tokens.expect(",")
        self.tokens.expect("key")
        key = self.value()
        self.tokens.expect(",")
        self.tokens.expect("value")
        value_axis = self.value()
        self.tokens.expect(",")
        self.tokens.expect("roles")
        roles = self.several("{", "}", lambda: self._pair(self.tokens.name))
        fields: list[tuple[str, Choice]] = []
        while self.tokens.take_if(","):
            name = self.tokens.name()
            self.tokens.expect("=")
            chosen = self.value()
            came = self.tokens.name("where the value came from")
            fields.append((name, Choice(chosen, came, self.span() if self.tokens.next.kind == "place" else None)))
        self.tokens.expect("}")
        return MemoryRecord(sequence, source, key, value_axis, roles, tuple(fields))
