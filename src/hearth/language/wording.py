"""Wordings that mean the same, made equal before a statement is compared with what was said.

"The project" speaks for those who said "we"; "trunk based" is "trunk-based"; a year is added to a day of this year.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from hearth.language.clauses import TABLE, Clause, Token, languages_of, read_clauses
from hearth.language.words import cues
from hearth.lazy import regex
from hearth.text.similarity import flatten

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


def settle(stated: Sequence[Clause], said: Sequence[Clause], said_on: date | None, *, is_speaker: bool) -> list[Clause]:
    """The clauses without this year's number behind a day, and with the group as the user where it ``is_speaker``."""
    year = str(said_on.year) if said_on is not None else ""
    is_dated = any(token.key == year for clause in said for token in clause.tokens)
    found = []
    for clause in stated:
        tokens = _without_year(clause.tokens, year) if year and not is_dated else clause.tokens
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
    said = [token for clause in read_clauses(nearby, languages) for token in clause.tokens]
    names = {token.key for token in said if token.kind == "name"}
    if any(token.kind == "person" or (token.kind == "other" and not pointer.fullmatch(token.text)) for token in said):
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


def _without_year(tokens: Sequence[Token], year: str) -> list[Token]:
    """Without the year behind a month, or behind a month and its day."""
    found: list[Token] = []
    for token in tokens:
        before = [one for one in found[-2:] if one.kind in ("term", "number")]
        if token.key == year and any(one.key.startswith("month-") for one in before):
            continue
        found.append(token)
    return found
