"""What language models were asked: calls and tokens a day, in a small file, and the budget that they stand under."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hearth.core.errors import Unavailable
from hearth.core.files import locked, make_folder, unavailable, write_atomically
from hearth.core.lazy import dataclass

_VERSION = 1
_DAYS = 31
_LOCK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class DayUsage:
    calls: int = 0
    tokens: int = 0


class OverBudget(Unavailable):
    """The tokens of the day are spent."""

    code = "over_budget"


@dataclass(frozen=True, slots=True)
class UsageLedger:
    """One file for all processes and vaults of this machine; ``most`` is tokens a day, ``None`` for no limit, ``today``
    gives the local date (``YYYY-MM-DD``). A file that can't be understood counts as none.

    Raises ``Unavailable`` where it can't be written: what can't be counted is not spent."""

    path: Path
    most: int | None
    today: Callable[[], str]

    def begin(self) -> None:
        """Counts a call, before it is made. Raises ``OverBudget`` where the day's tokens are spent."""
        with self._changed() as days:
            day, used = self._of_today(days)
            if self.most is not None and used.tokens >= self.most:
                raise OverBudget(
                    f"the language model has used {used.tokens:,} tokens today, and llm.tokens_per_day is "
                    f"{self.most:,}; it is asked again tomorrow"
                )
            days[day] = DayUsage(used.calls + 1, used.tokens)

    def add(self, tokens: int) -> None:
        """Counts what a call took."""
        with self._changed() as days:
            day, used = self._of_today(days)
            days[day] = DayUsage(used.calls, used.tokens + max(0, tokens))

    def used(self) -> DayUsage:
        """Of today."""
        return self._of_today(self._read())[1]

    def _of_today(self, days: dict[str, DayUsage]) -> tuple[str, DayUsage]:
        day = self.today()
        return day, days.get(day, DayUsage())

    @contextmanager
    def _changed(self) -> Iterator[dict[str, DayUsage]]:
        make_folder(self.path.parent)
        with locked(self.path.with_suffix(".lock"), wait=_LOCK_SECONDS):
            days = self._read()
            yield days
            kept = sorted(days)[-_DAYS:]
            rows = {day: {"calls": days[day].calls, "tokens": days[day].tokens} for day in kept}
            try:
                write_atomically(self.path, json.dumps({"version": _VERSION, "days": rows}, indent=1).encode())
            except OSError as error:
                raise unavailable(f"can't write {self.path}", error) from error

    def _read(self) -> dict[str, DayUsage]:
        try:
            data = json.loads(self.path.read_bytes())
            rows: dict[str, Any] = data["days"] if data["version"] == _VERSION else {}
            return {str(day): DayUsage(int(row["calls"]), int(row["tokens"])) for day, row in rows.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}
