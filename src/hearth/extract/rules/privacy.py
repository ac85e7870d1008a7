"""What a person said for the record: nothing private, nothing that a program said in their place."""

from __future__ import annotations

import re

from hearth.extract.machine_text import said
from hearth.extract.withheld import is_withheld, without_spans
from hearth.text.lines import without_code

_QUOTED = re.compile(r"^\s{0,3}>.*$", re.MULTILINE)
# Runs that nobody sits at: a schedule's, a heartbeat's, another tool's.
_UNATTENDED = re.compile(
    r"\s*(?:\[cron[:\s]|\[heartbeat\]|HEARTBEAT\b|<heartbeat>|Read HEARTBEAT\.md|\[scheduled[ -]task|"
    r"\[?System\]?:\s|A scheduled reminder has been triggered|<scheduled-task)",
    re.IGNORECASE,
)


def heard(text: str) -> str:
    """What is left of a prompt for rules to read: without private spans, injected blocks, quotations and code. Empty
    for a prompt that starts private, that a schedule wrote, or that asks not to be remembered."""
    if _UNATTENDED.match(text) or is_withheld(text):
        return ""
    text = without_code(said(without_spans(text, " ")))
    return _QUOTED.sub("", text).strip() if ">" in text else text.strip()
