"""Kinds that questions ask for: what was decided, what is owed, what is known of the user, which rules there are.

"Which database did we pick?" asks for a decision about a database, which may say nothing but "we go with SQLite".
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal, cast

from hearth.text.tables import read_rows

AskedKind = Literal["", "decided", "owed", "user", "rules"]
_MOST_CHARS = 1_000


@cache
def _patterns() -> tuple[tuple[AskedKind, re.Pattern[str]], ...]:
    rows = read_rows(Path(__file__).with_name("asked_kinds.tsv"))
    return tuple((cast("AskedKind", kind), re.compile(pattern, re.IGNORECASE)) for kind, pattern in rows)


def split_kind(text: str) -> tuple[str, AskedKind]:
    """The text without the words that ask for a kind, and the kind; only a short text can be such a question."""
    if len(text) <= _MOST_CHARS:
        for kind, pattern in _patterns():
            rest, count = pattern.subn(_keep_subject, text)
            if count:
                return rest, kind
    return text, ""


def _keep_subject(found: re.Match[str]) -> str:
    return " ".join(("", *filter(None, found.groups()), ""))
