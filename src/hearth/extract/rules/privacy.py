"""What a person said for the record: nothing private, nothing that a program said in their place."""

from __future__ import annotations

import re
from functools import lru_cache

from hearth.extract.machine_text import said
from hearth.extract.withheld import is_withheld, without_spans
from hearth.lazy import regex
from hearth.text.lines import without_code

_QUOTED = regex(r"^\s{0,3}>.*$", re.MULTILINE)
# Runs that nobody sits at: a schedule's, a heartbeat's, another tool's.
_UNATTENDED = regex(
    r"\s*(?:\[cron[:\s]|\[heartbeat\]|HEARTBEAT\b|<heartbeat>|Read HEARTBEAT\.md|\[scheduled[ -]task|"
    r"\[?System\]?:\s|A scheduled reminder has been triggered|<scheduled-task)",
    re.IGNORECASE,
)
# What is to be worked on is somebody's text, not what the person says of themselves or their work.
_GIVEN = regex(
    r"\A(?P<request>[^\n]{0,200}\b(?:summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|explain|review|edit|shorten|correct|"
    r"anal[yi][sz]e|critique|simplify|polish|extract|tl;?dr|resume|resúmeme|traduce|corrige|explica|revisa|reescribe|fasse|übersetze?|"
    r"korrigiere?|erkläre?|kürze?|prüfe?|überarbeite|résume|traduis|corrige|explique|relis|réécris|resuma|traduza|corrija|explique|"
    r"revise|riassumi|traduci|correggi|spiega|rivedi)\b[^\n]{0,120}[:：][ \t]*\n\s*\n?)(?P<given>.{200,})\Z",
    re.IGNORECASE | re.DOTALL,
)
_LEAST_GIVEN = 200


def is_errand(text: str) -> bool:
    """Whether a text is handed over to be worked on, which says nothing of what else goes on."""
    return _given(without_spans(text, " ").strip()) is not None


def _given(text: str) -> re.Match[str] | None:
    return _GIVEN.match(text) if len(text) > _LEAST_GIVEN and "\n" in text else None


def is_unattended(text: str) -> bool:
    """Whether a schedule, a heartbeat or another tool wrote a prompt."""
    return _UNATTENDED.match(text) is not None


@lru_cache(maxsize=256)
def heard(text: str) -> str:
    """What is left of a prompt for rules to read: without private spans, injected blocks, quotations, code, and a text
    that is given to be worked on. Empty for a prompt that starts private, that a schedule wrote, or that asks not to be
    remembered. Kept for a while: several readers look at each prompt."""
    if is_unattended(text) or is_withheld(text):
        return ""
    text = without_code(said(without_spans(text, " ")))
    given = _given(text)
    text = given["request"] if given is not None else text
    return _QUOTED.sub("", text).strip() if ">" in text else text.strip()
