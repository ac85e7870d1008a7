"""What the person asked not to keep: private prompts and spans, and turns that are not to be remembered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from hearth.extract.machine_text import said
from hearth.language.forgetting import ForgetRequest, Wish, asks_to_withhold, find_forget_requests, states_fact
from hearth.language.voices import own_words
from hearth.lazy import regex
from hearth.model.host.transcript import Kind, TranscriptEntry

# Also as a command of the host, as its transcript has it.
_OPENS_PRIVATE = regex(r"\s*(?:<private>|/private(?=\s|\Z)|<command-name>/?private</command-name>)", re.IGNORECASE)
_SPAN = regex(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_LONGEST = 2_000  # what asks for this says so in few words


def heard(entries: Iterable[TranscriptEntry]) -> list[TranscriptEntry]:
    """The entries of the main session without the turns that are not to be kept; marked spans are taken out."""
    found = [entry for entry in entries if entry.kind is not Kind.SIDECHAIN]
    left_out = withheld(found)
    return [_open(entry) for entry in found if entry.turn not in left_out]


def without_spans(text: str, instead: str = "[private]") -> str:
    """A text in which something else stands for what is marked as private."""
    return _SPAN.sub(instead, text) if "<private>" in text.lower() else text


def is_withheld(text: str) -> bool:
    """Whether a person asks that what is said here, or was just said, is not remembered."""
    return is_private(text) or bool(find_requests(text))


def is_private(text: str) -> bool:
    """Whether a prompt opens with ``<private>`` or ``/private``."""
    return _OPENS_PRIVATE.match(text) is not None


@lru_cache(maxsize=1024)
def find_requests(text: str) -> tuple[ForgetRequest, ...]:
    """What a prompt asks to leave out or to forget. Each prompt is looked at by several readers.

    Only the person's own words make anything be forgotten; what others wrote that is not to be kept is not kept."""
    text = text.lstrip()
    if len(text) > _LONGEST:
        return ()
    found = find_forget_requests(own_words(said(without_spans(text, " "))))
    if not found and asks_to_withhold(text):
        found = [ForgetRequest(Wish.WITHHOLD)]
    return tuple(found)


def withheld(entries: Iterable[TranscriptEntry]) -> set[int]:
    """The turns that are not to be kept, by their number; the one before the first entry is among them where what came
    before is meant."""
    found: set[int] = set()
    for entry in entries:
        if entry.kind is not Kind.USER or not is_withheld(entry.text):
            continue
        before = any(request.wish is Wish.FORGET for request in find_requests(entry.text))
        found |= {entry.turn - 1, entry.turn} if before else {entry.turn}
    return found


def without_forgotten(entries: Sequence[TranscriptEntry]) -> list[TranscriptEntry]:
    """Without the turns that state what a later prompt names to be forgotten."""
    said_by = [(entry, find_requests(entry.text)) for entry in entries if entry.kind is Kind.USER]
    gone: set[int] = set()
    for at, (_, requests) in enumerate(said_by):
        facts = [one.fact for one in requests if one.wish is Wish.FORGET_FACT]
        for entry, _ in said_by[:at] if facts else ():
            if any(states_fact(fact, own_words(said(without_spans(entry.text, " ")))) for fact in facts):
                gone.add(entry.turn)
    return [entry for entry in entries if entry.turn not in gone]


def recanted(entries: Iterable[TranscriptEntry]) -> set[int]:
    """The turns before these entries that the person asks to forget."""
    own = [entry for entry in entries if entry.kind is not Kind.SIDECHAIN]
    begun = {entry.turn for entry in own if entry.kind is Kind.USER}
    return withheld(own) - begun


def _open(entry: TranscriptEntry) -> TranscriptEntry:
    text = without_spans(entry.text)
    return entry if entry.kind is not Kind.USER or text is entry.text else replace(entry, text=text)
