"""Statements among candidates: what a memory or a person's own words say, of what scope, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hearth.engine.history.validity import is_memory
from hearth.language.change import CHANGES, find_cues
from hearth.language.slots import find_language, own_words
from hearth.lazy import regex
from hearth.markdown.turns import asks, opens_by_heading, split_turns
from hearth.model.instants import show_date
from hearth.model.memory import project_folder
from hearth.model.types import CONVERSATION, STATEMENTS
from hearth.ranking.stage import Candidate

SAID = "said"
"""The kind of a fragment that holds a person's own words."""
_READ_CHARS = 600
_REPORTED = regex(r"^The user (?:said|asked): “(.*)”\.?\s*$", 24)
_MARKUP = regex(r"^#{1,6} .*$|^\s*[-*] ", 8)
_YEAR = regex(r"(?<![\d.])(?:19|20)\d\d(?![\d.])")
_BESIDE = frozenset({"compare", "others", "past"})
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
    def project_name(self) -> str:
        """What people call its project: its folder."""
        return project_folder(self.scope).rpartition("/")[2].casefold()

    @property
    def cues(self) -> Mapping[str, str]:
        return find_cues(self.text, find_language(self.text))

    @property
    def speaks(self) -> bool:
        """Whether it says in the person's own words how something is: not supposed, not compared, and not how it was or
        is with others, unless it tells of a change."""
        cues = self.cues
        if "suppose" in cues or 2 * len(own_words(self.text).strip()) < len(self.text):
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

    def is_of_before(self, at: int) -> bool:
        """Whether the years that it names were over then (ms UTC)."""
        years = _YEAR.findall(self.text)
        return bool(years) and max(years) < show_date(at)[:4]


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
