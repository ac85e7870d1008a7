"""Names joined: pairs of names in one vault, made up for this, of which each is known to name the same or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from hearth.core.graph import EntityType, NamedEntity
from hearth.language.name_matching import KnownNames
from machine import table

_FILE = Path(__file__).with_name("pairs.tsv")
# Pairs of those that name the same that must be found; no other may be.
FOUND = 0.80


def measure_joins() -> str:
    pairs = list(read_pairs())
    wanted = [joins(names) for same, names in pairs if same]
    wrong = [names for same, names in pairs if not same and joins(names)]
    share = sum(wanted) / len(wanted)
    good = share >= FOUND and not wrong
    row = [
        str(len(pairs)),
        f"{share:.2f} of {len(wanted)}",
        str(len(wrong)),
        f">= {FOUND:.2f}, 0 {'✓' if good else '✗'}",
    ]
    return table(["pairs of names", "found", "wrong", "goal"], [row])


def joins(names: list[NamedEntity]) -> bool:
    """Whether the first two of the names that a vault knows are resolved to the same."""
    known = KnownNames(names)
    one, other = (known.resolve(name.name).name for name in names[:2])
    return one is not None and one == other


def read_pairs() -> Iterator[tuple[bool, list[NamedEntity]]]:
    """Whether they are the same, and the names: the pair, then who else is there."""
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        same, one, kind, other, kind_of_other, *more = line.split("\t")
        rest = [tuple(name.strip().rsplit(":", 1)) for name in (more[0].split(";") if more else [])]
        named = [(one, kind), (other, kind_of_other), *rest]
        yield same == "same", [NamedEntity(name, cast(EntityType, what)) for name, what in named]
