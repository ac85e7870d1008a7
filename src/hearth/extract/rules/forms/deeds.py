"""Deeds: what somebody says in passing that they did on a day or with somebody named, or that they never did."""

from __future__ import annotations

import re

from hearth.lazy import regex

_WHO = r"(?:i|we)(?:['’]ve|\s+have)"
_VAGUE = r"(?:it|this|that|them|these|those|anything|something|one|such|so|like|a\s+lot|as)\b"
_NEVER = regex(
    rf"{_WHO}\s+never\s+(?:actually\s+|really\s+|ever\s+)?(?!(?:seen|heard|thought|felt|known|understood|had|been|got|gotten|realized|"
    rf"realised|noticed|experienced|loved|liked|wanted|met\s+(?:anyone|someone|a))\b)\w+\s+(?!{_VAGUE})(?:\S+\s+){{1,}}?\S+",
    re.IGNORECASE,
)
_NAMED = r"(?:(?-i:[A-ZÀ-Þ])[\w'’-]+|\d)"
_DID = regex(
    rf"(?:{_WHO}|i|we)\s+(?:just\s+|already\s+|recently\s+|finally\s+)?(?:attended|downloaded|installed|submitted|enrolled|completed|"
    rf"joined|signed\s+up|missed|visited|subscribed|registered|met)\s+(?!{_VAGUE})(?:\S+\s+){{0,14}}?{_NAMED}",
    re.IGNORECASE,
)
_UNREAL = regex(
    r"[!?]|\b(?:if|like\s+(?:this|that)|so\s+\w+|such|wish|would|could|should|might|maybe|"
    r"you(?!\s+know\b)|your)\b",
    re.IGNORECASE,
)


def tells_deed(text: str) -> bool:
    """Whether a sentence says that its speaker did something that can be told apart from others, or never did it."""
    return (_NEVER.match(text) or _DID.match(text)) is not None and _UNREAL.search(text) is None
