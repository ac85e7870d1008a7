"""What agents were shown, what they used of it and what they looked for, put into the journal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import combinations
from typing import TYPE_CHECKING, Any

from hearth.core import subjects
from hearth.core.document import Document, is_session_note
from hearth.core.errors import UsageError
from hearth.core.instants import show_date
from hearth.core.journal import Draft, MalformedPayload, check_docid
from hearth.core.lazy import dataclass
from hearth.core.query import Recall
from hearth.core.session import Feedback, Shown, ShownTurn, Surfacing
from hearth.memory import session_log
from hearth.memory.session_log import MAX_DAYS, Budget, budget
from hearth.memory.session_record import SessionLog
from hearth.ports import Clock, DocumentReader, Filter, Reader, StateReader, StoredDocument, StoredFragment
from hearth.vault import usage_statistics
from hearth.vault.history import History
from hearth.vault.usage_statistics import UseStatistics, read_statistics
from hearth.vault.validity import is_memory

if TYPE_CHECKING:
    from hearth.language.references import ShownNote
    from hearth.pages.dream.scores import Quotes, SignalRecorder

MAX_SHOWN = 50
"""Documents in one surfacing."""
MAX_SPANS = 20
MAX_RELATED = 10
"""Documents of a turn that become related to each other."""
# A pair that was used together on ten occasions is as related as can be.
FULL_WEIGHT = 10
_MAX_HOOK = 64
_LINE_END = 2**31
_KEY_CHARS = 16
_BODY_CHARS = 12


@dataclass(frozen=True, slots=True)
class UsedDocument:
    """A document and how it was used; ``last_accessed_at`` is ms UTC."""

    document: Document
    use: UseStatistics
    last_accessed_at: int | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        row = {name: getattr(self.document, name) for name in ("docid", "collection", "path", "title", "content_type")}
        counts = {"used": self.use.referenced, "shown": self.use.surfaced, "found": self.use.recalled}
        return {**row, **counts, "last_accessed_at": self.last_accessed_at}


def _order_by_use(stored: StoredDocument) -> tuple[int, int, str]:
    state = stored.state
    return (-state.access_count, -(state.last_accessed_at or 0), stored.document.docid)


@dataclass(frozen=True)
class UsageLog:
    """What agents were shown, used and looked for. No text of a prompt, a question or an answer is kept, only hashes:
    ``digest`` hashes prompts and questions with this machine's key, ``signals`` tells fragments."""

    history: History
    sessions: SessionLog
    clock: Clock
    digest: Callable[[str], str]
    signals: SignalRecorder | None = None

    def surfaced(self, surfacing: Surfacing) -> None:
        """In the journal on return, on the disk within seconds or with the next change of state. The same again
        changes nothing. Raises ``UsageError`` for more than 50 documents, or none."""
        key = session_log.of_session(surfacing.session)
        turn = session_log.of_turn(key, surfacing.turn)
        spans = _spans(surfacing.shown)
        data = {
            "session": key,
            "turn": turn,
            "docs": sorted(spans),
            "lines": [spans[docid] for docid in sorted(spans)],
            "tokens": max(0, surfacing.tokens),
            "hook": session_log.one_line(surfacing.hook, _MAX_HOOK) or "unknown",
        }
        if surfacing.prompt_hash:
            data["prompt"] = session_log.one_line(surfacing.prompt_hash, 64)
        bodies = self._find_bodies(sorted(spans))
        if any(bodies):
            data["bodies"] = bodies
        data["key"] = unique = _short(data)
        news = self.sessions.news(key)
        with self.history.store.read() as reader:
            if reader.registers(subjects.name_session(key), subjects.name_surfacing(turn, unique)):
                return
            drafts = [*news, Draft("surfaced", data=data), *_sightings(reader, spans, key, turn)]
        self.history.record(drafts, durable=bool(news))

    def _find_bodies(self, docids: Sequence[str]) -> list[str]:
        """What the hashes of memories begin with, nothing of other documents: by them it is known whether one was
        rewritten since. People's notes grow while they are worked on."""
        with self.history.store.read() as reader:
            found = [reader.document(docid) for docid in docids]
        return [one.document.body_hash[:_BODY_CHARS] if one and is_memory(one.document) else "" for one in found]

    def list_shown(self, session: str, last_turns: int = 5) -> list[ShownTurn]:
        """What was shown in the last turns of a session, newest first; turns that showed nothing count as turns."""
        with self.history.store.read() as reader:
            return usage_statistics.last(reader, session_log.of_session(session), last_turns)

    def turn_count(self, session: str) -> int:
        """How many turns of a session are known, by which one without a name of its own may be numbered."""
        with self.history.store.read() as reader:
            return usage_statistics.count(reader, session_log.of_session(session))

    def feedback(self, session: str, turn: str, text: str, prompt: str = "") -> Feedback:
        """What an answer used of what its turn was shown; ``prompt`` tells what it may say without having read it.

        Each use counts once: further calls add what they find, and nothing twice."""
        from hearth.language.references import find_quoted, references
        from hearth.transcripts.typed import is_unattended

        key = session_log.of_session(session)
        name = session_log.of_turn(key, turn)
        self.history.replay()  # other processes, and machines, may have shown or counted something meanwhile
        with self.history.store.read() as reader:
            shown = usage_statistics.injections(reader, key, name)
            seen = _list_seen(reader, shown)
            known = usage_statistics.used(reader, key).get(name, set())
            found = [item.docid for item in references(text, seen, prompt)]
            new = [docid for docid in found if docid not in known]
            drafts = self._draft_use(reader, key, name, new, known)
            if self.signals is not None and new and not is_unattended(prompt):
                asked = next((item.prompt_hash for item in shown if item.prompt_hash), name)
                quotes: Quotes = lambda given, echoes: find_quoted(text, given, prompt, echoes)  # noqa: E731
                about = self.signals.used(reader, seen, quotes, new, session, asked)
                drafts = [_tell_fragments(draft, about, key) for draft in drafts]
        # A relation is state; the rest is usage, of which a power cut may take some seconds.
        self.history.record(drafts, durable=any(draft.kind == "relate" for draft in drafts))
        return Feedback(name, len(seen), tuple(sorted(known.union(found))), tuple(new))

    def recalled(self, recall: Recall, session: str | None = None, turn: str | None = None) -> None:
        """A question that somebody asked, and all documents that answered it: for explicit searches, not for what is
        shown unasked. The same question of the same session and turn counts once a day."""
        scores: dict[str, float] = {}
        for hit in recall.hits:
            scores.setdefault(hit.docid, hit.score)
        docids = sorted(scores)
        if not docids:
            return
        day = show_date(self.clock())
        asked = self.digest(" ".join(recall.query.split()))
        key = session_log.of_session(session) if session else None
        name = session_log.of_turn(key, turn) if key and turn else None
        about = {} if self.signals is None else self.signals.choose_fragments(recall, session, asked)
        data = {
            "key": _short([asked, day, key, name]),
            "query": asked,
            "day": day,
            "docs": [_check(docid) for docid in docids],
            "scores": [round(min(1.0, max(0.0, scores[docid])), 3) for docid in docids],
            **_who(about, key),
        }
        news = self.sessions.news(key) if key else []
        self.history.record([*news, Draft("recalled", data=data)], durable=bool(news))

    def opened(self, docid: str, lines: tuple[int, int] | None = None, session: str | None = None) -> None:
        """A document that an agent had itself shown, or some of its lines: each once a day."""
        day = show_date(self.clock())
        with self.history.store.read() as reader:
            about = {} if self.signals is None else self.signals.opened(reader, docid, lines, session)
            if day in reader.keys(docid, "seen") and not _is_news(reader, about):
                return
        key = session_log.of_session(session) if session else None
        self.history.record([Draft("seen", _check(docid), data={"key": day, **_who(about, key)})], durable=False)

    def budget(self, days: int = 7) -> Budget:
        """What was shown in the last days, and how much of it was used. Raises ``UsageError`` for over 90 days."""
        if not 1 <= days <= MAX_DAYS:
            raise UsageError(f"details are kept for {MAX_DAYS} days; choose 1 to {MAX_DAYS}, not {days}")
        with self.history.store.read() as reader:
            return budget(reader, self.clock(), days)

    def statistics(self, docid: str) -> UseStatistics:
        with self.history.store.read() as reader:
            return read_statistics(reader, docid)

    def rank(self, within: Filter, limit: int) -> list[UsedDocument]:
        """The documents that answers used most, then those that were read last; what nobody used or read is left
        out."""
        with self.history.store.read() as reader:
            read = (one for one in reader.each_document(within) if one.state.last_accessed_at is not None)
            found = nsmallest(limit, read, key=_order_by_use)
            return [
                UsedDocument(one.document, read_statistics(reader, one.document.docid), one.state.last_accessed_at)
                for one in found
            ]

    def settle(self) -> None:
        """Brings what was recorded to the disk."""
        self.history.log.sync()

    # -- details ---------------------------------------------------------------------------------------------------

    def _draft_use(
        self, reader: Reader, session: str, turn: str, new: Sequence[str], known: Iterable[str]
    ) -> list[Draft]:
        where = {"session": session, "turn": turn}
        drafts = [_about(reader, "referenced", docid, where) for docid in new]
        every = sorted({*known, *new})
        if new and len(every) > 1:
            drafts.append(Draft("coactive", data={**where, "docs": every[:MAX_SHOWN]}))
            pairs = [pair for pair in combinations(every[:MAX_RELATED], 2) if not set(pair).isdisjoint(new)]
            drafts.extend(draft for one, other in pairs if (draft := _relate(reader, one, other)) is not None)
        return drafts


