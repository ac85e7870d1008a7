"""Whether a prompt is worth a search at all: pure, and cheaper than any search. One message as several short
questions, and their answers merged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import ceil
from typing import Literal

from hearth.core.lazy import dataclass, regex
from hearth.core.query import Hit, Query, Recall
from hearth.language.asking import (
    asks_memory,
    is_ask,
    is_unspaced,
    names_memory,
    says_enough,
    shorten_message,
    split_requests,
    stands_alone,
    telling_words,
    words_of,
)
from hearth.language.voices import own_words, split_output
from hearth.ports import DocumentReader, Reader, Store, StoredFragment
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.packing import pack
from hearth.text.words import cues, word_set

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
    message = shorten_message(message)
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
    return [sentence for part in split_requests(text) if (sentence := " ".join(_BULLET.sub("", part).split()))]


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


WEIGHTS: Mapping[Kind, float] = {"ask": 1.0, "message": 0.7, "code": 0.5, "statement": 0.4}
"""What the score of a hit counts by the kind of its query."""
AGREE = 0.1
MAX_AGREE = 0.2


@dataclass(frozen=True, slots=True)
class MergedHit:
    """A fragment with the queries that found it; ``value`` orders it among those of all queries."""

    hit: Hit
    value: float
    queries: tuple[str, ...]


def merged(answers: Iterable[tuple[Derived, Sequence[Hit]]]) -> list[MergedHit]:
    """Best first, and what a question finds before the rest, which counts no more than that. Fragments that share a
    line agree, where different queries found them."""
    pool: list[MergedHit] = []
    asked: set[str] = set()
    whole: set[str] = set()
    for query, hits in answers:
        if query.kind in ("ask", "message"):
            (asked if query.kind == "ask" else whole).add(query.text)
        ceiling = 1.0
        for hit in hits:
            # Packing put them in this order for reasons that the score alone does not tell.
            ceiling = min(ceiling, hit.score * WEIGHTS[query.kind])
            pool.append(MergedHit(hit, ceiling, (query.text,)))
    by_document: dict[str, list[MergedHit]] = {}
    for one in pool:
        by_document.setdefault(one.hit.docid, []).append(one)
    agreed = [_agree(one, by_document[one.hit.docid], whole) for one in pool]
    best_first = sorted(agreed, key=lambda one: (-one.value, *_place(one.hit)))
    lead = [one for one in best_first if not asked.isdisjoint(one.queries)]
    rest = [one for one in best_first if asked.isdisjoint(one.queries)]
    return [*lead, *(replace(one, value=min(one.value, lead[-1].value)) for one in rest)] if lead else rest


def _agree(one: MergedHit, others: Sequence[MergedHit], whole: Set[str]) -> MergedHit:
    """The ``whole`` message holds its questions: that it finds what they find says nothing."""
    names = (query for other in others if _shares(one.hit, other.hit) for query in other.queries)
    queries = tuple(dict.fromkeys((*one.queries, *names)))
    more = max(0, len([query for query in queries if query not in whole]) - 1)
    return replace(one, value=one.value * (1 + min(MAX_AGREE, AGREE * more)), queries=queries)


def _shares(a: Hit, b: Hit) -> bool:
    return a.start_line <= b.end_line and b.start_line <= a.end_line


def _place(hit: Hit) -> tuple[str, int, int]:
    return hit.docid, hit.start_line, hit.end_line


def gathered(
    queries: Sequence[Derived],
    base: Query,
    recall: Callable[[Query], Recall],
    store: Store,
    admits: Callable[[Hit, Reader], bool] = lambda hit, reader: True,
    limit: int | None = None,
) -> list[MergedHit]:
    """The fragments of all answers, best first and at most ``limit`` (without one ``base.limit``), lines that touch as
    one, within ``base.budget_tokens``. All but the text of ``base`` is asked of each; its deadline is shared out."""
    answers = list(_ask_each(queries, base, recall))
    most = base.limit if limit is None else limit
    with store.read() as reader:
        found = [one for one in merged(answers) if admits(one.hit, reader)]
        return found[:most] if base.budget_tokens is None else _join(found, base.budget_tokens, most, reader)


def _ask_each(
    queries: Sequence[Derived], base: Query, recall: Callable[[Query], Recall]
) -> Iterator[tuple[Derived, Sequence[Hit]]]:
    """Each gets an equal share of what the ones before it left of the deadline."""
    left = base.deadline_ms
    for number, query in enumerate(queries):
        share = None if left is None else left // (len(queries) - number)
        answer = recall(replace(base, text=query.text, deadline_ms=share))
        left = None if left is None else max(0, left - ceil(answer.took_ms))
        yield query, answer.hits


def _join(found: Sequence[MergedHit], budget: int, limit: int, reader: DocumentReader) -> list[MergedHit]:
    candidates: list[Candidate] = []
    origin: dict[int, MergedHit] = {}
    for number, one in enumerate(found):
        hit, stored = one.hit, reader.document(one.hit.docid)
        if stored is not None:
            lines = (hit.start_line, hit.end_line)
            part = StoredFragment(number, stored.id, 0, hit.fragment, *lines, 0, 0, hit.headings, "", hit.text)
            candidates.append(Candidate(part, stored, one.value))
            origin[number] = one
    packed: list[MergedHit] = []
    for candidate in pack(candidates, budget, limit)[0]:
        part, one = candidate.fragment, origin[candidate.fragment.id]
        hit = replace(one.hit, start_line=part.start_line, end_line=part.end_line, text=part.text)
        packed.append(replace(one, hit=hit))
    return packed


_TABLE = "context/prompts"
# What hosts and bridges put before a prompt.
_PREFIX = regex(r"\A(?:\s*\[(?:cron:[^\]\n]{0,200}|(?:mon|tue|wed|thu|fri|sat|sun)\b[^\]\n]{0,60})\]\s*)+", re.I)

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
# What only a command line holds: flags, paths, files, variables, pipes.
_SHELLISH = regex(
    r"(?:^|\s)(?:--?[a-zA-Z][\w-]*|\.{0,2}/[\w./-]*|\.|\S*\.\w{1,5}|\*\S*|\d+|\w+=\S*|\S+@\S+|\$\w+)(?=\s|$)|[|;&<>`]|&&"
)
_MAX_COMMAND = 200
_LEAST_LETTERS = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """``skip`` says why no search is made; ``forced`` prompts are searched even though they are short; ``asks`` says
    that something is asked of memory."""

    text: str
    skip: str | None = None
    forced: bool = False
    asks: bool = False


def judge(prompt: str, heartbeats: tuple[str, ...] = ()) -> Verdict:
    """``text`` is the prompt without what hosts put before it; ``heartbeats`` are whole prompts to be ignored."""
    text = _PREFIX.sub("", prompt).strip()
    if not text:
        return Verdict(text, "empty prompt")
    if text.startswith("/") and re.match(r"/[\w:-]+(?:\s|\Z)", text):
        return Verdict(text, "slash command")
    if cues(_TABLE, "heartbeat").match(_plain(text)) or _plain(text) in map(_plain, heartbeats):
        return Verdict(text, "heartbeat")
    if names_memory(text):
        return Verdict(text, forced=True, asks=True)
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    if sum(len(word) for word in words) < _LEAST_LETTERS:
        return Verdict(text, "no words")
    if word_set(_TABLE, "idle", "address").issuperset(words):
        return Verdict(text, "acknowledgement")
    if _is_command(text):
        return Verdict(text, "shell command")
    return Verdict(text, asks=asks_memory(text))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?…¿¡")


def _is_command(text: str) -> bool:
    """A bare command line: one line that starts with a program and goes on as no sentence does."""
    if "\n" in text or len(text) > _MAX_COMMAND or text.endswith("?"):
        return False
    first, *rest = text.removeprefix("$ ").removeprefix("!").strip().removeprefix("sudo ").split() or [""]
    if first not in word_set(_TABLE, "program") and not re.match(r"\.{1,2}/[\w./-]+\Z", first):
        return False
    if not rest or (_SHELLISH.search(" ".join(rest)) and not _is_sentence(rest)):
        return True
    if first in word_set(_TABLE, "verb") or _is_sentence(rest):
        return False
    plain = len(rest) == 1 and first in word_set(_TABLE, "operand")
    return plain or (rest[0] in word_set(_TABLE, "subcommand") and len(rest) <= (3 if first == "git" else 2))


def _is_sentence(rest: list[str]) -> bool:
    """Whether the words after a program read as English: articles and pronouns stand in no command line."""
    quoted = re.sub(r"(['\"]).*?\1", "", " ".join(rest)).split()
    return not word_set(_TABLE, "small").isdisjoint(word.casefold() for word in quoted)
