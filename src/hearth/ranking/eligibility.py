"""What may be brought up without being asked for."""

from __future__ import annotations

from collections.abc import Iterable

from hearth.model.memory import is_of_project
from hearth.model.query import Conversation
from hearth.ports import StoredDocument
from hearth.ranking.echo import is_session_note
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CUT

# A passage shown before comes again where it scores this many times the best that is new, if that is an answer at all:
# what the agent has in its context already is better than nothing new, but not news.
CLEARLY = 1.25


def select_eligible(candidates: list[Candidate], at: int, conversation: Conversation) -> list[Candidate]:
    """Drops what is snoozed at ``at`` (ms UTC), memories of other projects, what we noted about the session under
    way, and what was shown before and is not clearly best; ``candidates`` come best first and stay so."""
    allowed = [c for c in candidates if is_eligible(c.document, at, conversation)]
    if not conversation.shown:
        return allowed
    shown = _by_document(conversation.shown)
    repeated = [_overlaps(candidate, shown.get(candidate.document.document.docid, ())) for candidate in allowed]
    fresh = (c.score for c, again in zip(allowed, repeated, strict=True) if not again)
    new = max((score for score in fresh if score >= CUT.fair), default=0.0)
    bar = new * CLEARLY
    return [c for c, again in zip(allowed, repeated, strict=True) if not again or (new and c.score >= bar)]


def is_eligible(stored: StoredDocument, at: int, conversation: Conversation) -> bool:
    """Neither put off at ``at`` (ms UTC) nor ours about the session under way, which knows it, nor a memory of another
    project or what was said there, unless these are let in; nor what is private where others listen, nor another
    agent's."""
    facts, document = stored.document.facts, stored.document
    if conversation.readable is not None and document.collection not in conversation.readable:
        return False
    if conversation.shared and document.is_private:
        return False
    if (stored.state.snoozed_until or 0) > at:
        return False
    of_now = conversation.session is not None and facts.get("session") == conversation.session
    if of_now and is_session_note(stored.document):
        return False
    bound = facts.get("scope") == "project" or is_session_note(stored.document)
    if conversation.other_projects or not bound:
        return True
    return is_of_project(facts.get("project"), conversation.project)


def _by_document(shown: Iterable[tuple[str, int, int]]) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for docid, first, last in shown:
        found.setdefault(docid, []).append((first, last))
    return found


def _overlaps(candidate: Candidate, ranges: Iterable[tuple[int, int]]) -> bool:
    """Whether most of its lines were shown."""
    first, last = candidate.fragment.start_line, candidate.fragment.end_line
    seen = {line for start, end in ranges for line in range(max(first, start), min(last, end) + 1)}
    return 2 * len(seen) > last - first + 1
