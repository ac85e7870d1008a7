"""What the payload of each kind of event means, as primitives.

What ``data`` holds, by kind (``?`` marks what may be missing; ``reason`` and ``actor`` may always be there, and for
``undo`` the former value ``was``, the event ``after`` which it held, what the event ``undoes`` and ``reinstates``, how
many ``more`` belong to the same wish, and the ``run`` that made it: of what was noticed when a memory was written, the
docid of that memory):

=====================================  =========================================================================
pin unpin forget unforget archive      nothing
restore unsnooze approve unapprove
purge                                  scope?: memory (an engine file, gone for good), file (a person's file, as long as
                                       it says the same), index (a person's file, whatever it says);
                                       at?: null to take it back
snooze                                 until: ms UTC
confidence                             value: 0 to 1, or null
supersede                              by: docid, or null to take it back; at?: ms UTC, since when; without it, the
                                       event's own time; confidence?, evidence?: words that say so
fulfill                                at?: ms UTC, or null to take it back; without it, the event's own time; by?: the
                                       docid of what says so
review                                 older: docid, relation: what it may be to the event's document, or null to take
                                       it back; confidence?: 0 to 1, why?, evidence?: words that say so
decide                                 older: docid, decision: keep-new, keep-old, both, merge, or null to take it back
invalidate                             at?: ms UTC, or null to take it back; without it, the event's own time
relate                                 type, target, and whatever describes the relation: weight?: 0 to 1, origin?, at?,
                                       until?: ms UTC, places?: lists of docid, first and last line, hash of a fragment;
                                       target_text?: the body hash of the target, by which it is found once renamed
unrelate                               type, target; hide?: true where nothing is to derive it any more, either
retag                                  tags: texts that count beside those of its file, or null
moved                                  from: the former docid
named                                  counter: what was hashed in because the plain docid was taken
alias                                  name, of: the name of whom or what it means (of itself: it stands alone), or null
                                       to take it back; with a document, in that one alone
dismiss                                page, statement: a hash of what a person deleted from it
tombstone                              whatever describes it
session                                session, and fields of the session log
focus                                  topic: text or null, until?: ms UTC; session? or project?, else the whole vault
turn captured                          session, turn?, transcript, watermark: bytes; of a turn files?: names, urgent?,
                                       since?: where the one before it ended, before?: files that it was written to and
                                       that were not captured then; of captured position?: where reading stopped,
                                       docs?: what was written, unread?: since (a position), tries: where the rules
                                       read in the language model's place
reread                                 session, piece: the event that captured it, docs?: what was written, unread?:
                                       transcript, since, watermark, tries: where it is to be read once more
surfaced referenced recalled seen      session?, turn?, key?, docs?: docids besides the event's own
duplicate revised                      session?, turn?, key?; of duplicate said?: when it was said again, ms UTC
dreamt                                 day: local date, light?, rem?: fragments that these phases met, run?, items?:
                                       [docid, hash, score] of what stands on the page; writer?: the machine that
                                       dreams from now on; or instead of a day taken: a collection whose recalls by
                                       another assistant were taken over; agent?: whose page it is
promoted                               block: hash, day, run?, agent?, state: one of PROMOTION_STATES
coactive                               session?, turn?, key?, docs: two or more with the event's own
=====================================  =========================================================================

A use counts once per (session, turn); without a session, once per ``key``, else per event. ``recalled`` may also hold
``query`` (a hash) and ``day``, counted apart as ``recalled_query`` and ``recalled_day``. ``surfaced`` with a session
and a turn leaves its data as the session's register ``surfaced:<turn>``, and with a key, since a turn may be shown
things more than once, as ``surfaced:<turn>:<key>``, the turn then being one of the session's set ``surfaced``;
of a briefing the set of its documents is ``briefed``.
``recalled seen referenced duplicate`` may hold ``blocks``: docid and hash of each fragment that it was about, with
``on``: local date, ``asked?``: hash of the question, ``who?``: session; ``scores`` then belong to ``docs``. A fragment
counts once for (kind, question, date).
``referenced`` with a session and a turn adds ``<turn>:<docid>`` to the session's set of that name. ``turn`` and
``captured`` set the session's register of that name and the machine's ``turn:<session>`` or ``captured:<session>``:
capture work is what they differ by. ``captured`` adds ``<event>:<docid>`` to the session's set of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hearth.core import subjects
from hearth.core.journal import (
    TEXT_LENGTH,
    Event,
    MalformedPayload,
    Member,
    Register,
    check_docid,
    is_given,
    read_day,
    read_details,
    read_doc,
    read_documents,
    read_occasion,
    read_table,
    read_text,
    read_whole,
)
from hearth.core.lazy import regex
from hearth.core.session import is_briefing
from hearth.language.name_matching import key_of

Primitive = Register | Member

DECISIONS = ("keep-new", "keep-old", "both", "merge")
PURGE_SCOPES = ("memory", "file", "index")
MAX_COACTIVE = 50  # a turn's documents; pairs grow with the square
_STATEMENT = regex(r"[0-9a-f]{1,64}")
_WORD = regex(r"[a-z][a-z0-9_-]{0,63}")
_BLOCK = regex(r"[0-9a-f]{12}")
_AGENT = regex(r"[a-z0-9][a-z0-9_-]{0,63}")
_SIGNALS = {"recalled": "found", "seen": "opened", "referenced": "used", "duplicate": "said"}
CONFIRMED = 0.8
MAX_BLOCKS = 500
PROMOTION_STATES = ("coming", "in", "leaving", "left", "undone", "allowed")  # -ing: before the page is written


# -- kinds ----------------------------------------------------------------------------------------------------------


def _flag(field: str, value: bool | None) -> Callable[[Event], Iterator[Primitive]]:
    def read(event: Event) -> Iterator[Primitive]:
        yield Register(read_doc(event), field, value, event.stamp)

    return read


def _snooze(event: Event) -> Iterator[Primitive]:
    yield Register(read_doc(event), "snoozed_until", read_whole(event.data, "until"), event.stamp)


def _confidence(event: Event) -> Iterator[Primitive]:
    value = event.data["value"] if is_given(event.data, "value") else None
    if value is not None and (type(value) not in (int, float) or not 0 <= value <= 1):
        raise MalformedPayload("value is not a number from 0 to 1")
    yield Register(read_doc(event), "confidence", value, event.stamp)


def _supersede(event: Event) -> Iterator[Primitive]:
    by = check_docid(event.data["by"], "by") if is_given(event.data, "by") else None
    yield Register(read_doc(event), "superseded_by", by, event.stamp)
    at = event.at if event.data.get("at") is None else read_whole(event.data, "at")
    yield Register(read_doc(event), "superseded_at", None if by is None else at, event.stamp)
    data = {"event": event.id, **_remarks(event)}
    yield Register(read_doc(event), "superseded_why", None if by is None else data, event.stamp)


def _invalidate(event: Event) -> Iterator[Primitive]:
    at: int | None = event.at
    if "at" in event.data:
        at = read_whole(event.data, "at") if is_given(event.data, "at") else None
    yield Register(read_doc(event), "invalidated_at", at, event.stamp)


def _remarks(event: Event) -> dict[str, Any]:
    """Why and by whom, for people."""
    names = ("reason", "actor", "run", "confidence", "evidence")
    return {name: event.data[name] for name in names if isinstance(event.data.get(name), str | int | float)}


def _fulfill(event: Event) -> Iterator[Primitive]:
    at: int | None = event.at
    if "at" in event.data:
        at = read_whole(event.data, "at") if is_given(event.data, "at") else None
    by = check_docid(event.data["by"], "by") if event.data.get("by") is not None else None
    yield Register(read_doc(event), "fulfilled_at", at, event.stamp)
    yield Register(read_doc(event), "fulfilled_by", None if at is None else by, event.stamp)


def _review(event: Event) -> Iterator[Primitive]:
    newer, older = read_doc(event), check_docid(event.data.get("older"), "older")
    value: dict[str, Any] | None = None
    if is_given(event.data, "relation"):
        relation = read_text(event.data, "relation")
        if _WORD.fullmatch(relation) is None or newer == older:
            raise MalformedPayload("it names no relation of two documents")
        data = _remarks(event) | {"why": str(event.data.get("why", ""))[:TEXT_LENGTH]}
        value = {"newer": newer, "older": older, "relation": relation, "at": event.at, **data}
    yield Register(subjects.name_review(newer, older), "opened", value, event.stamp)


def _decide(event: Event) -> Iterator[Primitive]:
    newer, older = read_doc(event), check_docid(event.data.get("older"), "older")
    value: dict[str, Any] | None = None
    if is_given(event.data, "decision"):
        if event.data["decision"] not in DECISIONS:
            raise MalformedPayload(f"decision is not one of {', '.join(DECISIONS)}")
        value = {"decision": event.data["decision"], "at": event.at, **_remarks(event)}
    yield Register(subjects.name_review(newer, older), "decision", value, event.stamp)


def _relation(event: Event) -> Iterator[Primitive]:
    kind = read_text(event.data, "type")
    if _WORD.fullmatch(kind) is None:
        raise MalformedPayload("type is not a lower-case word")
    hidden = False if event.data.get("hide") is True else None
    value = read_details(event, "type", "target", "target_text") if event.kind == "relate" else hidden
    target = read_text(event.data, "target")
    yield Register(read_doc(event), subjects.name_relation(kind, target), value, event.stamp)
    if event.data.get("target_text") is not None:
        text = read_text(event.data, "target_text")
        yield Register(check_docid(target, "target"), "body_hash", text, event.stamp)


def _retag(event: Event) -> Iterator[Primitive]:
    tags = event.data["tags"] if is_given(event.data, "tags") else None
    if tags is not None and not (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)):
        raise MalformedPayload("tags is not a list of texts")
    yield Register(read_doc(event), "tags", tags, event.stamp)


def _read_move(event: Event) -> Iterator[Primitive]:
    yield Register(read_doc(event), "moved_from", check_docid(event.data.get("from"), "from"), event.stamp)


def _read_noticed(event: Event) -> Iterator[Primitive]:
    """``docs`` are docids with the hash of the text that was looked at."""
    for docid, body_hash in sorted(read_table(event.data, "docs").items()):
        if not isinstance(body_hash, str) or not 0 < len(body_hash) <= TEXT_LENGTH:
            raise MalformedPayload("docs is not a table of hashes")
        yield Register(subjects.name_noticed(check_docid(docid, "docs")), "noticed", body_hash, event.stamp)


def _dismiss(event: Event) -> Iterator[Primitive]:
    page, statement = read_text(event.data, "page"), read_text(event.data, "statement")
    if _WORD.fullmatch(page) is None or _STATEMENT.fullmatch(statement) is None:
        raise MalformedPayload("it names no statement of a page")
    yield Register(subjects.name_page(page), subjects.name_dismissed(statement), True, event.stamp)


def _alias(event: Event) -> Iterator[Primitive]:
    name = read_text(event.data, "name")
    of = read_text(event.data, "of") if is_given(event.data, "of") else None
    if not key_of(name) or (of is not None and not key_of(of)):
        raise MalformedPayload("name or of is no name")
    docid = None if event.doc is None else read_doc(event)
    value = None if of is None else {"name": name, "of": of, "at": event.at, **_remarks(event)}
    yield Register(subjects.ENTITIES, subjects.name_alias(key_of(name), docid), value, event.stamp)


def _read_name(event: Event) -> Iterator[Primitive]:
    yield Register(read_doc(event), "counter", read_whole(event.data, "counter"), event.stamp)


def _tombstone(event: Event) -> Iterator[Primitive]:
    yield Register(read_doc(event), "forgotten", True, event.stamp)
    yield Register(read_doc(event), "tombstone", read_details(event), event.stamp)


def _purge(event: Event) -> Iterator[Primitive]:
    taken_back = "at" in event.data and event.data["at"] is None
    yield Register(read_doc(event), "purged_at", None if taken_back else event.at, event.stamp)
    if taken_back or "scope" in event.data:
        yield Register(read_doc(event), "purged", None if taken_back else _read_purge(event), event.stamp)


def _read_purge(event: Event) -> dict[str, Any]:
    scope = event.data["scope"]
    if scope not in PURGE_SCOPES:
        raise MalformedPayload(f"scope is not one of {', '.join(PURGE_SCOPES)}")
    return {"scope": scope, "text": event.body_hash} if scope == "file" else {"scope": scope}


def _session(event: Event) -> Iterator[Primitive]:
    subject = subjects.name_session(read_text(event.data, "session"))
    yield Register(subject, "machine", event.machine, event.stamp)
    for name, value in read_details(event, "session", "machine", "turn", "captured").items():
        if _WORD.fullmatch(name) is None:
            raise MalformedPayload(f"{name!r} is not a lower-case word")
        yield Register(subject, name, value, event.stamp)


def _watermark(event: Event) -> Iterator[Primitive]:
    session = read_text(event.data, "session")
    read_whole(event.data, "watermark")
    read_text(event.data, "transcript")
    value = {**read_details(event, "session", "files", "docs", "unread"), "at": event.at, "machine": event.machine}
    yield Register(subjects.name_session(session), event.kind, value, event.stamp)
    yield Register(
        subjects.name_machine(event.machine), subjects.name_watermark(event.kind, session), value, event.stamp
    )
    if event.kind == "turn" and event.data.get("turn") is not None:
        yield Member(subjects.name_session(session), "turns", read_text(event.data, "turn"), event.at)
    for name in _names(event, "files") if event.kind == "turn" else ():
        yield Member(subjects.name_session(session), "files", name, event.at)
    for docid in _names(event, "docs") if event.kind == "captured" else ():
        key = subjects.name_captured(event.id, check_docid(docid, "docs"))
        yield Member(subjects.name_session(session), "captured", key, event.at)
    if event.kind == "captured" and event.data.get("unread") is not None:
        place = {name: event.data[name] for name in ("transcript", "watermark")}
        yield _unread(event, event.id, place | read_table(event.data, "unread"))


def _reread(event: Event) -> Iterator[Primitive]:
    """``docs`` belong to the piece, as if they had been written with it."""
    session, batch = read_text(event.data, "session"), read_text(event.data, "piece")
    again = event.data.get("unread") is not None
    yield _unread(event, batch, read_table(event.data, "unread") if again else None)
    for docid in _names(event, "docs"):
        key = subjects.name_captured(batch, check_docid(docid, "docs"))
        yield Member(subjects.name_session(session), "captured", key, event.at)


def _unread(event: Event, batch: str, place: Mapping[str, Any] | None) -> Register:
    value = None
    if place is not None:
        value = {
            "session": read_text(event.data, "session"),
            "transcript": read_text(place, "transcript"),
            "since": read_table(place, "since"),
            "watermark": read_whole(place, "watermark"),
            "tries": read_whole(place, "tries"),
            "at": event.at,
        }
    return Register(subjects.name_machine(event.machine), subjects.name_unread(batch), value, event.stamp)


def _names(event: Event, field: str) -> list[str]:
    names = event.data.get(field, [])
    if not isinstance(names, list) or not all(isinstance(n, str) and 0 < len(n) <= TEXT_LENGTH for n in names):
        raise MalformedPayload(f"{field} is not a list of texts of 1 to {TEXT_LENGTH} characters")
    return names


def _focus(event: Event) -> Iterator[Primitive]:
    topic = read_text(event.data, "topic") if is_given(event.data, "topic") else None
    until = read_whole(event.data, "until") if event.data.get("until") is not None else None
    scopes = [name for name in ("session", "project") if event.data.get(name) is not None]
    if len(scopes) > 1:
        raise MalformedPayload("it names both a session and a project")
    subject = subjects.name_scope(scopes[0], read_text(event.data, scopes[0])) if scopes else subjects.VAULT
    yield Register(subject, "focus", {"topic": topic, "until": until, "at": event.at}, event.stamp)


def _use(event: Event, name: str | None = None) -> Iterator[Primitive]:
    occasion = read_occasion(event)
    for doc in read_documents(event):
        yield Member(doc, name or event.kind, occasion, event.at)
        if event.kind == "duplicate" and (count := event.data.get("said")) is not None:
            yield Member(doc, subjects.SAID_AGAIN, str(count), read_whole(event.data, "said"))
    if event.data.get("blocks") is not None and event.kind in _SIGNALS:
        yield from _signals(event, _SIGNALS[event.kind])


def _signals(event: Event, kind: str) -> Iterator[Primitive]:
    """Of the fragments in ``blocks``, on the local date ``on``, for the question ``asked``, in the session ``who``."""
    question, session = (event.data.get(name) or "" for name in ("asked", "who"))
    if not isinstance(question, str) or not isinstance(session, str) or max(len(question), len(session)) > 256:
        raise MalformedPayload("asked or who is not a text of at most 256 characters")
    scores = event.data.get("scores")
    docs = event.data.get("docs")
    known = dict(zip(docs, scores, strict=False)) if isinstance(docs, list) and isinstance(scores, list) else {}
    subject = subjects.name_dream_day(read_day(event.data, "on"))
    for docid, block in _blocks(event, "blocks"):
        score = known.get(docid, CONFIRMED) if kind == "found" else CONFIRMED
        if type(score) not in (int, float) or not 0 <= score <= 1:
            raise MalformedPayload("scores are not numbers from 0 to 1")
        value = {"value": score, "at": event.at, "who": session}
        field = subjects.name_signal(kind, subjects.name_fragment(docid, block), question)
        yield Register(subject, field, value, event.stamp)


def _blocks(event: Event, name: str) -> list[tuple[str, str]]:
    """Passages: docid and hash of a block."""
    rows = event.data.get(name, [])
    if not isinstance(rows, list) or len(rows) > MAX_BLOCKS:
        raise MalformedPayload(f"{name} is not a list of at most {MAX_BLOCKS} passages")
    found = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[1], str) or not _BLOCK.fullmatch(row[1]):
            raise MalformedPayload(f"{name} does not name passages")
        found.append((check_docid(row[0], name), row[1]))
    return found


def _dreamt(event: Event) -> Iterator[Primitive]:
    if event.data.get("taken") is not None:
        name = subjects.name_takeover(read_text(event.data, "taken"))
        yield Register(subjects.name_dreaming(), name, event.at, event.stamp)
        return
    if event.data.get("writer") is not None:
        yield Register(subjects.name_dreaming(_agent(event)), "writer", read_text(event.data, "writer"), event.stamp)
        if event.data.get("day") is None:
            return
    if event.data.get("items") is not None:
        yield Register(subjects.name_dreaming(_agent(event)), subjects.STANDING, _standing(event), event.stamp)
    subject = subjects.name_dream_day(read_day(event.data, "day"))
    night = {"at": event.at, "machine": event.machine, **_remarks(event)}
    yield Register(subject, subjects.name_night(_agent(event)), night, event.stamp)
    for phase in ("light", "rem"):
        for docid, block in _blocks(event, phase):
            yield Register(
                subject, subjects.name_phase_hit(phase, subjects.name_fragment(docid, block)), 1, event.stamp
            )


def _agent(event: Event) -> str:
    agent = event.data.get("agent", "")
    if not isinstance(agent, str) or (agent and not _AGENT.fullmatch(agent)):
        raise MalformedPayload("agent is not the name of an agent")
    return agent


def _standing(event: Event) -> list[list[Any]]:
    rows = event.data["items"]
    if not isinstance(rows, list) or len(rows) > MAX_BLOCKS:
        raise MalformedPayload(f"items is not a list of at most {MAX_BLOCKS} rows")
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or type(row[2]) not in (int, float):
            raise MalformedPayload("items are not docid, hash and score")
        if not isinstance(row[1], str) or not _BLOCK.fullmatch(row[1]):
            raise MalformedPayload("items do not name passages")
        check_docid(row[0], "items")
    return rows


def _promoted(event: Event) -> Iterator[Primitive]:
    block = read_text(event.data, "block")
    state = event.data.get("state")
    if not _BLOCK.fullmatch(block) or state not in PROMOTION_STATES:
        raise MalformedPayload(f"it names no fragment, or state is not one of {', '.join(PROMOTION_STATES)}")
    value = {"state": state, "at": event.at, "day": read_day(event.data, "day"), **_remarks(event)}
    name = subjects.name_fragment(read_doc(event), block)
    yield Register(subjects.name_promoted(_agent(event)), name, value, event.stamp)


def _read_surfacing(event: Event) -> Iterator[Primitive]:
    turn = event.data.get("turn")
    yield from _use(event, "briefed" if isinstance(turn, str) and is_briefing(turn) else "surfaced")
    if event.data.get("session") is not None and event.data.get("turn") is not None:
        value = {**read_details(event, "session", "turn", "key"), "docs": read_documents(event), "at": event.at}
        subject, turn = subjects.name_session(read_text(event.data, "session")), read_text(event.data, "turn")
        if event.data.get("key") is None:
            yield Register(subject, subjects.name_surfacing(turn), value, event.stamp)
            return
        yield Register(subject, subjects.name_surfacing(turn, read_text(event.data, "key")), value, event.stamp)
        yield Member(subject, "surfaced", turn, event.at)


def _read_references(event: Event) -> Iterator[Primitive]:
    yield from _use(event)
    if event.data.get("session") is not None and event.data.get("turn") is not None:
        subject, turn = subjects.name_session(read_text(event.data, "session")), read_text(event.data, "turn")
        for doc in read_documents(event):
            yield Member(subject, "referenced", subjects.name_reference(turn, doc), event.at)


def _recall(event: Event) -> Iterator[Primitive]:
    yield from _use(event)
    for name in ("query", "day"):
        if event.data.get(name) is not None:
            for doc in read_documents(event):
                yield Member(doc, f"recalled_{name}", read_text(event.data, name), event.at)


def _coactive(event: Event) -> Iterator[Primitive]:
    docs, occasion = read_documents(event), read_occasion(event)
    if not 2 <= len(docs) <= MAX_COACTIVE:
        raise MalformedPayload(f"it names {len(docs)} documents, not 2 to {MAX_COACTIVE}")
    for doc in docs:
        for other in docs:
            if other != doc:
                yield Member(doc, subjects.name_companion(other), occasion, event.at)


KINDS: Mapping[str, Callable[[Event], Iterator[Primitive]]] = {
    "pin": _flag("pinned", True),
    "unpin": _flag("pinned", False),
    "snooze": _snooze,
    "unsnooze": _flag("snoozed_until", None),
    "forget": _flag("forgotten", True),
    "unforget": _flag("forgotten", False),
    "archive": _flag("archived", True),
    "restore": _flag("archived", False),
    "approve": _flag("approved", True),
    "unapprove": _flag("approved", False),
    "confidence": _confidence,
    "supersede": _supersede,
    "fulfill": _fulfill,
    "review": _review,
    "decide": _decide,
    "invalidate": _invalidate,
    "relate": _relation,
    "unrelate": _relation,
    "retag": _retag,
    "moved": _read_move,
    "named": _read_name,
    "noticed": _read_noticed,
    "dismiss": _dismiss,
    "alias": _alias,
    "tombstone": _tombstone,
    "purge": _purge,
    "session": _session,
    "focus": _focus,
    "turn": _watermark,
    "captured": _watermark,
    "reread": _reread,
    "surfaced": _read_surfacing,
    "referenced": _read_references,
    "recalled": _recall,
    "seen": _use,
    "duplicate": _use,
    "revised": _use,
    "coactive": _coactive,
    "dreamt": _dreamt,
    "promoted": _promoted,
}
