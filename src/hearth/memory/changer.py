"""Changes of what is remembered, each journaled: pins, snoozes, hiding and bringing back; and the document meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Unpack

from hearth.core import instants
from hearth.core.document import Document, DocumentState
from hearth.core.errors import Ambiguous, Conflict, NotFound, Remedy, UsageError
from hearth.core.journal import Action, Changed, Draft, Purged
from hearth.core.lazy import dataclass
from hearth.core.query import Hit, Recall, RemarkOptions
from hearth.memory import reviews, undo
from hearth.memory.purge import Purger
from hearth.ports import Clock, Store, StoredDocument
from hearth.vault import changes
from hearth.vault.changes import LISTED, Remarks, find, remembered
from hearth.vault.history import History

MIN_SCORE = 0.45
"""The calibrated score from which on a description is taken to mean its best document."""
MARGIN = 0.4
"""How far the second best document has to stay behind."""
_SHOWN = 5


def _hidden(state: DocumentState) -> bool:
    return state.hidden


def _any(state: DocumentState) -> bool:
    del state
    return True


@dataclass(frozen=True)
class Targets:
    """``ask`` answers a description, hidden documents included where the flag says so."""

    store: Store
    roots: Mapping[str, str]
    ask: Callable[[str, bool], Recall]

    def one(self, reference: str, *, hidden: bool = False, described: bool = True) -> StoredDocument:
        """The document meant; among several of a name ``hidden`` prefers what is hidden, else what is not forgotten.

        Raises ``NotFound``, or ``Ambiguous`` with the candidates.
        """
        try:
            return self._find_named(reference, _hidden if hidden else remembered)
        except NotFound as error:
            missed = error
        try:
            return self._find_named(reference, _any)
        except NotFound:
            if not (described and _describes(reference)):
                raise missed from None
        return self._describe(reference, hidden=hidden)

    def _find_named(self, reference: str, admits: Callable[[DocumentState], bool]) -> StoredDocument:
        with self.store.read() as reader:
            return find(reference, reader, self.roots, admits).stored

    def _describe(self, text: str, *, hidden: bool) -> StoredDocument:
        best: dict[str, tuple[StoredDocument, Hit]] = {}
        hits = self.ask(text, hidden).hits
        with self.store.read() as reader:
            for hit in hits:
                stored = reader.document(hit.docid)
                others = (find(place, reader, self.roots, _any).stored for place in hit.also_in)
                for one in (stored, *others):
                    if one is not None and (one.state.hidden or not hidden):
                        best.setdefault(one.document.docid, (one, hit))
        ranked = sorted(best.values(), key=lambda item: -item[1].score)
        if not ranked:
            raise NotFound(f"nothing fits the description {text!r}; name a document", LISTED.joined(", "))
        first, second = ranked[0][1].score, ranked[1][1].score if len(ranked) > 1 else 0.0
        if first >= MIN_SCORE and first - second >= MARGIN:
            return ranked[0][0]
        shown = ((stored.document, hit.score) for stored, hit in ranked[:_SHOWN])
        names = tuple(f"#{d.docid} {d.collection}/{d.path} ({score:.2f})" for d, score in shown)
        raise Ambiguous(f"{text!r} is not clear, so nothing was changed; name one: {', '.join(names)}", names)


def _describes(text: str) -> bool:
    """A single word is a name, perhaps mistyped; scripts without spaces may say much in one."""
    return len(text.split()) > 1 or not text.isascii()


_LONGEST_LINE = 64
_VISIBLE = {"forgotten": False, "archived": False, "superseded_by": None, "invalidated_at": None}


@dataclass(frozen=True)
class Changer:
    """A reference names a document as in ``Vault.get``, or describes it where no other comes near.

    Each call journals what it changed and why; ``actor`` is ``human`` for a person at a terminal, else a program's
    name. They raise ``NotFound`` and ``Ambiguous`` for the reference, ``UsageError`` for a reason over 200 characters,
    and ``Conflict`` for what does not go with the present state. ``prepare`` brings an index of another version up to
    date; ``follow`` takes what is out of sight off the pages that sum memories up, and raises nothing. ``leave_day``
    takes a memory's line out of the day's file of a workspace, or says why it stays; ``settle_days`` says there of
    documents whether their lines are outdated.
    """

    history: History
    targets: Targets
    purger: Purger
    clock: Clock
    prepare: Callable[[], None]
    follow: Callable[[], None]
    leave_day: Callable[[Document], str | None]
    settle_days: Callable[[Iterable[str]], object]

    def pin(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Ranks it at the top of what is as relevant, and keeps it from being archived."""
        return self._change("pinned", reference, {"pinned": True}, Remarks(**remarks))

    def unpin(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        return self._change("unpinned", reference, {"pinned": False}, Remarks(**remarks))

    def snooze(self, reference: str, until: int, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Keeps it from being surfaced unasked until then (ms UTC); searches still find it. Raises ``UsageError`` where
        that is past."""
        if until <= self.clock():
            raise UsageError("the snooze would be over already; give a later date")
        return self._change("snoozed", reference, {"snoozed_until": until}, Remarks(**remarks))

    def unsnooze(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        return self._change("woken", reference, {"snoozed_until": None}, Remarks(**remarks))

    def forget(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Hides it everywhere, also after it was moved, edited or indexed anew; its file stays as it is. What it cast
        doubt on is as sure as before."""
        stored = self._find(reference)
        done = self._change("forgotten", stored.document.docid, {"forgotten": True}, Remarks(**remarks))
        return replace(done, note=self.leave_day(stored.document) or done.note)

    def invalidate(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Takes it out of searches, since it is not true any more; what is invalid already stays so since then."""
        stored = self._find(reference)
        since = stored.state.invalidated_at
        wanted = {"invalidated_at": self.clock() if since is None else since}
        return self._change("invalidated", stored.document.docid, wanted, Remarks(**remarks))

    def supersede(self, reference: str, by: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Takes it out of searches, since another document replaces it. Raises ``Conflict`` where the two would
        supersede each other, or the other is out of sight itself."""
        stored, other = self._find(reference), self._find(by)
        self._check_line(stored.document.docid, other)
        wanted = {"superseded_by": other.document.docid}
        return self._change("superseded", stored.document.docid, wanted, Remarks(**remarks))

    def restore(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Takes back whatever the journal says to hide a document, a purge that left the file included. A memory that
        waits for approval is approved by it."""
        metadata = Remarks(**remarks).data()
        stored = self._find(reference, hidden=True)
        with self.targets.store.read() as reader:
            purged = self.history.registers(reader, stored.document.docid).get("purged")
        if purged is not None:
            document = stored.document
            again = Draft("purge", document.docid, document.path, document.body_hash, {"at": None, **metadata})
            [event] = self.history.record([again])
            done = self._carry_out("restored", stored, _VISIBLE, metadata)
            return self._report("restored", stored, (event, *done.events), note="the next update reads its file again")
        approved = {"approved": True} if stored.state.pending else {}
        return self._carry_out("restored", stored, {**_VISIBLE, **approved}, metadata)

    def undo(self, event: str | None = None, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Reverts an event, else the actor's last change on this machine, unless the field was changed since. Raises
        as ``undo.plan``."""
        self.prepare()
        metadata = Remarks(**remarks)
        chosen = undo.chosen(self.history.log, event, metadata.actor)
        with self.targets.store.read() as reader:
            made = undo.plan(chosen, reader, self.history, metadata.data())
            stored = None if made[0].doc is None else reader.document(made[0].doc)
        events = tuple(self.history.record(made))
        self.follow()
        if stored is not None:
            self.settle_days((stored.document.docid,))
            of = chosen[0]
            return self._report("undone", stored, events, note=f"undid the {of.kind} of {instants.show(of.at)}")
        if made[0].kind == "alias":
            return Changed(
                "undone", made[0].doc or "", "", made[0].path or "", events, note=f"of {made[0].data['name']}"
            )
        return Changed("undone", str(made[0].doc), "", made[0].path or "", events, note="its file is not here")

    def purge(
        self, reference: str, *, yes: bool = False, file: bool = False, **remarks: Unpack[RemarkOptions]
    ) -> Purged:
        """Erases a memory for good; of a person's file what is derived from it, and with ``file`` the file itself.

        The reference has to name it. Raises ``UsageError`` without ``yes``, which says what would go."""
        metadata = Remarks(**remarks).data()
        self.prepare()
        stored = self.targets.one(reference, described=False)
        stays = self.leave_day(stored.document) if yes else None
        done = self.purger.purge(stored, metadata, yes=yes, file=file)
        self.follow()
        return done if stays is None else replace(done, left=(*done.left, stays))

    # -- details ---------------------------------------------------------------------------------------------------

    def _find(self, reference: str, *, hidden: bool = False) -> StoredDocument:
        self.prepare()
        return self.targets.one(reference, hidden=hidden)

    def _change(self, action: Action, reference: str, wanted: Mapping[str, Any], remarks: Remarks) -> Changed:
        """Raises ``Conflict`` for a forgotten document, beside what the reference raises."""
        metadata = remarks.data()
        stored = self._find(reference)
        if stored.state.forgotten and action != "forgotten":
            place = stored.document.place
            raise Conflict(f"{place} is forgotten", _restore(stored))
        return self._carry_out(action, stored, wanted, metadata)

    def _carry_out(
        self, action: Action, stored: StoredDocument, wanted: Mapping[str, Any], metadata: Mapping[str, Any]
    ) -> Changed:
        with self.targets.store.read() as reader:
            docid = stored.document.docid
            made = self.history.draft_change(reader, stored.document, wanted, metadata)
            if made and action == "forgotten":
                made = [*reviews.draft_returns(reader, self.history, docid, metadata), *made]
        events = tuple(self.history.record(undo.together(made)))
        if made and not _VISIBLE.keys().isdisjoint(wanted):
            self.follow()
        if made:
            self.settle_days((docid,))
        return self._report(action if made else "unchanged", stored, events)

    def _report(
        self, action: Action, stored: StoredDocument, events: tuple[str, ...], note: str | None = None
    ) -> Changed:
        document = stored.document
        with self.targets.store.read() as reader:
            found = reader.document(document.docid)
        if found is None:
            return Changed(action, document.docid, document.collection, document.path, events, note=note)
        state = found.state
        fields = tuple((name, getattr(state, name)) for name in changes.NOTHING if name not in ("tags", "approved"))
        if note is None and action in ("restored", "unchanged") and state.superseded_by is not None:
            note = (
                f"it stays superseded by #{state.superseded_by}, whose file declares the "
                "relation: remove it from that file"
            )
            action = "unchanged"
        return Changed(action, document.docid, document.collection, document.path, events, fields, note)

    def _check_line(self, docid: str, other: StoredDocument) -> None:
        name = other.document.place
        hidden = [veil for veil in other.state.veils if veil != "superseded"]
        if hidden:
            raise Conflict(f"{name} is {hidden[0]} itself", _restore(other))
        with self.targets.store.read() as reader:
            current: StoredDocument | None = other
            for _ in range(_LONGEST_LINE):
                if current is None:
                    return
                if current.document.docid == docid:
                    raise Conflict(f"{name} is superseded by this document, or is the same; nothing was changed")
                later = current.state.superseded_by
                current = None if later is None else reader.document(later)


def _restore(stored: StoredDocument) -> Remedy:
    return Remedy(f"restore {stored.document.docid}", "restore", "restore it first: ")
