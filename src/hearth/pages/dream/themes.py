"""Themes of a night: what several fragments share, and who speaks in them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from hearth.core.document import is_session_note
from hearth.core.lazy import dataclass
from hearth.core.memory import CONVERSATION
from hearth.markdown.turns import MIN_TURNS, asks, is_answer, opens_by_heading, split_turns
from hearth.pages.dream.fragments import Key, blocks
from hearth.pages.dream.scores import NO_TEXT, KnownStatements
from hearth.ports import Reader, StoredDocument, StoredFragment
from hearth.recall.ranking.diversify import stands_in
from hearth.text.language import background_share, detect
from hearth.text.terms import chunks, terms

_SHARED, _SHARE = 2, 0.5
"""So many terms, and that part of what those of the shorter one say, two accounts of one thing share at least."""
_RAREST = 1e-4


@dataclass(frozen=True, slots=True)
class Mention:
    """A fragment; ``days`` are the local dates on which it was written or used, ``tags`` terms of it, ``place``
    collection and path. An ``echo`` stands in a note of ours about a session, and may repeat another one."""

    key: Key
    text: str
    place: str
    line: int
    days: frozenset[str]
    tags: tuple[str, ...] = ()
    echo: bool = False

    @property
    def day(self) -> str:
        """The last of them."""
        return max(self.days)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """One thing as it was told several times; ``last`` is the newest account."""

    last: Mention
    mentions: tuple[Mention, ...]

    @property
    def days(self) -> list[str]:
        return sorted({day for one in self.mentions for day in one.days})


def find_recurring(mentions: Iterable[Mention]) -> list[Recurrence]:
    """What came up on two days at least, by different accounts or because one was used again; the most days first."""
    groups: list[list[Mention]] = []
    for mention in sorted(mentions, key=lambda one: (min(one.days), one.key)):
        for group in groups:
            if any(_is_same(mention, other) for other in group):
                group.append(mention)
                break
        else:
            groups.append([mention])
    found = [Recurrence(max(group, key=lambda one: (one.day, one.key)), tuple(group)) for group in groups]
    often = [one for one in found if len(one.days) > 1]
    return sorted(often, key=lambda one: (-len(one.days), -len(one.mentions), one.last.key))


def find_newest(mentions: Iterable[Mention], limit: int) -> list[Mention]:
    """The newest first, each statement once."""
    kept: list[Mention] = []
    known = KnownStatements(())
    for mention in sorted(sorted(mentions, key=lambda one: one.key), key=lambda one: one.day, reverse=True):
        if len(kept) == limit:
            break
        if not known.holds(mention.text):
            known.add(mention.text)
            kept.append(mention)
    return kept


def _is_same(one: Mention, other: Mention) -> bool:
    if one.text == other.text:
        return True
    first, second = set(one.tags), set(other.tags)
    shared = first & second
    return len(shared) >= _SHARED and _weigh(shared) >= _SHARE * min(_weigh(first), _weigh(second))


def _weigh(tags: Iterable[str]) -> float:
    """The rarer a term is in ordinary text, the more it says; added in order, so that sums are equal everywhere."""
    return sum(-math.log(max(background_share(tag), _RAREST)) for tag in sorted(tags))


MAX_THEMES = 10
_FRAGMENTS, _DAYS, _Z = 3, 2, 2.0
_EXAMPLES = 5
_EDGE = "\"'.,;:!?()[]{}*_`’“”"


class ThemeSource(Protocol):
    """A fragment by its text, its terms and the days on which it came up."""

    @property
    def key(self) -> Key: ...
    @property
    def text(self) -> str: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def days(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class Theme:
    """A tag that ``fragments`` share, on ``days`` days; ``z`` says how much commoner it is than in the vault.
    ``examples`` are statements of some; ``name`` is the tag as a word, or what the language model ``named_by``
    called it."""

    tag: str
    fragments: tuple[Key, ...]
    days: int
    z: float
    examples: tuple[str, ...] = ()
    name: str = ""
    named_by: str = ""


@dataclass(frozen=True, slots=True)
class TermFrequencies:
    """How many of the ``fragments`` of the vault hold a term."""

    df: Mapping[str, float]
    fragments: float


def find_themes(fragments: Sequence[ThemeSource], vocabulary: TermFrequencies) -> list[Theme]:
    """The strongest first."""
    by_tag: dict[str, list[ThemeSource]] = {}
    for fragment in fragments:
        for tag in fragment.tags:
            by_tag.setdefault(tag, []).append(fragment)
    total = len(fragments)
    found = []
    for tag, having in by_tag.items():
        count = len(having)
        if count < _FRAGMENTS:
            continue
        days = {day for fragment in having for day in fragment.days}
        z = _log_odds(count, total, vocabulary.df.get(tag, 0), vocabulary.fragments)
        if len(days) >= _DAYS and z >= _Z:
            examples = tuple(fragment.text for fragment in having[:_EXAMPLES])
            found.append(Theme(tag, tuple(fragment.key for fragment in having), len(days), z, examples))
    return sorted(found, key=lambda one: (-one.z, one.tag))


def name_themes(themes: Iterable[Theme]) -> tuple[Theme, ...]:
    """The first ten, each word once: what is written in one word may have several terms."""
    found: dict[str, Theme] = {}
    for theme in map(write_out, themes):
        found.setdefault((theme.name or theme.tag).casefold(), theme)
        if len(found) == MAX_THEMES:
            break
    return tuple(found.values())


def write_out(theme: Theme) -> Theme:
    """Named by the word that its examples have for the tag, which may be a stem."""
    found: Counter[str] = Counter()
    for text in theme.examples:
        language = detect(text)
        found.update(word for chunk in chunks(text) if theme.tag in set(terms(word := chunk.strip(_EDGE), language)))
    return replace(theme, name=min(found, key=lambda word: (-found[word], word))) if found else theme


def _log_odds(here: int, of_here: int, there: float, of_there: float) -> float:
    """z of the difference of two log odds, each count smoothed by one half."""
    cells = (here + 0.5, max(0, of_here - here) + 0.5, there + 0.5, max(0.0, of_there - there) + 0.5)
    difference = math.log(cells[0] / cells[1]) - math.log(cells[2] / cells[3])
    return difference / math.sqrt(sum(1 / cell for cell in cells))


_SHARED_TAGS = 2
"""What says the same shares so many."""


def is_talk(part: StoredFragment) -> bool:
    """A short conversation is one fragment with all of its document."""
    if part.kind == "turn":
        return True
    return len(_read_turns(part)) >= MIN_TURNS


def drop_assistant_words(part: StoredFragment) -> str:
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


def read_section(part: StoredFragment, title: str) -> str:
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


def drop_echoes(mentions: Iterable[Mention], others: Sequence[Mention]) -> list[Mention]:
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
