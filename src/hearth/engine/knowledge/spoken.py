"""A document line by line, each once though windows overlap, with who says it; code is left out."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.lazy import dataclass, regex
from hearth.model.types import CONVERSATION
from hearth.ports import Reader, StoredDocument
from hearth.text.lines import FENCE

_HEADING = regex(r"## (User|Assistant)(?: · (?:(\d{4}-\d{2}-\d{2}) )?(\d{2}):(\d{2}))?\s*")
_SILENT = frozenset({"frontmatter", "code"})


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """``number`` counts from 1. ``role`` is ``User`` or ``Assistant`` in a conversation, else ``None``; a line that
    opens a turn has its ``head``: the date and the hour and minute, as far as it names them."""

    number: int
    text: str
    role: str | None = None
    head: tuple[str | None, str | None, str | None] | None = None

    @property
    def by_person(self) -> bool:
        return self.role != "Assistant"


def spoken_lines(reader: Reader, stored: StoredDocument) -> Iterator[SpokenLine]:
    talk = stored.document.content_type == CONVERSATION
    role, fence = None, ""
    for number, text in sorted(_rows(reader, stored).items()):
        head = _HEADING.fullmatch(text) if talk else None
        if head is not None:
            role, fence = head[1], ""
            yield SpokenLine(number, text, role, (head[2], head[3], head[4]))
            continue
        mark = FENCE.match(text)
        if mark is not None and (not fence or text.strip() == fence):
            fence = "" if fence else mark[1]
        elif not fence:
            yield SpokenLine(number, text, role)


def _rows(reader: Reader, stored: StoredDocument) -> dict[int, str]:
    """Each line once: a window repeats what stands before it, and leaves the lines between empty."""
    rows: dict[int, str] = {}
    for part in reader.fragments_of(stored.id):
        if part.kind not in _SILENT:
            for number, text in enumerate(part.text.split("\n"), part.start_line):
                rows[number] = rows.get(number) or text
    return rows
