"""What a decision says in its first lines to replace: ``Status: accepted. Replaces [[0005-jwt]].``"""

from __future__ import annotations

import re
from urllib.parse import unquote

from hearth.lazy import regex

_LINES, _CHARS = 12, 400
_VERBS = (
    "replaces|supersedes|supercedes|obsoletes|ersetzt|löst ab|reemplaza|reemplaza a|sustituye a?|remplace|"
    "substitui|sostituisce|vervangt|ersätter|заменяет|取代|替代|置き換える"
)
_LINK = r"(?:\[\[[^\[\]\n]{1,200}\]\]|\[[^\[\]\n]{1,200}\]\([^()\s]{1,300}\))"
# The verb begins a sentence or a label, and the links follow at once: what else is said of a link says nothing of it.
_AND = r"(?:,| and| und| y| et| e| &|, &)? ?"
_MARKS = r"[ *_]{0,6}"
_SAID = regex(
    rf"(?:^(?:[-*>|] )?|[.;|] ){_MARKS}(?:{_VERBS}){_MARKS}:?{_MARKS}({_LINK}(?:{_AND}{_LINK}){{0,7}})", re.IGNORECASE
)
_ONE = regex(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]|\[[^\[\]]*\]\(([^()\s#]+)[^()\s]*\)")


def replaced(body: str) -> tuple[str, ...]:
    """The names and paths of the links, in their order."""
    head = (line.strip()[:_CHARS] for line in body.lstrip().split("\n", _LINES)[:_LINES])
    found = (one for line in head for said in _SAID.finditer(line) for one in _ONE.finditer(said[1]))
    names = (link[1].strip() if link[1] else unquote(link[2]) for link in found)
    return tuple(dict.fromkeys(name for name in names if "," not in name and "://" not in name))
