"""Wordings and word orders that mean the same, made equal before a statement is compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import dropwhile, pairwise, takewhile

from hearth.core.lazy import regex
from hearth.language.clauses import CIRCUMSTANCES, TABLE, Clause, Token, languages_of, read_clauses
from hearth.text.similarity import flatten
from hearth.text.words import cues

GROUP = "group"
"""The key of a token that stands for the group that the speaker belongs to."""
_TOPIC_WORDS, _MOST_POINTERS = 6, 3
_COMMA = regex(r"([^\W\d_]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?),\s(?=\d{4}\b)")
_HYPHENED = regex(r"(?<![\w-])[^\W\d_]{2,}(?:-[^\W\d_]{2,})+(?![\w-])")


def level(statement: str, quote: str) -> tuple[str, str]:
    """Both with "May 3, 2026" without its comma, and with a word in two parts that only one writes with a hyphen."""
    statement, quote = (_COMMA.sub(r"\1 ", text) for text in (statement, quote))
    for word in dict.fromkeys(_HYPHENED.findall(f"{statement}\n{quote}")):
        apart, joined = word.replace("-", " "), word.replace("-", "")
        whole = f"{statement}\n{quote}".casefold()
        if apart.casefold() in whole or joined.casefold() in whole:
            statement, quote = (text.replace(word, apart).replace(joined, apart) for text in (statement, quote))
    return statement, quote


def can_speak(statement: str, quote: str) -> bool:
    """Whether "the team" of the statement may be whoever said it: "we", or nobody in particular, but not "I"."""
    if not cues(TABLE, "group").search(statement):
        return False
    is_plural = bool(cues(TABLE, "plural").search(quote))
    return is_plural or not (cues(TABLE, "group").search(quote) or cues(TABLE, "single").search(quote))


def settle(
    stated: Sequence[Clause], quoted: Sequence[Clause], said_on: date | None, *, is_speaker: bool
) -> list[Clause]:
    """The clauses without this year's number behind a day, and with the group as the user where it ``is_speaker``."""
    year = str(said_on.year) if said_on is not None else ""
    is_dated = any(token.key == year for clause in quoted for token in clause.tokens)
    found = []
    for clause in stated:
        tokens = _drop_year(clause.tokens, year) if year and not is_dated else clause.tokens
        if is_speaker:
            tokens = _with_speaker(tokens)
        found.append(Clause(clause.sentence, tokens, clause.is_question, clause.is_subject, clause.is_set_off))
    return found


def name_topics(statement: str, quote: str, nearby: str) -> Iterator[str]:
    """The quote with words of the statement that stand nearby in the place of "it" or "they"; of names only the one
    that was named there, and nobody for "they"."""
    pointers = list(cues(TABLE, "pointer").finditer(quote))[:_MOST_POINTERS]
    nearby = nearby.replace(quote, " ")
    if not pointers or not nearby.strip():
        return
    pointer, there, languages = cues(TABLE, "pointer"), flatten(nearby), languages_of(statement, nearby)
    nearby_tokens = [token for clause in read_clauses(nearby, languages) for token in clause.tokens]
    names = {token.key for token in nearby_tokens if token.kind == "name"}
    if any(
        token.kind == "person" or (token.kind == "other" and not pointer.fullmatch(token.text))
        for token in nearby_tokens
    ):
        return
    words = statement.split()
    for start, end in _spans(len(words)):
        topic = " ".join(words[start:end]).strip(".,;:")
        if flatten(topic) in there:
            tokens = [token for clause in read_clauses(topic, languages) for token in clause.content]
            own = {token.key for token in tokens} & names
            if tokens and (not own or own == names) and all(token.kind in ("word", "name") for token in tokens):
                yield from (quote[: one.start()] + topic + quote[one.end() :] for one in pointers)


def _spans(count: int) -> Iterator[tuple[int, int]]:
    """The longest first."""
    for size in range(_TOPIC_WORDS, 0, -1):
        yield from ((start, start + size) for start in range(count - size + 1))


def _with_speaker(tokens: Sequence[Token]) -> list[Token]:
    at = next((at for at, token in enumerate(tokens) if token.is_content), None)
    if at is None or tokens[at].kind != "group" or tokens[at].role:
        return list(tokens)
    if at + 1 < len(tokens) and tokens[at + 1].kind == "person":
        return list(tokens)  # "the project manager"
    return [*tokens[:at], tokens[at]._replace(kind="user", key=GROUP), *tokens[at + 1 :]]


def _drop_year(tokens: Sequence[Token], year: str) -> list[Token]:
    """Without the year behind a month, or behind a month and its day."""
    found: list[Token] = []
    for token in tokens:
        before = [one for one in found[-2:] if one.kind in ("term", "number")]
        if token.key == year and any(one.key.startswith("month-") for one in before):
            continue
        found.append(token)
    return found


