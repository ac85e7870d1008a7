"""Names that may be one by a slip of the hand, for a person to say: nothing is joined by likeness alone."""

from __future__ import annotations

import shlex
from itertools import zip_longest
from typing import Any

from hearth.core.graph import NamedEntity
from hearth.core.lazy import dataclass
from hearth.graph.entities.aliases import read_said
from hearth.graph.entities.resolve import KnownNames, find_nearly, key_of
from hearth.language.entities.markup import is_code_name
from hearth.ports import Filter, Reader

MOST = 3
_LEAST = 3
"""Letters of a part of a name in which a slip of the hand can be told."""
# Spellings that are compared, those of most documents first.
_COMPARED = 1_000


@dataclass(frozen=True, slots=True)
class DoubleName:
    """``name`` stands in fewer documents than ``like``, which it may mean."""

    name: str
    like: str

    @property
    def commands(self) -> tuple[str, str]:
        """What says that they are the same, and what says that they are not."""
        merge = shlex.join(("hearth", "entities", "merge", self.name, self.like))
        return merge, shlex.join(("hearth", "entities", "split", self.name))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "like": self.like}


def find_doubles(reader: Reader, now: int) -> list[DoubleName]:
    """At most 3, those in most documents first. Persons and what code is called are none of them, nor is what
    somebody said to stand alone, or joined; what is hidden or was forgotten shows no name."""
    held = [one for one in reader.held_names(_COMPARED) if one.type != "person" and not is_code_name(one.name)]
    persons = {one.key for one in reader.held_names(_COMPARED, "person")}
    said = read_said(reader).everywhere
    names = KnownNames((NamedEntity(one.name, one.type) for one in held), said)
    spelled: dict[str, str] = {}
    for one in held:
        if one.key not in persons and one.key not in said:
            spelled.setdefault(one.key, one.name)
    found: list[DoubleName] = []
    for like, name in find_nearly(list(spelled)):
        if key_of(names.resolve(spelled[name]).name or name) == key_of(names.resolve(spelled[like]).name or like):
            continue
        if _differ_by_initial(spelled[like], spelled[name]):
            continue
        if all(reader.count_naming([key], Filter(at=now)) for key in (like, name)):
            found.append(DoubleName(spelled[name], spelled[like]))
        if len(found) == MOST:
            break
    return found


def _differ_by_initial(one: str, other: str) -> bool:
    """Whether the names differ by an initial or number, as different people's do: "Steven K", "Steven R"."""
    pairs = [(a, b) for a, b in zip_longest(one.split(), other.split(), fillvalue="") if a != b]
    return any(min(len(a.rstrip(".")), len(b.rstrip("."))) < _LEAST for a, b in pairs)
