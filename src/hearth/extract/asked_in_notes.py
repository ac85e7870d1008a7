"""What people ask themselves in their own notes, and nobody has answered below it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from hearth.language.asking import telling_words
from hearth.lazy import regex
from hearth.text.lines import without_code
from hearth.text.sentences import split_sentences

_CHARS = (15, 300)
_LEAST_TELLING = 2
_ITEM = regex(r"^(?P<indent>\s*)(?P<mark>(?:[-*+]|\d+[.)])\s+)?(?P<box>\[.?\]\s*)?(?P<text>.*)$")


def find_note_questions(text: str) -> list[str]:
    """The items that end with a question, each once, but for what is done, and what an item below goes on about. Prose
    asks its reader."""
    lines = [line.rstrip() for line in without_code(text).split("\n")]
    return list(dict.fromkeys(one for has_text, block in groupby(lines, bool) if has_text for one in _ask(list(block))))


def _ask(block: list[str]) -> Iterator[str]:
    for at, line in enumerate(block):
        item = _ITEM.match(line)
        if item is None or not (item["mark"] or item["box"]) or "x" in (item["box"] or "").lower():
            continue
        said = split_sentences(item["text"])
        question = " ".join(said[-1].replace("**", "").split()) if said else ""
        if _is_question(question) and not _goes_on(item["indent"], block[at + 1 :]):
            yield question


def _is_question(sentence: str) -> bool:
    low, high = _CHARS
    return (
        sentence.endswith(("?", "？"))
        and low <= len(sentence) <= high
        and len(telling_words(sentence)) >= _LEAST_TELLING
    )


def _goes_on(indent: str, below: list[str]) -> bool:
    """Whether the next line answers: it stands deeper, or is no item."""
    following = _ITEM.match(below[0]) if below else None
    if following is None:
        return False
    return len(following["indent"]) > len(indent) or not (following["mark"] or following["box"])
