"""The changer: takes a wish about a document, plans what it changes, and journals it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hearth.engine.history import History
from hearth.engine.state import changes, undo
from hearth.engine.state.changes import Remarks
from hearth.engine.state.erasure import Eraser
from hearth.engine.state.purge import Purger
from hearth.engine.state.targets import Targets
from hearth.errors import Conflict, UsageError
from hearth.model.change import Action, Changed, Purged
from hearth.model.event import Draft
from hearth.ports import Clock, StoredDocument

_LONGEST_LINE = 64
_VISIBLE = {"forgotten": False, "archived": False, "superseded_by": None, "invalidated_at": None}


@dataclass(frozen=True)
class Changer:
    history: History
    targets: Targets
    purger: Purger
    clock: Clock

    @property
    def eraser(self) -> Eraser:
        return self.purger.eraser

    def change(self, action: Action, reference: str, wanted: Mapping[str, Any], remarks: Remarks) -> Changed:
        """Raises ``NotFound``, ``Ambiguous``, ``UsageError``, and ``Conflict`` for a forgotten document."""
        said = remarks.data()
        stored = self.targets.one(reference)
        if stored.state.forgotten and action != "forgotten":
            place = f"{stored.document.collection}/{stored.document.path}"
            raise Conflict(f"{place} is forgotten; bring it back first: hearth restore {stored.document.docid}")
        return self._carried_out(action, stored, wanted, said)

    def snooze(self, reference: str, until: int, remarks: Remarks) -> Changed:
        """``until`` is ms UTC. Raises ``UsageError`` where that is past."""
        if until <= self.clock():
            raise UsageError("the snooze would be over already; give a later date")
        return self.change("snoozed", reference, {"snoozed_until": until}, remarks)

    def invalidate(self, reference: str, remarks: Remarks) -> Changed:
        """From now on; what is invalid already stays so since then."""
        stored = self.targets.one(reference)
        since = stored.state.invalidated_at
        wanted = {"invalidated_at": self.clock() if since is None else since}
        return self.change("invalidated", stored.document.docid, wanted, remarks)

    def supersede(self, reference: str, by: str, remarks: Remarks) -> Changed:
        """Raises ``Conflict`` where the two would supersede each other, or the other is out of sight itself."""
        stored, other = self.targets.one(reference), self.targets.one(by)
        self._check_line(stored.document.docid, other)
        return self.change("superseded", stored.document.docid, {"superseded_by": other.document.docid}, remarks)

    def restore(self, reference: str, remarks: Remarks) -> Changed:
        """Takes back whatever the journal says to hide a document, a purge that left the file included."""
        said = remarks.data()
        stored = self.targets.one(reference, hidden=True)
        with self.targets.store.read() as reader:
            purged = self.history.registers(reader, stored.document.docid).get("purged")
        if purged is not None:
            document = stored.document
            again = Draft("purge", document.docid, document.path, document.body_hash, {"at": None, **said})
            [event] = self.history.record([again])
            done = self._carried_out("restored", stored, _VISIBLE, said)
            return self._changed("restored", stored, (event, *done.events), note="the next update reads its file again")
        return self._carried_out("restored", stored, _VISIBLE, said)

    def undo(self, event: str | None, remarks: Remarks) -> Changed:
        """Reverts an event, by default the last one of the actor on this machine. Raises as ``undo.plan``."""
        said = remarks.data()
        chosen = undo.chosen(self.history.log, event, remarks.actor)
        with self.targets.store.read() as reader:
            made = undo.plan(chosen, reader, self.history, said)
            stored = reader.document(str(made[0].doc))
        events = tuple(self.history.record(made))
        if stored is not None:
            return self._changed("undone", stored, events)
        return Changed("undone", str(made[0].doc), "", made[0].path or "", events, note="its file is not here")

    def purge(self, reference: str, remarks: Remarks, *, yes: bool, file: bool) -> Purged:
        """Raises ``UsageError`` without ``yes``; it then says what would go."""
        said = remarks.data()
        stored = self.targets.one(reference, described=False)
        return self.purger.purge(stored, said, yes=yes, file=file)

    # -- details ---------------------------------------------------------------------------------------------------

    def _carried_out(
        self, action: Action, stored: StoredDocument, wanted: Mapping[str, Any], said: Mapping[str, Any]
    ) -> Changed:
        with self.targets.store.read() as reader:
            docid = stored.document.docid
            known = self.history.registers(reader, docid)
            ops = changes.plan(known, lambda field: reader.set_by(docid, field), wanted)
        made = changes.of(stored.document, ops, said)
        events = tuple(self.history.record(undo.together(made)))
        return self._changed(action if made else "unchanged", stored, events)

    def _changed(
        self, action: Action, stored: StoredDocument, events: tuple[str, ...], note: str | None = None
    ) -> Changed:
        document = stored.document
        with self.targets.store.read() as reader:
            found = reader.document(document.docid)
        if found is None:
            return Changed(action, document.docid, document.collection, document.path, events, note=note)
        state = found.state
        fields = tuple((name, getattr(state, name)) for name in changes.NOTHING)
        if note is None and action in ("restored", "unchanged") and state.superseded_by is not None:
            note = f"it stays superseded by #{state.superseded_by}, whose file says so: take it out of that file"
            action = "unchanged"
        return Changed(action, document.docid, document.collection, document.path, events, fields, note)

    def _check_line(self, docid: str, other: StoredDocument) -> None:
        name = f"{other.document.collection}/{other.document.path}"
        hidden = [veil for veil in other.state.veils if veil != "superseded"]
        if hidden:
            raise Conflict(f"{name} is {hidden[0]} itself; bring it back first: hearth restore {other.document.docid}")
        with self.targets.store.read() as reader:
            current: StoredDocument | None = other
            for _ in range(_LONGEST_LINE):
                if current is None:
                    return
                if current.document.docid == docid:
                    raise Conflict(f"{name} is superseded by this document, or is the same; nothing was changed")
                later = current.state.superseded_by
                current = None if later is None else reader.document(later)
