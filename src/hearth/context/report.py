"""What the memory tools reply."""

from __future__ import annotations

from typing import Any, Literal, get_args

from hearth.core.document import INTERNAL
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex
from hearth.core.query import Hit

Mode = Literal["auto", "on", "off"]
MEMORY = "memory"
SESSIONS = "sessions"
"""What other systems call the folder of memories, and what was said."""
_LINES = regex(r"#L(\d{1,9})(?:-L?(\d{1,9}))?$")


def mode(given: str) -> Mode:
    """Raises ``UsageError`` for another word."""
    for known in get_args(Mode):
        if given == known:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"citations {given!r} is none of {', '.join(get_args(Mode))}")


def cites(chosen: Mode, *, direct: bool) -> bool:
    """``auto`` cites where one person reads, and not in a group, where paths are nobody's business."""
    return chosen == "on" or (chosen == "auto" and direct)


def name(collection: str, path: str) -> str:
    """What ``memory_get`` takes."""
    return f"{MEMORY if collection == INTERNAL else collection}/{path}"


def source_of(hit: Hit) -> str:
    """``sessions`` for what was said, or answered by tools, in one."""
    return SESSIONS if hit.content_type == "conversation" or hit.collection.startswith("_sessions") else MEMORY


def citation(place: str, start: int, end: int) -> str:
    return f"{place}#L{start}-L{end}"


def without_lines(place: str) -> tuple[str, int | None, int | None]:
    """A citation taken apart: path, first line, number of lines."""
    found = _LINES.search(place)
    if found is None:
        return place, None, None
    first, last = int(found[1]), int(found[2] or found[1])
    return place[: found.start()], max(1, first), max(1, last - first + 1)


@dataclass(frozen=True, slots=True)
class CompatResult:
    """A fragment: ``path`` is what ``memory_get`` takes, ``score`` lies in [0, 1], on the scale of the call that gives
    it. ``citation`` is there where it is to be shown; ``queries`` are those of a message that found it; ``source`` says
    whether it is a memory or was said in a session."""

    docid: str
    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    citation: str | None
    queries: tuple[str, ...] = ()
    source: str = MEMORY

    def to_dict(self) -> dict[str, Any]:
        return {
            "docid": self.docid,
            "path": self.path,
            "startLine": self.start_line,
            "endLine": self.end_line,
            "score": round(self.score, 4),
            "snippet": self.snippet,
            "source": self.source,
            **({} if self.citation is None else {"citation": self.citation}),
            **({"matchedQueries": list(self.queries)} if self.queries else {}),
        }


@dataclass(frozen=True, slots=True)
class MemorySearch:
    """``model`` names what knows meanings, ``fallback`` why the answer went without it. Where it is not ``confident``
    the results are perhaps no answer; ``reason`` says why, or why there are none. ``confidence`` in [0, 1] is how sure
    it is that one of them answers."""

    query: str
    results: tuple[CompatResult, ...]
    citations: str
    model: str | None
    fallback: str | None = None
    reason: str | None = None
    confident: bool = False
    confidence: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "confident": self.confident,
            "confidence": round(self.confidence, 3),
            "results": [result.to_dict() for result in self.results],
            "provider": "hearth",
            "model": self.model,
            **({} if self.fallback is None else {"fallback": self.fallback}),
            "mode": "hybrid",
            "citations": self.citations,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class MemoryText:
    """Lines of a file. ``status`` is ``not_found`` with an empty text for a file that is not there, ``error`` with a
    ``code`` for one that may not be read. ``first`` and ``lines`` are what ``text`` holds, ``total`` what the file has;
    ``next`` is where to go on where ``truncated``; ``several`` says that a path fits several;
    ``docid`` is the file's where it was read."""

    status: Literal["ok", "not_found", "error"]
    path: str
    text: str = ""
    first: int = 1
    lines: int = 0
    total: int = 0
    truncated: bool = False
    next: int | None = None
    code: str | None = None
    error: str | None = None
    several: bool = False
    docid: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "text": self.text,
            "path": self.path,
            "from": self.first,
            "lines": self.lines,
            "totalLines": self.total,
            "truncated": self.truncated,
            **({} if self.next is None else {"nextFrom": self.next}),
            **({} if self.code is None else {"code": self.code}),
            **({} if self.error is None else {"error": self.error}),
        }


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """``digest`` is fenced text for a model, ``tokens`` its length; empty where nothing was found. ``skipped`` says why
    a message was not worth a search, ``cut`` that only its ends were read. ``confidence`` is that of its surest query;
    where none is ``confident`` the digest is perhaps no answer."""

    digest: str
    entries: tuple[CompatResult, ...] = ()
    queries: tuple[str, ...] = ()
    tokens: int = 0
    skipped: str | None = None
    reason: str | None = None
    cut: bool = False
    confident: bool = False
    confidence: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "applicable": self.skipped is None,
            "found": bool(self.entries),
            "confident": self.confident,
            "confidence": round(self.confidence, 3),
            "digest": self.digest,
            "entries": [entry.to_dict() for entry in self.entries],
            "queriesRun": list(self.queries),
            "tokens": self.tokens,
            "messageCut": self.cut,
            **({} if self.skipped is None else {"skippedReason": self.skipped}),
            **({} if self.reason is None else {"reason": self.reason}),
        }
