"""Links from one note to others, and the parts of a note that they name behind ``#``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import unquote

from hearth.core.lazy import regex
from hearth.markdown import frontmatter
from hearth.markdown.blocks import Lines, MarkdownBlock, scan
from hearth.text.names import name_key

_BLOCK = regex(r"(?:^|[ \t])\^([\w-]+)[ \t]*$")
_INDENT = regex(r"[ \t]*")


def lines_of(text: str, part: str) -> tuple[int, int] | None:
    """First and last line (1-based) of ``Heading``, ``Heading#One below`` or ``^block`` in a note; ``None`` where there
    is no such part."""
    rows = Lines(text).rows
    blocks = list(scan(rows, frontmatter.split(text).end_line))
    if part.startswith("^"):
        found = _block(rows, blocks, part[1:].strip())
    else:
        found = _section(rows, blocks, [name_key(step) for step in part.split("#") if step.strip()])
    if found is None:
        return None
    first, end = found
    while end - 1 > first and not rows[end - 1].strip():
        end -= 1
    return first + 1, end


def _section(rows: Sequence[str], blocks: Sequence[MarkdownBlock], steps: Sequence[str]) -> tuple[int, int] | None:
    """From a heading to the next of its level or above; each step stands below the one before."""
    start, end = 0, len(rows)
    for step in steps:
        inside = [block for block in blocks if block.level and start <= block.first < end]
        heading = next((block for block in inside if name_key(block.title) == step), None)
        if heading is None:
            return None
        later = (block.first for block in inside if block.first > heading.first and block.level <= heading.level)
        start, end = heading.first, next(later, end)
    return (start, end) if steps else None


def _block(rows: Sequence[str], blocks: Sequence[MarkdownBlock], name: str) -> tuple[int, int] | None:
    """The block that ends in ``^name``, of a list its item; the block before where nothing else stands there."""
    before: MarkdownBlock | None = None
    for block in blocks:
        for at in range(block.first, block.end):
            mark = _BLOCK.search(rows[at]) if block.kind != "code" else None
            if mark is None or mark[1].casefold() != name.casefold():
                continue
            if not rows[at][: mark.start()].strip():
                return (block.first, at) if at > block.first else (before.first, at) if before else (at, at + 1)
            return (at, _item_end(rows, at, block.end)) if block.kind == "list" else (block.first, block.end)
        before = block
    return None


def _item_end(rows: Sequence[str], at: int, end: int) -> int:
    """The line after an item and all below it."""
    depth = _depth(rows[at])
    below = (line for line in range(at + 1, end) if rows[line].strip() and _depth(rows[line]) <= depth)
    return next(below, end)


def _depth(row: str) -> int:
    found = _INDENT.match(row)
    return len(found[0].expandtabs(4)) if found else 0


NOTE_SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".mdown"})
_SHOWN = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif", ".mp3", ".mp4", ".wav", ".webm", ".ogg", ".pdf"}
)
_TICKS = regex(r"`+")
_WIKI = r"\[\[([^\[\]|#^\n]*)(?:[#^][^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]"
_INLINE = (
    r"(!?)\[(?:[^\[\]\\]|\\.)*+\]\([ \t]*+(?:<([^<>\n]*+)>|([^\s()<>]*+(?:\([^\s()]*+\)[^\s()<>]*+)*+))"
    r"""(?:\s++(?:"[^"]*"|'[^']*'|\([^()]*\)))?+\s*+\)"""
)
_LINK = regex(rf"(?<!\\)(?:{_WIKI}|{_INLINE})")
_NUMBER = regex(r"(?:adr|rfc|decision|d)?[-_ .]?0*(\d{1,5})(?![\d]|[-_.]\d{2}[-_.]\d{2}(?!\d))", re.IGNORECASE)
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def links(text: str) -> tuple[str, ...]:
    """Targets in order, each once: ``Name`` of ``[[Name#part|alias]]``, ``../a b.md`` of ``[x](../a%20b.md#part)``.

    Code, HTML, images, other media and addresses with a scheme are left out, and so are links within the note.
    """
    if "[[" not in text and "](" not in text:
        return ()
    lines = Lines(text)
    found: dict[str, None] = {}
    for block in scan(lines.rows):
        if block.kind in ("code", "html", "blank"):
            continue
        part = "\n".join(lines.rows[block.first : block.end])
        if "[" in part:
            found.update(dict.fromkeys(_targets(_without_code(part))))
    return tuple(found)


