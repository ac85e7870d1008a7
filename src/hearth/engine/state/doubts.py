"""Doubts: the confidence that a document lost by a newer one, and gets back where that one says nothing any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hearth.engine.history.history import History
from hearth.engine.state import changes
from hearth.model.journal import subjects
from hearth.model.journal.event import Draft
from hearth.ports import Reader, StoredDocument

MOST = 6
"""Of the documents that one newer one cast doubt on, so many get their confidence back with one wish."""
_EDGE = "contradicts"


def draft_return(
    reader: Reader, history: History, newer: str, older: StoredDocument, said: Mapping[str, Any]
) -> list[Draft]:
    """The event that gives ``older`` the confidence back that it lost by ``newer`` (docid); none where it lost none by
    that one, or something else set it since."""
    docid = older.document.docid
    setter = reader.set_by(docid, "confidence")
    if setter is None:
        return []
    lowered = next((one for one in history.log.newest(own=False, naming=(setter,)) if one.id == setter), None)
    if lowered is None or lowered.data.get("run") != newer:
        return []
    known = history.registers(reader, docid)
    wanted = {"confidence": lowered.data.get("was")}
    ops = changes.plan(known, lambda field: reader.set_by(docid, field), wanted)
    return changes.of(older.document, ops, said)


def draft_returns(reader: Reader, history: History, newer: str, said: Mapping[str, Any]) -> list[Draft]:
    """The same for each document that ``newer`` contradicts."""
    edges = (subjects.read_relation(register) for register in reader.registers(newer, subjects.RELATION))
    older = (reader.document(target) for kind, target in edges if kind == _EDGE)
    drafts = [draft for one in older if one is not None for draft in draft_return(reader, history, newer, one, said)]
    return drafts[:MOST]
