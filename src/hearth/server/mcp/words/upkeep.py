"""Vaults, scans and sessions in words."""

from __future__ import annotations

from typing import Any

from hearth.core.document import INTERNAL
from hearth.core.instants import show_date
from hearth.core.session import Session
from hearth.operations import render
from hearth.operations.arguments import Arguments
from hearth.operations.operation import Row
from hearth.operations.sessions import Logged
from hearth.operations.upkeep import Held, Scanned

_SHOWN = 5


def vaults(result: Row, given: Arguments) -> str:
    return "\n".join(f"{one['name']} (default)" if one["default"] else one["name"] for one in result.data["vaults"])


def held(result: Held, given: Arguments) -> str:
    said = f"Vault {result.vault}: {_size(result.documents, result.fragments)}"
    lines = [
        said + (", index being rebuilt" if result.rebuilding else ""),
        *map(_collection, result.collections),
        *_say_counts(result.counts.to_dict()),
    ]
    if result.failure is not None:
        lines.append(f"The index can't be rebuilt: {render.said(result.failure)}")
    if result.missing_vectors:
        lines.append(f"{render.plural(result.missing_vectors, 'vector')} missing; a person runs: hearth embed")
    if result.skipped:
        lines.append(f"{render.plural(result.skipped, 'file')} skipped; a person runs: hearth status --all")
    return "\n".join(lines)


def _size(documents: int, fragments: int) -> str:
    return f"{render.plural(documents, 'document')}, {render.plural(fragments, 'fragment')}"


def _collection(row: dict[str, Any]) -> str:
    kind = " (memories)" if row["name"] == INTERNAL else ""
    why = f"; {render.line(row['held'])}" if row["held"] else ""
    read = f", read {render.minute(row['scanned_at'])}" if row["scanned_at"] else ""
    return f"- {row['name']}{kind}: {render.plural(row['documents'], 'document')}{read}{why}"


def figures(result: Row, given: Arguments) -> str:
    row = result.data
    states = ", ".join(f"{count:,} {name}" for name, count in row["states"].items() if count) or "none set"
    types, uses = _say_counts(row)
    lines = [
        f"Vault {row['vault']}: {_size(row['documents'], row['fragments'])}",
        types,
        f"States: {states}; due for review: {row['review_due']:,}",
        uses,
        f"Languages: {', '.join(row['languages']) or 'unknown'}",
        f"Vectors: {_count(row['vectors'])}; missing: {row['missing_vectors']:,}",
        f"Documents to relate: {row['missing_relations']:,}",
    ]
    if row["oldest_at"] is not None:
        lines.append(f"Written {show_date(row['oldest_at'])} to {show_date(row['newest_at'])}")
    return "\n".join(lines)


def _say_counts(row: dict[str, Any]) -> tuple[str, str]:
    read = f"{render.plural(row['accessed'], 'document')} read or used, {row['accesses']:,} times in answers"
    return f"Types: {_count(row['content_types'])}", f"Accesses: {read}; sessions: {row['sessions']:,}"


def _count(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def scanned(result: Scanned, given: Arguments) -> str:
    report = result.report
    lines = [report.said()]
    lines += [f"skipped {render.place(f.collection, f.path)}: {render.line(f.reason)}" for f in report.skipped[:_SHOWN]]
    if len(report.skipped) > _SHOWN:
        lines.append(f"and {len(report.skipped) - _SHOWN:,} more files skipped")
    lines += [f"{name} is held: {render.line(why)}" for name, why in report.held.items()]
    lines += map(render.said, report.problems[:_SHOWN])
    return "\n".join([*lines, *map(_collection, result.collections or ())])


def log(result: Logged, given: Arguments) -> str:
    if not result.sessions:
        return "No session is known."
    return "Newest first.\n" + "\n".join(map(line, result.sessions))


def line(session: Session) -> str:
    state = "open" if session.ended is None else "ended"
    facts = [state, render.plural(session.turns, "turn")]
    if session.files:
        facts.append(f"{render.plural(session.files, 'file')} changed")
    facts += [render.line(fact) for fact in (session.host, session.project) if fact]
    said = f": {render.line(session.summary)}" if session.summary else ""
    links = ("hand-off", session.handoff), ("conversation", session.conversation)
    named = ", ".join(f"{what} #{docid}" for what, docid in links if docid)
    told = f" ({named})" if named else ""
    return f"{render.minute(session.began)}  {render.name(session.id)}, {', '.join(facts)}{said}{told}"
