"""Which candidates are answers, how sure that is, and what may be brought up without being asked for. The newest
first: candidates that know what was said later about the same thing, put in the order of time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from typing import Literal, NamedTuple

from hearth.core.document import is_session_note
from hearth.core.memory import is_of_project
from hearth.core.query import Conversation
from hearth.ports import StoredDocument
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.weights import CONFIDENCE, CUT
from hearth.text.words import load


def weigh_evidence(coverage: float, nearness: float | None, strength: float, trust: float = 1.0) -> float:
    """All in [0, 1]. ``coverage`` is the part of the question's idf mass in one of the best fragments, ``nearness`` the
    probability that the nearest fragment is relevant, ``None`` where no vectors are asked, ``strength`` the fused score
    of the best one; ``trust`` is the part of the question that the vectors know."""
    known = CONFIDENCE.unasked if nearness is None else trust * nearness + (1 - trust) * CONFIDENCE.unread
    evidence = min(1.0, coverage) + CONFIDENCE.meaning * known + CONFIDENCE.strength * strength
    return evidence / (1 + CONFIDENCE.meaning + CONFIDENCE.strength)


def estimate_confidence(evidence: float, ahead: float = 0.0) -> float:
    """P(the first fragment answers), by a logistic curve fitted on questions with and without an answer. ``ahead`` is
    how much better it matches than any other document, in [0, 1]."""
    weighed = CONFIDENCE.slope * (evidence - CONFIDENCE.middle) + CONFIDENCE.ahead * ahead
    return 1 / (1 + math.exp(-weighed))


def cut_at(candidates: list[Candidate], least: float) -> list[Candidate]:
    """Those that reach a score that somebody asked for."""
    return [candidate for candidate in candidates if candidate.score >= least]


def cut_weak(candidates: list[Candidate]) -> list[Candidate]:
    """Without what scores less than ``CUT.ratio`` times the best or less than ``CUT.least``; the first one stays."""
    # An assistant's words count less than a person's, which says nothing of whether they are about the question.
    scores = [candidate.score_without("voice") for candidate in candidates]
    bar = max(CUT.least, CUT.ratio * max(scores, default=0.0))
    return [one for place, one in enumerate(candidates) if not place or scores[place] >= bar]


# A fragment shown before comes again where it scores this many times the best that is new, if that is an answer at all:
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


class Features(NamedTuple):
    """What is known of a prompt and a fragment; each about in [0, 1].

    ``share`` of what the prompt's words tell is held by the fragment, and ``nats`` is how much that is; ``reverse`` is
    the share of what the passage's words tell that the prompt holds, ``called`` that of the title, by how much it is: a
    title of one common word says little. ``near`` is the probability by meaning, ``ahead`` how much better it matches
    than the best fragment of any other document. ``told`` is how much the prompt's words tell in all: a long one shares
    some of them with anything. ``nameless``: the prompt names somebody or something, and the fragment holds none of it.
    ``question`` says that the prompt asks."""

    share: float
    nats: float
    reverse: float
    called: float
    near: float
    ahead: float
    told: float
    nameless: float
    question: float


RISING = ("share", "nats", "reverse", "called", "near", "ahead", "question")
"""Features of which more never lowers the score."""
FALLING = ("told", "nameless")
"""Features of which more never raises it."""


@cache
def read_weights(lane: str) -> Mapping[str, float]:
    """The weights by feature with the ``intercept``; ``lane`` is ``meaning`` where vectors answered, else ``words``.
    One half is the least at which a fragment is brought."""
    found: Mapping[str, float] = load("recall/gate")[lane]
    return found


def estimate(features: Features, *, by_meaning: bool) -> float:
    """How likely it is wanted, in [0, 1]."""
    weights = read_weights("meaning" if by_meaning else "words")
    pairs = zip(Features._fields, features, strict=True)
    total = weights["intercept"] + sum(weights.get(name, 0.0) * value for name, value in pairs)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


STAGE = "newest"
TimeOrder = Literal["newest", "oldest", "found"]
# How much a moved fragment is raised above the other, so that later sorting keeps the order.
STEP = 1e-4


def order_by_time(candidates: Sequence[Candidate], order: TimeOrder) -> list[Candidate]:
    """Statements about one thing with the ``newest`` or the ``oldest`` first, or as they are ``found``."""
    if order == "found":
        return list(candidates)
    found = (_put_older_first if order == "oldest" else _put_newer_first)(candidates)
    for one in candidates:
        found = put_below(found, {added.fragment.id for added in one.added}, one, "adds to")
    return found


def _put_newer_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Moves each later statement right above the best one that it follows; all others keep their order."""
    found = list(candidates)
    older_of: dict[int, list[int]] = {}
    for candidate in candidates:
        for newer in candidate.later:
            older_of.setdefault(newer.fragment.id, []).append(candidate.fragment.id)
    for newer in sorted((c for c in candidates if c.fragment.id in older_of), key=_at):
        found = put_above(found, newer.fragment.id, older_of[newer.fragment.id], STAGE, "said later than {}", STEP)
    return found


def _put_older_first(candidates: Sequence[Candidate]) -> list[Candidate]:
    """As ``_put_newer_first``, for a question about the past: earlier statements come right above later ones."""
    found = list(candidates)
    for older in sorted((c for c in candidates if c.later), key=_at, reverse=True):
        later = [newer.fragment.id for newer in older.later]
        found = put_above(found, older.fragment.id, later, STAGE, "said earlier than {}", STEP)
    return found


def put_above(
    candidates: list[Candidate], one: int, others: Sequence[int], stage: str, why: str, step: float = 0.0
) -> list[Candidate]:
    """Moves fragment ``one`` right above the best of ``others``, a ``step`` of the remaining score higher; the rest
    keep their order. ``{}`` in ``why`` stands for the document it now precedes."""
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    own = places[one]
    top = min((places[other] for other in others if other in places), default=own)
    if top >= own:
        return candidates
    first = candidates[top]
    score = first.score + step * (1 - first.score)
    moved = candidates[own].move(stage, max(candidates[own].score, score), why.format(first.document.document.uri))
    return [*candidates[:top], moved, *candidates[top:own], *candidates[own + 1 :]]


def put_below(candidates: list[Candidate], rows: Set[int], first: Candidate, why: str) -> list[Candidate]:
    """Moves the given fragments below ``first``; all others keep their order."""
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    there = places.get(first.fragment.id, -1)
    above = [candidate for candidate in candidates[: max(0, there)] if candidate.fragment.id in rows]
    if not above:
        return candidates
    note = f"{why} {first.document.document.uri}"
    kept = [candidate for candidate in candidates[: there + 1] if candidate.fragment.id not in rows]
    score = candidates[there].score * (1 - STEP)
    moved = [candidate.move(STAGE, min(candidate.score, score), note) for candidate in above]
    return [*kept, *moved, *candidates[there + 1 :]]


def _at(candidate: Candidate) -> tuple[int, int]:
    return (candidate.dated_at, candidate.fragment.start_line)
