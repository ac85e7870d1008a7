"""What people said of names: that two mean the same, or one several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from hearth.core import subjects
from hearth.core.lazy import dataclass
from hearth.graph.entities.resolve import follow, key_of
from hearth.memory.sessions import statistics
from hearth.ports import Reader, StateReader

MAX_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class SaidNames:
    """Keys of names with whom or what each means: ``everywhere``, and ``within`` documents, by docid. ``spelled`` has
    each as it was written."""

    everywhere: Mapping[str, str] = field(default_factory=dict)
    within: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)

    def follow(self, name: str) -> str:
        return follow(self.everywhere, key_of(name)) or name

    def names_of(self, name: str) -> list[str]:
        """The other names that mean it everywhere."""
        wanted = key_of(name)
        return [self.spelled[key] for key in self.everywhere if key != wanted and key_of(self.follow(key)) == wanted]

    def documents_of(self, name: str) -> dict[str, str]:
        """docid -> the name that means it there."""
        wanted = key_of(name)
        rows = ((docid, key, of) for docid, said in self.within.items() for key, of in said.items())
        return {docid: self.spelled[key] for docid, key, of in rows if key_of(self.follow(of)) == wanted}

    def meant_in(self, reader: Reader, docid: str, name: str) -> str | None:
        """Whom a name means in a document, under its present or former identities, by what was said of that one."""
        if not self.within:
            return None
        known = (self.within.get(identity, {}) for identity in statistics.former(reader, docid))
        return next((said[key_of(name)] for said in known if key_of(name) in said), None)


def read_said(reader: StateReader) -> SaidNames:
    everywhere: dict[str, str] = {}
    within: dict[str, dict[str, str]] = {}
    spelled: dict[str, str] = {}
    for register, value in reader.registers(subjects.ENTITIES).items():
        if value is None:
            continue
        docid, key = subjects.read_alias(register)
        (everywhere if docid is None else within.setdefault(docid, {}))[key] = value["of"]
        spelled[key] = value["name"]
    return SaidNames(everywhere, within, spelled)