def _tell_fragments(draft: Draft, about: Mapping[str, dict[str, Any]], session: str) -> Draft:
    if draft.kind != "referenced" or draft.doc is None or draft.doc not in about:
        return draft
    return replace(draft, data={**draft.data, **_who(about[draft.doc], session)})


def _who(about: dict[str, Any], session: str | None) -> dict[str, Any]:
    """What is said of fragments, and in which session it was."""
    return {**about, "who": session} if about and session else about


def _is_news(reader: StateReader, about: Mapping[str, Any]) -> bool:
    """Whether fragments were opened that nobody opened on that day before."""
    if not about:
        return False
    known = reader.registers(subjects.name_dream_day(about["on"]), "opened:")
    names = (subjects.name_signal("opened", subjects.name_fragment(*row), "") for row in about["blocks"])
    return any(name not in known for name in names)


def _relate(reader: Reader, one: str, other: str) -> Draft | None:
    """The relation of a pair after one more occasion; ``None`` where it says so already."""
    occasions = len(reader.keys(one, subjects.name_companion(other), FULL_WEIGHT)) + 1
    weight = min(1.0, occasions / FULL_WEIGHT)
    field = subjects.name_relation("usage", other)
    known = reader.registers(one, field).get(field)
    if isinstance(known, dict) and known.get("weight") == weight:
        return None
    return _about(reader, "relate", one, {"type": "usage", "target": other, "weight": weight})


