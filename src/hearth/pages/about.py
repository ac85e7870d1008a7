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

_TABLE = "pages/about"
# A quotation from the middle of a sentence.
_TORN = regex(r"[^“”\"]*[“\"][a-z]")
# A name inside a sentence.
_NAME = regex(r"(?<=[a-zà-ÿ,;:] )(?!I\b)[A-ZÀ-Þ][\w’'-]+")
_QUOTED = regex(r"[^“”]{1,60}: “([^”]+)”")


def is_lasting(text: str, *, fact: bool) -> bool:
    """Whether it tells how somebody is or wants things, and stands alone."""
    if _says(text, "task", "dangling") or _TORN.match(text) or _points_away(text):
        return False
    if not fact:
        once = _says(text, "wish") and not _says(text, "always")
        return not once and not _says(text, "untried")
    if is_of_oneself(text):
        return not _says(text, "wish")
    if not cues(_TABLE, "of user").match(text) or _says(text, "past", "wish", "at it", "of work"):
        return False
    return not _says(text, "passing") or _says(text, "of life")


def _says(text: str, *kinds: str) -> bool:
    return any(cues(_TABLE, kind).search(text) for kind in kinds)


def is_of_oneself(text: str) -> bool:
    """Whether the person tells who they are, in any of the nine languages."""
    quoted = _QUOTED.fullmatch(text)
    statement = text if quoted is None else quoted[1]
    return cues("marks", "self").match(statement) is not None and cues("guards", "errand").search(statement) is None


def _points_away(text: str) -> bool:
    """Whether it speaks of another person whom it does not name."""
    another = cues(_TABLE, "another").search(text)
    return another is not None and not any(one.search(text, 0, another.start()) for one in (_NAME, cues(_TABLE, "kin")))


TYPES = ("correction", "principle", "preference", "fact")
"""The first say how somebody wants things, whoever the words name; a fact is theirs where it speaks of the user."""
# What kind of memory it is, before what it says.
_LABEL = regex(rf"({'|'.join(TYPES)})\s*:\s*(?=\S)", re.IGNORECASE)
# How somebody wants things.
_WANTED = ("always", "standing", "ban", "must", "prefer")


def tidy(text: str) -> str:
    """On one line, without a label and the remark that it was said before."""
    said = cues(_TABLE, "said before").sub("", " ".join(text.split()))
    label = _LABEL.match(said)
    return said if label is None else said[label.end()].upper() + said[label.end() + 1 :]


TIERS = ("explicit", "implied")
_SOURCES = 3
_VERSION = regex(r"v?\d[\w.]*")
_KIND_CHARS = 3
# What a sentence opens with, and whom it is about.
_OPENING = frozenset({"the", "user"})


@dataclass(frozen=True, slots=True)
class ProfileSource:
    """A memory that a statement may rest on; ``said_at`` is YYYY-MM-DD, ``tier`` empty where somebody wrote it down."""

    docid: str
    content_type: str
    text: str
    said_at: str
    tier: str = ""
    uses: int = 0


def frame_words() -> re.Pattern[str]:
    """Words that tell two statements of one thing apart no more."""
    return cues(_TABLE, "frame")


def is_about(source: ProfileSource) -> bool:
    """Whether a memory says something lasting of a person."""
    if (source.tier and source.tier not in TIERS) or source.content_type not in TYPES:
        return False
    text = tidy(source.text)
    # "Correction: the port is 9090" tells of a thing, "Correction: always squash" of a person.
    label = _LABEL.match(source.text)
    corrects = label is not None and label[1].casefold() in ("correction", "fact")
    return is_lasting(text, fact=source.content_type == "fact" or (corrects and not _is_wanted(text)))


def _is_wanted(text: str) -> bool:
    wanted = any(cues("marks", kind).search(text) for kind in _WANTED)
    return wanted or _says(text, "please") or cues("guards", "request").search(text) is not None


def leave_out(sources: Iterable[ProfileSource], dismissed: Sequence[str]) -> list[ProfileSource]:
    """Without those that say what was dismissed: in near words, or with more beside it."""
    return [one for one in sources if not any(_says_again(tidy(one.text), gone) for gone in dismissed)]


def _says_again(text: str, gone: str) -> bool:
    if near_identical(text, gone) or repeats(text, gone, frame_words()):
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
        if any(repeats(kept.text, text, frame_words()) for _, kept in self.statements):
            return
        self.tools |= tools
        self.statements.append((source, PageStatement(text, (source.docid,), source.said_at)))


def _tools(text: str) -> set[str]:
    """What somebody is said to use, without versions; empty where it says something else."""
    if not cues(_TABLE, "uses").match(text):
        return set()
    named = {name for name in protected(text) if not _VERSION.fullmatch(name)} - _OPENING
    # "DB" and "UI" say what a tool is for, unless nothing else is named.
    return {name for name in named if len(name) > _KIND_CHARS} or named


def _strength(source: ProfileSource) -> tuple[bool, bool, int, int]:
    fact = source.content_type == "fact"
    who = not fact or cues(_TABLE, "identity").match(source.text) is not None or is_of_oneself(source.text)
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
