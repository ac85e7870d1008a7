"""Causes: what a sentence says to be the cause of what, and what mended which problem of a session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from hearth.core.lazy import dataclass, regex
from hearth.language.statements import sentences
from hearth.text.names import name_key, part_key
from hearth.text.similarity import normalised
from hearth.text.words import Row, cues, load, rows

LINKED, NAMED = 0.9, 0.75
"""How sure a cause is whose document a sentence links, and names."""
_MOST_CHARS, _MOST_WORDS, _MOST_NAMES = 500, 8, 200
_LEAST_RUN, _LONGEST_RUN = 3, 20
# So many characters at most stand between what "and" joins.
_JOINED = 6
_MOST_AROUND = 3
# What has one word is a name only where it looks like one.
_TELLING = regex(r"[\d_./-]")
_TABLE = "causes"
_WAYS = ("behind", "before", "sides")
"""Where the cause stands, as the table explains."""
_UNSPACED = regex("[\u3040-\u30ff\u4e00-\u9fff]")
_LINK = regex(
    r"\[\[(?P<wiki>[^\[\]|#\n]{1,200})(?:[#|][^\[\]\n]{0,200})?\]\]|\[[^\[\]\n]{1,200}\]\((?P<path>[^()\s#]{1,300})[^()\s]{0,100}\)"
)
_WORD = regex(r"[^\s\[\](){}\"“”«»‘`*,;:!?。、，；：！？]+")
_COMMA = regex(r"[,，、]\s*")


Hints = Sequence[tuple[str, Sequence[str]]]
"""By language, parts of words without one of which a text of that language states no cause."""


class CausalClaim(NamedTuple):
    """``cause`` and ``effect`` are parts of the sentence ``quote``; either may be empty, or name no document. What
    stands next to the cue is meant: at the end of the part that ``ends`` says (a cause, an effect), else at its
    beginning."""

    cause: str
    effect: str
    quote: str
    ends: str = ""


class CauseMention(NamedTuple):
    """Where a side may mean a document: what a link is to, or the key (see ``text.names``) of what may be its name."""

    start: int
    end: int
    text: str
    link: bool


class CausedBy(NamedTuple):
    """Documents, none for the note itself, and how sure it is."""

    causes: tuple[str, ...]
    effects: tuple[str, ...]
    weight: float


def may_tell(text: str) -> bool:
    """Whether a text may hold a cue at all: a fast look."""
    return bool(find_hints(text))


def find_hints(text: str, among: Hints | None = None) -> Hints:
    """Of each language the hints that a text holds, left out where there are none: most texts hold few, and looking for
    every cue takes long. ``among`` are those of a text that it is part of."""
    lowered = text.lower()
    if among is None:
        among = _hints(lowered.isascii())
    found = ((language, [hint for hint in hints if hint in lowered]) for language, hints in among)
    return [(language, hints) for language, hints in found if hints]


def find_causes(text: str, among: Hints | None = None) -> Iterator[CausalClaim]:
    """In the order of the sentences; of a sentence with several cues each with what stands around it. ``among`` are
    hints of a text that it is part of."""
    hints = find_hints(text, among)
    if not hints:
        return
    for sentence in sentences(text):
        quote = " ".join(sentence.strip(" -*+>#").split())
        if quote and len(quote) <= _MOST_CHARS:
            yield from dict.fromkeys(_read(quote, [language for language, _ in find_hints(quote, hints)]))


def settle(claim: CausalClaim, find: Callable[[Sequence[CauseMention]], Sequence[str | None]]) -> CausedBy | None:
    """What a claim says of documents; ``find`` tells for each mention which document it is. ``None`` where neither side
    means one, and where of "X, because of Y" only X does: then the cause is what stands there, no document."""
    caused_last = claim.ends == "effect"
    causes, rest = _nearest(_find_known(claim.cause, find), last=claim.ends == "cause")
    causes = causes if _stands_close(causes, claim.cause) else []
    effects, _ = _nearest(_find_known(claim.effect, find), last=caused_last)
    effects = effects if _stands_close(effects, claim.effect) else []
    if not effects and not claim.effect and causes:
        effects, _ = _nearest(rest, last=False)
    if not causes and (not effects or claim.ends != "cause"):
        return None
    weight = LINKED if all(one.link for one, _ in (*causes, *effects)) else NAMED
    ends = [tuple(dict.fromkeys(name for _, name in side)) for side in (causes, effects)]
    return CausedBy(ends[0], ends[1], weight)


def _find_known(
    side: str, find: Callable[[Sequence[CauseMention]], Sequence[str | None]]
) -> list[tuple[CauseMention, str]]:
    """What a side means, in its order; of mentions that overlap the longest."""
    mentions = [*_links(side), *_names(side)]
    found = [(one, name) for one, name in zip(mentions, find(mentions), strict=True) if name is not None]
    kept: list[tuple[CauseMention, str]] = []
    for one, name in sorted(found, key=lambda pair: (not pair[0].link, pair[0].start - pair[0].end, pair[0].start)):
        if all(one.end <= other.start or other.end <= one.start for other, _ in kept):
            kept.append((one, name))
    return sorted(kept)


_Known = list[tuple[CauseMention, str]]


def _nearest(known: _Known, *, last: bool) -> tuple[_Known, _Known]:
    """What stands next to the cue, with what is joined to it ("A and B"); and the rest."""
    ordered = known[::-1] if last else known
    count = 0
    for at, (one, _) in enumerate(ordered):
        before = ordered[at - 1][0] if at else one
        if at and max(one.start - before.end, before.start - one.end) > _JOINED:
            break
        count += 1
    return ordered[:count], ordered[count:]


def _stands_close(known: _Known, side: str) -> bool:
    """Whether what is meant opens or closes its side, but for few words: "because of the late disk swap", not "because
    when somebody asks, the disk swap is what they get"."""
    if not known or _UNSPACED.search(side):
        return True
    first, last = min(one.start for one, _ in known), max(one.end for one, _ in known)
    return min(len(side[:first].split()), len(side[last:].split())) <= _MOST_AROUND


