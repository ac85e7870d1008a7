"""A page of statements that two write: the engine its bullets, a person whatever they like. Pure.

A bullet of ours reads ``- TEXT (#docid, DATE) ^h-MARK``. The mark is a hash of the text, by which the statement is
known, and one of the whole line: where the line no longer fits it, somebody edited the line, and it is theirs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hearth.core.lazy import dataclass, regex
from hearth.text.similarity import normalised

_KEY, _CHECK = 12, 4
_MARKED = regex(rf"(?P<head>.*) \^h-(?P<key>[0-9a-f]{{{_KEY}}})(?P<check>[0-9a-f]{{{_CHECK}}})\s*")
_TAIL = regex(r"[-*] (?P<text>.*) \((?P<sources>#\w+(?:, #\w+)*), (?P<date>\d{4}-\d{2}-\d{2})\)")
_HEADING = regex(r"## +(.*?)[ \t]*#*\s*")
_BULLET = regex(r"\s*[-*] (.*)")


@dataclass(frozen=True, slots=True)
class PageStatement:
    """One line of a page; ``sources`` are docids, ``date`` is YYYY-MM-DD."""

    text: str
    sources: tuple[str, ...]
    date: str

    @property
    def key(self) -> str:
        return key_of(self.text)

    @property
    def line(self) -> str:
        sources = ", ".join(f"#{docid}" for docid in self.sources)
        head = f"- {self.text} ({sources}, {self.date})"
        return f"{head} ^h-{self.key}{_hash(head, _CHECK)}"


@dataclass(frozen=True, slots=True)
class Bullet:
    """A bullet as it stands on a page; without ``sources`` where it is a person's own."""

    section: str
    text: str
    sources: tuple[str, ...] = ()
    date: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        found = {"section": self.section, "text": self.text, "sources": list(self.sources), "own": not self.sources}
        return found if self.date is None else {**found, "date": self.date}


@dataclass(frozen=True, slots=True)
class MergedPage:
    """``body`` as it is to be, and the ``keys`` of the statements on it."""

    body: str
    keys: tuple[str, ...]


def key_of(text: str) -> str:
    """The same for texts that differ in case and white space alone."""
    return _hash(normalised(text), _KEY)


def find_deleted(body: str, written: Collection[str]) -> list[str]:
    """Keys of statements that were there when the engine wrote last, and are not any more."""
    return sorted(set(written) - {found["key"] for line in body.split("\n") if (found := _MARKED.fullmatch(line))})


def find_edited(body: str) -> set[str]:
    """Keys of statements that somebody made their own."""
    marked = ((line, found) for line in body.split("\n") if (found := _MARKED.fullmatch(line)))
    return {found["key"] for line, found in marked if _ours(line) is None}


def merge(body: str, wanted: Mapping[str, Sequence[PageStatement]]) -> MergedPage:
    """The page with the ``wanted`` statements by section, in the place where they stand already; of those that differ
    in case alone the last. Lines that are not ours as we wrote them stay, and so does what somebody edited."""
    lines = body.split("\n") if body.strip("\n") else []
    seen = {found["key"] for line in lines if (found := _MARKED.fullmatch(line))}
    fresh = {one.key: one for group in wanted.values() for one in group}
    kept = [line if key is None else fresh[key].line for line in lines if (key := _ours(line)) is None or key in fresh]
    for section, group in wanted.items():
        added = [one.line for one in group if fresh[one.key] is one and one.key not in seen]
        if added:
            _add(kept, section, added)
    marks = [found["key"] for line in kept if (found := _MARKED.fullmatch(line))]
    return MergedPage("\n".join(kept).strip("\n"), tuple(sorted(set(marks))))


def blank_statements(body: str) -> str:
    """The same characters with spaces in the place of what is ours: statements as we wrote them, and headings above
    nothing else."""
    rows = [" " * len(line) if _ours(line) is not None else line for line in body.split("\n")]
    filled = False
    for number in range(len(rows) - 1, -1, -1):
        section = rows[number].startswith("## ")
        if (section or rows[number].startswith("# ")) and not filled:
            rows[number] = " " * len(rows[number])
        filled = bool(rows[number].strip()) or (filled and not section)
    return "\n".join(rows)


def bullets(body: str) -> list[Bullet]:
    """Every bullet below a second-level heading, whoever wrote it, without its mark."""
    section, found = "", []
    for line in body.split("\n"):
        head = _HEADING.fullmatch(line)
        if head is not None:
            section = head[1]
            continue
        bullet = _BULLET.fullmatch(line)
        if bullet is not None and section:
            found.append(_show(section, line, bullet[1]))
    return found


def is_touched(body: str, section: str) -> bool:
    """Whether a section holds anything that is not ours as we wrote it."""
    inside = False
    for line in body.split("\n"):
        head = _HEADING.fullmatch(line)
        if head is not None:
            inside = head[1] == section
        elif inside and line.strip() and _ours(line) is None:
            return True
    return False


def own_lines(body: str, section: str) -> int:
    """How many bullets of a section are a person's."""
    return sum(one.section == section and not one.sources for one in bullets(body))


def _show(section: str, line: str, text: str) -> Bullet:
    marked = _MARKED.fullmatch(line)
    tail = _TAIL.fullmatch(marked["head"]) if marked and _ours(line) is not None else None
    if tail is None:
        own = _TAIL.fullmatch(marked["head"].strip()) if marked else None
        return Bullet(section, own["text"] if own else _MARKED.sub(r"\g<head>", text).strip("- "))
    sources = tuple(name.removeprefix("#") for name in tail["sources"].split(", "))
    return Bullet(section, tail["text"], sources, tail["date"])


def _ours(line: str) -> str | None:
    """The key of a bullet that stands as the engine wrote it."""
    found = _MARKED.fullmatch(line)
    return found["key"] if found and _hash(found["head"], _CHECK) == found["check"] else None


def _add(lines: list[str], section: str, added: Sequence[str]) -> None:
    """Below what the section says last; a section that is not there comes last."""
    heads = [at for at, line in enumerate(lines) if (head := _HEADING.fullmatch(line)) and head[1] == section]
    if not heads:
        while lines and not lines[-1].strip():
            lines.pop()
        lines += [*([""] if lines else []), f"## {section}", "", *added]
        return
    end = next((at for at in range(heads[0] + 1, len(lines)) if _HEADING.fullmatch(lines[at])), len(lines))
    while end > heads[0] + 1 and not lines[end - 1].strip():
        end -= 1
    lines[end:end] = added if end > heads[0] + 1 else ["", *added]


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
