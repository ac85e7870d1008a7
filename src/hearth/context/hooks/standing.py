"""The standing rules shown to a new session: the firmest ones, each once."""

from __future__ import annotations

from collections.abc import Container

from hearth.context.hooks.notes import Notes
from hearth.core.document import TEAM, Document
from hearth.core.query import Hit
from hearth.core.types import RULES
from hearth.guard.fence import TRUSTED
from hearth.language.signals import is_standing
from hearth.memory.history.validity import may_rule
from hearth.ports import StoredDocument
from hearth.text.similarity import near_identical, protected, similar

_TIERS = ("explicit", "implied", "inferred", "speculative")
_UNTOLD = "implied"
"""How sure a memory is that an agent kept without saying so."""
_BY_HAND = "cli"
# So many are read at most, since of those that say the same only one is shown.
_READ = 40


def may_decide(document: Document) -> bool:
    """Whether what it decided may be brought up by itself: the person's, our memories' and, as theirs, their team's."""
    return may_rule(document) or document.trust == TEAM


def find_rules(notes: Notes, cwd: str | None, most: int, told: Container[str] = ()) -> list[Hit]:
    """At most so many rules, the firmest first, without those that are ``told`` elsewhere (docids)."""
    found = [one for one in notes.find(RULES, cwd) if may_rule(one.document) and one.document.docid not in told]
    chosen: list[Hit] = []
    for stored in sorted(found, key=_rank)[:_READ]:
        hit = notes.whole(stored)
        if hit is not None and not any(_say_the_same(hit.text, other.text) for other in chosen):
            chosen.append(hit)
        if len(chosen) == most:
            break
    return chosen


def _rank(stored: StoredDocument) -> tuple[object, ...]:
    """Pinned ones first, then what the person said in so many words, what was said more often, what was used more
    often; the date decides between equals."""
    document, state = stored.document, stored.state
    return (
        not state.pinned,
        _TIERS.index(_find_tier(document)),
        not is_standing(document.title),
        -(state.duplicate_count + state.revision_count),
        -state.access_count,
        document.newest_first,
    )


def _find_tier(document: Document) -> str:
    tier = document.facts.get("tier", "")
    if tier in _TIERS:
        return tier
    by_hand = document.trust == TRUSTED or document.facts.get("created_by") == _BY_HAND
    return _TIERS[0] if by_hand else _UNTOLD


def _say_the_same(one: str, other: str) -> bool:
    return near_identical(one, other) or (similar(one, other) and set(protected(one)) == set(protected(other)))
