"""Commitments: what was promised, by whom, until when, and whether it was kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from hearth.core import instants
from hearth.core.document import Document
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import OWNERS, captured_turn, is_of_project
from hearth.core.transcript import Turn
from hearth.memory.reviews import draft_review, find_review
from hearth.ports import Reader, Store, StoredDocument
from hearth.text.language import stem
from hearth.text.lines import split_sentences
from hearth.text.similarity import negated, shared
from hearth.text.words import cues, load
from hearth.transcripts.typed import own_words_of
from hearth.vault import changes
from hearth.vault.documents import find_commitments, read_beginning
from hearth.vault.history import History
from hearth.vault.validity import COMMITMENT, due_at

_TABLE = "truth/commitments"
_WORD = regex(r"[a-z]+")
SURE = 0.99
"""The share of a commitment's own words that a statement has to name so that it is kept without anybody being asked."""
LIKELY = 0.6


def may_fulfil(statement: str) -> bool:
    """Whether a statement says of anything at all that it is done."""
    is_done = any(cues(_TABLE, kind).search(statement) is not None for kind in ("done", "did"))
    return is_done and cues(_TABLE, "open").search(statement) is None and not negated(statement)


def judge(promised: str, statement: str) -> Literal["kept", "perhaps", "no"]:
    """Rules only: a statement in the past that names all of what was promised keeps it; one that names most of it asks
    a person."""
    if not may_fulfil(statement):
        return "no"
    if cues(_TABLE, "done").search(statement) is None and not any(
        _promises(promised, did["verb"]) for did in cues(_TABLE, "did").finditer(statement)
    ):
        return "no"
    part = shared(_bare(promised, statement), statement)
    if part >= SURE:
        return "kept"
    return "perhaps" if part >= LIKELY else "no"


@cache
def _past() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Verbs, each with the forms of its past that stemming does not lead back to it."""
    pairs = (pair for verbs in load(_TABLE)["past"].values() for pair in verbs.items())
    return tuple((_as_word(verb), _as_word(past)) for verb, past in pairs)


def _as_word(pattern: str) -> re.Pattern[str]:
    return regex(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)


def _promises(promised: str, verb: str) -> bool:
    """Whether it was promised to do what was done."""
    stems = {stem(word, "en") for word in _WORD.findall(promised.lower())}
    if stem(verb.lower(), "en") in stems:
        return True
    return any(past.fullmatch(verb) and present.search(promised) for present, past in _past())


def _bare(promised: str, statement: str) -> str:
    """What is promised, without the verb where the statement has a form of it."""
    # Who promises and how, and until when, is no part of what is promised.
    bare = cues(_TABLE, "frame").sub(" ", promised)
    for verb, past in _past():
        if past.search(statement):
            bare = verb.sub(" ", bare)
    return bare


CommitmentState = Literal["open", "fulfilled", "expired"]
SOON_DAYS = 3
"""So long before its day a commitment is brought up."""
_SAID_CHARS = 300


@dataclass(frozen=True, slots=True)
class Commitment:
    """``owner`` is who owes it, where that is known: ``user``, ``agent`` or ``other``; ``overdue`` says that the day by
    which it was to be kept is over where the person is. Instants are ms UTC."""

    docid: str
    collection: str
    path: str
    said: str
    state: CommitmentState
    owner: str | None
    due_at: int | None
    made_at: int | None
    fulfilled_at: int | None = None
    fulfilled_by: str | None = None
    overdue: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {name: getattr(self, name) for name in self.__slots__}


def commitments(
    reader: Reader, now: int, zone: str = "UTC", *, due: int | None = None, closed: bool = False
) -> list[Commitment]:
    """Those that are open, the most urgent first; with ``due`` only those due today, within so many days or overdue,
    with ``closed`` also those kept and lapsed. Due is a whole day, and today that of ``zone``."""
    where = instants.zone_of(zone)
    today = instants.show_date(now, where)
    listed = [
        _commitment(reader, stored, now, today)
        for stored in find_commitments(reader)
        if closed or not stored.state.expired(now)
    ]
    if due is not None:
        last = instants.show_date(now + due * DAY_MS, where)
        listed = [one for one in listed if one.due_at is not None and instants.show_date(one.due_at) <= last]
    return listed


def draft_fulfilment(
    reader: Reader, history: History, stored: StoredDocument, at: int, by: str | None, metadata: Mapping[str, Any]
) -> list[Draft]:
    """The event that says that a commitment was kept; ``by`` is the docid of what says so."""
    ops = history.plan_change(reader, stored.document.docid, {"fulfilled_at": at})
    if by is not None:
        ops = [changes.along(op, {"by": by}) for op in ops]
    return changes.of(stored.document, ops, metadata)


def _commitment(reader: Reader, stored: StoredDocument, now: int, today: str) -> Commitment:
    document, state = stored.document, stored.state
    status: CommitmentState = "open"
    if state.fulfilled_at is not None:
        status = "fulfilled"
    elif state.expired(now):
        status = "expired"
    owner, due = document.facts.get("owner"), due_at(document)
    return Commitment(
        docid=document.docid,
        collection=document.collection,
        path=document.path,
        said=read_beginning(reader, stored, _SAID_CHARS) or document.title,
        state=status,
        owner=owner if owner in OWNERS else None,
        due_at=due,
        made_at=document.valid_from,
        fulfilled_at=state.fulfilled_at,
        fulfilled_by=state.fulfilled_by,
        overdue=due is not None and instants.show_date(due) < today,
    )


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
    texts = [(turn.ordinal, own_words_of(prompt.text)) for turn in turns for prompt in turn.prompts]
    done = [(turn, one) for turn, text in texts for one in split_sentences(text) if may_fulfil(one)]
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
        payload = {**remarks, "reason": "a later statement says that it is done"}
        return draft_fulfilment(reader, history, promised, now, stored.document.docid, payload)
    if verdict == "no" or find_review(reader, stored.document.docid, promise.docid, now) is not None:
        return []
    why = "it may say that the commitment was kept"
    return [draft_review(stored.document, promise.docid, "fulfils", why=why, confidence=0.6, **remarks)]


def _same_project(one: Document, other: Document) -> bool:
    return is_of_project(one.facts.get("project"), other.facts.get("project"))
