"""The kind of content of a document, and its status."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote

from hearth.core.document import OVER, SUPERSEDED
from hearth.core.lazy import regex
from hearth.markdown.blocks import Value
from hearth.markdown.outline import BOLD, Outline, name_words, names, plain, read_kinds
from hearth.text.language import fold
from hearth.text.words import cues
from hearth.text.written_dates import date_of_name, find_dates, read_day_of_year

NOTED = ("decision", "rfc", "postmortem", "runbook", "meeting", "weekly")
"""Types recognised by the content of a note, the most certain first."""
_INDEXES = {"hub": "hub", "moc": "hub", "index": "hub", "memory": "hub"}
# Without accents ("décisions").
_FOLDERS = {
    "hub": "hub",
    "moc": "hub",
    "resources": "hub",
    "research": "research",
    "projects": "project",
    "proyectos": "project",
    "projekte": "project",
    "projets": "project",
    "projetos": "project",
    "progetti": "project",
    "handoffs": "handoff",
    "preferences": "preference",
    "corrections": "correction",
    "principles": "principle",
    "antipatterns": "antipattern",
    "conversations": "conversation",
    "progress": "progress",
    "daily": "daily",
}
_DATE_NAME = regex(r"\d{4}([-_])\d{2}\1\d{2}(?:\.[\w-]+)?$")
_WEEK_NAME = regex(r"(?:week[ _-]?)?\d{4}-?W\d{2}(?:\D.*)?$|\d{4}[-_]week[ _-]?\d{1,2}$")
# The team's name may stand before, that of the field behind: "shop-ADR-web-0007-queue".
_ADR_NAME = regex(r"(?:^|.*[-_ ])adr[-_ ]?\d+(?!\d)|adr-|.*[-_ ]adr-(?=.*\d)", 2)
# Those of the internet have four digits, and notes about them are none.
_RFC_NAME = regex(r"rfc[-_ ]?(?:0\d{2,4}|\d{1,3})(?!\d)", 2)
# A running number, not a year.
_NUMBERED_NAME = regex(r"(?!(?:19|20)\d\d[-_. ])\d{3,5}[-_. ]+\D")
_KEYS = ("type", "kind", "category", "notetype", "doctype", "template", "layout", "class")
_LEAST_LABELS = 2
_LEAP_YEAR = 2000
# Keys that hold its number.
_NUMBER = regex(r"#?\d+")
_OWN_KEYS = {"rfc": "rfc", "decision": "adr"}
# Kinds that a file's name says in ways of its own.
_BY_TITLE = frozenset({"decision", "weekly"})
# What decides and what proposes have the same sections; their folder tells them apart.
_AKIN = frozenset({"decision", "rfc"})


class _Structure(NamedTuple):
    """A note is of a type where its sections play ``least`` of the type's parts, one of ``needed`` among them."""

    parts: tuple[str, ...]
    least: int
    needed: frozenset[str]


_STRUCTURES = {
    "decision": _Structure(
        ("status", "context", "decision", "options", "consequences"), 3, frozenset({"decision", "consequences"})
    ),
    "rfc": _Structure(
        ("motivation", "design", "drawbacks", "alternatives", "open"), 4, frozenset({"motivation", "drawbacks"})
    ),
    "postmortem": _Structure(("cause", "impact", "timeline", "fix", "lessons"), 3, frozenset({"cause", "timeline"})),
    "runbook": _Structure(
        ("signs", "steps", "diagnosis", "escalation", "rollback", "before"),
        3,
        frozenset({"signs", "escalation", "rollback"}),
    ),
    "meeting": _Structure(
        ("people", "agenda", "absent", "chair", "actions", "next"), 2, frozenset({"people", "agenda", "chair"})
    ),
}
# Those whose files have running numbers.
_NUMBERED = frozenset({"decision", "rfc"})


