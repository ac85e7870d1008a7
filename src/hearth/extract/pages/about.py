"""What a profile says of a person: which memories, in which order, how many. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hearth.extract.pages.page import PageStatement
from hearth.text.budget import estimate_tokens
from hearth.text.similarity import covers, near_identical, protected

TYPES = ("correction", "principle", "preference", "fact")
"""The first say how somebody wants things, whoever the words name; a fact is theirs where it speaks of the user."""
TIERS = ("explicit", "implied")
_SOURCES = 3
# A task, which passes, and not how somebody is or wants things.
_TASK = re.compile(
    r"\b(?:is|are|was|were|been|i'm) (?:\w+ly )?(?:try|look|work|plan|go|hop|struggl|finali[sz]|get|prepar|test|debug|"
    r"implement|build|sett|add|review|integrat|deploy|refactor|fix|writ|consider|think)n?ing\b",
    re.IGNORECASE,
)
# What is over soon.
_PASSING = re.compile(
    r"\b(?:has|have)\b(?! (?:a|an|been)\b)|\b(?:wants?|would like) to\b"
    r"|\b(?:deadlines?|sprints?|milestones?|due|today|tonight|tomorrow|yesterday|currently|recently|right now|"
    r"(?:this|next|last) (?:week|month|sprint|release)|by (?:the end|\w+ \d{1,2}))\b"
    r"|\bon (?:january|february|march|april|may|june|july|august|september|october|november|december) \d",
    re.IGNORECASE,
)
# A quotation from the middle of a sentence.
_TORN = re.compile(r"[^“”\"]*[“\"][a-z]")
_OF_USER = re.compile(r"(?:the )?user(?:'s|’s)? |(?:i|my|i'm) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProfileSource:
    """A memory that a statement may rest on; ``said_at`` is YYYY-MM-DD, ``tier`` empty where somebody wrote it down."""

    docid: str
    content_type: str
    text: str
    said_at: str
    tier: str = ""
    uses: int = 0


def is_about(source: ProfileSource) -> bool:
    """Whether a memory says something lasting of a person."""
    if source.tier and source.tier not in TIERS:
        return False
    if source.content_type not in TYPES or _TASK.search(source.text) or _TORN.match(source.text):
        return False
    if source.content_type != "fact":
        return True
    return _OF_USER.match(source.text) is not None and _PASSING.search(source.text) is None


def choose(sources: Iterable[ProfileSource]) -> list[PageStatement]:
    """Statements from the strongest to the weakest: what was said outright before what was meant, what is used before
    what is not, the newest before the older. What another says, too, is said once, with the sources of those that say
    the same."""
    found: list[tuple[ProfileSource, PageStatement]] = []
    newest = sorted((one for one in sources if is_about(one)), key=lambda one: (one.said_at, one.docid), reverse=True)
    for source in sorted(newest, key=_strength):
        text = " ".join(source.text.split())
        same = next((at for at, (_, kept) in enumerate(found) if near_identical(kept.text, text)), None)
        if same is not None:
            first, kept = found[same]
            docids = tuple(dict.fromkeys((*kept.sources, source.docid)))[:_SOURCES]
            found[same] = (first, replace(kept, sources=docids))
            continue
        found.append((source, PageStatement(text, (source.docid,), source.said_at)))
    return [
        kept for source, kept in found if not any(_is_within(source, kept.text, by, more.text) for by, more in found)
    ]


def fit(statements: Sequence[PageStatement], most: int, tokens: int) -> list[PageStatement]:
    """The first that fit: ``most`` of at most so many tokens in all, as they are written."""
    kept: list[PageStatement] = []
    for one in statements:
        size = estimate_tokens(one.line)
        if len(kept) == most or size > tokens:
            break
        kept.append(one)
        tokens -= size
    return kept


def _strength(source: ProfileSource) -> tuple[bool, int, int]:
    return (source.content_type == "fact", TIERS.index(source.tier) if source.tier else 0, -source.uses)


def _is_within(source: ProfileSource, text: str, other: ProfileSource, longer: str) -> bool:
    """Whether a longer statement of the same kind says all of this one, names and numbers in the same order."""
    if other is source or other.content_type != source.content_type or len(longer) <= len(text):
        return False
    rest = iter(protected(longer))
    return covers(longer, text) and all(name in rest for name in protected(text))
