"""Purged documents: what the index keeps of one whose file is still there, so that no scan takes it in again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from hearth.core.document import Document
from hearth.ports import PositionReader, Writer
from hearth.vault.indexing import linking
from hearth.vault.indexing.linking import KEY

MEMORY = {"scope": "memory"}
"""The register ``purged`` of what the engine wrote: its file goes on every machine."""
_DUE = "purge"


def is_to_be_purged(registers: Mapping[str, Any], document: Document) -> bool:
    """Whether a purge holds for a document: of a person's file that was deleted it holds for that text only, since
    another file may take its place."""
    found = registers.get("purged")
    return isinstance(found, dict) and (found.get("scope") != "file" or found.get("text") == document.body_hash)


def is_purged(document: Document) -> bool:
    """No other document is without a title."""
    return not document.title


def hollow_out(writer: Writer, document: Document) -> None:
    """Takes everything that the document says out of the index. What it supersedes stays superseded."""
    if is_purged(document):
        return
    facts = {KEY: document.facts[KEY]} if KEY in document.facts else {}
    empty = replace(
        document,
        title="",
        tags=(),
        aliases=(),
        domain=None,
        workstream=None,
        review_by=None,
        facts=MappingProxyType(facts),
    )
    writer.hollow(empty, linking.mentions(empty))
    demand(writer)


def demand(writer: Writer) -> None:
    """From now on an erasure is due."""
    writer.set_meta(_DUE, "due")


def settle(writer: Writer) -> None:
    writer.set_meta(_DUE, "")


def due(reader: PositionReader) -> bool:
    """Whether something was purged that this machine has not erased yet."""
    return bool(reader.meta(_DUE))
