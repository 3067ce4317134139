"""Declarations of built-in words agree with the grammar, with each other and with what the runtime takes."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from rep_grammar import parse
from rep_grammar import tree as t
from repc.words import FAMILIES, MODULES, Word, all_words, find, words_of
from repc.words.declare import Parameter
from repc.words.memories import MEMORY_FIELDS
from repc.words.sources import SOURCES

WORDS = [pytest.param(word, id=f"{word.family.replace(' ', '-')}-{word.name}") for word in all_words()]
AT_RUN_TIME = [pytest.param(word, id=f"{word.family}-{word.name}") for word in all_words() if word.runtime]


@pytest.mark.parametrize("word", WORDS)
def test_the_declaration_is_complete(word: Word) -> None:
    assert word.family in FAMILIES
    assert word.module == "" or word.module in MODULES
    assert word.doc.endswith(".") and word.name in word.example
    names = [parameter.name for parameter in word.parameters]
    assert len(names) == len(set(names))
    by_position = [parameter.by_position for parameter in word.parameters]
    assert by_position == sorted(by_position, reverse=True), "those by position stand first"
    for parameter in word.parameters:
        assert parameter.doc
        assert bool(parameter.choices) == (parameter.kind == "choice")
        assert bool(parameter.family) or parameter.kind != "word"
        assert not parameter.family or parameter.kind in ("word", "value")
        assert not parameter.choices or parameter.required or parameter.default in parameter.choices


@pytest.mark.parametrize("word", WORDS)
def test_the_example_is_a_statement_of_the_language(word: Word) -> None:
    keyword = "memory M() -> [T]" if ":" in word.example.split("(")[0] else "train X()"
    file = parse(f"{keyword} {{ {word.example} }}", "example")
    item = file.items[0]
    names = {node.text for node in t.walk(item) if isinstance(node, t.Name)}
    assert word.name in names


def test_a_name_is_declared_once_in_a_family() -> None:
    places = [(word.family, word.name) for word in all_words()]
    assert len(places) == len(set(places))


def test_a_name_is_imported_from_one_place() -> None:
    for module in MODULES:
        names = [word.name for word in words_of(module)]
        assert names and len(names) == len(set(names))


def keywords(parameter: Parameter) -> tuple[str, ...]:
    return tuple(name for name in parameter.keywords or (parameter.name,) if name)


@pytest.mark.parametrize("word", AT_RUN_TIME)
def test_the_runtime_takes_every_argument_and_has_the_same_defaults(word: Word) -> None:
    module, _, name = word.runtime.partition(":")
    taken = inspect.signature(getattr(import_module(module), name)).parameters
    for parameter in word.parameters:
        if parameter.name == "over":
            continue
        for keyword in keywords(parameter):
            assert keyword in taken, f"{word.name}: {keyword}"
            there = taken[keyword].default
            if parameter.kind == "span":
                continue
            if parameter.required:
                assert there is inspect.Parameter.empty
            elif parameter.default is not None and there is not inspect.Parameter.empty:
                assert there == parameter.default
    required = {name for name, one in taken.items() if one.default is inspect.Parameter.empty}
    assert required <= {keyword for parameter in word.parameters for keyword in keywords(parameter)}


@pytest.mark.parametrize("word", [pytest.param(word, id=word.name) for word in SOURCES])
def test_the_fields_of_a_source_are_those_of_the_runtime(word: Word) -> None:
    settings: dict[str, dict[str, object]] = {
        "bytes": {"length": 16, "megabytes": 0.5},
        "mqar": {"pairs": 2, "vocab": 16, "length": 16},
        "digits": {},
    }
    chosen = settings[word.name]
    module, _, name = word.runtime.partition(":")
    source = getattr(import_module(module), name)(**chosen)
    sample = word.sample(chosen)  # type: ignore[attr-defined]
    assert [field.name for field in sample.fields] == list(source.fields)
    for field in sample.fields:
        spec = source.fields[field.name]
        axes = [sample.axis(axis) for axis in field.axes]
        assert [axis.name for axis in axes] == [axis for axis, _ in spec.axes]
        sizes = [chosen[axis.size] if isinstance(axis.size, str) else axis.size for axis in axes]
        assert sizes == [size for _, size in spec.axes]
        if field.kind == "index":
            below = sample.axis(field.below)
            assert (chosen[below.size] if isinstance(below.size, str) else below.size) == spec.below
    splits = tuple(source.size(split) for split in ("train", "valid", "test"))
    for declared, found in zip(word.sizes, splits, strict=True):  # type: ignore[attr-defined]
        assert declared is None or declared == found


def test_every_field_of_a_memory_has_a_default_among_its_words() -> None:
    for field in MEMORY_FIELDS:
        for family in field.families:
            assert family in FAMILIES
        if field.families and not field.free and field.default not in {"none", "1"}:
            assert find(field.default, *field.families) is not None, field.name
