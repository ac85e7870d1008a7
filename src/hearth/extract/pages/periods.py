"""Weeks and months that summaries are of. Pure.

Weeks are those of ISO 8601: they begin on Monday, and the first of a year holds its first Thursday."""

from __future__ import annotations

from datetime import date, timedelta

from hearth.lazy import dataclass, regex

_WEEK = regex(r"(\d{4})-W(\d{2})")
_MONTH = regex(r"(\d{4})-(\d{2})")


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """``key`` is YYYY-Www or YYYY-MM; ``first`` and ``last`` are its local dates."""

    first: date
    last: date
    key: str

    @property
    def title(self) -> str:
        if "W" not in self.key:
            return f"{self.first:%B %Y}"
        return f"Week {int(self.key[-2:])} of {self.key[:4]} ({self.first.isoformat()} to {self.last.isoformat()})"


def periods_of(day: date) -> tuple[Period, Period]:
    """The week and the month of a date."""
    year, week, _ = day.isocalendar()
    return _week(year, week), _month(day.year, day.month)


def read_period(key: str) -> Period | None:
    """The period of a key; ``None`` where it is none."""
    try:
        if found := _WEEK.fullmatch(key):
            return _week(int(found[1]), int(found[2]))
        if found := _MONTH.fullmatch(key):
            return _month(int(found[1]), int(found[2]))
    except ValueError:
        return None
    return None


def _week(year: int, week: int) -> Period:
    first = date.fromisocalendar(year, week, 1)
    return Period(first, first + timedelta(days=6), f"{year:04d}-W{week:02d}")


def _month(year: int, month: int) -> Period:
    first = date(year, month, 1)
    following = date(year + month // 12, month % 12 + 1, 1)
    return Period(first, following - timedelta(days=1), f"{year:04d}-{month:02d}")
