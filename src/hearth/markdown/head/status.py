"""What a decision or proposal says of its standing, and which others it follows or gives way to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from hearth.core.document import OVER, SUPERSEDED
from hearth.core.lazy import regex
from hearth.language.words import cues
from hearth.markdown.head.frontmatter import Value
from hearth.markdown.head.outline import Outline, names

SETTLED = frozenset({"decision", "rfc"})
"""Types of which any status counts; of others only that they hold no more."""
_LINES, _CHARS = 12, 400
_LINK = r"(?:\[\[[^\[\]\n]{1,200}\]\]|\[[^\[\]\n]{1,200}\]\([^()\s]{1,300}\))"
# The verb begins a sentence or a label, and the links follow at once: what else is said of a link says nothing of it.
_AND = r"(?:,| and| und| y| et| e| &|, &)? ?"
_MARKS = r"[ *_]{0,6}"
_ONE = regex(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]|\[[^\[\]]*\]\(([^()\s#]+)[^()\s]*\)")
_NUMBER = regex(
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
    said = [text for text in _said(fields, outline, title) if text]
    found = next((status for text in said if (status := read_status(text))), None)
    banner = _banner(outline)
    if found is None or found not in OVER:
        found = banner or found
    if found not in OVER and content_type not in SETTLED:
        return Standing()
    lines = [*said, *outline.first[:_LINES]]
    by = tuple(dict.fromkeys(name for text in lines for name in _after(text, "status:superseded")))
    if found in OVER:
        by += tuple(name for text in said for name in _after(text, "status:see"))
    by += tuple(name for key, value in fields.items() if _key(key) in _BY_KEYS for name in _names(value))
    if found == SUPERSEDED and not by:
        by = tuple(name for text in said for name in _find_targets(text))
    over = tuple(dict.fromkeys(name for text in said for name in _after(text, "status:supersedes")))
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


def _said(fields: Mapping[str, Value], outline: Outline, title: str) -> Iterator[str]:
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
    number = _NUMBER.match(text.lstrip(" *_:by")) if text else None
    return [f"#{int(number[1])}"] if number else []


def _find_targets(text: str) -> list[str]:
    number = _NUMBER.search(text)
    return _targets(text) or ([f"#{int(number[1])}"] if number else [])


def replaced(body: str) -> tuple[str, ...]:
    """The links behind a line such as ``Status: accepted. Replaces [[0005-jwt]].``, in their order."""
    head = (line.strip()[:_CHARS] for line in body.lstrip().split("\n", _LINES)[:_LINES])
    found = (one for line in head for said in _replaces().finditer(line) for one in _ONE.finditer(said[1]))
    linked = (link[1].strip() if link[1] else unquote(link[2]) for link in found)
    return tuple(dict.fromkeys(name for name in linked if "," not in name and "://" not in name))


def _replaces() -> re.Pattern[str]:
    verbs = cues("note_heads", "status:supersedes").pattern
    return re.compile(
        rf"(?:^(?:[-*>|] )?|[.;|] ){_MARKS}(?:{verbs}){_MARKS}:?{_MARKS}({_LINK}(?:{_AND}{_LINK}){{0,7}})",
        re.IGNORECASE,
    )