def read_type(fields: Mapping[str, Value], path: str, outline: Outline, title: str, collection: str = "") -> str | None:
    """``None`` where nothing tells. The name of the collection counts like that of a folder above all others, for what
    bears it out."""
    file = PurePosixPath(path)
    if is_index(path):
        day = PurePosixPath(folder_of_index(path))
        found = _of_folders(day) or _of_collection(collection, fields, day, outline) if day != file else None
        return found or _type_of_index(file)
    titles = _find_titles(title, outline)
    likely = (*(_NUMBERED if _NUMBERED_NAME.match(file.stem) else ()), *(("meeting",) if _is_meeting(titles) else ()))
    folder = _of_folders(file) or _of_collection(collection, fields, file, outline)
    found = (
        _of_fields(fields)
        or _of_title(titles, file)
        or _of_name(file)
        or _of_labels(fields, outline)
        or _of_sections(outline, folder, (*likely, folder))
    )
    return found or _type_of_index(file) or folder or _of_words(file)


def is_index(path: str) -> bool:
    return names("name:other", name_words(PurePosixPath(path).stem))


def folder_of_index(path: str) -> str:
    """The path that tells of a note: of the index of a folder that is called by a day the folder's."""
    file = PurePosixPath(path)
    is_day = is_index(path) and date_of_name(file.parent.name) is not None
    return f"{file.parent}{file.suffix}" if is_day else path


def _type_of_index(file: PurePosixPath) -> str | None:
    stem = file.stem
    return _INDEXES.get(stem.lower()) if stem.lower() != "memory" or stem == "MEMORY" else None


def _of_fields(fields: Mapping[str, Value]) -> str | None:
    """By a key that says a kind, or a tag that is one."""
    given = {key.lower().replace("_", "").replace("-", ""): value for key, value in fields.items()}
    for key in _KEYS:
        if (value := given.get(key)) is not None and (found := _named_in(_texts(value))):
            return found
    if (
        own := next((kind for kind, key in _OWN_KEYS.items() if _NUMBER.fullmatch(str(given.get(key)))), None)
    ) is not None:
        return own
    tags = [tag.lstrip("#") for key in ("tags", "tag") for value in [given.get(key, ())] for tag in _texts(value)]
    return _named_in(tag for tag in tags if tag.lower() not in ("decision", "decisions", "incident", "weekly"))


def _named_in(texts: Iterable[str]) -> str | None:
    return next((kind for text in texts if (kind := _named(text.strip("[]\"' ").rsplit("/", 1)[-1]))), None)


def _named(name: str) -> str | None:
    kinds = read_kinds(name_words(name))
    return next((kind for kind in NOTED if f"folder:{kind}" in kinds), None) if kinds else None


def _texts(value: Value) -> list[str]:
    return [part.strip() for text in ([value] if isinstance(value, str) else value) for part in text.split(",")]


def _find_titles(title: str, outline: Outline) -> list[str]:
    """Its title and the heading that it begins with, of whatever level, but for those of texts about a kind of note."""
    texts = dict.fromkeys(text for one in (title, outline.opening) for text in (plain(one), one))
    return [text for text in texts if not names("title:other", text)]


def _of_title(titles: Sequence[str], file: PurePosixPath) -> str | None:
    kinds = _join_kinds(titles)
    found = next((kind for kind in NOTED if f"title:{kind}" in kinds), None)
    if found is not None or not _is_meeting(titles):
        return found
    is_dated = date_of_name(str(file.with_suffix(""))) or any(
        find_dates(text, "day", periods=True) or read_day_of_year(text, _LEAP_YEAR) for text in titles
    )
    return "meeting" if is_dated else None


def _is_meeting(titles: Sequence[str]) -> bool:
    return any(cues("note_heads", "title:met").search(text) for text in titles)


def _of_name(file: PurePosixPath) -> str | None:
    if _ADR_NAME.match(file.stem):
        return "decision"
    if _RFC_NAME.match(file.stem):
        return "rfc"
    return "weekly" if _WEEK_NAME.match(file.stem) else None


