"""When a text was written, by what it says: its frontmatter, else its name, else a date in its first lines.

The time of its file is none of these. It tells when a copy was made, a repository cloned or a disk restored. That it
changed because somebody wrote could be known only by having seen it change: an index would then depend on when it was
filled, unless each change of a file were journaled. What nothing dates is undated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hearth.lazy import regex
from hearth.markdown.head import dates
from hearth.markdown.head.frontmatter import Value
from hearth.text.lines import FENCE

# In order: the engine's own key, the day that the note is about, when it was begun, made public, changed.
_KEYS = (
    "authored_at",
    "date",
    "datum",
    "fecha",
    "created",
    "created_at",
    "created_on",
    "date_created",
    "creation_date",
    "createdat",
    "published",
    "published_at",
    "publish_date",
    "date_published",
    "pubdate",
    "updated",
    "updated_at",
    "date_updated",
    "last_updated",
    "last_modified",
    "lastmod",
    "modified",
    "date_modified",
)
_FIRST_LINES = 15
_LINE = regex(r"[ \t>*_+-]*(?:date|datum|fecha)[ \t*_]*:[ \t*_]*(\S[^\n]*?)[ \t*_]*$", re.IGNORECASE)
_HEADING = regex(r" {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$")


def of_fields(fields: Mapping[str, Value]) -> int | None:
    """ms UTC of the first key that holds a date."""
    given = {key.strip().lower().replace("-", "_").replace(" ", "_"): value for key, value in fields.items()}
    for key in _KEYS:
        value = given.get(key)
        found = dates.written(value) if isinstance(value, str) else None
        if found is not None:
            return found
    return None


def of_lines(lines: Iterable[str]) -> int | None:
    """12:00 UTC of a line such as ``Date: 2024-03-05`` or of a heading with one date in it, whichever is first among
    the first lines that are not empty."""
    seen, code = 0, False
    for text in lines:
        if not text.strip():
            continue
        seen += 1
        if seen > _FIRST_LINES:
            break
        if FENCE.match(text):
            code = not code
        if code:
            continue
        if line := _LINE.match(text):
            found = dates.written(line[1])
        elif heading := _HEADING.match(text):
            found = dates.only_one(heading[1])
        else:
            continue
        if found is not None:
            return found
    return None