class LinkTargets:
    """The notes a link may mean: paths relative to the collection's root, with titles where a mapping is given."""

    def __init__(self, paths: Iterable[str] | Mapping[str, str]) -> None:
        self._paths: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._titles: dict[str, list[str]] = {}
        for path in paths:
            self._paths.setdefault(_key(path), []).append(path)
            self._stems.setdefault(_key(PurePosixPath(_bare(path)).name), []).append(path)
            if isinstance(paths, Mapping):
                self._titles.setdefault(_key(paths[path]), []).append(path)

    def at(self, path: str) -> str | None:
        """The note at this path, with or without its suffix; the exact spelling wins over another case."""
        for suffix in ("", *sorted(NOTE_SUFFIXES)):
            found = self._paths.get(_key(path + suffix), ())
            if path + suffix in found:
                return path + suffix
            if len(found) == 1:
                return found[0]
        return None

    def named(self, name: str) -> str | None:
        """The only note whose path ends so, whose stem or, failing that, whose title it is."""
        bare = _key(_bare(name))
        ends = [p for p in self._stems.get(bare.rsplit("/", 1)[-1], ()) if f"/{_key(_bare(p))}".endswith(f"/{bare}")]
        if not ends:
            ends = self._titles.get(_key(name), [])
        return ends[0] if len(ends) == 1 else None


def resolve(link: str, from_path: str, notes: LinkTargets) -> str | None:
    """The path that a link in ``from_path`` means: relative, from the root, or by a name that only one note has.

    ``None`` where nothing fits, where several do, or where ``..`` would leave the root.
    """
    link = link.strip()
    inside = link.lstrip("/")
    folder = () if link.startswith("/") else PurePosixPath(from_path).parts[:-1]
    relative = _join(folder, inside)
    if not relative:
        return None
    found = notes.at(relative)
    if found is None and not inside.startswith("."):
        found = notes.at(inside) or notes.named(inside) or notes.named(_in_one_name(inside))
    return found


def stem(path: str) -> str:
    """What a link to the note at this path ends in: its name without a note's suffix, in one form for all spellings."""
    return _key(PurePosixPath(_bare(path)).name)


def number_key(path: str) -> str | None:
    """By what a note is named that bears a number, as decisions do, by others of its folder: "superseded by 7"."""
    number = _NUMBER.match(PurePosixPath(path).name)
    return None if number is None else number_name(path, int(number[1]))


def number_name(from_path: str, number: int) -> str:
    """What a note with this number beside the one at a path goes by."""
    return f"#{number} in {_key('/'.join(PurePosixPath(from_path).parts[:-1]))}/"


def stems(link: str, from_path: str) -> set[str]:
    """The stems of all notes that a link in ``from_path`` may mean, whichever there are."""
    inside = link.strip().lstrip("/")
    folder = () if link.strip().startswith("/") else PurePosixPath(from_path).parts[:-1]
    ends = {name.rsplit("/", 1)[-1] for name in (inside, _join(folder, inside) or "", _in_one_name(inside))}
    return {_key(form) for name in ends if name for form in (name, PurePosixPath(_bare(name)).name)}


def _in_one_name(link: str) -> str:
    """How Logseq calls the file of a page with slashes in its name."""
    return link.replace("/", "___")


def _join(folder: Iterable[str], link: str) -> str | None:
    parts = list(folder)
    for part in link.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _targets(part: str) -> Iterator[str]:
    for match in _LINK.finditer(part):
        wiki, image, angled, plain = match.groups()
        if wiki is not None:
            target = wiki.strip()
        elif image or _SCHEME.match(angled or plain or ""):
            continue
        else:
            target = unquote((angled or plain or "").split("#", 1)[0].split("?", 1)[0]).strip()
        if target and "\x00" not in target and _is_note(target, wiki is not None):
            yield target


def _is_note(target: str, wiki: bool) -> bool:
    suffix = PurePosixPath(target).suffix.lower()
    return suffix not in _SHOWN if wiki else suffix in NOTE_SUFFIXES or not suffix


def _without_code(part: str) -> str:
    """The text with code spans blanked out: a run of backticks up to the next run of the same length."""
    if "`" not in part:
        return part
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(part)]
    following: dict[int, int] = {}
    closing = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closing[index] = following.get(length, -1)
        following[length] = index
    kept: list[str] = []
    at = index = 0
    while index < len(runs):
        if closing[index] < 0:
            index += 1
            continue
        kept.append(part[at : runs[index][0]])
        index = closing[index]
        at = runs[index][1]
        index += 1
    return " ".join([*kept, part[at:]])


@lru_cache(maxsize=1_024)
def _bare(path: str) -> str:
    file = PurePosixPath(path)
    return str(file.with_suffix("")) if file.suffix.lower() in NOTE_SUFFIXES else path


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
