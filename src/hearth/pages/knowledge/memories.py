"""The memories that a profile rests on."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from hearth.core import instants
from hearth.core.document import INTERNAL
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import SPECULATIVE
from hearth.memory.history.validity import confidence_of, is_memory
from hearth.memory.sessions.view import HANDED_OFF
from hearth.pages.knowledge import about
from hearth.pages.knowledge.lasting import tidy
from hearth.pages.knowledge.page import PageStatement, key_of
from hearth.ports import Filter, Reader, StoredDocument
from hearth.recall.ranking.diversify import is_state
from hearth.text.lines import cut_line
from hearth.truth.commitments import SOON_DAYS, commitments
from hearth.truth.review import beginning

FOCUS_MOST = 10
_HANDOFFS, _HANDOFF_DAYS, _PROGRESS_DAYS = 5, 14, 7
_CHARS, _FOCUS_CHARS, _REQUEST_CHARS = 300, 160, 120
_HANDOFF = ("handoff",)
_ASKED = regex(r"^## Request\n+(.+)$", re.MULTILINE)
_NEXT = regex(r"^## Next\n+[-*] (.+)$", re.MULTILINE)
# What somebody says before they come to the point.
_GREETING = regex(
    r"(?:(?:hey|hi|hello|woohoo|wow|yo|good (?:morning|evening|afternoon)|hola|hallo|guten (?:morgen|tag|abend)|bonjour"
    r"|salut|olá|ciao|привет)\b[^.!?,\n]{0,24}[.!?,]\s+"
    r"|(?:how|what)['’]s (?:up|it going|been going on|new)[^.!?\n]{0,16}[.!?]\s+"
    r"|how (?:are|have) you\b[^.!?\n]{0,16}[.!?]\s+|long time no (?:see|talk|chat)\b[^.!?\n]{0,16}[.!?]\s+"
    r"|guess what\b\W{1,3})+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ProfileMemories:
    """``now`` is ms UTC; days are those of ``zone``."""

    reader: Reader
    now: int
    zone: str

    def about(self) -> list[about.ProfileSource]:
        return [
            about.ProfileSource(
                stored.document.docid,
                stored.document.content_type,
                self._said(stored, _CHARS),
                self._date(stored),
                stored.document.facts.get("tier", ""),
                stored.state.access_count,
            )
            for stored in self._memories(about.TYPES)
        ]

    def said_of(self, keys: Container[str]) -> list[str]:
        """What the statements with these keys said, as far as the memory is there that they came from, in force or
        not. The journal knows no more of them than the keys, and what was purged nobody knows."""
        within = Filter(collections=(INTERNAL,), types=about.TYPES, include_hidden=True)
        told = (tidy(self._said(stored, _CHARS)) for stored in self.reader.find_documents(within))
        return [text for text in told if key_of(text) in keys]

    def focus(self) -> Iterator[PageStatement]:
        now = self.now
        yield from self._latest(_HANDOFF, now - _HANDOFF_DAYS * DAY_MS, _HANDOFFS)
        for one in commitments(self.reader, now, self.zone, due=SOON_DAYS):
            stored = self.reader.document(one.docid)
            if one.due_at is not None and stored is not None and is_memory(stored.document):
                said = self._said(stored, _FOCUS_CHARS)
                yield PageStatement(f"Due {instants.show_date(one.due_at)}: {said}", (one.docid,), self._date(stored))
        yield from self._latest(("progress", "milestone"), now - _PROGRESS_DAYS * DAY_MS, FOCUS_MOST)

    def _latest(self, types: tuple[str, ...], since: int, most: int) -> Iterator[PageStatement]:
        kept = [stored for stored in self._memories(types, since) if not is_state(stored.document)]
        found = sorted(kept, key=lambda one: one.document.newest_first)
        for stored in found[:most]:
            said = self._handed_on(stored) if types == _HANDOFF else self._said(stored, _FOCUS_CHARS)
            yield PageStatement(said, (stored.document.docid,), self._date(stored))

    def _memories(self, types: tuple[str, ...], since: int | None = None) -> Iterable[StoredDocument]:
        """Those in force that this vault wrote itself: no page, nothing from elsewhere, no guess."""
        within = Filter(collections=(INTERNAL,), types=types, since=since, at=self.now)
        for stored in self.reader.find_documents(within):
            document = stored.document
            sure = confidence_of(document, stored.state) >= SPECULATIVE
            if is_memory(document) and document.trust != "external" and sure and not stored.vanished:
                yield stored

    def _handed_on(self, stored: StoredDocument) -> str:
        """What was asked for and what comes next, of a hand-off that capture wrote; of another one its beginning."""
        if not stored.document.title.startswith(HANDED_OFF):
            return self._said(stored, _FOCUS_CHARS)
        text = "\n".join(part.text for part in self.reader.fragments_of(stored.id))
        asked, following = _ASKED.search(text), _NEXT.search(text)
        said = stored.document.title.removeprefix(HANDED_OFF) if asked is None else asked[1]
        tail = "" if following is None else f"; next: {following[1].strip()}"
        greeting = _GREETING.match(said)
        point = said[greeting.end() :].strip() if greeting else said
        request = cut_line(point[:1].upper() + point[1:] or said, _REQUEST_CHARS).rstrip(".")
        return cut_line(" ".join(f"{request}{tail}".split()), _FOCUS_CHARS)

    def _said(self, stored: StoredDocument, most: int) -> str:
        return " ".join(beginning(self.reader, stored, most).split()) or stored.document.title

    def _date(self, stored: StoredDocument) -> str:
        document = stored.document
        said = document.dated_at
        return instants.show_date(document.modified_at if said is None else said, instants.zone_of(self.zone))
