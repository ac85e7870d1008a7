"""What a whole message asks for: a few distinct queries, from its questions, statements, code and paths. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from hearth.language.asking import (
    bounded,
    is_ask,
    is_unspaced,
    says_enough,
    split_requests,
    stands_alone,
    telling_words,
    words_of,
)
from hearth.language.voices import own_words, split_output
from hearth.lazy import dataclass, regex

MAX_QUERIES = 8
MAX_ASKS = 4
MAX_STATEMENTS = 3
MAX_CODE_WORDS = 12
SHORT_WORDS = 40
"""A message of so many words is asked as it is."""
_STATEMENT_WORDS = 30

Kind = Literal["message", "ask", "statement", "code"]

_BULLET = regex(r"^\s*(?:[-*+>]|\d{1,3}[.)])\s+")
# A part of code that names something: a path, a dotted or underscored name, camel case, the code of an error.
_NAME = regex(
    r"(?<![\w./-])(?:[\w.-]*/)+[\w.-]+|(?<!\w)(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+|_*[A-Za-z][A-Za-z0-9]*_\w+|"
    r"[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[A-Z]{2}[A-Z0-9]{3,}(?!\w))"
)
_ERROR = regex(r"^.*\b\w*(?:Error|Exception|Warning|panic|fatal|FAILED|(?:error|warning)(?=:))\b.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Derived:
    """``kind`` says where a query comes from."""

    text: str
    kind: Kind


def derive(message: str) -> list[Derived]:
    """Distinct queries, the most telling first; none where the message says nothing.

    A short message is one query as it is; what it asks among other things is asked on its own, too. Of a long one: its
    questions, with the sentence before where they need it; its statements in groups; names, paths and
    errors of its code; last the message itself. What programs print in it counts as code, fenced or not; what others
    ask in a text that a long one holds is no question.
    """
    message = bounded(message)
    text, codes = split_output(message)
    named = _code(codes)
    sentences = _sentences(text)
    own = [] if is_short(text) else _sentences("\n\n".join(own_words(message)))
    asks = list(_asks(own)) or list(_asks(sentences))
    short = is_short(text)
    # A short message without a question is a request as it is.
    kind: Kind = "ask" if short and not asks else "message"
    whole = [Derived(" ".join(text.split()), kind)] if telling_words(text) else []
    if short:
        return _distinct([*_last(asks, MAX_ASKS), *whole, *named])
    statements = list(_statements([s for s in sentences if not is_ask(s)]))
    return _distinct([*_last(asks, MAX_ASKS), *named, *_telling(statements), *whole])


def _sentences(text: str) -> list[str]:
    return [said for part in split_requests(text) if (said := " ".join(_BULLET.sub("", part).split()))]


def is_short(text: str) -> bool:
    return len(words_of(text)) <= SHORT_WORDS and not is_unspaced(text[:2_000])


def _asks(sentences: Sequence[str]) -> Iterator[Derived]:
    before = ""
    for sentence in sentences:
        if is_ask(sentence):
            alone = says_enough(sentence) and (not before or stands_alone(sentence))
            if alone or before:
                yield Derived(sentence if alone else f"{before} {sentence}", "ask")
        before = sentence


def _statements(sentences: Sequence[str]) -> Iterator[Derived]:
    group: list[str] = []
    size = 0
    for sentence in sentences:
        if not says_enough(sentence):
            continue
        count = len(sentence.split())
        if group and size + count > _STATEMENT_WORDS:
            yield Derived(" ".join(group), "statement")
            group, size = [], 0
        group.append(sentence)
        size += count
    if group:
        yield Derived(" ".join(group), "statement")


def _code(codes: Sequence[str]) -> list[Derived]:
    text = "\n".join(codes)
    errors = [" ".join(found[0].split())[:300] for found in _ERROR.finditer(text)]
    names = list(dict.fromkeys(_NAME.findall(text)))[:MAX_CODE_WORDS]
    found = [Derived(errors[-1], "code")] if errors else []
    return [*found, Derived(" ".join(names), "code")] if names else found


def _last(asks: list[Derived], limit: int) -> list[Derived]:
    """The last question counts most: it comes first."""
    return asks[::-1][:limit]


def _telling(statements: list[Derived]) -> list[Derived]:
    """Those with the most names and numbers, in their order."""
    ranked = sorted(range(len(statements)), key=lambda i: (-_names(statements[i].text), i))[:MAX_STATEMENTS]
    return [statements[i] for i in sorted(ranked)]


def _names(text: str) -> int:
    words = text.split()
    return sum(word[:1].isupper() or any(map(str.isdigit, word)) or "_" in word or "/" in word for word in words[1:])


def _distinct(queries: Sequence[Derived]) -> list[Derived]:
    """Without those whose words another one before it has all."""
    kept: list[tuple[frozenset[str], Derived]] = []
    for query in queries:
        words = frozenset(telling_words(query.text)) or frozenset((query.text,))
        if not any(words == other for other, _ in kept):
            kept.append((words, query))
    return [query for _, query in kept[:MAX_QUERIES]]
