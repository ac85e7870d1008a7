"""What tools answered in the sessions held here, as pages that a search finds: of each result its beginning and end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hearth.context.engine.messages import Role, measure, plain_text
from hearth.context.engine.transcript import TURN, read_entry
from hearth.core.lazy import dataclass, regex
from hearth.text.lines import cut_line
from hearth.transcripts.actions import dict_of, name_of, text_of

PAGE_BYTES = 200_000
_MOST, _HEAD = 20_000, 14_000
_TICKS = regex(r"`{3,}")
_OWN = regex(r"(?:mcp__)?(?:hearth|memory)_")
"""Tools whose results are answers of ours: found again, they would answer themselves."""
_ENDS = frozenset({"compaction", "reset"})


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The whole text is that of the message ``entry``."""

    entry: str
    tool: str
    text: str


def read_results(data: bytes) -> tuple[list[ToolResult], int]:
    """The results of committed turns among lines of a transcript, and how many bytes the last of these turns ends
    after; of shared turns, and of tools of ours, none."""
    found: list[ToolResult] = []
    waiting: list[dict[str, Any]] = []
    read = start = 0
    while (end := data.find(b"\n", start)) >= 0:
        entry = read_entry(data[start:end])
        start = end + 1
        kind = entry.get("type")
        if kind == "message":
            waiting.append(entry)
        elif kind in _ENDS or (kind == "custom" and entry.get("customType") == TURN):
            if dict_of(entry.get("data")).get("shared") is not True:
                found.extend(_results_of(waiting))
            waiting, read = [], start
    return found, read


def read_session_name(header: bytes) -> str:
    """From the first line of a transcript; the file's own name is a hash where it would be too long."""
    entry = read_entry(header)
    return text_of(entry.get("id")) if entry.get("type") == "session" else ""


def _results_of(turn: Iterable[dict[str, Any]]) -> Iterator[ToolResult]:
    names: dict[str, str] = {}
    for entry in turn:
        message, name = dict_of(entry.get("message")), name_of(entry.get("id"))
        measured = measure(message, name or "")
        names.update(zip(measured.calls, measured.tools, strict=False))
        if measured.role is not Role.RESULT or name is None:
            continue
        told = text_of(message.get("toolName")) or text_of(message.get("name"))
        tool = told or next((names[call] for call in measured.answers if call in names), "tool")
        text = plain_text(message).strip()
        if text and not _OWN.match(tool):
            yield ToolResult(name, tool, text)


def render_results(session: str, results: Iterable[ToolResult], begun: str = "") -> list[str]:
    """Pages of about ``PAGE_BYTES``; the first one goes on with the text ``begun``, which holds some of the results
    already where a process was killed."""
    pages = [begun or _begin(session)]
    for one in results:
        if f" #{one.entry}\n" in pages[-1]:
            continue
        text = _render(session, one)
        if len(pages[-1].encode()) + len(text.encode()) > PAGE_BYTES and pages[-1] != _begin(session):
            pages.append(_begin(session))
        pages[-1] += text
    return pages


def _begin(session: str) -> str:
    return f"---\ntitle: {json.dumps(f'Tool results of {session}', ensure_ascii=False)}\n---\n"


def _render(session: str, one: ToolResult) -> str:
    text = one.text
    if len(text) > _MOST:
        tail = _MOST - _HEAD
        left = len(text) - _MOST
        text = f"{text[:_HEAD]}\n[… {left:,} characters: hearth get 'session:{session}#{one.entry}' …]\n{text[-tail:]}"
    ticks = "`" * (max((len(run) for run in _TICKS.findall(text)), default=2) + 1)
    head = f"\n## {cut_line(' '.join(one.tool.split()), 80)} #{one.entry}\n"
    return f"{head}\nsession:{session}#{one.entry}\n\n{ticks}\n{text}\n{ticks}\n"