VERBS = ("word", "term")
_HEAD_WORDS = 3


def other_orders(
    content: Sequence[Token], clause: Clause, tokens: Sequence[Token], *, is_of_user: bool
) -> Iterator[list[Token]]:
    """The words of a clause as its evidence may have put them: "run the tests" for "wants the tests run", "the
    deadline of the grant" for "the grant deadline", "tests are kept" for "the project keeps tests", "A for B" for "B
    should use A"."""
    yield from _linked(content, tokens)
    yield from _fronted(content, clause, tokens)
    yield from _active(content, clause, tokens)
    yield from _opened(content, clause, tokens, is_of_user)


def circumstances(content: Sequence[Token]) -> Iterator[tuple[int, int]]:
    start = None
    for at, token in enumerate(content):
        if start is not None and (token.is_first or token.role not in CIRCUMSTANCES):
            yield start, at
            start = None
        if start is None and token.is_first and token.role in CIRCUMSTANCES:
            start = at
    if start is not None:
        yield start, len(content)


def _linked(content: Sequence[Token], tokens: Sequence[Token]) -> Iterator[list[Token]]:
    link = cues(TABLE, "link")
    for at, token in enumerate(tokens):
        if not link.fullmatch(token.text):
            continue
        heads = [token for token in tokens[max(0, at - _HEAD_WORDS) : at] if token.is_content]
        tail = list(takewhile(lambda one: one.is_content, dropwhile(_is_idle, tokens[at + 1 :])))[:_HEAD_WORDS]
        if not heads or not tail or any(token.kind not in ("word", "term") for token in heads):
            continue
        yield from _turned(content, heads, tail)


def _fronted(content: Sequence[Token], clause: Clause, tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """A thing that the evidence names as the purpose and the clause as the user of what is used."""
    words = [token for token in clause.tokens if token.kind != "filler"]
    first = next((at for at, token in enumerate(words) if token.is_content), 0)
    for start, end in circumstances(tokens):
        block = [token for token in tokens[start:end] if token.is_content]
        size = len(block)
        if not 0 < size < len(content) or not all(token.kind == "word" or token.text.isupper() for token in block):
            continue
        is_used = words[min(first + size, len(words) - 1)].kind == "frame"
        if is_used and all(map(Token.matches, content, block)):
            yield [*content[size:], *content[:size]]


def _active(content: Sequence[Token], clause: Clause, tokens: Sequence[Token]) -> Iterator[list[Token]]:
    if not any(token.key == GROUP for token in clause.tokens) or not content:
        return
    if any(token.role == "agent" for token in tokens):
        return
    tokens = [token for token in tokens if token.kind != "filler"]
    if content[0].key == "verb-keep" and any(token.kind == "auxiliary" for token in tokens):
        yield list(content[1:])  # "keeps the times in UTC": they are in UTC
    if not content[0].text.endswith("s"):
        return  # "was broken" does not say who broke it
    if any(one.kind == "auxiliary" and content[0].matches(two) for one, two in pairwise(tokens)):
        for at in range(2, len(content) + 1):
            yield [*content[1:at], content[0], *content[at:]]


def _opened(
    content: Sequence[Token], clause: Clause, tokens: Sequence[Token], is_of_user: bool
) -> Iterator[list[Token]]:
    opener = next((token for token in tokens if token.is_content or token.kind == "other"), None)
    if opener is None or opener.kind not in VERBS or opener.role:
        return
    behind = next(dropwhile(_is_idle, tokens[tokens.index(opener) + 1 :]), None)
    if behind is not None and behind.kind == "auxiliary":
        return  # "the server was hacked"
    passives = _passives(clause)
    for at, token in enumerate(content):
        if token.kind in ("name", "person"):
            break
        if at and token.matches(opener) and (is_of_user or token in passives):
            yield [opener, *content[:at], *content[at + 1 :]]


def _passives(clause: Clause) -> list[Token]:
    tokens = [token for token in clause.tokens if token.kind != "filler"]
    return [token for before, token in pairwise(tokens) if before.kind == "auxiliary"]


def _turned(content: Sequence[Token], heads: Sequence[Token], tail: Sequence[Token]) -> Iterator[list[Token]]:
    """The content with "invoice cron job" as "cron job, invoice"."""
    for size in range(1, len(heads) + 1):
        head = heads[-size:]
        for length in range(1, len(tail) + 1):
            turned = [*tail[:length], *head]
            for at in range(len(content) - len(turned) + 1):
                if all(map(Token.matches, content[at:], turned)):
                    middle, end = at + length, at + len(turned)
                    yield [*content[:at], *content[middle:end], *content[at:middle], *content[end:]]


def _is_idle(token: Token) -> bool:
    return token.kind in ("filler", "own")
