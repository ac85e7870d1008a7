"""Takes secrets out of text before it is stored, indexed, logged or sent anywhere."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from hearth.guard.contexts import Span, contextual
from hearth.guard.randomness import PLACEHOLDER
from hearth.guard.rules import LONG_WORD, is_token_like, token_rules
from hearth.model.redaction import Redacted, Secret

_BLOCK = 1 << 17
_SPACE = re.compile(r"\s")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


def redact(text: str) -> Redacted:
    """Replace each secret by ``[redacted:<rule>]`` and its line ends, so that line numbers stay.

    Never raises. Running it again changes nothing: scanning repeats until a pass finds no more.
    """
    redacted = Redacted(text)
    while found := _find(redacted.text):
        redacted = _hide(text, redacted, found)
    return redacted


def _hide(text: str, before: Redacted, found: list[Span]) -> Redacted:
    secrets = list(before.secrets)
    for first, last, rule in found:
        start, end = before.original_offset(first), before.original_offset(last)
        secrets.append(Secret(rule, start, end, f"[redacted:{rule}]" + "".join(_LINE_ENDS.findall(text[start:end]))))
    secrets.sort(key=lambda secret: secret.start)
    parts: list[str] = []
    done = 0
    for secret in secrets:
        parts += (text[done : secret.start], secret.placeholder)
        done = secret.end
    return Redacted("".join(parts) + text[done:], tuple(secrets))


def _find(text: str) -> list[Span]:
    """Disjoint spans in order, none of which touches a placeholder."""
    spans = list(_merged([*_shaped(text), *contextual(text, _lower(text))]))
    if not spans or "[redacted:" not in text:
        return spans
    places = [match.span() for match in PLACEHOLDER.finditer(text)]
    starts = [start for start, _ in places]

    def free(span: Span) -> bool:
        last = bisect_left(starts, span[1]) - 1
        return last < 0 or places[last][1] <= span[0]

    return [span for span in spans if free(span)]


def _shaped(text: str) -> list[Span]:
    # Tokens are long words and long words are few, so only those are searched.
    words = [
        word for block in _blocks(text) for word in block.split() if len(word) >= LONG_WORD and is_token_like(word)
    ]
    joined = "\n".join(words)
    found = [
        (match.start() - rule.lead, match.end(), rule.name)
        for rule in token_rules()
        if rule.anchor in joined
        for match in rule.pattern.finditer(joined)
        if rule.accepts(joined[match.start() - rule.lead : match.end()])
    ]
    return _placed(found, words, text) if found else []


def _blocks(text: str) -> Iterator[str]:
    """Cut between words: splitting a large text at once costs three times as much, in cache misses."""
    at = 0
    while at < len(text):
        space = _SPACE.search(text, at + _BLOCK)
        end = space.start() if space else len(text)
        yield text[at:end]
        at = end


def _placed(found: list[Span], words: list[str], text: str) -> list[Span]:
    """From places in the joined words to places in the text."""
    joined_at, text_at, at, place = [], [], 0, 0
    for word in words:
        place = text.index(word, place)
        joined_at.append(at)
        text_at.append(place)
        at += len(word) + 1
        place += len(word)
    shifts = [text_at[i] - joined_at[i] for i in range(len(words))]
    moves = [(span, shifts[bisect_right(joined_at, span[0]) - 1]) for span in found]
    return [(start + shift, end + shift, rule) for (start, end, rule), shift in moves]


def _lower(text: str) -> str:
    """Same length as ``text``: only this letter grows when lowered."""
    return text.replace("\u0130", "I").lower()


def _merged(spans: list[Span]) -> Iterable[Span]:
    """Overlapping spans become one, named after the longest."""
    merged: list[Span] = []
    widest = 0
    for start, end, rule in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            if end - start > widest:
                name, widest = rule, end - start
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, rule))
            widest = end - start
    return merged
