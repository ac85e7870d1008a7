"""How long ago, in a word or two."""

from __future__ import annotations

from hearth.model.instants import DAY_MS

_UNITS = ((365, "year"), (30, "month"), (7, "week"), (1, "day"))


def age(then: int, now: int) -> str:
    """Both in ms UTC; the largest unit of which one has passed."""
    days = (now - then) // DAY_MS
    for size, name in _UNITS:
        count = days // size
        if count >= 1:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    # A date without a time stands at noon: today's is later than now in the morning.
    return "today" if days >= -1 else "later"
