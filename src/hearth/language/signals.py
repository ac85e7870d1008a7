"""What a conversation settled and left open, and standing instructions, by words alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain

from hearth.core.lazy import regex
from hearth.text.lines import split_sentences, without_code
from hearth.text.words import cues, rows

_MOST = 500
_LEAD = r"\W*(?:\w+[^\w`]+){0,4}?"
_TABLE = "signals"


@cache
def _looks() -> tuple[re.Pattern[str], ...]:
    found = []
    for use in (row for row in rows(_TABLE) if row.kind == "use"):
        [aim] = [row for row in rows(_TABLE) if row.kind == "aim" and row.lang == use.lang]
        found.append(rf"{_LEAD}{use.expression}\s*(?P<tool>.{{1,60}}?)[,\s]*{aim.expression}")
        found.append(rf"{_LEAD}{aim.expression}.{{0,80}}?{use.expression}\s*(?P<tool>\S*)")
    return tuple(regex(pattern, re.IGNORECASE) for pattern in found)


def is_look(text: str) -> bool:
    """Whether a statement takes up a tool for one look at something, and for no longer."""
    text = text[:_MOST]
    found = (pattern.match(text) for pattern in _looks())
    return any(one is not None and _ends(one) for one in found) and cues(_TABLE, "lasting").search(text) is None


def _ends(look: re.Match[str]) -> bool:
    """Whether the look ends with what it finds. A product's name is one that stays, unless the look is plainly one."""
    groups = look.groupdict()
    sure = groups["sure"] is not None or groups.get("also") is not None
    return sure and (groups["found"] is not None or not groups["tool"][:1].isupper())


_LONGEST = 400


@cache
def _lead() -> re.Pattern[str]:
    """What may stand before: the speaker of a turn, a list mark, a courtesy."""
    marks = r"#{1,6}[^\n]*\n+|\*\*[^*\n]{1,40}\*\*[ \t]*|[^\W\d_][\w'’. -]{0,40}[:：](?=\s)|\s+|[-*+]\s|\d+[.)]\s"
    greeting = rf"(?:{cues(_TABLE, 'greeting').pattern})[,:：]?(?:\s+(?:that|to|que))?"
    return regex(rf"(?:{marks}|{greeting})+", re.IGNORECASE)


_END = regex(r"[.!?](?=[\s\"'”’)]|$)|[。！？]|\n")


def open_of(text: str) -> str:
    """What was said without what may stand before it."""
    lead = _lead().match(text)
    return text[lead.end() :] if lead is not None else text


def is_standing(text: str) -> bool:
    """Whether the first sentence of what was said tells how to act from now on; a question never does."""
    opening = open_of(text)
    end = _END.search(opening, 0, _LONGEST)
    sentence = opening[: end.end()] if end is not None else opening[:_LONGEST]
    if sentence.rstrip().endswith(("?", "？")):
        return False
    if cues(_TABLE, "opening").match(sentence) is not None:
        return True
    return any(cues(_TABLE, kind).search(sentence) is not None for kind in ("from_now", "on_request"))


_MARK = regex(r"^\s*(?:(?:[-*+]|\d+[.)]|#{1,6}|>|\[ \])\s+)+")
_QUOTED_CODE = regex(r"`[^`]*`")


@cache
def _is_none() -> re.Pattern[str]:
    """ "No failure", "without a single error"."""
    return regex(rf"(?:{cues(_TABLE, 'none').pattern})\s+(?:\w+\s+){{0,2}}\Z", re.IGNORECASE)


@cache
def _deciding() -> tuple[str, ...]:
    """Each sentence that decides something holds one of these."""
    return tuple(need for row in rows(_TABLE) if row.kind == "decided" for need in row.needs)


# Of what no sentence holds.
_CODE = regex(r"[={};]|</?\w")
_WORD = regex(r"\w+")
_TELLING_CHARS = 4
_DECISION_CHARS = (20, 500)
_QUESTION_CHARS = (15, 300)


def decisions(texts: Iterable[str], limit: int = 15) -> list[str]:
    """Sentences that decide something, the latest last, each once."""
    return _keep(chain.from_iterable(map(_decisions_of, texts)), limit)


