"""What a conversation settled and left open, by its words alone.

A decision is a sentence that says so and names what was chosen; what somebody is merely about to do next is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from hearth.extract.rules.looks import is_look
from hearth.lazy import regex
from hearth.text.lines import without_code
from hearth.text.sentences import split_sentences

_MARK = regex(r"^\s*(?:(?:[-*+]|\d+[.)]|#{1,6}|>|\[ \])\s+)+")
# Of lower case: patterns that ignore case take twice the time.
_DECIDED = regex(
    r"\b(?:(?:we|i|you|they|team|it\s+was)\s+(?:have\s+|has\s+|had\s+|'ve\s+)?(?:decided|agreed|chose|settled)\b|"
    r"decision\s*(?::|is\b|was\b)|(?:we|we'll|let's|i'd)\s+(?:will\s+)?(?:go|went|stick|stay|going)\s+with\b|"
    r"(?:we'll|we\s+will)\s+(?:use|adopt|switch\s+to|standardi[sz]e\s+on|keep\s+using)\b|"
    r"(?:chose|choose|picked|prefer(?:red)?|selected)\b.{3,80}\b(?:over|instead\s+of|rather\s+than|because)\b|"
    r"from\s+now\s+on\b|"
    r"decidi(?:mos|ó|eron)\b|(?:hemos|se\s+ha|han)\s+decidido\b|decisión\s*(?::|es\b|fue\b)|"
    r"(?:vamos|nos\s+quedamos)\s+con\b|usaremos\b|acordamos\b|elegimos\b|a\s+partir\s+de\s+ahora\b)"
)
# Each of them holds one of these.
_DECIDING = (
    "decided", "agreed", "chose", "settled", "decision", "go with", "went with", "stick with", "stay with",
    "going with", "we'll use", "we will use", "adopt", "switch to", "standardi", "keep using",
    "choose", "picked", "prefer", "selected", "from now on", "decidi", "decisión", "vamos con",
    "quedamos con", "usaremos", "acordamos", "elegimos", "a partir de ahora",
)  # fmt: skip
_NEXT_STEP = regex(
    r"\b(?:let\s+me|i'?ll|i\s+will|i'?m\s+going\s+to|i\s+am\s+going\s+to|voy\s+a|déjame)\b", re.IGNORECASE
)
# Of lower case.
_OPEN = regex(
    r"\b(?:open\s+question|still\s+(?:need|have)\s+to|not\s+(?:yet\s+)?(?:decided|clear)|to\s+be\s+decided|"
    r"pendiente|por\s+decidir|falta\s+decidir)\b",
)
_POLITE = regex(
    r"^(?:would\s+you\s+like|do\s+you\s+want|shall\s+i|should\s+i\s+(?:proceed|continue|go)|want\s+me\s+to|"
    r"(?:is\s+there\s+)?anything\s+else|does\s+that|can\s+i\s+help|quieres\s+que)",
    re.IGNORECASE,
)
_FAILED = regex(
    r"\b(?:fail(?:s|ed|ing|ures?)?|br(?:eaks|oke|oken)|crash(?:es|ed|ing)?|errors?|bugs?|outages?|time[sd]?[\s-]?outs?|timed\s+out|"
    r"(?:does|do|did)(?:n't|\s+not)\s+(?:work|start|build|compile)|stopped\s+working|regressions?|flaky|leaks?|"
    r"fall(?:a|an|ó|aron|aba)|fallos?|errores|rot[oa]s?|se\s+(?:cae|cayó|rompe|rompió)|no\s+(?:funciona|arranca|compila))\b",
    re.IGNORECASE,
)
# What was settled in another session is told again, and may have changed since.
_RECALLED = regex(
    r"\b(?:we|you|they|i)(?:\s+had|['’]d)\s+(?:already\s+)?(?:decided|agreed|chosen|settled)\b|\b(?:last\s+time|previously|earlier)\b"
)
_QUOTED_CODE = regex(r"`[^`]*`")
# "No failure", "without a single error".
_NONE = regex(r"\b(?:no|not|never|without|zero|nor|0|sin|ning[uú]n\w*|nunca)\s+(?:\w+\s+){0,2}\Z", re.IGNORECASE)
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
    if not any(word in plain for word in _DECIDING) or _DECIDED.search(low) is None:
        return ()
    return tuple(s for s in _sentences([text]) if _is_decision(s))


def open_questions(texts: Iterable[str], unanswered: Iterable[str] = (), limit: int = 10) -> list[str]:
    """What ``texts`` call undecided and what ``unanswered`` ones ask, the latest last, each once."""
    texts = list(texts)
    said = list(_sentences(texts)) if any(map(_calls_open, texts)) else []
    open_ones = (at for at, s in enumerate(said) if _may_be_open(s) and _OPEN.search(s.lower()))
    left = (said[at] for at in open_ones if not _is_settled(said[at], said[at + 1 :]))
    asking = (text for text in unanswered if "?" in text or "？" in text)
    asked = (s for s in _sentences(asking) if _may_be_open(s) and s.endswith(("?", "？")) and not _CODE.search(s))
    return _keep(chain(left, asked), limit)


def problems(texts: Iterable[str], limit: int = 15) -> list[str]:
    """Sentences that tell what failed, the latest last, each once. What is quoted as code tells nothing."""
    low, high = _QUESTION_CHARS
    told = (s for s in _sentences(text for text in texts if _FAILED.search(text)) if _tells_failure(s))
    return _keep((s for s in told if low <= len(s) <= high and not s.endswith(("?", "？"))), limit)


def _tells_failure(sentence: str) -> bool:
    words = _QUOTED_CODE.sub(" ", sentence)
    return any(_NONE.search(words[: found.start()]) is None for found in _FAILED.finditer(words))


def telling_words(sentence: str) -> frozenset[str]:
    """The longer words of a sentence, by which what it is about is told from other things."""
    return frozenset(word for word in _WORD.findall(sentence.casefold()) if len(word) >= _TELLING_CHARS)


@lru_cache(maxsize=512)
def _calls_open(text: str) -> bool:
    """Kept for a while, as above."""
    return _OPEN.search(text.lower()) is not None


def says_something(text: str) -> bool:
    """Whether some sentence of it is neither a question nor what somebody is about to do next."""
    return any(not s.endswith(("?", "？")) and _NEXT_STEP.search(s) is None for s in _sentences([text]))


def _is_settled(sentence: str, later: Iterable[str]) -> bool:
    """Whether a decision about the same thing comes later: one with half of its longer words."""
    about = telling_words(_OPEN.sub(" ", sentence.lower()))
    decided = (telling_words(other) for other in later if _is_decision(other) and _OPEN.search(other.lower()) is None)
    return bool(about) and any(2 * len(about & other) >= len(about) for other in decided)


def _is_decision(sentence: str) -> bool:
    low, high = _DECISION_CHARS
    if not low <= len(sentence) <= high or sentence.endswith(("?", "？", ":", "：")) or "?" in sentence:
        return False
    found = _DECIDED.search(sentence.lower())
    step = _NEXT_STEP.search(sentence.lower())
    if is_look(sentence) or _RECALLED.search(sentence.lower()) is not None:
        return False
    return found is not None and (step is None or step.start() > found.start())


def _may_be_open(sentence: str) -> bool:
    low, high = _QUESTION_CHARS
    return low <= len(sentence) <= high and _POLITE.search(sentence) is None and not sentence.endswith((":", "："))


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
