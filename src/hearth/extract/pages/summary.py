"""What a summary of a period says: decisions, milestones and what is open, in the order of time. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from hearth.extract.pages.about import FRAME, fit
from hearth.extract.pages.page import PageStatement
from hearth.lazy import dataclass, regex
from hearth.text.similarity import near_identical, repeats

SHORT, DECISIONS, MILESTONES, OPEN, ASKED = "In short", "Decisions", "Milestones", "Open", "Asked for"
SECTIONS: Mapping[str, tuple[str, int, int]] = {
    "decision": (DECISIONS, 12, 500),
    "milestone": (MILESTONES, 12, 400),
    "progress": (MILESTONES, 12, 400),
    "commitment": (OPEN, 8, 250),
    "question": (OPEN, 8, 250),
}
"""By content type: the section, and its bullets and tokens at most."""
LEAST = 3
"""Statements that make a summary."""
# What is not decided yet.
_UNDECIDED = regex(
    r"\b(?:still|not (?:yet )?sure|trying to|can['’]t|have(?:n['’]t| not)(?: yet)?|has(?:n['’]t| not)(?: yet)?) "
    r"(?:\w+ )?(?:think\w*|decid\w*|consider\w*|weigh\w*|choos\w*|chosen)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A memory that a summary may name; ``tier`` is empty where somebody wrote it down."""

    statement: PageStatement
    content_type: str
    tier: str = ""
    uses: int = 0


def summarise(sources: Iterable[SummarySource]) -> dict[str, list[PageStatement]]:
    """Statements by section, by date; what says the same in near words is said once, with its latest date. Over the cap
    the weakest by tier, use and age leave. Empty where there are fewer than three."""
    chosen: dict[str, list[SummarySource]] = {}
    for source in sorted(filter(_tells, sources), key=_strength):
        group = chosen.setdefault(SECTIONS[source.content_type][0], [])
        text = source.statement.text
        if not any(near_identical(one.statement.text, text) or _repeats(one, text) for one in group):
            group.append(source)
    if sum(map(len, chosen.values())) < LEAST:
        return {}
    return {section: _fitted(chosen[section]) for section in (DECISIONS, MILESTONES, OPEN) if section in chosen}


def _tells(source: SummarySource) -> bool:
    return source.content_type != "decision" or _UNDECIDED.search(source.statement.text) is None


def _fitted(group: Sequence[SummarySource]) -> list[PageStatement]:
    _, most, tokens = SECTIONS[group[0].content_type]
    return sorted(fit([one.statement for one in group], most, tokens), key=lambda one: (one.date, one.sources))


def _repeats(one: SummarySource, text: str) -> bool:
    return repeats(one.statement.text, text, FRAME)


def _strength(source: SummarySource) -> tuple[bool, int, tuple[int, ...], str]:
    """The strongest first, the newest of those before the older."""
    newest = tuple(-ord(char) for char in source.statement.date)
    return (source.tier not in ("", "explicit"), -source.uses, newest, source.statement.sources[0])
