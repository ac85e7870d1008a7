"""Takes secrets out of text before it is stored, indexed, logged or sent anywhere."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice

from hearth.core.document import Redacted, Secret
from hearth.core.lazy import regex
from hearth.guard.secrets.contexts import contextual
from hearth.guard.secrets.pairs import alone
from hearth.guard.secrets.passwords import stands_out
from hearth.guard.secrets.randomness import PLACEHOLDER, decode, find_encoded_text, is_random, unfold
from hearth.guard.secrets.rules import Span, rules_for, token_like

_BLOCK = 1 << 17
_PASSES = 4
_DEPTH = 2
_REPEATED = 64
_NEAR = 1 << 16
_WRAPPED = "base64"
_SPACE = regex(r"\s")
_LINE_ENDS = regex(r"\r\n|\r|\n")


def redact(text: str) -> Redacted:
    """Replace each secret by ``[redacted:<rule>]`` and its line ends, so that line numbers stay.

    Never raises. Running it again changes nothing: scanning repeats until a pass finds no more. What still turns up
    after ``_PASSES`` of them is hidden with its whole line, so that no text can be built to need a pass a secret.
    """
    redacted = Redacted(text)
    found = _find(text) or list(alone(text))
    found = list(_merge([*found, *_find_repeats(text, found)]))
    for number in range(2 * _PASSES):
        if not found:
            break
        redacted = _hide(text, redacted, found if number < _PASSES else _lines(redacted.text, found))
        found = _find_again(redacted)
    return redacted


def _find_repeats(text: str, found: list[Span]) -> Iterator[Span]:
    """Where else the text has what was found: people go on to speak of a password that they have named."""
    secrets = {text[start:end]: rule for start, end, rule in found if _is_telling(text[start:end])}
    for secret, rule in islice(secrets.items(), _REPEATED):
        at = text.find(secret)
        while at >= 0:
            end = at + len(secret)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield at, end, rule
            at = text.find(secret, end)


def _is_telling(secret: str) -> bool:
    """No word that the text may have for another reason."""
    return 8 <= len(secret) <= 256 and "\n" not in secret and (stands_out(secret) or is_random(secret, 8))


def _hide(text: str, before: Redacted, found: list[Span]) -> Redacted:
    places = [(before.original_offset(first), before.original_offset(last), rule) for first, last, rule in found]
    places += ((secret.start, secret.end, secret.rule) for secret in before.secrets)
    secrets: list[Secret] = []
    parts: list[str] = []
    done = 0
    for start, end, rule in _merge(places):
        secret = Secret(rule, start, end, f"[redacted:{rule}]" + "".join(_LINE_ENDS.findall(text[start:end])))
        secrets.append(secret)
        parts += (text[done:start], secret.placeholder)
        done = end
    return Redacted("".join(parts) + text[done:], tuple(secrets))


def _lines(text: str, found: list[Span]) -> list[Span]:
    """The spans widened to whole lines."""
    ends = [match.end() for match in _LINE_ENDS.finditer(text)]
    return [_line(text, ends, span) for span in found]


def _line(text: str, ends: list[int], span: Span) -> Span:
    start, end, rule = span
    first, last = bisect_right(ends, start), bisect_left(ends, end)
    after = ends[last] if last < len(ends) else len(text)
    while after > end and text[after - 1] in "\r\n":
        after -= 1
    return ends[first - 1] if first else 0, after, rule


def _find(text: str, depth: int = _DEPTH) -> list[Span]:
    """Disjoint spans in order, none of which touches a placeholder; ``depth`` levels of base64 are looked into."""
    spans = list(_merge([*_shape(text, depth), *contextual(text, _lower(text))]))
    if not spans or "[redacted:" not in text:
        return spans
    places = [match.span() for match in PLACEHOLDER.finditer(text)]
    starts = [start for start, _ in places]

    def free(span: Span) -> bool:
        last = bisect_left(starts, span[1]) - 1
        return last < 0 or places[last][1] <= span[0]

    return [span for span in spans if free(span)]


def _find_again(redacted: Redacted) -> list[Span]:
    """``_find`` in the neighbourhoods of placeholders: elsewhere nothing has changed."""
    text, done = redacted.text, 0
    spans: list[Span] = []
    for place in PLACEHOLDER.finditer(text):
        if place.end() <= done:
            continue
        start = max(done, text.rfind("\n", done, max(done, place.start() - _NEAR)) + 1)
        at, end = place.end(), place.end()
        while at >= 0 and at <= end + _NEAR:
            end = at
            at = text.find("[redacted:", end + 1)
        stop = text.find("\n", min(len(text), end + _NEAR))
        done = stop if stop >= 0 else len(text)
        spans += ((first + start, last + start, rule) for first, last, rule in _find(text[start:done]))
    return spans


def _shape(text: str, depth: int) -> list[Span]:
    # Tokens are long words and long words are few, so only those are searched.
    words = [word for block in _blocks(text) for word in token_like(block.split())]
    if not words:
        return []
    joined = "\n".join(words)
    found = [
        (_back(joined, match.start() - rule.lead) if rule.lead else match.start(), match.end(), rule.name)
        for rule in rules_for("\n".join(set(words)))
        for match in rule.pattern.finditer(joined)
        if rule.accepts(joined[match.start() - rule.lead : match.end()])
    ]
    runs = [(match.start(), match.end(), _WRAPPED) for match in find_encoded_text(joined)] if depth else []
    placed = _place([*found, *runs], words, text) if found or runs else []
    return [*placed[: len(found)], *_unwrap(text, placed[len(found) :], depth)]


def _back(words: str, start: int) -> int:
    """To where the run begins in which a token's mark stands: such tokens vary in length before it."""
    least = max(0, start - 16)
    while start > least and words[start - 1].isalnum():
        start -= 1
    return start


def _unwrap(text: str, runs: list[Span], depth: int) -> Iterator[Span]:
    done = 0
    for start, end, rule in runs:
        if start >= done:
            base64, done = unfold(text, start, end)
            if _find(decode(base64), depth - 1):
                yield start, done, rule


def _blocks(text: str) -> Iterator[str]:
    """Cut between words: splitting a large text at once costs three times as much, in cache misses."""
    at = 0
    while at < len(text):
        space = _SPACE.search(text, at + _BLOCK)
        end = space.start() if space else len(text)
        yield text[at:end]
        at = end


def _place(found: list[Span], words: list[str], text: str) -> list[Span]:
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


def _merge(spans: list[Span]) -> Iterable[Span]:
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
