"""Sources of `std.data` whose samples the runtime makes: what their fields are, how large, and how random.

A source knows nothing of the dims of a file. It names axes of its own (`Y`, `X`, `Class`), and `axes_in` says which
dims of the file they are, so that `img.x` comes out over the file's axes.
"""

from __future__ import annotations

from rep_grammar.record import Record
from repc.words.declare import Parameter, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    Settings: TypeAlias = Mapping[str, object]


class Field(Record):
    """A field of a sample: names of the source's axes, kind `float | index | bool`.

    `below`: the axis whose positions an index counts. `low`, `high`: closed bounds of a float.
    """

    name: str
    axes: tuple[str, ...]
    kind: str
    below: str = ""
    low: float | None = None
    high: float | None = None


class SourceAxis(Record):
    """An axis of a source: its kind, its size as a number or as the name of a setting, and how a file may spell it.

    `spelled`: names of dims that it is taken for, first choice first. `setting`: the setting that names a dim outright.
    `unsized`: the size is that of the data and is never compared with a dim's value.
    """

    name: str
    kind: str
    size: int | str
    spelled: tuple[str, ...]
    setting: str = ""


class Sample(Record):
    """What one sample of a source holds, for given settings."""

    fields: tuple[Field, ...]
    axes: tuple[SourceAxis, ...]

    def axis(self, name: str) -> SourceAxis:
        """The axis of that name; KeyError where there is none."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise KeyError(name)


def _nothing(settings: Settings) -> Sample:
    return Sample((), ())


class SourceWord(Word):
    """A source. `sample`: its fields, from the settings that are known while compiling.

    `sizes`: samples of train, valid and test; None where a split never ends or the machine decides.
    `entropy`: bits that a model without context needs for each answer, as a formula in the settings, "" if unknown.
    """

    sample: Callable[[Settings], Sample] = _nothing
    sizes: tuple[int | None, int | None, int | None] = (None, None, None)
    entropy: str = ""


class FileDim(Record):
    """What a source must know of a dim of the file: its kind as written and its value, if it has one."""

    name: str
    kind: str | None
    value: int | None


def axes_in(sample: Sample, settings: Settings, dims: Iterable[FileDim]) -> dict[str, str]:
    """Which dim of a file each axis of a source is; axes without one are left out and stay axes of their own.

    In order: named by a setting; a dim of the same spelling, unless its value is another; the only dims of its kind
    and size, in written order.
    """
    known = list(dims)
    names = {dim.name for dim in known}
    found: dict[str, str] = {}
    for axis in sample.axes:
        chosen = settings.get(axis.setting) if axis.setting else None
        if isinstance(chosen, str) and chosen in names:
            found[axis.name] = chosen
            continue
        fitting = {dim.name for dim in known if _fits(axis, settings, dim)}
        for name in axis.spelled:
            if name in fitting and name not in found.values():
                found[axis.name] = name
                break
    for kind in {axis.kind for axis in sample.axes if axis.kind in _TELLING}:
        left = [axis for axis in sample.axes if axis.kind == kind and axis.name not in found]
        free = [
            dim
            for dim in known
            if dim.kind == kind and dim.name not in found.values() and all(_fits(axis, settings, dim) for axis in left)
        ]
        if left and len(free) == len(left):
            found.update((axis.name, dim.name) for axis, dim in zip(left, free, strict=True))
    return found


# Kinds that say enough of an axis to find it by; almost every size is a feature.
_TELLING = frozenset({"grid", "seq"})


def _fits(axis: SourceAxis, settings: Settings, dim: FileDim) -> bool:
    size = settings.get(axis.size) if isinstance(axis.size, str) else axis.size
    return dim.value is None or not isinstance(size, int) or dim.value == size


def has_grid(dims: Iterable[FileDim], size: int) -> bool:
    """Whether a file has two grid axes of a size: its pictures are then spread over them."""
    return sum(dim.kind == "grid" and dim.value == size for dim in dims) == 2


PICTURES, SIDE, CLASSES = 1797, 8, 10


def _number(settings: Settings, name: str, usual: int) -> int:
    given = settings.get(name)
    return given if isinstance(given, int) and not isinstance(given, bool) else usual


def _digits(settings: Settings) -> Sample:
    shape: tuple[SourceAxis, ...]
    patch = settings.get("patches")
    if isinstance(patch, int) and patch > 0 and SIDE % patch == 0:
        count = (SIDE // patch) ** 2
        shape = (
            SourceAxis("N", "set", count, ("N", "Patch", "Patches", "T"), "rows"),
            SourceAxis("P", "feature", patch * patch, ("P", "Pixels"), "pixels"),
        )
    elif settings.get("flat"):
        shape = (SourceAxis("P", "feature", SIDE * SIDE, ("P", "Pixels"), "pixels"),)
    else:
        shape = (SourceAxis("Y", "grid", SIDE, ("Y",), "rows"), SourceAxis("X", "grid", SIDE, ("X",), "columns"))
    turns = _number(settings, "turns", 1)
    classes = SourceAxis("Class", "feature", CLASSES * turns, ("C", "Class", "Classes", "L"), "classes")
    number = SourceAxis("Id", "plain", _number(settings, "n", PICTURES) * turns, ("Id",), "id")
    fields = (
        Field("x", tuple(axis.name for axis in shape), "float", low=0.0, high=1.0),
        Field("label", (), "index", below="Class"),
        Field("id", (), "index", below="Id"),
    )
    return Sample(fields, (*shape, classes, number))


def _bytes(settings: Settings) -> Sample:
    axes = (
        SourceAxis("T", "seq", "length", ("T",), "axis"),
        SourceAxis("Byte", "feature", 256, ("V", "Byte", "Bytes"), "of"),
    )
    return Sample((Field("x", ("T",), "index", below="Byte"),), axes)


def _mqar(settings: Settings) -> Sample:
    axes = (
        SourceAxis("T", "seq", "length", ("T",), "axis"),
        SourceAxis("Token", "feature", "vocab", ("V", "Token", "Tokens"), "of"),
    )
    fields = (
        Field("x", ("T",), "index", below="Token"),
        Field("y", ("T",), "index", below="Token"),
        Field("asked", ("T",), "bool"),
    )
    return Sample(fields, axes)


SOURCES = (
    SourceWord(
        "bytes",
        "source",
        "std.data",
        (
            Parameter("length", "int", doc="bytes of a window"),
            Parameter("megabytes", "number", 4.0, "at most so many million bytes in all"),
            Parameter("held_out", "int", 131072, "at most so many bytes for each of valid and test"),
            Parameter("axis", "dim", None, "the axis that a window is spread over", keywords=("",)),
            Parameter("of", "dim", None, "the dim of size 256 that a byte counts", keywords=("",)),
        ),
        "Windows of Python's own sources as a byte stream; whole files are held out.",
        "data text = bytes(length: 256)",
        "rep_runtime.data:bytes_stdlib",
        sample=_bytes,
    ),
    SourceWord(
        "mqar",
        "source",
        "std.data",
        (
            Parameter("pairs", "int", doc="key-value pairs of a sample"),
            Parameter("vocab", "int", doc="number of tokens"),
            Parameter("length", "int", None, "tokens of a sample; four times what pairs and questions fill"),
            Parameter("passes", "int", 1, "how often the pairs are said"),
            Parameter("power", "number", 0.01, "how soon a key is asked for: small is soon"),
            Parameter("random_non_queries", "bool", False, "any token instead of the filler where nothing is asked"),
            Parameter("collision_free", "bool", False, "none of the sample's own keys among those"),
            Parameter("reassign", "int", 0, "keys that get a new value before they are asked for"),
            Parameter("train", "int", None, "size of the training split; every sample is new unless given"),
            Parameter("held_out", "int", 1000, "samples of each of valid and test"),
            Parameter("axis", "dim", None, "the axis that a sample is spread over", keywords=("",)),
            Parameter("of", "dim", None, "the dim that a token counts", keywords=("",)),
        ),
        "Associative recall: pairs of tokens first, then some of the keys are asked for.",
        "data d = mqar(pairs: 8, vocab: V)",
        "rep_runtime.data:mqar",
        "Arora et al. 2024",
        sample=_mqar,
        sizes=(None, 1000, 1000),
        entropy="log2(vocab / 2)",
    ),
    SourceWord(
        "digits",
        "source",
        "std.data",
        (
            Parameter("labels", "labels", None, "only these classes, which keep their numbers"),
            Parameter(
                "flat", "bool", None, "one axis of 64 pixels; the default where a file has no two grid axes of 8"
            ),
            Parameter("patches", "int", None, "side of square patches: the picture as a set of them, each flat"),
            Parameter("n", "int", None, "so many pictures, all to train on, numbered from 0; nothing is held out"),
            Parameter("turns", "int", 1, "every picture in so many turns about its middle, each of them a class"),
            Parameter("rows", "dim", None, "the axis of the rows of a picture", keywords=("",)),
            Parameter("columns", "dim", None, "the axis of the columns of a picture", keywords=("",)),
            Parameter("pixels", "dim", None, "the axis of the pixels of a flat picture", keywords=("",)),
            Parameter("classes", "dim", None, "the dim that a label counts", keywords=("",)),
            Parameter("id", "dim", None, "the dim that the number of a picture counts", keywords=("",)),
        ),
        "1797 handwritten digits of 8 x 8 pixels, split 80 : 10 : 10 by class.",
        "data img = digits()",
        "rep_runtime.data:digits",
        "Alpaydin and Kaynak 1998",
        sample=_digits,
        sizes=(1438, 180, 179),
        entropy="log2(10)",
    ),
)