def _of_labels(fields: Mapping[str, Value], outline: Outline) -> str | None:
    """By labels and keys that name the kind, as "RFC status" and "RFC author"."""
    labels = {label.name for label in outline.labels} | {key.replace("_", " ").replace("-", " ") for key in fields}
    kinds = Counter(chain.from_iterable(map(read_kinds, labels)))
    return next((kind for kind in NOTED if kinds[f"label:{kind}"] >= _LEAST_LABELS), None)


def _of_sections(outline: Outline, folder: str | None, likely: Collection[str | None]) -> str | None:
    """By its headings; where these don't tell by lines in bold and labels, too. The kind with the most parts, of which
    its name, title or folder is one."""
    titles = {" ".join(section.title.split()) for section in outline.sections if section.level < BOLD}
    every = titles | set(outline.headings) | {label.name for label in outline.labels}
    for titles_here in (titles, every):
        best = max(_find_kinds(titles_here, likely), default=None)
        if best is not None:
            return folder if folder in _AKIN and NOTED[-best[1]] in _AKIN else NOTED[-best[1]]
    return None


def _find_kinds(titles: Iterable[str], likely: Collection[str | None]) -> Iterator[tuple[int, int]]:
    """How many parts more than needed a note has of each kind that it may be, with the kind's place, negative."""
    kinds = _join_kinds(titles)
    for at, kind in enumerate(NOTED if kinds else ()):
        structure = _STRUCTURES.get(kind)
        if structure is None:
            continue
        played = {part for part in structure.parts if f"{kind}:{part}" in kinds}
        beyond = len(played) + (kind in likely) - structure.least
        if beyond >= 0 and structure.needed & played:
            yield beyond, -at


def _join_kinds(texts: Iterable[str]) -> frozenset[str]:
    """The kinds that any of the texts names."""
    return frozenset(chain.from_iterable(map(read_kinds, texts)))


def _of_folders(file: PurePosixPath) -> str | None:
    for folder in reversed(file.parts[:-1]):
        found = _named(folder) or _FOLDERS.get(fold(folder.lower()))
        if found is not None:
            return found
    return None


def _of_collection(collection: str, fields: Mapping[str, Value], file: PurePosixPath, outline: Outline) -> str | None:
    """By the last words of its name, where the note is numbered or dated, or has a part of the kind."""
    words = name_words(collection).split()
    kind = next((kind for at in range(len(words)) if (kind := _named(" ".join(words[at:])))), None)
    if kind is None or _NUMBERED_NAME.match(file.stem) or date_of_name(str(file.with_suffix(""))):
        return kind
    keys = [key.replace("_", " ") for key in fields]
    if any(names("label:event", key) for key in keys):
        return kind
    labels = {*outline.headings, *(label.name for label in outline.labels), *keys}
    return kind if any(kind == NOTED[-at] for _, at in _find_kinds(labels, (kind,))) else None


def _of_words(file: PurePosixPath) -> str | None:
    title = next(
        (kind for kind in NOTED if kind not in _BY_TITLE and names(f"title:{kind}", name_words(file.stem))), None
    )
    if title is not None:
        return title
    return "daily" if _DATE_NAME.match(file.stem) and date_of_name(file.stem) is not None else None