@lru_cache(maxsize=512)
def _decisions_of(text: str) -> tuple[str, ...]:
    """Kept for a while: the replies of a session are read again for each of its hand-offs."""
    low = text.lower()
    plain = " ".join(low.split())
    # Few hold one: the others need no sentences, and most of them no pattern.
    if not any(word in plain for word in _deciding()) or cues(_TABLE, "decided").search(low) is None:
        return ()
    return tuple(s for s in _sentences([text]) if _is_decision(s))


def open_questions(texts: Iterable[str], unanswered: Iterable[str] = (), limit: int = 10) -> list[str]:
    """What ``texts`` call undecided and what ``unanswered`` ones ask, the latest last, each once."""
    texts = list(texts)
    sentences_here = list(_sentences(texts)) if any(map(_calls_open, texts)) else []
    open_ones = (
        at for at, s in enumerate(sentences_here) if _may_be_open(s) and cues(_TABLE, "open").search(s.lower())
    )
    left = (sentences_here[at] for at in open_ones if not _is_settled(sentences_here[at], sentences_here[at + 1 :]))
    asking = (text for text in unanswered if "?" in text or "？" in text)
    asked = (s for s in _sentences(asking) if _may_be_open(s) and s.endswith(("?", "？")) and not _CODE.search(s))
    return _keep(chain(left, asked), limit)


def problems(texts: Iterable[str], limit: int = 15) -> list[str]:
    """Sentences that tell what failed, the latest last, each once. What is quoted as code tells nothing."""
    low, high = _QUESTION_CHARS
    failures = (
        s for s in _sentences(text for text in texts if cues(_TABLE, "failed").search(text)) if _tells_failure(s)
    )
    return _keep((s for s in failures if low <= len(s) <= high and not s.endswith(("?", "？"))), limit)


def _tells_failure(sentence: str) -> bool:
    words = _QUOTED_CODE.sub(" ", sentence)
    return any(_is_none().search(words[: found.start()]) is None for found in cues(_TABLE, "failed").finditer(words))


def telling_words(sentence: str) -> frozenset[str]:
    """The longer words of a sentence: they name its subject."""
    return frozenset(word for word in _WORD.findall(sentence.casefold()) if len(word) >= _TELLING_CHARS)


@lru_cache(maxsize=512)
def _calls_open(text: str) -> bool:
    """Kept for a while, as above."""
    return cues(_TABLE, "open").search(text.lower()) is not None


def says_something(text: str) -> bool:
    """Whether some sentence of it is neither a question nor what somebody is about to do next."""
    return any(not s.endswith(("?", "？")) and cues(_TABLE, "next_step").search(s) is None for s in _sentences([text]))


def _is_settled(sentence: str, later: Iterable[str]) -> bool:
    """Whether a decision about the same thing comes later: one with half of its longer words."""
    about = telling_words(cues(_TABLE, "open").sub(" ", sentence.lower()))
    decided = (
        telling_words(other)
        for other in later
        if _is_decision(other) and cues(_TABLE, "open").search(other.lower()) is None
    )
    return bool(about) and any(2 * len(about & other) >= len(about) for other in decided)


def _is_decision(sentence: str) -> bool:
    low, high = _DECISION_CHARS
    if not low <= len(sentence) <= high or sentence.endswith(("?", "？", ":", "：")) or "?" in sentence:
        return False
    found = cues(_TABLE, "decided").search(sentence.lower())
    step = cues(_TABLE, "next_step").search(sentence.lower())
    if is_look(sentence) or cues(_TABLE, "recalled").search(sentence.lower()) is not None:
        return False
    return found is not None and (step is None or step.start() > found.start())


def _may_be_open(sentence: str) -> bool:
    low, high = _QUESTION_CHARS
    return (
        low <= len(sentence) <= high
        and cues(_TABLE, "polite").match(sentence) is None
        and not sentence.endswith((":", "："))
    )


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for part in split_sentences(without_code(text)):
            sentence = " ".join(_MARK.sub("", part).replace("**", "").split())
            if sentence:
                yield sentence


def _keep(sentences: Iterable[str], limit: int) -> list[str]:
    """The last ``limit``, each at its latest place."""
    found: dict[str, str] = {}
    for sentence in sentences:
        key = sentence.casefold()[:80]
        found.pop(key, None)
        found[key] = sentence
    return list(found.values())[-limit:]
