"""The two shapes that journal state folds into; both commute, so machines may be merged in any order."""

from __future__ import annotations

from typing import Any

from hearth.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Register:
    """A field of a subject; the write with the greatest stamp (hlc, machine, event id) wins. ``value`` is JSON."""

    subject: str
    field: str
    value: Any
    stamp: tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Member:
    """A distinct key in a set of a subject; ``at`` (ms UTC) is the latest instant it was seen."""

    subject: str
    name: str
    key: str
    at: int
