"""The calls by which every surface changes what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hearth.engine.state.changer import Changer
    from hearth.engine.state.changes import Remarks
    from hearth.model.change import Changed, Purged


class Changes:
    """A reference names a document as in ``get``, or describes it where no other comes near.

    Each call journals what it changed and why; ``actor`` is ``human`` for a person at a terminal, else a program's
    name. They raise ``NotFound`` and ``Ambiguous`` for the reference, ``UsageError`` for a reason over 200 characters,
    and ``Conflict`` for what does not go with the present state.
    """

    def _changer(self) -> Changer:
        raise NotImplementedError

    def pin(self, reference: str, *, reason: str | None = None, actor: str = "program") -> Changed:
        """Ranks it at the top of what is as relevant, and keeps it from being archived."""
        return self._changer().change("pinned", reference, {"pinned": True}, _remarks(reason, actor))

    def unpin(self, reference: str, *, reason: str | None = None, actor: str = "program") -> Changed:
        return self._changer().change("unpinned", reference, {"pinned": False}, _remarks(reason, actor))

    def snooze(self, reference: str, until: int, *, reason: str | None = None, actor: str = "program") -> Changed:
        """Keeps it from being surfaced unasked until then (ms UTC); searches still find it."""
        return self._changer().snooze(reference, until, _remarks(reason, actor))

    def unsnooze(self, reference: str, *, reason: str | None = None, actor: str = "program") -> Changed:
        return self._changer().change("woken", reference, {"snoozed_until": None}, _remarks(reason, actor))

    def forget(self, reference: str, *, reason: str | None = None, actor: str = "program") -> Changed:
        """Hides it everywhere, also after it was moved, edited or indexed anew; its file stays as it is."""
        return self._changer().change("forgotten", reference, {"forgotten": True}, _remarks(reason, actor))

    def restore(self, reference: str, *, reason: str | None = None, actor: str = "program") -> Changed:
        """Brings back what is forgotten, archived, superseded by the journal's word, or invalidated."""
        return self._changer().restore(reference, _remarks(reason, actor))

    def supersede(self, reference: str, by: str, *, reason: str | None = None, actor: str = "program") -> Changed:
        """Takes it out of searches, since another document replaces it."""
        return self._changer().supersede(reference, by, _remarks(reason, actor))

    def invalidate(self, reference: str, *, reason: str | None = None, actor: str = "program") -> Changed:
        """Takes it out of searches, since it is not true any more."""
        return self._changer().invalidate(reference, _remarks(reason, actor))

    def undo(self, event: str | None = None, *, reason: str | None = None, actor: str = "program") -> Changed:
        """Reverts an event, else the actor's last change on this machine, unless the field was changed since."""
        return self._changer().undo(event, _remarks(reason, actor))

    def purge(
        self,
        reference: str,
        *,
        yes: bool = False,
        file: bool = False,
        reason: str | None = None,
        actor: str = "program",
    ) -> Purged:
        """Erases a memory for good; of a person's file what is derived from it, and with ``file`` the file itself.

        The reference has to name it. Raises ``UsageError`` without ``yes``."""
        return self._changer().purge(reference, _remarks(reason, actor), yes=yes, file=file)


def _remarks(reason: str | None, actor: str) -> Remarks:
    from hearth.engine.state.changes import Remarks

    return Remarks(reason, actor)
