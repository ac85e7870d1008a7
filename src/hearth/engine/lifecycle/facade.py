"""The calls by which every surface looks after what is no longer used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hearth.engine.lifecycle.report import LifecycleStatus, Restored, StaleNote, Swept
    from hearth.engine.lifecycle.steward import Steward
    from hearth.engine.state.changes import Remarks
    from hearth.model.query import Query, Recall


class Lifecycle:
    """A sweep archives what lay unused for too long: hidden from searches, to be restored at any time.

    What changes something journals why and by whom, as in ``Changes``."""

    def _steward(self) -> Steward:
        raise NotImplementedError

    if TYPE_CHECKING:  # what the vault has from elsewhere

        def query(self, text: str, **options: Any) -> Query: ...

    def lifecycle_status(self) -> LifecycleStatus:
        """What is active, archived, stale and due, the policy, and what deserves a pin or a snooze."""
        return self._steward().status()

    def sweep(self, apply: bool | None = None, *, reason: str | None = None, actor: str = "program") -> Swept:
        """Archives what is due, or says what would be: without ``apply``, as ``lifecycle.dry_run`` says.

        Old archives are purged only where ``lifecycle.purge_after_days`` is set and ``apply`` is true."""
        return self._steward().sweep(apply, _remarks(reason, actor))

    def lifecycle_search(self, text: str | Query, **options: Any) -> Recall:
        """As ``recall``, among what is archived and nothing else."""
        return self._steward().search(text if not isinstance(text, str) else self.query(text, **options))

    def lifecycle_restore(
        self,
        query: str | None = None,
        *,
        apply: bool = True,
        reason: str | None = None,
        actor: str = "program",
        **fitting: Any,
    ) -> Restored:
        """Brings back what is archived and fits all that is given: the best for a query, ``limit`` of them, of one
        ``collection``, archived ``since`` (ms UTC). ``everything=True`` has to be said. Raises ``UsageError`` where
        nothing was."""
        from hearth.engine.lifecycle.wanted import Wanted

        asked = None if query is None else self.query(query)
        wanted = Wanted(asked, **fitting).checked()
        return self._steward().restore(wanted, _remarks(reason, actor), apply=apply)

    def stale_notes(self, limit: int = 5) -> list[StaleNote]:
        """Notes whose ``review_by`` has passed, the longest overdue first."""
        return self._steward().stale_notes(limit)


def _remarks(reason: str | None, actor: str) -> Remarks:
    from hearth.engine.state.changes import Remarks

    return Remarks(reason, actor)
