"""Frozen, slotted records that are cheap to define.

`dataclasses.dataclass(frozen=True, slots=True)` compiles half a dozen functions per class when a module is imported,
about as long as starting Python itself once a tree has ninety classes. A `Record` compiles one function, and only
when the first instance of the class is made. To a type checker a record *is* a frozen dataclass, and
`dataclasses.fields`, `replace` and `is_dataclass` work on it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn, dataclass_transform
else:

    def dataclass_transform(**_options: object):
        return lambda cls: cls


class _DataclassFields:
    """What the `dataclasses` module looks for, built when it looks."""

    def __get__(self, instance: object, owner: RecordMeta) -> dict[str, Any]:
        import dataclasses

        made: dict[str, Any] = {}
        for name in owner.__match_args__:
            default = owner.record_defaults.get(name, dataclasses.MISSING)
            field: Any = dataclasses.field(default=default)
            field.name, field.type = name, owner.record_annotations[name]
            field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
            made[name] = field
        return made


@dataclass_transform(frozen_default=True, eq_default=True)
class RecordMeta(type):
    """Turns the annotations of a class body into slots and the order of its fields."""

    __match_args__: tuple[str, ...]
    record_defaults: dict[str, Any]
    record_annotations: dict[str, Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> RecordMeta:
        own = [field for field in space.get("__annotations__", {}) if not field.startswith("__")]
        annotations: dict[str, Any] = {}
        defaults: dict[str, Any] = {}
        for base in reversed(bases):
            if isinstance(base, RecordMeta):
                annotations.update(base.record_annotations)
                defaults.update(base.record_defaults)
        for field in own:
            annotations[field] = space["__annotations__"][field]
            if field in space:
                defaults[field] = space.pop(field)
        space["__slots__"] = tuple(own)
        space["__match_args__"] = tuple(annotations)
        # Each class has its own: a base that has instances already has one compiled for its fewer fields.
        space.setdefault("__init__", _first_init)
        cls = super().__new__(mcs, name, bases, space)
        cls.record_defaults = defaults
        cls.record_annotations = annotations
        return cls


def _compile_init(cls: RecordMeta) -> Callable[..., None]:
    """The `__init__` of `cls`: it stores through the slots, past the frozen `__setattr__`."""
    scope: dict[str, Any] = {}
    parameters, lines = ["self"], []
    for position, name in enumerate(cls.__match_args__):
        scope[f"_set{position}"] = getattr(cls, name).__set__
        if name in cls.record_defaults:
            scope[f"_default{position}"] = cls.record_defaults[name]
            parameters.append(f"{name}=_default{position}")
        else:
            parameters.append(name)
        lines.append(f"    _set{position}(self, {name})")
    exec(f"def __init__({', '.join(parameters)}):\n" + ("\n".join(lines) or "    pass"), scope)
    made: Callable[..., None] = scope["__init__"]
    return made


def _first_init(self: Any, *args: Any, **named: Any) -> None:
    """The `__init__` of a class without instances: it puts the compiled one in its place and calls it."""
    cls: Any = type(self)
    cls.__init__ = _compile_init(cls)
    cls.__init__(self, *args, **named)


class Record(metaclass=RecordMeta):
    """Base of frozen records: equality, hash and text from the fields, in the order they are written."""

    if not TYPE_CHECKING:
        __dataclass_fields__ = _DataclassFields()

        __init__ = _first_init

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self).__match_args__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in type(self).__match_args__)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, name) for name in type(self).__match_args__)


if TYPE_CHECKING:
    from typing import TypeVar

    R = TypeVar("R", bound=Record)


def with_fields(record: R, /, **changes: object) -> R:
    """A copy of a record with other values in some fields; `dataclasses.replace` without importing `dataclasses`."""
    cls = type(record)
    return cls(**{name: getattr(record, name) for name in cls.__match_args__} | changes)


def field_names(cls: RecordMeta) -> Iterator[str]:
    """Names of the fields of a record class, in written order."""
    return iter(cls.__match_args__)