def _links(side: str) -> list[CauseMention]:
    """Those are left out that only say where to read on."""
    return [
        CauseMention(*link.span(), (link["wiki"] or link["path"]).strip(), link=True)
        for link in _LINK.finditer(side)
        if not _is_aside(side[: link.start()], side[link.end() :])
    ]


def _names(side: str) -> list[CauseMention]:
    """Runs of up to eight words, single ones only where they look like a name. Of what has no blanks between words,
    every run of characters."""
    plain = _LINK.sub(lambda link: "," * len(link[0]), side)
    words = [word.span() for word in _WORD.finditer(plain)]
    found = _runs_of_words(plain, words) if not _UNSPACED.search(plain) else _runs_of_characters(plain, words)
    mentions = (CauseMention(first, last, key, link=False) for first, last, key in found if may_name(key))
    return list(islice(mentions, _MOST_NAMES))


def may_name(key: str) -> bool:
    """Whether the key of a name may stand for a document in a sentence: several words, or one that looks like a name. A
    date is none, though a day's note is called so."""
    if not any(map(str.isalpha, key)):
        return False
    return " " in key or _TELLING.search(key) is not None or _UNSPACED.search(key) is not None


def _runs_of_words(plain: str, words: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """With the key of each as a name."""
    keys = [part_key(plain[start:end]) for start, end in words]
    for at, (start, first_end) in enumerate(words):
        if _TELLING.search(plain[start:first_end].strip(".")):
            yield start, first_end, keys[at]
        for last in range(at + 1, min(at + _MOST_WORDS, len(words))):
            yield start, words[last][1], " ".join(key for key in keys[at : last + 1] if key)


def _runs_of_characters(plain: str, words: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    for start, end in words:
        for first in range(start, end):
            for last in range(first + _LEAST_RUN, min(end, first + _LONGEST_RUN) + 1):
                yield first, last, name_key(plain[first:last].strip(" .'’"))


def _read(quote: str, languages: Sequence[str]) -> Iterator[CausalClaim]:
    taken = _take(quote, languages)
    for at, (cue, match) in enumerate(taken):
        first = taken[at - 1][1].end() if at else 0
        following = taken[at + 1] if at + 1 < len(taken) else None
        if (
            cue.kind == "behind"
            and following
            and following[0].kind == "before"
            and not quote[first : match.start()].strip(" ,")
        ):
            continue  # "because A, therefore B"
        yield _sides(quote, cue.kind, match, first, following[1].start() if following else len(quote))


def _take(quote: str, languages: Sequence[str]) -> list[tuple[Row, re.Match[str]]]:
    """The cues of a sentence in their order, of two at one place the longer; none that its language takes back."""
    if not languages:
        return []
    plain = _LINK.sub(" ", quote)
    if cues(_TABLE, "void", "sign").search(plain):
        return []
    hits = [
        (cue, match) for language in languages for cue in _cues(language) for match in _compile(cue).finditer(quote)
    ]
    void = {lang for lang in languages if cues(_TABLE, "void", lang).search(plain)}
    gone = [match.span() for cue, match in hits if cue.lang in void]
    end, taken = 0, []
    for cue, match in sorted(hits, key=lambda hit: (hit[1].start(), -hit[1].end())):
        if match.start() >= end and not any(a < match.end() and match.start() < b for a, b in gone):
            taken.append((cue, match))
            end = match.end()
    return taken


def _sides(quote: str, way: str, match: re.Match[str], first: int, last: int) -> CausalClaim:
    before, behind = quote[first : match.start()], quote[match.end() : last]
    if way == "sides":
        groups = match.groupdict()
        return CausalClaim(
            match["cause"], groups.get("effect", before), quote, "cause" if "effect" in groups else "effect"
        )
    if way == "before":
        return CausalClaim(before, behind, quote, "cause")
    if before.strip(" ,"):
        return CausalClaim(behind, before, quote, "effect")
    cause, _, effect = _split_at_comma(behind)
    return CausalClaim(cause, effect, quote)


def _split_at_comma(text: str) -> tuple[str, str, str]:
    """At the first comma that stands in no link."""
    for comma in _COMMA.finditer(text):
        if text.count("[[", 0, comma.start()) == text.count("]]", 0, comma.start()):
            return text[: comma.start()], comma[0], text[comma.end() :]
    return text, "", ""


def _is_aside(before: str, behind: str) -> bool:
    return cues(_TABLE, "see").search(before) is not None or cues(_TABLE, "seen").match(behind) is not None


@cache
def _hints(ascii_only: bool) -> Hints:
    hints = load(_TABLE)["hints"].items()
    return [(lang, [hint for hint in some.split("|") if hint.isascii() or not ascii_only]) for lang, some in hints]


@cache
def _cues(language: str) -> tuple[Row, ...]:
    return tuple(row for way in _WAYS for row in rows(_TABLE) if row.kind == way and row.lang == language)


@cache
def _compile(cue: Row) -> re.Pattern[str]:
    return regex(cue.expression, re.IGNORECASE)


SOLVED = 0.95
"""How sure the solution of a problem is that the host recorded."""
SOLUTION = "observation"
TYPES = ("problem", "decision", "milestone", SOLUTION)


@dataclass(frozen=True, slots=True)
class SessionStatement:
    """A memory of a session: its type, the turn that it was taken from, and what it says."""

    docid: str
    content_type: str
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class CausalPair:
    """``cause`` led to ``effect`` (docids); ``why`` names what speaks for it."""

    cause: str
    effect: str
    weight: float
    why: str


def find_pairs(statements: Iterable[SessionStatement]) -> list[CausalPair]:
    """Of one session."""
    return list(_solutions(sorted(statements, key=lambda one: (one.turn, TYPES.index(one.content_type), one.docid))))


def _solutions(ordered: Sequence[SessionStatement]) -> Iterator[CausalPair]:
    """What the host recorded of a problem and of what mended it says the same of both."""
    for effect in ordered:
        if effect.content_type != SOLUTION:
            continue
        effect_text = normalised(effect.text)
        for cause in ordered:
            if cause.content_type == "problem" and cause.turn == effect.turn and normalised(cause.text) in effect_text:
                yield CausalPair(cause.docid, effect.docid, SOLVED, "solved")
