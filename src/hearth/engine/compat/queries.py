"""What a whole message asks for: a few distinct queries, from its questions, statements, code and paths. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from hearth.lazy import dataclass, regex
from hearth.text.sentences import split_sentences
from hearth.text.stopwords import is_stop_word

MAX_QUERIES = 8
MAX_MESSAGE_CHARS = 20_000
"""Of a longer message the two ends are read: people ask there."""
MAX_ASKS = 4
MAX_STATEMENTS = 3
MAX_CODE_WORDS = 12
SHORT_WORDS = 40
"""A message of so many words is one query, if it holds no code and asks one thing."""
_STATEMENT_WORDS = 30
_LEAST_WORDS = 2

Kind = Literal["message", "ask", "statement", "code"]

_FENCED = regex(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_WORD = regex(r"[^\W_]+(?:[_'’.-][^\W_]+)*")
_UNSPACED = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BULLET = regex(r"^\s*(?:[-*+>]|\d{1,3}[.)])\s+")
# What a message may hold and a query would obey.
_OPERATOR = regex(r"(?<!\S)(path|tag|type|before|after):(?=\S)")
_NEGATED = regex(r"(?<!\S)-(?=[^\W\d_])")
_QUOTES = str.maketrans('"“”„«»', "      ")
_OPENING = regex(
    r"(?:(?:and|but|so|also|hey|hi|hello|ok|okay|well|please|by the way|btw|anyway|actually|y|oye|por cierto|und|also)"
    r"[\s,]+)*(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|would|should|will|"
    r"have|has|had|remind|tell|show|find|list|give|summari[sz]e|explain|recall|look up|search|"
    r"qué|que|quién|cuándo|dónde|cuál|cómo|por qué|recuérdame|dime|"
    r"was|wer|wann|wo|welche[rsn]?|warum|wie|erinnere|zeig|quoi|qui|quand|où|quel(?:le)?s?|pourquoi|comment)\b",
    re.IGNORECASE,
)
# A part of code that names something: a path, a dotted or underscored name, camel case, a call.
_NAME = regex(
    r"(?:[\w.-]*/)+[\w.-]+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+|\w*[a-z]\w*_\w+|[a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+"
)
_ERROR = regex(r"^.*\b\w*(?:Error|Exception|Warning|panic|fatal|FAILED)\b.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Derived:
    """``kind`` says where a query comes from."""

    text: str
    kind: Kind


def derive(message: str) -> list[Derived]:
    """Distinct queries, the most telling first; none where the message says nothing.

    A short message is one query as it is, unless it asks several things: then these are asked on their own, too. Of a
    long one: its questions, with the sentence before where they say too little alone; its statements in groups; names,
    paths and errors of its code; last the message itself.
    """
    text, codes = _apart(bounded(message))
    named = _code(codes)
    words = _content(text)
    whole = [Derived(" ".join(text.split()), "message")] if words else []
    sentences = [plain for part in split_sentences(text) if (plain := " ".join(_BULLET.sub("", part).split()))]
    if is_short(text):
        several = [Derived(sentence, "ask") for sentence in sentences if _is_ask(sentence) and _says_enough(sentence)]
        return _distinct([*(_last(several, MAX_ASKS) if len(several) > 1 else ()), *whole, *named])
    asks = list(_asks(sentences))
    statements = list(_statements([s for s in sentences if not _is_ask(s)]))
    return _distinct([*_last(asks, MAX_ASKS), *named, *_telling(statements), *whole])


def is_short(text: str) -> bool:
    return len(_WORD.findall(text)) <= SHORT_WORDS and not _UNSPACED.search(text[:2_000])


def plain(text: str) -> str:
    """The text without anything that a query would obey."""
    return _NEGATED.sub(" ", _OPERATOR.sub(r"\1: ", text.translate(_QUOTES)))


def bounded(message: str) -> str:
    """The message, or both its ends."""
    if len(message) <= MAX_MESSAGE_CHARS:
        return message
    half = (MAX_MESSAGE_CHARS - 1) // 2
    return f"{message[:half]}\n{message[-half:]}"


def _apart(message: str) -> tuple[str, list[str]]:
    """Prose and code."""
    codes = [match[2] for match in _FENCED.finditer(message)]
    return plain(_FENCED.sub("\n", message)), codes


def _content(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.casefold()) if not is_stop_word(word, ("en",))]


def _is_ask(sentence: str) -> bool:
    return sentence.rstrip("\"'”’)] ").endswith(("?", "？", "¿")) or _OPENING.match(sentence) is not None


def _says_enough(sentence: str) -> bool:
    return len(_content(sentence)) >= _LEAST_WORDS or bool(_UNSPACED.search(sentence))


def _asks(sentences: Sequence[str]) -> Iterator[Derived]:
    before = ""
    for sentence in sentences:
        if _is_ask(sentence):
            alone = _says_enough(sentence)
            if alone or before:
                yield Derived(sentence if alone else f"{before} {sentence}", "ask")
        before = sentence


def _statements(sentences: Sequence[str]) -> Iterator[Derived]:
    group: list[str] = []
    size = 0
    for sentence in sentences:
        if not _says_enough(sentence):
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
    errors = [" ".join(plain(found[0]).split())[:300] for found in _ERROR.finditer(text)]
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
        words = frozenset(_content(query.text)) or frozenset((query.text,))
        if not any(words == other for other, _ in kept):
            kept.append((words, query))
    return [query for _, query in kept[:MAX_QUERIES]]
