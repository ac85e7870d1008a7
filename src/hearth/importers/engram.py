"""Engram: a folder of memories as markdown, which stays where it is, with threads, summaries and aliases beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from hearth.core.errors import HearthError
from hearth.core.memory import NewMemory, Origin
from hearth.importers.records import (
    Change,
    Conversation,
    FileName,
    Folder,
    Format,
    Found,
    MemoryName,
    Options,
    Record,
    Turn,
)
from hearth.importers.values import count, digest, instant, lines, number, read_json, read_text, read_yaml, to_text
from hearth.markdown import frontmatter
from hearth.markdown.origins import adopt

NAME = "engram"
MOST_USES = 200
_LOOKED_AT = 40
_FOLDERS = ("facts", "corrections")
_LINKS = {
    "follows": "follows",
    "references": "references",
    "contradicts": "contradicts",
    "supports": "supporting",
    "related": "semantic",
}
_ANEW = "computed anew"


def measure_certainty(place: Path) -> float:
    """By memories with its frontmatter below the folders that it keeps them in."""
    for folder in _FOLDERS:
        root = place / folder
        if not root.is_dir():
            continue
        for file, _ in zip(root.rglob("*.md"), range(_LOOKED_AT), strict=False):
            with suppress(HearthError, OSError):
                text = read_text(file)
                if "category" in (head := frontmatter.split(text)).fields and adopt(head.fields, ""):
                    return 1.0
    return 0.0


def read(place: Path, options: Options) -> Iterator[Found]:
    yield Folder(NAME, place, trust="agent")
    heads = dict(_read_heads(place))
    by_id = {to_text(head.get("id")): FileName(NAME, path) for path, head in heads.items() if head.get("id")}
    for path, head in sorted(heads.items()):
        yield _read_file(path, head, by_id)
    for file in sorted((place / "threads").glob("*.json")):
        yield _read_thread(file, by_id)
    for file in sorted((place / "summaries").glob("*.json")):
        yield _read_summary(file, by_id)
    yield from _read_aliases(place / "config" / "aliases.json")
    yield from _read_buffer(place / "state" / "buffer.json")
    for file in sorted((place / "state").glob("*")):
        if file.name != "buffer.json" and file.is_file():
            yield Record("state", f"state/{file.name}", skipped=f"{_ANEW}: Engram's own counts")


def _read_heads(place: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for file in place.rglob("*.md"):
        path = file.relative_to(place).as_posix()
        if any(part.startswith(".") for part in path.split("/")) or not file.is_file():
            continue
        head: Any = None
        with suppress(HearthError):
            text = read_text(file).replace("\r\n", "\n")
            block = text[4:].split("\n---", 1)[0] if text.startswith("---\n") else ""
            head = read_yaml(block) or dict(frontmatter.split(text).fields)
        yield path, head if isinstance(head, dict) else {}


def _read_file(path: str, head: Mapping[str, Any], by_id: Mapping[str, FileName]) -> Record:
    name = FileName(NAME, path)
    changed = instant(head.get("updated")) or instant(head.get("created")) or 0
    seen = instant(head.get("lastAccessed")) or changed
    key = digest(NAME, head.get("id") or path)
    uses = range(count(head.get("accessCount"), MOST_USES))
    changes = [Change("referenced", name, seen, {"key": f"{NAME}:{key}:{use}"}) for use in uses]
    dangling = 0
    given = head.get("links")
    for link in given if isinstance(given, list) else ():
        target = by_id.get(to_text(link.get("targetId"))) if isinstance(link, dict) else None
        kind = _LINKS.get(to_text(link.get("linkType"))) if isinstance(link, dict) else None
        if target is None or kind is None or target == name:
            dangling += 1
            continue
        weight = number(link.get("strength"))
        data: dict[str, Any] = {"type": kind, "target": target, "origin": "import", "at": changed}
        data["weight"] = 1.0 if weight is None else round(min(1.0, max(0.0, weight)), 4)
        if reason := to_text(link.get("reason")):
            data["reason"] = reason[:200]
        changes.append(Change("relate", name, changed, data))
    unplaced = ("links to memories that are not there",) * dangling
    kind = "memory" if head.get("category") else "question" if head.get("priority") is not None else "page"
    return Record(kind, path, file=name, changes=tuple(changes), unplaced=unplaced)


def _read_object(file: Path, kind: str, label: str, needed: str) -> dict[str, Any] | Record:
    """The file's JSON; a skipped record if it can't be read or has no ``needed`` text."""
    try:
        found = read_json(file)
    except HearthError as error:
        return Record(kind, label, skipped=f"not readable: {error.said[:80]}")
    return found if isinstance(found, dict) and to_text(found.get(needed)) else Record(kind, label, skipped="empty")


def _read_thread(file: Path, by_id: Mapping[str, FileName]) -> Record:
    label = f"threads/{file.name}"
    found = _read_object(file, "thread", label, "title")
    if isinstance(found, Record):
        return found
    key = f"{NAME}\0thread\0{to_text(found.get('id')) or file.stem}"
    members = [by_id[one] for one in lines(found.get("episodeIds")) if one in by_id]
    listed = "\n".join(f"- {Path(one.path).stem}" for one in members)
    at = instant(found.get("createdAt")) or 0
    memory = NewMemory(
        f"# {to_text(found['title'])}\n\n{listed}".strip(),
        "note",
        to_text(found["title"])[:200],
        ("thread",),
        created_by=NAME,
        origin=Origin(f"{NAME} {label}"),
        said_at=at or None,
        key=key,
    )
    follows = tuple(_relate(MemoryName(key), one, "references", at) for one in members)
    unplaced = tuple(f"threads.{name}" for name in ("sessionKey", "linkedThreadIds") if found.get(name))
    return Record("thread", label, memory=memory, changes=follows, unplaced=unplaced)


def _read_summary(file: Path, by_id: Mapping[str, FileName]) -> Record:
    label = f"summaries/{file.name}"
    found = _read_object(file, "summary", label, "summaryText")
    if isinstance(found, Record):
        return found
    key = f"{NAME}\0summary\0{to_text(found.get('id')) or file.stem}"
    facts = "\n".join(f"- {fact}" for fact in lines(found.get("keyFacts")))
    at = instant(found.get("createdAt")) or 0
    begins, ends = to_text(found.get("timeRangeStart"))[:10], to_text(found.get("timeRangeEnd"))[:10]
    memory = NewMemory(
        f"{to_text(found['summaryText'])}\n\n{facts}".strip(),
        "summary",
        f"Summary {begins} to {ends}" if begins and ends else None,
        tuple(entity[:60] for entity in lines(found.get("keyEntities")))[:16],
        created_by=NAME,
        origin=Origin(f"{NAME} {label}"),
        said_at=at or None,
        key=key,
    )
    sources = [by_id[one] for one in lines(found.get("sourceEpisodeIds")) if one in by_id]
    changes = tuple(_relate(MemoryName(key), one, "summarises", at) for one in sources)
    return Record("summary", label, memory=memory, changes=changes)


def _relate(source: MemoryName, target: FileName, kind: str, at: int) -> Change:
    return Change("relate", source, at, {"type": kind, "target": target, "origin": "import", "at": at})


def _read_aliases(file: Path) -> Iterator[Record]:
    if not file.is_file():
        return
    at = int(file.stat().st_mtime * 1000)
    try:
        found = read_json(file)
    except HearthError as error:
        yield Record("alias", "config/aliases.json", skipped=f"not readable: {error.said[:80]}")
        return
    for name, meant in found.items() if isinstance(found, dict) else ():
        if not to_text(name) or not to_text(meant):
            yield Record("alias", f"{name}", skipped="empty")
            continue
        change = Change("alias", None, at, {"name": to_text(name)[:200], "of": to_text(meant)[:200]})
        yield Record("alias", f"{name} = {meant}", changes=(change,))


def _read_buffer(file: Path) -> Iterator[Record]:
    """Turns that Engram had not read yet, by session."""
    if not file.is_file():
        return
    try:
        found = read_json(file)
    except HearthError as error:
        yield Record("conversation", "state/buffer.json", skipped=f"not readable: {error.said[:80]}")
        return
    sessions: dict[str, list[Turn]] = {}
    given = found.get("turns") if isinstance(found, dict) else None
    for turn in given if isinstance(given, list) else ():
        if isinstance(turn, dict) and to_text(turn.get("content")):
            role = "Assistant" if turn.get("role") == "assistant" else "User"
            said = Turn(role, to_text(turn["content"]), instant(turn.get("timestamp")))
            sessions.setdefault(to_text(turn.get("sessionKey")) or "default", []).append(said)
    for session, turns in sessions.items():
        at = next((turn.at for turn in turns if turn.at), 0)
        key = f"{NAME}\0buffer\0{session}\0{at}"
        yield Record("conversation", session, conversation=Conversation(key, session, tuple(turns)))


FORMAT = Format(NAME, "Engram", measure_certainty, read)
