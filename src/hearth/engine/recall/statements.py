"""Statements among candidates: what a memory or a person's own words say, of what scope, and since when."""

from __future__ import annotations

from typing import NamedTuple

from hearth.engine.history.validity import is_memory
from hearth.language.words import cues
from hearth.lazy import regex
from hearth.markdown.turns import asks, opens_by_heading, split_turns
from hearth.model.instants import DAY_MS
from hearth.model.types import CONVERSATION, STATEMENTS
from hearth.ranking.stage import Candidate
from hearth.text.times.expressions import may_name_times, time_ranges

SAID = "said"
"""The kind of a fragment that holds a person's own words."""
_READ_CHARS = 600
_LONG_MS = 27 * DAY_MS
_QUOTED = regex(r"[“\"«„「]([^“”\"«»„「」]{8,})[”\"»“」]|^\s*>(.*)$|(?<=\s)> (.*)")
_REPORTED = regex(r"^The user (?:said|asked): “(.*)”\.?\s*$", 24)
_MARKUP = regex(r"^#{1,6} .*$|^\s*[-*] ", 8)
_ASKS = regex(r"[?？؟][\"'”’)]*(?:\s+\S+){0,2}[.!]?\s*\Z")


class StatementFragment(NamedTuple):
    """``text`` is what the person said, or what is remembered of it; ``scope`` a project, or empty for the person;
    ``at`` is ms UTC."""

    candidate: Candidate
    text: str
    scope: str
    at: int

    @property
    def states(self) -> bool:
        """Whether it says how something is: not asked, not supposed, and for the most part not quoted."""
        quoted = sum(len(found[0]) for found in _QUOTED.finditer(self.text))
        return 2 * quoted <= len(self.text) and not _ASKS.search(self.text) and not _find("supposed", self.text)

    @property
    def adds(self) -> bool:
        """Whether it names another one beside what there is."""
        return _find("added", self.text)

    def is_of_before(self, at: int) -> bool:
        """Whether it tells of a month or a year that was over then (ms UTC)."""
        if not may_name_times(self.text):
            return False
        named = time_ranges(self.text, self.at, "UTC")
        return any(time.end - time.start >= _LONG_MS and time.end <= at for time in named)


def _find(kind: str, text: str) -> bool:
    return cues("mood", kind).search(text) is not None


def read_statement(candidate: Candidate) -> StatementFragment | None:
    """``None`` where a fragment is neither a dated memory that states something nor a person's own words."""
    document, fragment = candidate.document.document, candidate.fragment
    if document.dated_at is None or not is_memory(document):
        return None
    if document.content_type == CONVERSATION and fragment.kind != "frontmatter":
        text = fragment.text if fragment.kind == SAID else _own_words(fragment.text, fragment.headings)
    elif document.content_type in STATEMENTS and fragment.kind != "frontmatter":
        text = _REPORTED.sub(r"\1", _MARKUP.sub("", fragment.text))
    else:
        return None
    text = text.strip()[:_READ_CHARS]
    project = document.facts.get("project", "")
    bound = document.facts.get("scope") == "project" or document.content_type == CONVERSATION
    return StatementFragment(candidate, text, project if bound else "", document.dated_at) if text else None


def _own_words(text: str, headings: tuple[str, ...]) -> str:
    """What the person says in a window of turns."""
    rows = text.split("\n")
    by_heading = opens_by_heading(rows, headings)
    parts = ("\n".join(rows[first:end]) for first, end in split_turns(text, by_heading=by_heading))
    own = (part for part in parts if asks(part, by_heading=by_heading))
    return "\n".join(part.lstrip().partition("\n")[2].strip() for part in own)
