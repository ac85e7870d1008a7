"""Tags in the text: ``#project/hearth``, or ``#[[big project]]`` as in Logseq, outside code, links and headings; what
names a document is none."""

from __future__ import annotations

import re

from hearth.lazy import regex
from hearth.model.identity import is_docid

MAX_TAGS = 100
_TAG = regex(r"(?<![^\s(\[,;])#(?:\[\[([^\[\]\n]{1,200})\]\]|([^\s#.,;:!?()\[\]{}<>\"'`|*\\^=+@$%&~]+))")
_FENCE = regex(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CODE = regex(r"(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|\]\([^()\n]*\)|(?<![\s(\[,;]#)(?<!\A#)\[\[[^\[\]\n]*\]\]")


def find_tags(body: str) -> tuple[str, ...]:
    """Each once, in order, at most ``MAX_TAGS``; a number is none (#1)."""
    if "#" not in body:
        return ()
    if "`" in body or "~~~" in body:
        body = _FENCE.sub("\n", body)
    found: dict[str, None] = {}
    for match in _TAG.finditer(_CODE.sub(" ", body)):
        tag = " ".join((match[1] or match[2]).split()).strip("/-—–")
        if any(char.isalpha() for char in tag) and (tag.isalpha() or not is_docid(tag)):
            found[tag] = None
            if len(found) == MAX_TAGS:
                break
    return tuple(found)
