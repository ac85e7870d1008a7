"""Validity: since when and until when a document is true, and when it leaves searches by itself. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.core.document import AGENT, ENDED, INTERNAL, MINE, Document, DocumentState
from hearth.core.instants import DAY_MS, parse_written
from hearth.core.memory import SPECULATIVE

COMMITMENT = "commitment"
GRACE_MS = 14 * DAY_MS
"""How long after its day a commitment lapses."""
UNDATED_DAYS = 90
"""How long after it was made one without a day lapses, unless the settings say otherwise."""
QUESTION = "question"
OPEN_MS = 30 * DAY_MS
"""How long after it was asked a question lapses."""
EXPIRES = "expires_at"
PENDING_SINCE = "pending_since"
"""The key under which a captured memory says since when it waits for approval."""
APPROVAL_MS = 30 * DAY_MS
"""How long it waits before it leaves searches."""


IMPORTED = "imported"
"""The folder of what other programs remembered, below that of memories."""


def is_memory(document: Document) -> bool:
    """Whether the engine wrote it: what people write ends by itself never."""
    return document.collection == INTERNAL and "machine" in document.facts


def may_rule(document: Document) -> bool:
    """Whether it may rule, commit or hand off: the person's own file, or a memory of ours that nobody else told. What
    another program remembered answers questions."""
    if document.trust == AGENT:
        return is_memory(document) and not document.path.startswith(f"{IMPORTED}/")
    return document.trust == MINE


def ends_at(
    document: Document, state: DocumentState, restored_at: int | None, undated_days: int | None = UNDATED_DAYS
) -> int | None:
    """When a document leaves searches by itself (ms UTC). To restore a guess after its end is to confirm it; so is to
    restore what its own program had ended. A commitment without a day lapses after ``undated_days``, or never."""
    if (ended := document.facts.get(ENDED)) is not None and not state.pinned:
        end = parse_written(ended)
        return None if end is None or (restored_at is not None and restored_at >= end) else end
    if not is_memory(document):
        return None
    ends = [state.fulfilled_at, _guess_ends(document, state), _lapses_at(document, undated_days)]
    if state.pending and (since := pending_since(document)) is not None:
        ends.append(since + APPROVAL_MS)
    if restored_at is not None and any(end is not None and restored_at >= end for end in ends[1:]):
        return state.fulfilled_at
    return min((end for end in ends if end is not None), default=None)


def valid_to(document: Document, state: DocumentState, newer: Document | None, superseded_at: int | None) -> int | None:
    """When a document stopped being true (ms UTC). The one that replaced it counts from when it began to hold, or else
    from when the journal says that it replaced it."""
    # What nobody approved is no less true for it.
    ends = [state.invalidated_at, None if state.pending else state.ends_at]
    if newer is not None:
        began, since = newer.valid_from, document.valid_from
        later = began is not None and (since is None or began >= since)
        if later:
            ends.append(began)
        elif superseded_at is not None:
            ends.append(max(superseded_at, since or superseded_at))
    return min((end for end in ends if end is not None), default=None)


def due_at(document: Document) -> int | None:
    """The day by which a commitment is to be kept (ms UTC)."""
    text = document.facts.get("due_at")
    return None if text is None else parse_written(text)


def pending_since(document: Document) -> int | None:
    """Since when a captured memory waits for approval, by its file (ms UTC); ``None`` where it needs none."""
    text = document.facts.get(PENDING_SINCE)
    return parse_written(text) if text is not None and is_memory(document) else None


def has_own_state(document: Document) -> bool:
    """Whether a document that the journal says nothing of may be pending or leave searches by itself."""
    kept = {EXPIRES, PENDING_SINCE}.isdisjoint(document.facts) and document.content_type not in (COMMITMENT, QUESTION)
    return ENDED in document.facts or (is_memory(document) and not kept)


def confidence_of(document: Document, state: DocumentState) -> float:
    return document.confidence if state.confidence is None else state.confidence


def _guess_ends(document: Document, state: DocumentState) -> int | None:
    text = document.facts.get(EXPIRES)
    if text is None or state.pinned or confidence_of(document, state) >= SPECULATIVE:
        return None
    return parse_written(text)


def _lapses_at(document: Document, undated_days: int | None) -> int | None:
    due, made = due_at(document), document.dated_at
    if document.content_type == QUESTION:
        return None if made is None else made + OPEN_MS
    if document.content_type != COMMITMENT:
        return None
    if due is not None:
        return due + GRACE_MS
    return None if made is None or undated_days is None else made + undated_days * DAY_MS


def find_supersession_time(registers: Mapping[str, Any]) -> int | None:
    """When the journal says that a document was superseded."""
    found = registers.get("superseded_at")
    return found if isinstance(found, int) else None
