"""The calls by which surfaces tell what agents were shown, used and looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hearth.engine.sessions.logbook import Logbook
    from hearth.engine.usage.budget import Budget
    from hearth.engine.usage.statistics import UseStatistics
    from hearth.model.query import Recall
    from hearth.model.session import Feedback, ShownTurn, Surfacing


class Usage:
    """No text of a prompt, a question or an answer is kept, only hashes by a key of this machine."""

    def _logbook(self) -> Logbook:
        raise NotImplementedError

    def prompt_hash(self, prompt: str) -> str:
        """The hash under which a prompt is known on this machine."""
        return self._logbook().usage.digest(prompt)

    def surfaced(self, surfacing: Surfacing) -> None:
        """Records what was shown unasked, after it was shown. It reaches the disk within seconds, by ``settle`` or
        with the next change of state."""
        self._logbook().usage.surfaced(surfacing)

    def shown(self, session: str, last_turns: int = 5) -> list[ShownTurn]:
        """What was shown in the last turns of a session, newest first; turns that showed nothing count as turns."""
        return self._logbook().usage.shown(session, last_turns)

    def turn_count(self, session: str) -> int:
        """How many turns of a session are known, by which one without a name of its own may be numbered."""
        return self._logbook().usage.turn_count(session)

    def feedback(self, session: str, turn: str, text: str, prompt: str = "") -> Feedback:
        """Finds out what a turn's answer used of what the turn was shown, and counts it, once for each document.

        ``prompt``, if at hand, tells which words the answer may have from there."""
        return self._logbook().usage.feedback(session, turn, text, prompt)

    def recalled(self, recall: Recall, session: str | None = None, turn: str | None = None) -> None:
        """Records that somebody asked for these documents: for explicit searches, not for what is shown unasked."""
        scores: dict[str, float] = {}
        for hit in recall.hits:
            scores.setdefault(hit.docid, hit.score)
        self._logbook().usage.recalled(recall.query, scores, session, turn)

    def opened(self, docid: str) -> None:
        """Records that an agent had a document shown by name: it is in use, whatever answers say of it."""
        self._logbook().usage.opened(docid)

    def budget(self, days: int = 7) -> Budget:
        """What was shown in the last days, and how much of it was used. Raises ``UsageError`` for over 90 days."""
        from hearth.engine.usage import budget
        from hearth.errors import UsageError

        if not 1 <= days <= budget.MAX_DAYS:
            raise UsageError(f"details are kept for {budget.MAX_DAYS} days; choose 1 to {budget.MAX_DAYS}, not {days}")
        logbook = self._logbook()
        with logbook.history.store.read() as reader:
            return budget.budget(reader, logbook.usage.clock(), days)

    def use_statistics(self, docid: str) -> UseStatistics:
        from hearth.engine.usage.statistics import statistics

        with self._logbook().history.store.read() as reader:
            return statistics(reader, docid)

    def settle(self) -> None:
        """Brings what was recorded to the disk."""
        self._logbook().history.log.sync()
