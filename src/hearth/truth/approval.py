"""Approval: captured memories that wait for a person, listed, approved and rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal, Unpack

from hearth.core.document import VEILS
from hearth.core.errors import NotFound, Unavailable, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.query import RemarkOptions
from hearth.graph.causes import draft_causes
from hearth.memory import undo
from hearth.memory.archive import find_hidden
from hearth.memory.memories import Follow
from hearth.ports import Clock, Reader, StoredDocument
from hearth.vault import validity
from hearth.vault.changes import Remarks
from hearth.vault.documents import read_beginning
from hearth.vault.history import History

Verdict = Literal["accept", "reject"]
_TEXT_CHARS = 600
_WANTED: dict[Verdict, dict[str, Any]] = {"accept": {"approved": True}, "reject": {"forgotten": True}}
_RUN = "review-"


@dataclass(frozen=True, slots=True)
class PendingMemory:
    """A memory that waits: ``number`` in the review queue, what it says and the words that it was taken from. Instants
    are ms UTC; at ``ends_at`` it leaves searches."""

    number: int
    docid: str
    path: str
    content_type: str
    said: str
    quote: str
    tier: str
    session: str
    project: str
    since: int
    ends_at: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ApprovalReport:
    """``docids`` were accepted or rejected; ``events`` are the ids for ``undo``, ``run`` takes all of them back."""

    verdict: Verdict
    docids: tuple[str, ...]
    events: tuple[str, ...] = ()
    run: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"verdict": self.verdict, "docids": list(self.docids), "events": list(self.events), "run": self.run}


@dataclass(frozen=True)
class Approvals:
    """``cases`` counts the questions that stand before pending memories in the review queue; ``notice`` finds what
    follows from a memory that counts from now on, ``refresh`` brings the pages up to date."""

    history: History
    clock: Clock
    prepare: Callable[[], None]
    cases: Callable[[Reader], int]
    notice: Follow
    refresh: Callable[[], None]

    def pending(self, session: str | None = None) -> list[PendingMemory]:
        """What waits, the newest first; of one session or of all."""
        self.prepare()
        with self.history.store.read() as reader:
            return self._list(reader, session)

    def find(self, name: str) -> PendingMemory:
        """One that waits, by its number in the queue or its docid. Raises ``NotFound``."""
        waiting, wanted = self.pending(), name.strip().removeprefix("#").lower()
        found = next((one for one in waiting if wanted in (str(one.number), one.docid)), None)
        if found is None:
            raise _unknown(name)
        return found

    def settle(
        self,
        verdict: str,
        names: Sequence[str] = (),
        *,
        session: str | None = None,
        everything: bool = False,
        **remarks: Unpack[RemarkOptions],
    ) -> ApprovalReport:
        """Accepts or rejects memories by number or docid, all of a session, or all there are. What is accepted counts
        from now on; what is rejected is forgotten. Raises ``UsageError`` for another verdict or where nothing says
        which, ``NotFound`` for a name that nothing pending has."""
        metadata, chosen = Remarks(**remarks).data(), _check(verdict)
        if sum((bool(names), session is not None, everything)) != 1:
            raise UsageError(f"name what to {chosen}: numbers, docids, one session, or all")
        self.prepare()
        with self.history.store.read() as reader:
            docids = self._choose(reader, names, session)
            run = f"{_RUN}{docids[0]}" if len(docids) > 1 else None
            payload = metadata if run is None else {**metadata, "run": run}
            drafts = [draft for docid in docids for draft in self._draft(reader, docid, chosen, payload)]
        events = tuple(self.history.record(drafts if run is not None else undo.together(drafts)))
        if chosen == "accept":
            self._follow(docids)
        self.refresh()
        return ApprovalReport(chosen, tuple(docids), events, run)

    # -- details ---------------------------------------------------------------------------------------------------

    def _list(self, reader: Reader, session: str | None) -> list[PendingMemory]:
        now, before = self.clock(), self.cases(reader)
        waiting = [stored for stored in find_pending(reader) if not stored.state.expired(now)]
        waiting.sort(key=lambda stored: (-(validity.pending_since(stored.document) or 0), stored.document.docid))
        found = [_describe(reader, stored, before + at) for at, stored in enumerate(waiting, 1)]
        return [one for one in found if session in (None, one.session)]

    def _follow(self, docids: Sequence[str]) -> None:
        """What follows from memories that count from now on."""
        sessions: dict[str, list[str]] = {}
        with self.history.store.read() as reader:
            for docid in docids:
                stored = reader.document(docid)
                if stored is not None:
                    sessions.setdefault(stored.document.facts.get("session", ""), []).append(docid)
        for session, written in sessions.items():
            self.history.record(draft_causes(self.history.store, session, written) if session else [])
        for docid in docids:
            with suppress(Unavailable):  # it is made up for later
                self.notice(docid)

    def _choose(self, reader: Reader, names: Sequence[str], session: str | None) -> list[str]:
        if not names:
            found = [one.docid for one in self._list(reader, session)]
            if not found:
                where = "" if session is None else f" of session {session[:64]}"
                raise NotFound(f"no memory{where} is pending approval")
            return found
        numbers = {str(one.number): one.docid for one in self._list(reader, None)}
        return list(dict.fromkeys(self._find(reader, name.strip(), numbers) for name in names))

    def _find(self, reader: Reader, name: str, numbers: dict[str, str]) -> str:
        docid = numbers.get(name, name.removeprefix("#").lower())
        stored = reader.document(docid)
        if stored is None or not stored.state.pending or stored.state.forgotten:
            raise _unknown(name)
        return docid

    def _draft(self, reader: Reader, docid: str, verdict: Verdict, metadata: dict[str, Any]) -> list[Draft]:
        stored = reader.document(docid)
        if stored is None:
            return []
        return self.history.draft_change(reader, stored.document, _WANTED[verdict], metadata)


def find_pending(reader: Reader) -> Iterator[StoredDocument]:
    """What nothing but the lack of an approval keeps out of searches, also where it waited for too long."""
    others = tuple(veil for veil in VEILS[1:] if veil != "pending")
    rows = find_hidden(reader, others) - find_hidden(reader, VEILS[1:])
    yield from (stored for stored in reader.documents(sorted(rows)).values() if stored.state.veils == ("pending",))


def _describe(reader: Reader, stored: StoredDocument, number: int) -> PendingMemory:
    document, facts = stored.document, stored.document.facts
    since = validity.pending_since(document) or 0
    return PendingMemory(
        number=number,
        docid=document.docid,
        path=document.path,
        content_type=document.content_type,
        said=read_beginning(reader, stored, _TEXT_CHARS) or document.title,
        quote=facts.get("evidence", ""),
        tier=facts.get("tier", ""),
        session=facts.get("session", ""),
        project=facts.get("project", ""),
        since=since,
        ends_at=since + validity.APPROVAL_MS,
    )


def _unknown(name: str) -> NotFound:
    return NotFound(f"nothing pending approval is called {name[:32]!r}; list the queue to see what is")


def _check(verdict: str) -> Verdict:
    for known in _WANTED:
        if verdict == known:
            return known
    raise UsageError(f"{verdict[:32]!r} is not a verdict; choose accept or reject")


def days_left(one: PendingMemory, now: int) -> int:
    """Days until it leaves searches, at least one."""
    return max(1, -(-(one.ends_at - now) // DAY_MS))
