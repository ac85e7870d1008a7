"""Orders of the same words that mean the same: "the grant deadline" is "the deadline for the grant"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import dropwhile, pairwise, takewhile

from hearth.language.clauses import CIRCUMSTANCES, TABLE, Clause, Token
from hearth.language.wording import GROUP
from hearth.language.words import cues

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
