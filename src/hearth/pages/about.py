"""What a profile says of a person: which memories, in which order, and which of them last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from hearth.core.lazy import dataclass, regex
from hearth.markdown.owned_lines import PageStatement
from hearth.text.lines import estimate_tokens
from hearth.text.similarity import covers, near_identical, protected, repeats
from hearth.text.words import cues

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
# A task, which passes.
_TASK = regex(
    r"\b(?:is|are|was|were|been|i'm) (?:\w+ly )?(?:try|look|work|plan|go|hop|struggl|finali[sz]|get|prepar|test|debug|"
    r"implement|build|sett|add|review|integrat|deploy|refactor|fix|writ|consider|think|start|wonder|feel|focus|attend|aim|celebrat|experiment)"
    r"n?ing\b",
    re.IGNORECASE,
)
# Of a fact, whatever somebody is at, but for what goes on and what sounds like it.
_AT_IT = regex(
    r"\b(?:user is|i am|i['’]m) (?:\w+ly |also )?(?!(?:us|runn|liv|learn|study|dat|will|outgo|easygo|car|lov)ing\b)"
    r"\w+ing\b",
    re.IGNORECASE,
)
# A wish for once, a request, a choice or a reminder; what always holds is none.
_WISH = regex(
    r"\b(?:(?:would|[’']d) like to|wants? to|looking for|(?:can|could|would) you|gonna|prefers? to (?:start|begin))\b"
    r"|\b(?:user|i) (?:chose|decided|opted|agreed)\b|^(?:please )?(?:don['’]t forget|be sure) to\b",
    re.IGNORECASE,
)
# What somebody has not done yet.
_UNTRIED = regex(r"\bnever (?:been|had|seen|tried|done|gone|made)\b", re.IGNORECASE)
_ALWAYS = regex(r"\b(?:always|never|whenever|every|each time|any time|from now on|in general)\b", re.IGNORECASE)
# A quotation from the middle of a sentence.
_TORN = regex(r"[^“”\"]*[“\"][a-z]")
# What stood beside it says what is meant; or it is no sentence.
_DANGLING = regex(
    r"\b(?:this|these|those) (?!(?:is|way|kind|sort)\b)\w+|\b(?:this|these|those|that) [\w ]{1,40}\ba (?:few|couple)\b"
    r"|^the user[’']s preference for [^.]*\.$|^the user said (?!:)|^the user said: “\W?(?:that|it|this|those|they)\b"
    r"|\b(?:fan of|loves?|likes?|enjoys?|prefers?) (?:it|them|that)(?=[,.!?;])",
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
_OF_LIFE = regex(
    r"\b(?:born|birthday|anniversary|married|(?:been|lived|worked|had) [^.]*\bsince (?:\w+ )?\d{4})\b", re.IGNORECASE
)
# What a person has as a person: of anything else that is theirs, as a script or a goal, a fact speaks of their work.
_PERSONAL = (
    r"(?:(?:first|last|full|middle|given|real|old|older|oldest|elder|young|younger|youngest|little|big|best|native|current|"
    r"new|late|two|three|four) ){0,2}"
    r"(?:names?|nickname|pronouns|birthday|age|time ?zone|locale|languages?|mother tongue|accent|nationality|jobs?|"
    r"role|profession|occupation|career|trade|employer|boss|manager|team|colleagues?|company|degree|famil(?:y|ies)|parents?|"
    r"mother|mom|mum|father|dad|brothers?|sisters?|siblings?|twins?|sons?|daughters?|kids?|child(?:ren)?|wife|husband|"
    r"spouse|partner|girlfriend|boyfriend|fianc[eé]e?|grand\w+|uncle|aunt|cousins?|nephews?|nieces?|friends?|pets?|dogs?|"
    r"cats?|home(?! (?:dir|folder|page|path|server|lab|screen))|hometown|house|apartment|flat|city|town|country|"
    r"neighbou?rhood|e-?mail|phone|handle|username|health|allerg(?:y|ies)|diet|disability|eyes?|hands?|height|"
    r"hobb(?:y|ies)|passions?|favou?rites?|faith|religion|art|music|instruments?|sports?|editor|keyboard|shell|laptop|"
    r"computer|machine(?! learning)|operating system|car|bike|background|personality|habits?|routine)"
)
_OF_USER = regex(
    rf"(?:the )?user (?!said: “)|(?:i|i['’]m) |(?:the user said: “)?(?:(?:the )?user['’]s|my) {_PERSONAL}\b"
    r"|the user said: “(?!my\b)(?=[^”]*\b(?:i|my|i['’]m)\b)",
    re.IGNORECASE,
)
# How something is built and run: code, ports, and what is said to be of a project.
_OF_WORK = regex(
    r"`|\w\(\)|\bport \d|\b\d+ (?:workers|threads|replicas)\b|\b(?:local)?host:\d"
    r"|\b(?:for|in|on|of) (?:their|my|our|the|this) (?:[\w-]+ ){0,3}(?:project|app|application|website|site|server|api|"
    r"database|dashboard|pipeline|repo|repository|codebase|backend|frontend|service|script)\b",
    re.IGNORECASE,
)
# Another person, and who could be meant: a name inside a sentence, or somebody's kin.
_ANOTHER = regex(r"\b(?:he|she|him|his|her|hers)\b", re.IGNORECASE)
_SOMEBODY = regex(
    r"(?<=[a-zà-ÿ,;:] )(?!I\b)[A-ZÀ-Þ][\w’'-]+|\b(?:mother|mom|mum|father|dad|brother|sister|son|daughter|child|wife|"
    r"husband|partner|girlfriend|boyfriend|grand\w+|uncle|aunt|cousin|nephew|niece|friend|boss|dog|cat|baby)\b"
)
# What somebody went through once; the verbs of a life, and "used to", are left in.
_PAST = regex(
    r"\b(?:user|i) (?:\w+ly |also |even |finally |once )?(?!used to\b|(?:studied|graduated|lived|moved|worked|served|"
    r"retired|stopped|switched|converted|needed|preferred|liked|loved|based|named|called|married|allergic)\b)"
    r"(?:\w{2,}ed|got|went|lost|won|made|took|came|saw|met|found|gave|told|felt|ran|bought|began|did|"
    r"had|kept|left|sold|sent|spent|thought|wrote|ate|drank|fell|heard|held|put|shared|spoke|taught|brought|built|chose|"
    r"drove|flew|paid|set|slept|swam|threw|understood|woke)\b",
    re.IGNORECASE,
)
_QUOTED = regex(r"[^“”]{1,60}: “([^”]+)”")
_SAID_BEFORE = regex(
    r",? (?:as|like) (?:they|i)(?:['’]ve| have)? (?:mentioned|said|stated|noted)(?: (?:before|earlier))?(?=[.!]?$)"
    r"|,? as (?:stated|mentioned|noted)(?: (?:before|earlier|above))?(?=[.!]?$)",
    re.IGNORECASE,
)


def is_lasting(text: str, *, fact: bool) -> bool:
    """Whether it tells how somebody is or wants things, and stands alone."""
    if _TASK.search(text) or _TORN.match(text) or _DANGLING.search(text) or _points_away(text):
        return False
    if not fact:
        once = _WISH.search(text) is not None and _ALWAYS.search(text) is None
        return not once and _UNTRIED.search(text) is None
    if is_of_oneself(text):
        return _WISH.search(text) is None
    if not _OF_USER.match(text) or any(one.search(text) for one in (_PAST, _WISH, _AT_IT, _OF_WORK)):
        return False
    return _PASSING.search(text) is None or _OF_LIFE.search(text) is not None


def is_of_oneself(text: str) -> bool:
    """Whether the person tells who they are, in any of the nine languages."""
    quoted = _QUOTED.fullmatch(text)
    statement = text if quoted is None else quoted[1]
    return cues("marks", "self").match(statement) is not None and cues("guards", "errand").search(statement) is None


def _points_away(text: str) -> bool:
    """Whether it speaks of another person whom it does not name."""
    another = _ANOTHER.search(text)
    return another is not None and _SOMEBODY.search(text, 0, another.start()) is None


def tidy(text: str) -> str:
    """On one line, without the remark that it was said before."""
    return _SAID_BEFORE.sub("", " ".join(text.split()))


TYPES = ("correction", "principle", "preference", "fact")
"""The first say how somebody wants things, whoever the words name; a fact is theirs where it speaks of the user."""
TIERS = ("explicit", "implied")
_SOURCES = 3
# Who somebody is, before what they use and do.
_IDENTITY = regex(
    r"the user (?:is (?!\w+ing\b)|lives|works as|was born|has (?:a|an|one|two|three|four|five) )|the user['’]s name\b"
    r"|the user said: “i['’]m (?!\w+ing\b)",
    re.IGNORECASE,
)
_USES = regex(r"the user (?:is|has been|have been) (?:using|running)\b|the user (?:uses|runs)\b", re.IGNORECASE)
_VERSION = regex(r"v?\d[\w.]*")
_KIND_CHARS = 3
# What a sentence opens with, and whom it is about.
_OPENING = frozenset({"the", "user"})
FRAME = regex(r"user|prefer\w*|say|said|always|never|ask\w*|us(?:e|es|ing)|likes?|wants?|loves?")


@dataclass(frozen=True, slots=True)
class ProfileSource:
    """A memory that a statement may rest on; ``said_at`` is YYYY-MM-DD, ``tier`` empty where somebody wrote it down."""

    docid: str
    content_type: str
    text: str
    said_at: str
    tier: str = ""
    uses: int = 0


def is_about(source: ProfileSource) -> bool:
    """Whether a memory says something lasting of a person."""
    if (source.tier and source.tier not in TIERS) or source.content_type not in TYPES:
        return False
    return is_lasting(source.text, fact=source.content_type == "fact")


def leave_out(sources: Iterable[ProfileSource], dismissed: Sequence[str]) -> list[ProfileSource]:
    """Without those that say what was dismissed: in near words, or with more beside it."""
    return [one for one in sources if not any(_says_again(tidy(one.text), gone) for gone in dismissed)]


def _says_again(text: str, gone: str) -> bool:
    if near_identical(text, gone) or repeats(text, gone, FRAME):
        return True
    # "The user's daughter lives there" says nothing of the user.
    same_subject = text.casefold().split()[:2] == gone.casefold().split()[:2]
    return same_subject and _says_all(text, gone)


def choose(sources: Iterable[ProfileSource], most: int | None = None) -> list[PageStatement]:
    """Statements from the strongest to the weakest: what was said outright before what was meant, what is used before
    what is not, the newest before the older. What another says in the same words is said once, with the sources of
    both; what says the same in near words, or names no other tools than those before it, is left out. Past the
    ``most`` strongest none is looked at, since each is compared with each."""
    newest = sorted((one for one in sources if is_about(one)), key=lambda one: (one.said_at, one.docid), reverse=True)
    page = _Chosen()
    for source in sorted(newest, key=_strength):
        if len(page.statements) == most:
            break
        page.add(source)
    return [
        kept
        for source, kept in page.statements
        if not any(_is_within(source, kept.text, by, more.text) for by, more in page.statements)
    ]


def fit(statements: Sequence[PageStatement], most: int, tokens: int) -> list[PageStatement]:
    """The first that fit: ``most`` of at most so many tokens in all, as they are written."""
    kept: list[PageStatement] = []
    for one in statements:
        size = estimate_tokens(one.line)
        if len(kept) == most or size > tokens:
            break
        kept.append(one)
        tokens -= size
    return kept


@dataclass
class _Chosen:
    """``tools`` are the names of what somebody is said to use."""

    statements: list[tuple[ProfileSource, PageStatement]] = field(default_factory=list)
    tools: set[str] = field(default_factory=set)

    def add(self, source: ProfileSource) -> None:
        text = tidy(source.text)
        same = next((at for at, (_, kept) in enumerate(self.statements) if near_identical(kept.text, text)), None)
        if same is not None:
            first, kept = self.statements[same]
            docids = tuple(dict.fromkeys((*kept.sources, source.docid)))[:_SOURCES]
            self.statements[same] = (first, replace(kept, sources=docids))
            return
        tools = _tools(text)
        if tools and tools <= self.tools:
            return
        if any(repeats(kept.text, text, FRAME) for _, kept in self.statements):
            return
        self.tools |= tools
        self.statements.append((source, PageStatement(text, (source.docid,), source.said_at)))


def _tools(text: str) -> set[str]:
    """What somebody is said to use, without versions; empty where it says something else."""
    if not _USES.match(text):
        return set()
    named = {name for name in protected(text) if not _VERSION.fullmatch(name)} - _OPENING
    # "DB" and "UI" say what a tool is for, unless nothing else is named.
    return {name for name in named if len(name) > _KIND_CHARS} or named


def _strength(source: ProfileSource) -> tuple[bool, bool, int, int]:
    fact = source.content_type == "fact"
    who = not fact or _IDENTITY.match(source.text) is not None or is_of_oneself(source.text)
    return (fact, not who, TIERS.index(source.tier) if source.tier else 0, -source.uses)


def _is_within(source: ProfileSource, text: str, other: ProfileSource, longer: str) -> bool:
    """Whether a longer statement of the same kind says all of this one, names and numbers in the same order."""
    if other is source or other.content_type != source.content_type or len(longer) <= len(text):
        return False
    return _says_all(longer, text)


def _says_all(text: str, other: str) -> bool:
    """Whether a text says all of another one, names and numbers in the same order."""
    rest = iter(protected(text))
    return covers(text, other) and all(name in rest for name in protected(other))
