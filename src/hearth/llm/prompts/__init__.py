"""What language models are asked: a file each, with a version, filled with data that it fences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from hearth.core.lazy import dataclass, regex

_HEAD = regex(r"\A---\nversion: (\d+)\n---\n")
_SLOT = regex(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """``version`` changes with the words: it is part of the label of whatever a model said to it. ``text`` holds slots
    (``{{name}}``)."""

    name: str
    version: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}"

    def filled(self, values: Mapping[str, str]) -> str:
        """In one pass: what stands in a value is text, also where it looks like a slot. Raises ``KeyError`` for a slot
        without a value."""
        return _SLOT.sub(lambda slot: values[slot[1]], self.text)


@cache
def load(name: str) -> Prompt:
    """The prompt of that name. Raises ``ValueError`` for a file without a version."""
    text = files("hearth.llm.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"the prompt {name} says no version")
    return Prompt(name, head[1], text[head.end() :].strip())