SETTLED = frozenset({"decision", "rfc"})
"""Types of which any status counts; of others only that they hold no more."""
_LINES, _CHARS = 12, 400
_LINK = r"(?:\[\[[^\[\]\n]{1,200}\]\]|\[[^\[\]\n]{1,200}\]\([^()\s]{1,300}\))"
# The verb begins a sentence or a label, and the links follow at once: what else is said of a link says nothing of it.
_AND = r"(?:,| and| und| y| et| e| &|, &)? ?"
_MARKS = r"[ *_]{0,6}"
_ONE = regex(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]|\[[^\[\]]*\]\(([^()\s#]+)[^()\s]*\)")
_STATUS_NUMBER = regex(
    r"(?<![\w./-])(?:adr|rfc|decision|entscheidung|décision|no\.?|nr\.?|n°|#)?[ :#()-]*0*"
    r"(\d{1,5})(?![0-9A-Za-z_/%-]|\.\d)",
    re.IGNORECASE,
)
_EMOJI = {
    "✅": "accepted", "☑": "accepted", "✔": "accepted", "🟢": "accepted", "👍": "accepted",
    "❌": "rejected", "🚫": "rejected", "⛔": "rejected", "✖": "rejected", "🔴": "rejected", "👎": "rejected",
    "🗑": "deprecated", "⚰": "deprecated", "🪦": "deprecated", "⚠": "deprecated",
    "♻": "superseded", "🔁": "superseded", "🔄": "superseded",
    "📝": "proposed", "🚧": "proposed", "⏳": "proposed", "🟡": "proposed", "💬": "proposed", "🤔": "proposed",
}  # fmt: skip
# The word that says most of what no longer holds wins: sections keep what was said before.
_ORDER = ("superseded", "rejected", "deprecated", "accepted", "proposed")
_STRUCK = regex(r"~~.*?~~|<(?:del|s|strike)>.*?</(?:del|s|strike)>|<!--.*?-->", re.IGNORECASE)
_UNCHECKED = regex(r"[-*+]?[ \t]*\[ \][ \t]")
_BADGE = regex(r"/badge/(?:status|adr)[-_ ]+([\w ]+?)-", re.IGNORECASE)
_MARKED_TITLE = regex(r"[ \t]*[\[(【]?[*_ ]*(\S.{2,40}?)[*_ ]*(?:[\])】]|[:：–—](?=\s)|$)")
# A remark above the text, as "> **Superseded by …**" or "[!WARNING]".
_BANNER = regex(
    r"[ \t]*(?:>[ \t>]*|:::[ \t]*|[*_]{1,3}|[-*+][ \t]+)?(?:\[!\w+\][ \t]*)?[*_]{0,3}(?:[^\w\s>*]️?[ \t]*)?(\S.*)$"
)
_LEAST_OPTIONS = 3


class Standing(NamedTuple):
    """``status`` is one of ``core.document.STATUSES``; ``by`` names what takes its place and ``over`` what it takes
    the place of: links as they stand, or numbers of decisions in the same folder."""

    status: str | None = None
    by: tuple[str, ...] = ()
    over: tuple[str, ...] = ()


def read_standing(fields: Mapping[str, Value], outline: Outline, content_type: str, title: str) -> Standing:
    texts = [text for text in _find_statuses(fields, outline, title) if text]
    found = next((status for text in texts if (status := read_status(text))), None)
    banner = _banner(outline)
    if found is None or found not in OVER:
        found = banner or found
    if found not in OVER and content_type not in SETTLED:
        return Standing()
    lines = [*texts, *outline.first[:_LINES]]
    by = tuple(dict.fromkeys(name for text in lines for name in _after(text, "status:superseded")))
    if found in OVER:
        by += tuple(name for text in texts for name in _after(text, "status:see"))
    by += tuple(name for key, value in fields.items() if _key(key) in _BY_KEYS for name in _names(value))
    if found == SUPERSEDED and not by:
        by = tuple(name for text in texts for name in _find_targets(text))
    over = tuple(dict.fromkeys(name for text in texts for name in _after(text, "status:supersedes")))
    return Standing(found, tuple(dict.fromkeys(by)), over)


def read_status(text: str) -> str | None:
    """The status that a value says, in words or by a sign; of a form that was not filled in none."""
    text = _STRUCK.sub(" ", text[:_CHARS])
    words = {status for status in _ORDER if cues("note_heads", f"status:{status}").search(_start(text))}
    if len(words) >= _LEAST_OPTIONS and ("|" in text or "{" in text or text.count("/") > 1 or text.count(",") > 1):
        return None
    found = next((status for status in _ORDER if status in words), None)
    return found or next((status for sign, status in _EMOJI.items() if sign in text), None)


_BY_KEYS = frozenset({"supersededby", "replacedby", "obsoletedby", "ersetztdurch", "remplacepar", "reemplazadopor"})


def _start(text: str) -> str:
    """The first words of a value, which say it; behind them stand reasons."""
    return text[:80]


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def _names(value: Value) -> Iterator[str]:
    for text in [value] if isinstance(value, str) else value:
        yield from _targets(text) or [text.strip()]


def _find_statuses(fields: Mapping[str, Value], outline: Outline, title: str) -> Iterator[str]:
    """What may say the status, the clearest first."""
    for key, value in fields.items():
        if names("label:status", key.replace("_", " ").replace("-", " ")):
            yield value if isinstance(value, str) else ", ".join(value)
    yield from outline.values("label:status")
    for section in outline.sections:
        if names("label:status", section.title):
            lines = [line for line in section.lines if not _UNCHECKED.match(line)]
            yield "; ".join(line.strip("*_ ") for line in lines)
    for line in outline.first:
        if badge := _BADGE.search(line):
            yield badge[1]
    marked = _MARKED_TITLE.match(title)
    if marked and (title.lstrip()[:1] in "[(【" or title.isupper()):
        yield marked[1]
    if title.lstrip()[:1] in _EMOJI:
        yield title.lstrip()[:1]


def _banner(outline: Outline) -> str | None:
    """A line above the text that begins with the word for what no longer holds."""
    for line in outline.first[:6]:
        if line.lstrip().startswith("#"):
            continue
        remark = _BANNER.match(line)
        marked = line.lstrip()[:1] in (">", "*", "_", ":", "⚠", "❌", "🚫", "⛔")
        if remark and marked:
            for status in _ORDER[:3]:
                if cues("note_heads", f"status:{status}").match(remark[1]):
                    return status
    return None


def _after(text: str, kind: str) -> Iterator[str]:
    """What the words of a kind are followed by."""
    text = _STRUCK.sub(" ", text[:_CHARS])
    for found in cues("note_heads", kind).finditer(text):
        yield from _targets(text[found.end() : found.end() + 200])


def _targets(text: str) -> list[str]:
    """Links at once, or the numbers of decisions."""
    links = [unquote(link[2]) if link[2] else link[1].strip() for link in _ONE.finditer(text)]
    if links:
        return [name for name in links if "," not in name and "://" not in name]
    number = _STATUS_NUMBER.match(text.lstrip(" *_:by")) if text else None
    return [f"#{int(number[1])}"] if number else []


def _find_targets(text: str) -> list[str]:
    number = _STATUS_NUMBER.search(text)
    return _targets(text) or ([f"#{int(number[1])}"] if number else [])


def replaced(body: str) -> tuple[str, ...]:
    """The links behind a line such as ``Status: accepted. Replaces [[0005-jwt]].``, in their order."""
    head = (line.strip()[:_CHARS] for line in body.lstrip().split("\n", _LINES)[:_LINES])
    found = (one for line in head for said in _replaces().finditer(line) for one in _ONE.finditer(said[1]))
    linked = (link[1].strip() if link[1] else unquote(link[2]) for link in found)
    return tuple(dict.fromkeys(name for name in linked if "," not in name and "://" not in name))


def _replaces() -> re.Pattern[str]:
    verbs = cues("note_heads", "status:supersedes").pattern
    return regex(
        rf"(?:^(?:[-*>|] )?|[.;|] ){_MARKS}(?:{verbs}){_MARKS}:?{_MARKS}({_LINK}(?:{_AND}{_LINK}){{0,7}})",
        re.IGNORECASE,
    )
