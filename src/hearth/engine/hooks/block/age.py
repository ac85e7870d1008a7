"""How long ago, in a word or two."""

from __future__ import annotations

from datetime import date

from hearth.lazy import dataclass
from hearth.model.instants import DAY_MS, moment, zone_of

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_UNITS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


@dataclass(frozen=True, slots=True)
class Now:
    """``at`` is ms UTC, ``zone`` where somebody asks."""

    at: int
    zone: str = "UTC"


def age(then: int | None, now: Now) -> str:
    """The largest unit of which one has passed, in local days, since ``then`` (ms UTC); nothing for what is undated.
    A date without a time stands at noon UTC and is that day everywhere."""
    if then is None:
        return ""
    written = _day(then, "UTC" if then % DAY_MS == DAY_MS // 2 else now.zone)
    days = (_day(now.at, now.zone) - written).days
    for size, name in _UNITS:
        count = days // size
        if count >= 1:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    # West of where it was written, today's date may be tomorrow's.
    return "today" if days >= -1 else "later"


def show_day(then: int, now: Now) -> str:
    """As "12 March", with the year where it is not the present one."""
    written = _day(then, "UTC" if then % DAY_MS == DAY_MS // 2 else now.zone)
    year = "" if written.year == _day(now.at, now.zone).year else f" {written.year}"
    return f"{written.day} {_MONTHS[written.month - 1]}{year}"


def _day(at: int, zone: str) -> date:
    return moment(at, zone_of(zone)).date()
