"""What the notes of a collection agree on: which number of a date is the day, and which language they are in. That
decides where a single note leaves it open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from hearth.ports import Collection, CollectionReader, UnsettledNote

_AGREE = 9
"""How many times as many notes have to write a date one way as the other."""
_MOST = 2 / 3
"""The share of the notes of a sure language that have to be in one."""


def settle(
    reader: CollectionReader, collection: Collection, notes: Sequence[UnsettledNote] | None = None
) -> Collection:
    """The collection with what its indexed notes agree on; ``notes`` are its unsettled ones, read where none are
    given. Memories are sentences that tell their language."""
    notes = reader.unsettled(collection.name) if notes is None else notes
    language = "" if collection.origin == "engine" else find_language(notes, reader.count_languages(collection.name))
    return replace(collection, order=find_date_order(notes), language=language)


def find_outdated(notes: Sequence[UnsettledNote], settled: Collection) -> list[str]:
    """The paths of the notes that were read when their collection agreed on something else, or on nothing."""
    dates = "open" if settled.order is None else f"open:{settled.order}"
    return [
        note.path
        for note in notes
        if ((note.dates or "").startswith("open") and note.dates != dates)
        or (note.language_guess is not None and note.language != (settled.language or note.language_guess))
    ]


def find_date_order(notes: Sequence[UnsettledNote]) -> Literal["day", "month"] | None:
    """What the notes put first in dates with slashes, where hardly one differs."""
    days, months = (sum(note.dates == order for note in notes) for order in ("day", "month"))
    if days > _AGREE * months:
        return "day"
    return "month" if months > _AGREE * days else None


def find_language(notes: Sequence[UnsettledNote], counts: Mapping[str, int]) -> str:
    """The language of most notes that say enough to tell it; empty where they are in several."""
    sure = dict(counts)
    for note in notes:
        if note.language_guess is not None:
            sure[note.language] -= 1
    language = max(sorted(sure), key=lambda one: sure[one], default="")
    return language if sure and 0 < sure[language] >= _MOST * sum(sure.values()) else ""
