"""What a malformed program raises: a fault of ours, never of a user's text."""

from __future__ import annotations


class IllFormed(Exception):
    """A program that breaks rule `rule` of LANGUAGE.md 9.3. `where`: graph and node; `text`: what is wrong."""

    def __init__(self, rule: int, where: str, text: str) -> None:
        super().__init__(f"rule {rule} of the core calculus is broken at {where}: {text}")
        self.rule = rule
        self.where = where
        self.text = text
