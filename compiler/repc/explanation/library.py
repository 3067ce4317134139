"""What a module of the library offers: its declarations and words, each with its signature and its first sentence."""

from __future__ import annotations

from rep_grammar import SyntaxFaults, parse
from rep_grammar import tree as t

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from repc.words import Word


def modules() -> list[str]:
    """The modules of the library, texts and words together."""
    from repc.names import Library
    from repc.words import MODULES

    return sorted({*Library().modules, *MODULES})


def module_page(subject: str) -> str:
    """The page of `std`, of a module such as `std.nn`, or of one name in it. Raises Refusal for anything else."""
    from repc.command.refusal import refuse
    from repc.diagnostics.suggest import nearest

    if subject == "std":
        return "\n".join(["modules of the library:", *(f"  {name}" for name in modules())])
    module, name = subject, ""
    if module not in modules():
        module, _, name = subject.rpartition(".")
    offers = dict(offered(module)) if module in modules() else {}
    if not offers:
        raise refuse("unknown-module", nearest(subject, modules()), module=subject, known=modules())
    if not name:
        return "\n\n".join([f"{module}", *offers.values()])
    if name not in offers:
        raise refuse("not-exported", nearest(name, offers), module=module, name=name)
    return offers[name]


def offered(module: str) -> Iterator[tuple[str, str]]:
    """Every name of a module with what is said of it."""
    from repc.names import Library
    from repc.words import words_of

    library = Library()
    for path in library.modules.get(module, ()):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            tree = parse(text, path)
        except SyntaxFaults:
            continue
        for item in tree.items:
            if isinstance(item, t.Declaration | t.Derived | t.TrainItem | t.DefItem):
                yield item.name.text, _entry(signature(item, text), getattr(item, "doc", ""))
    for word in words_of(module):
        yield word.name, _entry(word.signature, _word_text(word))


def signature(item: t.Declaration | t.Derived | t.TrainItem | t.DefItem, text: str) -> str:
    """The declaration up to its body, on one line as it is written."""
    body = item.value if isinstance(item, t.Derived) else item.body
    end = body.span.start if isinstance(body, t.Block) else body.span.end
    return " ".join(text[item.span.start : end].split())


def _word_text(word: Word) -> str:
    lines = [word.doc, *(f"{parameter.name}: {parameter.doc}" for parameter in word.parameters)]
    return "\n".join([*lines, f"example: {word.example}"])


def _entry(head: str, said: str) -> str:
    return "\n".join([head, *(f"    {line}".rstrip() for line in said.split("\n") if line.strip())])
