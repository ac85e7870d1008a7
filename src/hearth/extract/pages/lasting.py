"""What of a memory lasts: how somebody is or wants things, not what they are at, ask for or went through. Pure.

Of facts more is asked than of preferences, since most of what people say of themselves is over soon."""

from __future__ import annotations

import re

from hearth.lazy import regex

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
# A task, which passes.
_TASK = regex(
    r"\b(?:is|are|was|were|been|i'm) (?:\w+ly )?(?:try|look|work|plan|go|hop|struggl|finali[sz]|get|prepar|test|debug|"
    r"implement|build|sett|add|review|integrat|deploy|refactor|fix|writ|consider|think|start|wonder|feel|focus|attend)"
    r"n?ing\b",
    re.IGNORECASE,
)
# A wish for once, or a request; what always holds is none.
_WISH = regex(r"\b(?:(?:would|[’']d) like to|wants? to|looking for|(?:can|could|would) you)\b", re.IGNORECASE)
_ALWAYS = regex(r"\b(?:always|never|whenever|every|each time|any time|from now on|in general)\b", re.IGNORECASE)
# A quotation from the middle of a sentence.
_TORN = regex(r"[^“”\"]*[“\"][a-z]")
# What stood beside it says what is meant; or it is no sentence.
_DANGLING = regex(
    r"\b(?:this|these|those) (?!(?:is|way|kind|sort)\b)\w+|\b(?:this|these|those|that) [\w ]{1,40}\ba (?:few|couple)\b"
    r"|^the user[’']s preference for [^.]*\.$|^the user said (?!:)",
    re.IGNORECASE,
)
# What is over soon.
_PASSING = regex(
    r"\b(?:has|have)\b(?! (?:a|an|been|no|two|three|four|five|\d+)\b)|\bjust\b|\bin talks\b"
    r"|\b(?:deadlines?|sprints?|milestones?|scheduled|planned|upcoming|beginning|due|today|tonight|tomorrow|yesterday|"
    r"currently|recently|right now|worried|concerned|anxious|nervous|excited|thrilled|stressed|hoping|hopes?|"
    r"(?:this|next|last) (?:week|weekend|month|sprint|release|year|summer|winter|spring|fall)|"
    r"by (?:the end|\w+ \d{1,2}))\b"
    rf"|\b(?:{_DAYS})\b|\b(?:in|on|by|for|since|until|from) (?:late |early |mid-?)?(?:{_MONTHS})\b|\b(?:{_MONTHS}) \d"
    r"|\(\d{4}-\d{2}-\d{2}\)|\bfrom [$€£]?\d[\w,.%]* to\b|\bha(?:s|ve) [\w,.$]+ \w+ to \w|\bgonna\b",
    re.IGNORECASE,
)
# Dates that are part of who somebody is.
_OF_LIFE = regex(r"\b(?:born|birthday|anniversary|married|since (?:\w+ )?\d{4})\b", re.IGNORECASE)
_OF_USER = regex(
    r"(?:the )?user(?:['’]s)? |(?:i|my|i['’]m) |the user said: “(?=[^”]*\b(?:i|my|i['’]m)\b)", re.IGNORECASE
)
# What somebody went through once; the verbs of a life, and "used to", are left in.
_PAST = regex(
    r"\b(?:user|i) (?:\w+ly |also |even |finally |once )?(?!used to\b|(?:studied|graduated|lived|moved|worked|served|"
    r"retired|stopped|switched|converted|needed|preferred|liked|loved|based|named|called|married|allergic)\b)"
    r"(?:\w{2,}ed|got|went|lost|won|made|took|came|saw|met|found|gave|told|felt|ran|bought|began|did|"
    r"had|kept|left|sold|sent|spent|thought|wrote|ate|drank|fell|heard|held|put|shared|spoke|taught|brought|built|chose|"
    r"drove|flew|paid|slept|swam|threw|understood|woke)\b",
    re.IGNORECASE,
)
_SAID_BEFORE = regex(
    r",? (?:as|like) (?:they|i)(?:['’]ve| have)? (?:mentioned|said|stated|noted)(?: (?:before|earlier))?(?=[.!]?$)"
    r"|,? as (?:stated|mentioned|noted)(?: (?:before|earlier|above))?(?=[.!]?$)",
    re.IGNORECASE,
)


def is_lasting(text: str, *, fact: bool) -> bool:
    """Whether it tells how somebody is or wants things, and stands alone."""
    if _TASK.search(text) or _TORN.match(text) or _DANGLING.search(text):
        return False
    if not fact:
        return not _WISH.search(text) or _ALWAYS.search(text) is not None
    if not _OF_USER.match(text) or _PAST.search(text) or _WISH.search(text):
        return False
    return _PASSING.search(text) is None or _OF_LIFE.search(text) is not None


def tidy(text: str) -> str:
    """On one line, without the remark that it was said before."""
    return _SAID_BEFORE.sub("", " ".join(text.split()))