def _about(reader: DocumentReader, kind: str, docid: str, data: Mapping[str, object]) -> Draft:
    """With path and text, by which state finds a document that was renamed."""
    stored = reader.document(docid)
    if stored is None:
        return Draft(kind, docid, data=data)
    return Draft(kind, docid, stored.document.path, stored.document.body_hash, data)


def _sightings(reader: Reader, docids: Iterable[str], session: str, turn: str) -> list[Draft]:
    """A ``seen`` for each document whose present text the journal does not know: what shows many names none."""
    found = []
    for docid in sorted(docids):
        stored = reader.document(docid)
        if stored is not None and not _is_known(reader, stored.document):
            document = stored.document
            data = {"session": session, "turn": turn}
            found.append(Draft("seen", docid, document.path, document.body_hash, data))
    return found


def _is_known(reader: StateReader, document: Document) -> bool:
    known = reader.registers(document.docid, "body_hash").get("body_hash")
    return bool(known == document.body_hash)


def _list_seen(reader: Reader, shown: Sequence[usage_statistics.Injection]) -> list[ShownNote]:
    """The documents with the text that was shown of them, as far as it stands in those lines still."""
    from hearth.language.references import ShownNote

    spans: dict[str, list[tuple[int, int]]] = {}
    for item in shown:
        for docid in item.docids:
            spans.setdefault(docid, []).extend(item.lines.get(docid) or ((0, _LINE_END),))
    found = []
    for docid in sorted(spans):
        stored = reader.document(docid)
        if stored is not None and not stored.state.forgotten:
            parts = (_cut(part, spans[docid]) for part in reader.fragments_of(stored.id))
            document, text = stored.document, "\n\n".join(filter(None, parts))
            echo = is_session_note(document)
            found.append(ShownNote(docid, document.title, document.collection, document.path, text, echo))
    return found


def _cut(part: StoredFragment, spans: Sequence[tuple[int, int]]) -> str:
    """The lines of a fragment that were shown; all of one whose lines are not those of the file."""
    rows = part.text.removesuffix("\n").split("\n")
    inside = {row for start, end in spans for row in range(max(start, part.start_line), min(end, part.end_line) + 1)}
    if not inside or len(rows) > part.end_line - part.start_line + 1:
        return part.text if inside else ""
    return "\n".join(row for number, row in enumerate(rows, part.start_line) if number in inside)


def _spans(shown: Sequence[Shown]) -> dict[str, list[int]]:
    """docid -> first and last line of each of its fragments, one after the other."""
    found: dict[str, list[int]] = {}
    for item in shown:
        spans = found.setdefault(_check(item.docid), [])
        whole = 0 <= item.start_line <= item.end_line < _LINE_END and item.end_line > 0
        if whole and len(spans) < 2 * MAX_SPANS:
            spans.extend((item.start_line, item.end_line))
    if not 1 <= len(found) <= MAX_SHOWN:
        raise UsageError(f"a surfacing shows 1 to {MAX_SHOWN} documents, not {len(found)}")
    return found


def _check(docid: str) -> str:
    try:
        return check_docid(docid, "docid")
    except MalformedPayload as error:
        raise UsageError(f"can't record a use of {docid[:80]!r}: {error}") from error


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_KEY_CHARS]
