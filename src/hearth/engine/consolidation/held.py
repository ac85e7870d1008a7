"""What is held in memory while a consolidation looks for what belongs together: a line for each memory."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from hearth.engine.history.validity import confidence_of, is_memory
from hearth.engine.lifecycle import pages
from hearth.lazy import dataclass, regex
from hearth.model.identity import INTERNAL
from hearth.ports import Reader, StoredDocument

_UNITED = """
decision deduction antipattern problem milestone observation fact bead moment note preference principle skill correction
"""
UNITED = frozenset(_UNITED.split())
"""The types of which several may say one thing."""
_MOST_CHARS = 2_000
_WORD = regex(r"[^\W_]{3,}")
_HEADING = regex(r"^#{1,6}\s.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory that nothing hides; ``at`` (ms UTC) is since when it is true."""

    docid: str
    collection: str
    path: str
    body_hash: str
    content_type: str
    text: str
    at: int
    project: str | None
    subject: str | None
    session: str | None
    confidence: float
    importance: float | None
    uses: int
    pinned: bool
    ends_at: int | None

    @property
    def words(self) -> frozenset[str]:
        """What tells which others may say the same."""
        return frozenset(word.casefold() for word in _WORD.findall(self.text))


def held(reader: Reader) -> Iterator[HeldMemory]:
    """Every memory that the engine wrote and that is in force, expired ones included."""
    for stored in pages.documents(reader, (INTERNAL,)):
        if is_memory(stored.document) and not stored.state.hidden and not stored.vanished:
            yield hold(reader, stored)


def hold(reader: Reader, stored: StoredDocument) -> HeldMemory:
    """The line for one document."""
    document, state, facts = stored.document, stored.state, stored.document.facts
    united = document.content_type in UNITED
    parts = reader.fragments_of(stored.id) if united else []
    text = "\n".join(part.text for part in parts if part.kind != "frontmatter")[:_MOST_CHARS]
    return HeldMemory(
        docid=document.docid,
        collection=sys.intern(document.collection),
        path=document.path,
        body_hash=document.body_hash,
        content_type=sys.intern(document.content_type),
        text=_HEADING.sub("", text).strip(),
        at=document.valid_from or document.modified_at,
        project=_intern(facts.get("project")),
        subject=_intern(facts.get("subject")),
        session=_intern(facts.get("session")),
        confidence=confidence_of(document, state),
        importance=_share(facts.get("importance")),
        uses=state.access_count,
        pinned=state.pinned,
        ends_at=state.ends_at,
    )


def _share(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _intern(text: str | None) -> str | None:
    """One string for all memories that hold the same."""
    return None if text is None else sys.intern(text)
