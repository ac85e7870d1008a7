"""What a person said for the record: nothing private, nothing that a program said in their place."""

from __future__ import annotations

import re

from hearth.extract.withheld import is_withheld

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
# Sentinels of what Hearth gives to read, and of what other memories inject.
_INJECTED = re.compile(
    r"<(vault-[a-z]{1,32}|supermemory-context|memory-context|relevant-memories|system-reminder)\b[^>]*>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL,
)
_QUOTED = re.compile(r"^\s{0,3}>.*$", re.MULTILINE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
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
    if "<" in text:
        text = _INJECTED.sub(" ", _PRIVATE.sub(" ", text))
    if "```" in text or "~~~" in text:
        text = _CODE.sub("\n", text)
    return _QUOTED.sub("", text).strip() if ">" in text else text.strip()
