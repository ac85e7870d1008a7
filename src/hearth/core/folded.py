"""The journal folded in memory: what every index must hold after the same events, in whatever order they came."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hearth.core.graph import TYPES
from hearth.core.journal import Member, Register
from hearth.core.subjects import RELATION, read_relation

Stamp = tuple[int, str, str]


class Folded:
    """Registers keep the greatest stamp, sets the latest instant of each key."""

    def __init__(self) -> None:
        self._registers: dict[str, dict[str, tuple[Stamp, str]]] = {}
        self._members: dict[str, dict[tuple[str, str], int]] = {}

    def fork(self) -> Folded:
        """A copy that may change without changing this one."""
        other = Folded()
        other._registers = {subject: dict(fields) for subject, fields in self._registers.items()}
        other._members = {subject: dict(keys) for subject, keys in self._members.items()}
        return other

    def apply(self, primitives: Iterable[Register | Member]) -> None:
        for item in primitives:
            if isinstance(item, Register):
                fields = self._registers.setdefault(item.subject, {})
                known = fields.get(item.field)
                if known is None or item.stamp > known[0]:
                    fields[item.field] = (item.stamp, _canonical(item.value))
            else:
                keys = self._members.setdefault(item.subject, {})
                keys[item.name, item.key] = max(item.at, keys.get((item.name, item.key), item.at))

    def registers(self, subject: str, prefix: str = "") -> dict[str, Any]:
        fields = sorted(self._registers.get(subject, {}).items())
        return {field: json.loads(value) for field, (_, value) in fields if field.startswith(prefix)}

    def members(self, subject: str) -> dict[str, tuple[int, int]]:
        """Name of each set of the subject -> (distinct keys, latest ms UTC)."""
        found: dict[str, tuple[int, int]] = {}
        for (name, _), at in self._members.get(subject, {}).items():
            count, latest = found.get(name, (0, at))
            found[name] = (count + 1, max(at, latest))
        return found

    def keys(self, subject: str, name: str, limit: int | None = None) -> dict[str, int]:
        members = self._members.get(subject, {}).items()
        found = sorted((-at, key) for (set_name, key), at in members if set_name == name)
        return {key: -at for at, key in found[:limit]}

    def set_by(self, subject: str, field: str) -> str | None:
        known = self._registers.get(subject, {}).get(field)
        return None if known is None else known[0][2]

    def subjects_with(self, field: str, value: Any) -> list[str]:
        wanted = _canonical(value)
        subjects = self._registers.items()
        return sorted(subject for subject, fields in subjects if field in fields and fields[field][1] == wanted)

    def said_of(self, docids: Iterable[str]) -> list[Register]:
        """Registers of relations and of what supersedes, with one of the documents at either end."""
        wanted = set(docids)
        found = []
        for subject, fields in self._registers.items():
            for field, (stamp, text) in fields.items():
                value = json.loads(text)
                if field == "superseded_by":
                    other = value
                elif field.startswith(RELATION):
                    kind, other = read_relation(field)
                    if kind not in TYPES and subject not in wanted:
                        continue
                else:
                    continue
                if subject in wanted or (isinstance(other, str) and other in wanted):
                    found.append(Register(subject, field, value, stamp))
        return sorted(found, key=lambda one: (one.subject, one.field))

    def holders(self, field: str) -> dict[str, Any]:
        subjects = sorted(self._registers.items())
        return {subject: json.loads(fields[field][1]) for subject, fields in subjects if field in fields}

    def dump(self) -> str:
        """The whole state as canonical JSON: equal states give equal text."""
        registers = [
            [subject, field, value, *stamp]
            for subject, fields in self._registers.items()
            for field, (stamp, value) in fields.items()
        ]
        members = [
            [subject, name, key, at] for subject, keys in self._members.items() for (name, key), at in keys.items()
        ]
        return _canonical({"registers": sorted(registers), "members": sorted(members)})


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
