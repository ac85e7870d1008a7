"""What a person asks of a session, and how soon a turn should be captured, by its words alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum

from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Turn
from hearth.language.statements import Mark, find_statements, sentences
from hearth.language.structure import points, strip_host_marks
from hearth.language.voices import own_words
from hearth.text.language import all_stop_words
from hearth.text.lines import cut_line, split_sentences, without_code
from hearth.text.words import cues
from hearth.transcripts.typed import find_requests, own_words_of

TITLE_CHARS = 72
_LEAST_WORDS = 3
# A prompt that says so much names its session, if it is among the first ones.
_TELLING, _FIRST_PROMPTS = 3, 3
# Of a longer path its last part says what is meant.
_PATH = regex(r"(?<![\w.:/])(?:~|\.{1,2})?(?:/[\w.@+-]+){2,}/(?=[\w.@+-])")
_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
_UNSPACED = regex("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{4}")
_MOST_CHARS = 240
_LAST_TURNS = 6
_QUESTION = ("?", "？")


def find_remaining(turns: Sequence[Turn]) -> list[str]:
    """Sentences in which the person says what is left to do, as they were said: of the last prompt that says or asks
    for something or made the agent work, and of thanks and goodbyes after it. What was asked for and answered is left
    only where it was put off."""
    left: list[str] = []
    for turn in reversed(turns[-_LAST_TURNS:]):
        said = [one for prompt in turn.prompts for one in sentences(own_words_of(prompt.text))]
        left[:0] = [one for one in said if _is_left(one, turn)]
        if turn.steps or says_much(" ".join(said)) or any(map(_wants, said)):
            break
    return left


def _is_left(sentence: str, turn: Turn) -> bool:
    if len(sentence) > _MOST_CHARS or sentence.endswith(_QUESTION):
        return False
    is_done = turn.steps or (_is_asking(sentence) and any(map(says_much, turn.replies)))
    is_said = cues("capture/dialogue", "remains").search(sentence)
    return bool(is_said and not (is_done and not cues("capture/dialogue", "later").search(sentence)))


def find_unanswered(turns: Sequence[Turn]) -> str:
    """What the last prompt asks for, where nothing came of it; else empty."""
    last = turns[-1] if turns else Turn(0)
    if last.steps or last.replies or not last.prompts:
        return ""
    text = last.prompts[-1].text
    return _find_asking_line(text) if any(map(_wants, sentences(own_words_of(text)))) else ""


def _wants(sentence: str) -> bool:
    return sentence.endswith(_QUESTION) or _is_asking(sentence)


def find_request(prompts: Iterable[str]) -> str:
    """The prompt that says what a session is for, in the person's own words: of the first three the first that says so
    in full, else the first of all that asks for something; empty where each only says to go on."""
    requests = [line for prompt in prompts if (line := _find_asking_line(prompt))]
    full = (line for line in requests[:_FIRST_PROMPTS] if _count_telling(line) >= _TELLING)
    return next(full, next(iter(requests), ""))


def title_of(request: str) -> str:
    """A request on one line of at most 72 characters: the sentence that asks for something, up to the end of a clause,
    without the marks and mentions that it opens with."""
    requests = (one.partition(":\n")[0] for one in split_sentences(strip_host_marks(request)))
    phrases = [_PATH.sub("", " ".join(_open(one).split())) for one in requests]
    line = _choose_sentence(phrases).rstrip(" .:,;，。：")
    if len(line) <= TITLE_CHARS:
        return line
    ends = [end.start() for end in cues("requests", "clause").finditer(line, TITLE_CHARS // 2, TITLE_CHARS)]
    return _close(line[: ends[-1]]) if ends else f"{_close(cut_line(line, TITLE_CHARS).removesuffix('…'))}…"


def says_much(request: str) -> bool:
    """Whether it can be understood without the request before it."""
    return _count_telling(request) >= _TELLING or _UNSPACED.search(request) is not None


def _find_asking_line(prompt: str) -> str:
    for fragment in own_words(prompt) or ([prompt] if prompt.strip() else []):
        line = strip_host_marks(without_code(fragment)).strip()
        if not line.startswith("/") and any(map(_asks, map(_open, split_sentences(line)))):
            return line
    return ""


def _choose_sentence(candidates: Sequence[str]) -> str:
    """The first that says something; where that is a preface, too long for a title, the first that asks in full."""
    first = next(filter(_asks, candidates), next(filter(None, candidates), ""))
    if len(first) <= TITLE_CHARS or _is_asking(first):
        return first
    full = (one for one in candidates if _is_asking(one) and not points(one) and _count_telling(one) >= _TELLING)
    return next(full, first)


def _is_asking(sentence: str) -> bool:
    return cues("guards", "request").match(sentence) is not None


def _open(line: str) -> str:
    """Without what it opens with: a greeting, mentions of files, the mark of a list."""
    line = cues("requests", "greeting").sub("", line.strip(), count=1)
    return cues("requests", "file").sub("", line, count=1).strip()


def _close(line: str) -> str:
    """Without small words at its end, which ask for more."""
    words = line.rstrip(" ,;:-–—").split(" ")
    while len(words) > _LEAST_WORDS and words[-1].casefold() in all_stop_words():
        words.pop()
    return " ".join(words)


def _asks(line: str) -> bool:
    """Whether it says what is wanted, and not only to go on."""
    return _count_telling(line) > 1 or _UNSPACED.search(line) is not None


def _count_telling(line: str) -> int:
    words = [word.casefold() for word in _WORD.findall(cues("requests", "go-on").sub(" ", line))]
    return sum(len(word) > 1 and word not in all_stop_words() for word in words)


_MOST = 2_000
"""Characters of a prompt that are looked at."""


class Signal(IntEnum):
    """``HIGH`` is captured at once, the others with the next piece."""

    NONE = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3


@dataclass(frozen=True, slots=True)
class Triggers:
    """Patterns of the person's own, compiled once; ``faults`` says of each invalid one why it is skipped."""

    patterns: tuple[re.Pattern[str], ...] = ()
    faults: tuple[str, ...] = ()

    @classmethod
    def of(cls, sources: Iterable[str]) -> Triggers:
        """Regular expressions, without case."""
        patterns, faults = [], []
        for source in sources:
            try:
                patterns.append(re.compile(source, re.IGNORECASE))
            except (re.error, RecursionError, OverflowError) as error:
                faults.append(f"the pattern {source[:80]!r} is skipped: {error}")
        return cls(tuple(patterns), tuple(faults))


_NO_PATTERNS = Triggers()


def signal(text: str, triggers: Triggers = _NO_PATTERNS) -> tuple[Signal, tuple[str, ...]]:
    """The level of what a person said, and what told it: ``custom:…``, or marks of statements. Looks at no more than
    2,000 characters."""
    if wishes := tuple(dict.fromkeys(str(one.wish) for one in find_requests(text))):
        return Signal.HIGH, wishes
    own_texts = own_words_of(text)[:_MOST]
    if not own_texts:
        return Signal.NONE, ()
    own = tuple(f"custom:{pattern.pattern[:80]}" for pattern in triggers.patterns if pattern.search(own_texts))
    marks = tuple(dict.fromkeys(str(one.mark) for one in find_statements(own_texts.split("\n\n"))))
    if cues("marks", "objection").match(own_texts):
        marks = ("objection", *marks)
    if own or any(mark == "objection" or Mark(mark).is_explicit for mark in marks):
        return Signal.HIGH, own + marks
    return (Signal.MEDIUM if marks else Signal.NONE), marks
