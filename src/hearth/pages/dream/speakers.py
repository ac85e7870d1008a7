"""Who says what in a note about a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hearth.core.types import CONVERSATION
from hearth.markdown.turns import MIN_TURNS, asks, is_answer, opens_by_heading, split_turns
from hearth.pages.dream.blocks import blocks
from hearth.pages.dream.signals import NO_TEXT
from hearth.pages.dream.themes import Mention
from hearth.ports import Reader, StoredDocument, StoredFragment
from hearth.recall.ranking.diversify import is_session_note, stands_in

_SHARED_TAGS = 2
"""What says the same shares so many."""


def is_talk(part: StoredFragment) -> bool:
    """A short conversation is one fragment with all of its document."""
    if part.kind == "turn":
        return True
    return len(_read_turns(part)) >= MIN_TURNS


def said_by_people(part: StoredFragment) -> str:
    """The text of a fragment without what an assistant said in it."""
    if not is_talk(part):
        return part.text
    if is_answer(part):
        return ""
    return "\n".join(turn for turn, asked in _read_turns(part) if asked is not False)


def _read_turns(part: StoredFragment) -> list[tuple[str, bool | None]]:
    """Each turn with ``asks`` of it."""
    rows = part.text.split("\n")
    by_heading = opens_by_heading(rows, part.headings)
    turns = ("\n".join(rows[start:end]) for start, end in split_turns(part.text, by_heading=by_heading))
    return [(turn, asks(turn, by_heading=by_heading)) for turn in turns]


def said_under(part: StoredFragment, title: str) -> str:
    """What a note of ours about a session says under that title."""
    return _under(part, lambda heading: heading == title)


def own_words(reader: Reader, stored: StoredDocument) -> frozenset[str] | None:
    """The hashes of what the person said in a note of ours about a session: the rest was an assistant's, which may
    repeat what it read, or be wrong. ``None`` for all other documents."""
    if not is_session_note(stored.document):
        return None
    if stored.document.content_type != CONVERSATION:
        return frozenset()
    parts = (part for part in reader.fragments_of(stored.id) if part.kind not in NO_TEXT)
    return frozenset(
        block.hash for part in parts for block in blocks(_under(part, lambda heading: bool(asks(f"# {heading}"))))
    )


def without_echoes(mentions: Iterable[Mention], others: Sequence[Mention]) -> list[Mention]:
    """The mentions but for echoes of which another one, or one of the ``others``, says all."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda one: (one.echo, one.key)):
        near = (other for other in (*kept, *others) if len(set(mention.tags) & set(other.tags)) >= _SHARED_TAGS)
        if not mention.echo or not any(stands_in(mention.text, other.text) for other in near):
            kept.append(mention)
    return kept


def _under(part: StoredFragment, wanted: Callable[[str], bool]) -> str:
    """The lines below headings of the second level, of which our notes about sessions are made."""
    inside, rows = any(map(wanted, part.headings)), list[str]()
    for row in part.text.split("\n"):
        if row.startswith("## "):
            inside = wanted(row[3:].strip())
        elif inside:
            rows.append(row)
    return "\n".join(rows)
