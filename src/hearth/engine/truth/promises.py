"""Promises kept: what a new memory, or what a person says, tells of commitments that are open."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.engine.history.history import History
from hearth.engine.history.validity import COMMITMENT
from hearth.engine.state.reviews import draft_review, find_review
from hearth.engine.truth.commitments import Commitment, commitments, draft_fulfilment
from hearth.engine.truth.fulfilment import judge, may_fulfil
from hearth.extract.rules.privacy import heard
from hearth.model.document import Document
from hearth.model.host.transcript import Turn
from hearth.model.journal.event import Draft
from hearth.model.memory import captured_turn, is_of_project
from hearth.ports import Reader, Store, StoredDocument
from hearth.text.sentences import split_sentences

ACTOR = "noticing"
MOST_ASKED = 3
"""Commitments that one statement asks a person about."""


def keep(store: Store, history: History, docid: str, text: str, now: int) -> list[str]:
    """Notes which commitments a memory that was just written says to be kept, and asks where that is not sure. Gives
    the ids of the events, all of the run that is called like the memory."""
    if not may_fulfil(text):
        return []
    with store.read() as reader:
        stored = reader.document(docid)
        if stored is None or stored.document.content_type == COMMITMENT:
            return []
        open_ones = [one for one in commitments(reader, now) if one.docid != docid]
        drafts = [draft for one in open_ones for draft in _draft_promise(reader, history, stored, one, text, now)]
    asked = [draft for draft in drafts if draft.kind == "review"][MOST_ASKED:]
    return history.record([draft for draft in drafts if draft not in asked])


def find_kept(
    reader: Reader, turns: Sequence[Turn], session: str, project: str | None, now: int
) -> list[StoredDocument]:
    """Open commitments of a project that a sentence of what the person said since surely says to be kept."""
    said = [(turn.ordinal, heard(prompt.text)) for turn in turns for prompt in turn.prompts]
    done = [(turn, one) for turn, text in said for one in split_sentences(text) if may_fulfil(one)]
    if not done:
        return []
    found = []
    for promise in commitments(reader, now):
        stored = reader.document(promise.docid)
        if stored is None or not is_of_project(stored.document.facts.get("project"), project):
            continue
        facts = stored.document.facts
        since = captured_turn(facts.get("source", "")) or 0 if facts.get("session") == session else 0
        if any(turn > since and judge(promise.said, one) == "kept" for turn, one in done):
            found.append(stored)
    return found


def _draft_promise(
    reader: Reader, history: History, stored: StoredDocument, promise: Commitment, text: str, now: int
) -> list[Draft]:
    promised = reader.document(promise.docid)
    if promised is None or not _same_project(promised.document, stored.document):
        return []
    verdict = judge(promise.said, text)
    remarks = {"actor": ACTOR, "run": stored.document.docid}
    if verdict == "kept":
        told = {**remarks, "reason": "a later statement says that it is done"}
        return draft_fulfilment(reader, history, promised, now, stored.document.docid, told)
    if verdict == "no" or find_review(reader, stored.document.docid, promise.docid, now) is not None:
        return []
    why = "it may say that the commitment was kept"
    return [draft_review(stored.document, promise.docid, "fulfils", why=why, confidence=0.6, **remarks)]


def _same_project(one: Document, other: Document) -> bool:
    return is_of_project(one.facts.get("project"), other.facts.get("project"))
