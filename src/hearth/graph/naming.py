"""What people say of names: that two mean the same, or one several. Journaled, and undone as any change is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.core import subjects
from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.graph.names import MAX_NAME_CHARS, find_fragments, is_filed, name_asked
from hearth.language.name_matching import key_of
from hearth.memory import undo
from hearth.ports import Filter, Reader
from hearth.vault.changes import Remarks, read_stated_names, set_by

if TYPE_CHECKING:
    from hearth.vault.vault import Vault

MOST_DOCUMENTS = 7
"""Of one split, which is undone in one step."""


@dataclass(frozen=True, slots=True)
class NamesChanged:
    """``of`` is what ``name`` means now, in ``documents`` alone where there are any; ``unchanged`` where it did so
    already."""

    action: str
    name: str
    of: str
    documents: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        data = {"action": self.action, "name": self.name, "of": self.of}
        return data | {"documents": list(self.documents), "events": list(self.events)}


def alias(vault: Vault, name: str, of: str, remarks: Remarks, *, action: str = "aliased") -> NamesChanged:
    """Says that a name means what another does. Raises ``UsageError`` for what is no name, or twice the same."""
    name, of = _check(vault, name), _check(vault, of)
    if key_of(name) == key_of(of):
        raise UsageError(f"{name!r} is {of!r} already; use split to separate them")
    with vault.store.read() as reader:
        stated = read_stated_names(reader)
    # The other way round from now on, where it is so.
    turned = [(of, None)] if key_of(stated.follow(of)) == key_of(name) else []
    return _record(vault, NamesChanged(action, name, of), [*turned, (name, of)], remarks)


def merge(vault: Vault, name: str, into: str, remarks: Remarks) -> NamesChanged:
    """``alias`` for two that are known: ``into`` has the mentions of both. Raises ``NotFound`` for one that no fragment
    holds and no file is about."""
    with vault.store.read() as reader:
        stated = read_stated_names(reader)
        for asked in map(name_asked, (name, into)):
            if key_of(asked) not in stated.spelled and not _is_known(reader, asked, vault.clock()):
                raise NotFound(f"no fragment mentions {asked!r}, and no file is about it")
    return alias(vault, name, into, remarks, action="merged")


def split(
    vault: Vault, name: str, remarks: Remarks, *, of: str | None = None, references: Sequence[str] = ()
) -> NamesChanged:
    """Says that a name means itself alone, whatever other names it is a part of; with ``references``, that it means
    ``of`` in those documents: a namesake. Raises ``UsageError``, and ``NotFound`` or ``Ambiguous`` for a reference."""
    name = _check(vault, name)
    if not references:
        if of is not None:
            raise UsageError("name the documents in which the name means someone else")
        return _record(vault, NamesChanged("split", name, name), [(name, name)], remarks)
    if of is None or len(references) > MOST_DOCUMENTS:
        raise UsageError(f"a namesake needs a name of their own, and at most {MOST_DOCUMENTS} documents a call")
    of = _check(vault, of)
    if key_of(of) == key_of(name):
        raise UsageError(f"a namesake of {name!r} needs a name of their own")
    docids = tuple(dict.fromkeys(vault.state.targets.one(one).document.docid for one in references))
    return _record(vault, NamesChanged("split", name, of, docids), [(name, of)], remarks)


def _is_known(reader: Reader, name: str, now: int) -> bool:
    return bool(find_fragments(reader, name, Filter(at=now), 1)) or is_filed(reader, name, now)


def _record(
    vault: Vault, change: NamesChanged, wanted: Sequence[tuple[str, str | None]], remarks: Remarks
) -> NamesChanged:
    """``wanted`` are names with what each is to mean."""
    data = remarks.data()
    vault.state.prepare()
    drafts = []
    with vault.store.read() as reader:
        known = reader.registers(subjects.ENTITIES)
        for docid in change.documents or (None,):
            for name, of in wanted:
                register = subjects.name_alias(key_of(name), docid)
                was = known.get(register)
                if (was or {}).get("of") == of:
                    continue
                stored = None if docid is None else reader.document(docid)
                place, text = (None, None) if stored is None else (stored.document.path, stored.document.body_hash)
                payload = {"was": was, "after": set_by(reader, subjects.ENTITIES, register)}
                drafts.append(Draft("alias", docid, place, text, {"name": name, "of": of, **data, **payload}))
    events = tuple(vault.state.history.record(undo.together(drafts)))
    return replace(change, events=events, action=change.action if drafts else "unchanged")


def _check(vault: Vault, name: str) -> str:
    """A name as it is kept: on one line, without secrets. Raises ``UsageError``."""
    text = " ".join(name.split())
    if not key_of(text) or len(text) > MAX_NAME_CHARS:
        raise UsageError(
            f"{text[:40]!r} is not a valid name: it needs a letter or digit and at most {MAX_NAME_CHARS} characters"
        )
    clean = vault.core.redact(text).text
    if clean != text:
        raise Conflict("the name contains a secret and is not stored")
    return text
