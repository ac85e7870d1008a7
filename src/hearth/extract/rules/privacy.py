"""What a person said for the record: nothing private, nothing that a program said in their place."""

from __future__ import annotations

import re

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENS_PRIVATE = re.compile(r"\s*<private>", re.IGNORECASE)
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
_FORGET = re.compile(
    r"\b(?:forget\s+(?:what\s+i\s+(?:just\s+)?said|that|this|it)\b|(?:don['’]?t|do\s+not)\s+(?:remember|save|store|keep)\s+(?:this|that|it)\b|"
    r"off\s+the\s+record|olvida\s+(?:lo\s+que|eso|esto)|no\s+(?:recuerdes|guardes)\s+(?:esto|eso)|"
    r"vergiss\s+(?:das|was\s+ich)|merk\s+dir\s+das\s+nicht|oublie\s+(?:ça|cela|ce\s+que)|ne\s+retiens\s+pas|"
    r"esquece\s+(?:isso|o\s+que)|não\s+(?:guardes?|lembres?)\s+iss?to|dimentica\s+(?:quello|questo|ciò)|non\s+ricordare|"
    r"забудь\s+(?:это|то,?\s+что)|не\s+запоминай)|忘(?:了|掉|记)(?:这|那|我刚)|别记|不要记|忘れて|覚えなくて",
    re.IGNORECASE,
)


def heard(text: str) -> str:
    """What is left of a prompt for rules to read: without private spans, injected blocks, quotations and code. Empty
    for a prompt that starts private, that a schedule wrote, or that asks not to be remembered."""
    if _OPENS_PRIVATE.match(text) or _UNATTENDED.match(text) or forgets(text):
        return ""
    if "<" in text:
        text = _INJECTED.sub(" ", _PRIVATE.sub(" ", text))
    if "```" in text or "~~~" in text:
        text = _CODE.sub("\n", text)
    return _QUOTED.sub("", text).strip() if ">" in text else text.strip()


def forgets(text: str) -> bool:
    """Whether a person asks that what is said now, or was just said, is not remembered."""
    return _FORGET.search(text[:2_000]) is not None
