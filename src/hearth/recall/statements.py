"""Statements among candidates: what a memory or a person's own words say, of what scope, and since when."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

from hearth.core import instants
from hearth.core.document import SAID
from hearth.core.lazy import regex
from hearth.core.memory import CONVERSATION, STATEMENTS, project_folder
from hearth.language.slots import CHANGES, find_cues, find_language, own_words
from hearth.language.slots import read_statement as read_slot
from hearth.ports import StoredFragment
from hearth.recall.ranking.candidate import Candidate
from hearth.text.language import is_stop_word
from hearth.text.lines import split_sentences
from hearth.text.similarity import flatten, near_identical
from hearth.text.words import cues as find_words
from hearth.vault.validity import is_memory

_READ_CHARS = 600
_REPORTED = regex(r"^The user (?:said|asked): “(.*)”\.?\s*$", 24)
_MARKUP = regex(r"^#{1,6} .*$|^\s*[-*] ", 8)
_YEAR = regex(r"(?<![\d.])(?:19|20)\d\d(?![\d.])")
_BESIDE = frozenset({"compare", "others", "past"})
# Attributes of which a person has one, whatever they work on.
_PERSONAL = frozenset({"residence", "employer", "landlord", "doctor", "dentist", "therapist", "hairdresser"})
# As conversations stamp their turns.
_STAMP = regex(r"(?:^|## )User · (?:(?P<day>\d{4}-\d\d-\d\d) )?(?P<time>(?:[01]\d|2[0-3]):[0-5]\d)", 8)
_HEADING_CHARS = 60
# What a number tells apart: "room 210", "ticket #88", "v 2".
_NUMBERED = regex(r"([^\W\d_]+)[\s#.:–-]{1,3}(\d[\d.]*\d|\d)(?![\w%€$])")
_WORD = regex(r"\w+")
_ENDS = frozenset({"end", "instead", "fix"})
_CHANGES = frozenset({*CHANGES, "now"})


class StatementFragment(NamedTuple):
    """``text`` is what the person said, or what is remembered of it; ``scope`` a project, or empty for the person;
    ``at`` is ms UTC."""

    candidate: Candidate
    text: str
    scope: str
    at: int

    @property
    def place_in_time(self) -> tuple[int, int]:
        """To sort by: of one turn by its lines."""
        return (self.at, self.candidate.fragment.start_line)

    @property
    def project_name(self) -> str:
        """What people call its project: its folder."""
        return project_folder(self.scope).rpartition("/")[2].casefold()

    @property
    def cues(self) -> Mapping[str, str]:
        return _read_cues(self.text)

    @property
    def speaks(self) -> bool:
        """Whether it says in the person's own words how something is: not supposed, not compared, and not how it was or
        is with others, unless it tells of a change."""
        cues = self.cues
        if "suppose" in cues or 2 * len(own_words(self.text).strip()) < len(self.text):
            return False
        if self.candidate.fragment.kind == SAID and not self.tells_change and _is_errand(self.text):
            return False
        return not (_BESIDE & cues.keys()) or self.tells_change

    @property
    def asks(self) -> bool:
        return "asks" in self.cues

    @property
    def tells_change(self) -> bool:
        return bool(_CHANGES & self.cues.keys())

    @property
    def adds(self) -> bool:
        """Whether it names another one beside what there is."""
        cues = self.cues
        return "more" in cues and not _ENDS & cues.keys()

    def repeats(self, text: str) -> bool:
        """Whether it says no more than another statement, or all of it without telling of a change."""
        if self.tells_change:
            return near_identical(self.text, text)
        return say_the_same(self.text, text)

    def is_of_before(self, at: int) -> bool:
        """Whether the years that it names were over then (ms UTC)."""
        years = _YEAR.findall(self.text)
        return bool(years) and max(years) < instants.show_date(at)[:4]


@lru_cache(maxsize=1024)
def language_of(text: str) -> str:
    return find_language(text)


@lru_cache(maxsize=1024)
def _read_cues(text: str) -> Mapping[str, str]:
    return find_cues(text, language_of(text))


def _is_errand(text: str) -> bool:
    """Whether it only asks for something to be done."""
    return find_words("guards", "request").search(text) is not None


def read_statement(candidate: Candidate, zone: str) -> StatementFragment | None:
    """``None`` where a fragment is neither a dated memory that states something nor a person's own words; ``zone`` is
    that of the times in conversations."""
    document, fragment = candidate.document.document, candidate.fragment
    at = document.dated_at
    if at is None or not is_memory(document):
        return None
    if document.content_type == CONVERSATION:
        if fragment.kind != SAID:
            return None
        text, at = fragment.text, find_turn_time(fragment, at, zone)
    elif document.content_type in STATEMENTS and fragment.kind != "frontmatter":
        text = _REPORTED.sub(r"\1", _MARKUP.sub("", fragment.text))
    else:
        return None
    text = text.strip()[:_READ_CHARS]
    project = document.facts.get("project", "")
    bound = document.facts.get("scope") == "project" or document.content_type == CONVERSATION
    scope = project if bound and not is_personal(text) else ""
    return StatementFragment(candidate, text, scope, at) if text else None


def is_personal(text: str) -> bool:
    """Whether it tells of the person, in whichever project they said it."""
    read = read_slot(text, language_of(text))
    return not _PERSONAL.isdisjoint(read.attributes) and (not read.subject or bool(read.holders))


def find_turn_time(fragment: StoredFragment, dated_at: int, zone: str) -> int:
    """When the turn began in which something was said (ms UTC): by the stamp of its heading, which names a day where it
    is not that of the document; else when the document is dated."""
    stamp = next(filter(None, map(_STAMP.search, (*fragment.headings, fragment.text[:_HEADING_CHARS]))), None)
    if stamp is None:
        return dated_at
    at = instants.parse(f"{stamp['day'] or instants.show_date(dated_at)}T{stamp['time']}", zone)
    return dated_at if at is None else at


def say_the_same(one: str, other: str) -> bool:
    """Whether two texts say one thing in the same words, or one holds the other whole."""
    first, second = (flatten(text).strip(" .!") for text in (one, other))
    return bool(first and second) and (first in second or second in first or near_identical(one, other))


def is_of_another_number(question: str, older: str, newer: str) -> bool:
    """Whether a question names a thing by its number ("room 210"), an older text tells of it, and a newer one of
    another ("room 310"): that replaces nothing. Where both differ in the number alone, or the newer one tells of a
    change to another number ("we moved to room 310"), it is the value that changed."""
    asked = _find_asked(question)
    if not asked:
        return False
    named, others = asked & _find_numbered(older), _find_numbered(newer)
    words = {word for word, _ in named - others} & {word for word, _ in others}
    if not words or any(_changes_number(sentence, words) for sentence in split_sentences(newer)):
        return False

    def drop(found: re.Match[str]) -> str:
        return found[1] if found[1].casefold() in words else found[0]

    before, after = (frozenset(_WORD.findall(_NUMBERED.sub(drop, text).casefold())) for text in (older, newer))
    return bool(before - after and after - before)


def _changes_number(sentence: str, words: Collection[str]) -> bool:
    """Whether it tells of a change, and does not begin with the numbered thing, which is then what it is about."""
    found = next((one for one in _NUMBERED.finditer(sentence) if one[1].casefold() in words), None)
    if found is None or not _CHANGES & _read_cues(sentence).keys():
        return False
    known = ("en", language_of(sentence))
    return not all(is_stop_word(word, known) for word in _WORD.findall(sentence[: found.start()].casefold()))


@lru_cache(maxsize=64)
def _find_asked(question: str) -> frozenset[tuple[str, str]]:
    """Without what names no thing: "at 8"."""
    numbered = _find_numbered(question)
    known = ("en", language_of(question)) if numbered else ()
    return frozenset((word, number) for word, number in numbered if not is_stop_word(word, known))


@lru_cache(maxsize=1024)
def _find_numbered(text: str) -> frozenset[tuple[str, str]]:
    """The words that stand before a number, each with it."""
    return frozenset((word.casefold(), number) for word, number in _NUMBERED.findall(text))
