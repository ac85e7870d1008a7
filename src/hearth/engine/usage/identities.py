"""The identities of a document: one that moved keeps what it was, and what is still said of it under a former name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hearth.ports import StateReader

MAX_HOPS = 32
MOVED_FROM = "moved_from"


def back(docid: str, before: Callable[[str], object]) -> Iterator[str]:
    """The document and what it was before, latest first; ``before`` gives the ``moved_from`` of one, if it has any.
    A circle ends where it began, and no history is followed for more than ``MAX_HOPS`` names."""
    seen: list[str] = []
    name: object = docid
    while isinstance(name, str) and name not in seen and len(seen) < MAX_HOPS:
        seen.append(name)
        yield name
        name = before(name)


def onward(docids: Iterable[str], after: Callable[[str], Iterable[str]]) -> list[str]:
    """The documents and all that they became, however often they moved; ``after`` gives what one became at once."""
    found = list(dict.fromkeys(docids))
    known = set(found)
    for name in found:
        new = [later for later in after(name) if later not in known]
        known.update(new)
        found.extend(dict.fromkeys(new))
    return found


def former(reader: StateReader, docid: str) -> list[str]:
    """The document and what it was before, latest first."""
    return list(back(docid, lambda name: reader.registers(name, MOVED_FROM).get(MOVED_FROM)))


def bearers(reader: StateReader, docids: Iterable[str]) -> list[str]:
    """The documents and all that they were moved to: another machine may still write under the former identity."""
    return sorted(onward(docids, lambda name: reader.subjects_with(MOVED_FROM, name)))


def moves(reader: StateReader) -> dict[str, list[str]]:
    """Former docid -> what it became; two machines may have moved a document to two places."""
    found: dict[str, list[str]] = {}
    for docid, before in reader.holders(MOVED_FROM).items():
        if isinstance(before, str):
            found.setdefault(before, []).append(docid)
    return found


def present(docid: str, moved: Mapping[str, Iterable[str]]) -> list[str]:
    """The document and all that it became, from ``moves``."""
    return onward([docid], lambda name: moved.get(name, ()))


def origins(reader: StateReader) -> Mapping[str, Any]:
    """docid -> what it was before, of all that ever moved."""
    return reader.holders(MOVED_FROM)
