"""Issues of Beads as exported, and the text of their documents. Pure.

The shapes are those of its documentation; unknown fields are kept, and a line that is no issue is counted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from hearth.core import instants
from hearth.core.lazy import dataclass, regex

OPEN = ("in_progress", "hooked", "pinned", "open", "blocked", "deferred")
"""Statuses of open issues, those under way first."""
MAX_TEXT_CHARS = 40_000
"""Of one section; Beads has no limit."""
_DELETED = "tombstone"
_PLAIN_ID = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_TAG = regex(r"[^\w./-]+")
_BRIEF_CHARS = 200
_MOST_COMMENTS = 200
# Beads' types of edges; a causal one leads from what is depended on.
_CAUSAL = frozenset({"blocks", "conditional-blocks", "waits-for", "caused-by"})
_SUPPORTING = frozenset({"discovered-from", "supersedes", "duplicates"})
_SECTIONS = (
    ("design", "Design"),
    ("acceptance_criteria", "Acceptance criteria"),
    ("notes", "Notes"),
    ("close_reason", "Close reason"),
)
# Shown in the first line or a section, or computed.
_SHOWN = frozenset(
    {"_type", "schema_version", "id", "title", "description", "status", "priority", "issue_type", "assignee", "labels"}
    | {"dependencies", "dependents", "comments", "created_at", "created_by", "updated_at", "closed_at"}
    | {"dependency_count", "dependent_count", "comment_count", "content_hash", *(name for name, _ in _SECTIONS)}
)


@dataclass(frozen=True, slots=True)
class Issue:
    """``fields`` are all that the export says; ``edges`` are pairs of a type and the id that it depends on."""

    id: str
    title: str
    fields: Mapping[str, Any]
    edges: tuple[tuple[str, str], ...] = ()

    @property
    def status(self) -> str:
        return _text(self.fields.get("status")) or "open"

    @property
    def kind(self) -> str:
        return _text(self.fields.get("issue_type")) or "task"

    @property
    def changed_at(self) -> int | None:
        """ms UTC."""
        for name in ("deleted_at", "updated_at", "closed_at", "created_at"):
            if (at := instants.parse_written(_text(self.fields.get(name)))) is not None:
                return at
        return None


@dataclass(frozen=True, slots=True)
class Export:
    """``memories`` are what ``bd remember`` keeps, by key; ``skipped`` counts lines that are neither."""

    issues: Mapping[str, Issue] = field(default_factory=lambda: MappingProxyType({}))
    memories: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    skipped: int = 0


def parse_export(text: str) -> Export:
    """Reads JSONL, or one JSON, with or without an envelope. If an id comes twice the latest change counts."""
    issues: dict[str, Issue] = {}
    memories: dict[str, str] = {}
    skipped = 0
    for row in _rows(text):
        if row is None:
            skipped += 1
        elif row.get("_type") == "memory":
            key, value = _text(row.get("key")), _text(row.get("value"))
            if key and value:
                memories[key] = value
            else:
                skipped += 1
        elif (issue := _read_issue(row)) is None:
            skipped += 1
        elif issue.id not in issues or _is_newer(issue, issues[issue.id]):
            issues[issue.id] = issue
    found = {name: issue for name, issue in issues.items() if issue.status != _DELETED}
    return Export(found, memories, skipped)


def _is_newer(one: Issue, other: Issue) -> bool:
    if one.changed_at is None and one.status == _DELETED:
        return True
    return (one.changed_at or 0) >= (other.changed_at or 0)


def _rows(text: str) -> Iterator[dict[str, Any] | None]:
    whole = _load(text)
    if isinstance(whole, dict) and "data" in whole and "schema_version" in whole:
        whole = whole["data"]
    if isinstance(whole, list):
        yield from (row if isinstance(row, dict) else None for row in whole)
        return
    for line in text.splitlines():
        if line.strip():
            row = _load(line)
            yield row if isinstance(row, dict) else None


def _load(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_issue(row: Mapping[str, Any]) -> Issue | None:
    name, title = _text(row.get("id")), _text(row.get("title"))
    if not name or not title or row.get("_type") not in (None, "issue"):
        return None
    found = row.get("dependencies")
    edges = tuple(
        (_text(edge.get("type")) or "related", on)
        for edge in (found if isinstance(found, list) else ())
        if isinstance(edge, dict) and (on := _text(edge.get("depends_on_id"))) and on != name
    )
    return Issue(name, title, row, edges)


def file_name(name: str) -> str:
    """A safe name for an id or a key, which may be any text."""
    return name if _PLAIN_ID.fullmatch(name) else "x" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:20]


def relate(issue: Issue) -> Iterator[tuple[str, str, str]]:
    """Type, source and target of each edge, as ids."""
    for kind, on in dict.fromkeys(issue.edges):
        if kind in _CAUSAL:
            yield "causal", on, issue.id
        elif kind in _SUPPORTING:
            yield "supporting", issue.id, on
        else:
            yield "semantic", issue.id, on


def tags_of(issue: Issue) -> tuple[str, ...]:
    labels = issue.fields.get("labels")
    named = [label for label in labels if isinstance(label, str)] if isinstance(labels, list) else []
    found = [f"status/{issue.status}", issue.kind, *named]
    return tuple(dict.fromkeys(tag for one in found if (tag := _TAG.sub("-", one).strip("-")[:60])))[:30]


def rank_open(tags: Iterable[str]) -> int | None:
    """Where an issue stands among those still to be done, by the tags of its document; ``None`` for one that is not."""
    found = (tag.removeprefix("status/") for tag in tags if tag.startswith("status/"))
    return next((OPEN.index(status) for status in found if status in OPEN), None)


def say_state(issue: Issue) -> str:
    """In one line: "Bug, in progress, priority 1, assigned to ana"."""
    priority, assignee = issue.fields.get("priority"), _text(issue.fields.get("assignee"))
    parts = [issue.kind, issue.status.replace("_", " ")]
    parts += [f"priority {priority}"] if type(priority) is int else []
    parts += [f"assigned to {assignee}"] if assignee else []
    said = ", ".join(parts)
    return said[:1].upper() + said[1:]


def render(issue: Issue, titles: Mapping[str, str]) -> str:
    """The text of its document; ``titles`` are those of other issues by id."""
    parts = [f"{say_state(issue)}.", _cut(_text(issue.fields.get("description")))]
    parts += [f"## {title}\n\n{text}" for name, title in _SECTIONS if (text := _cut(_text(issue.fields.get(name))))]
    edges = [f"- {kind}: {on}" + (f", {titles[on]}" if on in titles else "") for kind, on in issue.edges]
    parts += ["## Depends on\n\n" + "\n".join(edges)] if edges else []
    comments = list(_say_comments(issue.fields.get("comments")))[-_MOST_COMMENTS:]
    parts += ["## Comments\n\n" + "\n".join(comments)] if comments else []
    dates = [f"- {name}: {value}" for name in ("created_at", "created_by", "updated_at", "closed_at")
             if (value := _text(issue.fields.get(name)))]  # fmt: skip
    others = [f"- {name}: {_say_value(value)}" for name, value in issue.fields.items() if name not in _SHOWN]
    parts += ["## Other fields\n\n" + "\n".join([*dates, *others])] if dates or others else []
    return "\n\n".join(filter(None, parts))


def _say_comments(found: Any) -> Iterator[str]:
    for comment in found if isinstance(found, list) else ():
        if isinstance(comment, dict) and (text := _text(comment.get("text"))):
            day, author = _text(comment.get("created_at"))[:10], _text(comment.get("author"))
            who = ", ".join(filter(None, (day, author)))
            yield f"- {who + ': ' if who else ''}{' '.join(_cut(text).split())}"


def _say_value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return _cut(" ".join(text.split()))


def find_statements(issue: Issue) -> Iterable[tuple[str, str]]:
    """Type and text of the memories it yields: the decision it records, or its close reason if that says enough. While
    an issue is open nothing is decided."""
    reason = " ".join(_text(issue.fields.get("close_reason")).split())
    if issue.status in OPEN:
        return
    if issue.kind == "decision":
        why = reason or next(filter(None, _text(issue.fields.get("description")).splitlines()), "")
        yield "decision", _join(issue.title, why)
    elif len(reason.split()) >= 4:
        yield ("problem" if issue.kind == "bug" else "observation"), _join(issue.title, reason)


def _join(title: str, said: str) -> str:
    title = title.strip()
    end = "" if title.endswith((".", "!", "?", ":")) else "."
    return f"{title}{end} {said[: _BRIEF_CHARS * 10]}".strip()


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}…"


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
