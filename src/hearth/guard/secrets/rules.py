"""Secrets that show themselves by the shape that their issuer gave them: ``formats.tsv``, one row a format.

Its last column says where a shape was taken from: a kept rule set (see NOTICE), or the issuer's documentation. ``python
tools/token_formats.py`` lists what those rule sets have and the table lacks. Every pattern starts with a literal, so
that scanning is a substring search, and repeats only single characters, so that it is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from hearth.core.lazy import dataclass, regex
from hearth.guard.secrets.randomness import entropy, is_random, is_varied

LONG_WORD = 18
"""Each match lies in a word of so many characters, or more."""

# No shape has a shorter run of letters and digits, and none of small letters only.
_RUN = regex(r"[A-Za-z0-9_-]{14}")
_DIGIT = regex("[0-9]")
_MIX = regex(r"[0-9]|[a-z][A-Z]|[A-Z]{16}")


@dataclass(frozen=True, slots=True)
class Rule:
    """``anchor`` must occur for ``pattern`` to match; ``accepts`` judges what is hidden.

    That is the match and ``lead`` characters before it. ``rank`` is the place in the table: the first of several that
    match the same names it.
    """

    name: str
    anchor: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool]
    lead: int
    rank: int


@dataclass(frozen=True, slots=True)
class Format:
    """A row of the table.

    ``anchors`` are the literals (blanks between them) one of which a token holds, ``body`` what follows, ``floor`` the
    least entropy of the token in bits per character. ``sure`` anchors may follow anything (``\\nghp_…`` in JSON,
    ``%3Dghp_…`` in a URL); the others occur in ordinary words, so a boundary must stand before them and the body must
    look random. ``lead`` is what stands before the anchor, ``width`` its number of characters.
    """

    name: str
    anchors: str
    body: str
    floor: float = 3.0
    sure: bool = True
    lead: str = ""
    width: int = 0


_CLASSES = {
    "@n": "[A-Za-z0-9]",
    "@w": "[A-Za-z0-9_-]",
    "@d": "[A-Za-z0-9_.-]",
    "@b": "[A-Za-z0-9+/=_-]",
    "@h": "[a-f0-9]",
    "@H": "[A-Fa-f0-9]",
    "@l": "[a-z0-9]",
    "@u": "[A-Z0-9]",
}
# A boundary, or an escape that ends in a letter or digit: of JSON, of an address, of a colour on a terminal.
_EDGES = (
    "![A-Za-z0-9_-]", r"=\\[nrt]", "=%[0-9A-Fa-f]{2}", r"=\\u00[0-9A-Fa-f]{2}", r"=\\x[0-9A-Fa-f]{2}",
    r"=\[[0-9]m", r"=\[[0-9]{2}m",
)  # fmt: skip


def _read() -> Iterator[Format]:
    lines = Path(__file__).with_name("formats.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        name, anchors, body, floor, sure, lead, width, _ = line.split("\t")
        yield Format(name, anchors, body, float(floor), sure == "yes", lead, int(width))


FORMATS = tuple(_read())


def token_like(words: Iterable[str]) -> list[str]:
    """Those that could hold a token: nearly no word of a text."""
    run, mix, digit = _RUN.search, _MIX.search, _DIGIT.search
    return [
        word
        for word in words
        if len(word) >= LONG_WORD and (digit(word) if word.islower() else mix(word)) and run(word)
    ]


@cache
def token_rules() -> tuple[Rule, ...]:
    """One rule an anchor."""
    anchors = [(row, anchor) for row in FORMATS for anchor in row.anchors.split()]
    return tuple(_rule(row, anchor, rank) for rank, (row, anchor) in enumerate(anchors))


def rules_for(words: str) -> list[Rule]:
    """The rules whose anchor occurs, in the order of the table."""
    # Words have few different triples of characters, and most anchors begin with none of them.
    always, by_start = _by_start()
    begun = by_start.keys() & set(zip(words, words[1:], words[2:], strict=False))
    rules = sorted(chain(always, *map(by_start.__getitem__, begun)), key=lambda rule: rule.rank)
    return [rule for rule in rules if rule.anchor in words]


@cache
def _by_start() -> tuple[tuple[Rule, ...], dict[tuple[str, ...], list[Rule]]]:
    by_start: dict[tuple[str, ...], list[Rule]] = {}
    for rule in token_rules():
        by_start.setdefault(tuple(rule.anchor[:3]), []).append(rule)
    return tuple(rule for rule in token_rules() if len(rule.anchor) < 3), by_start


def _rule(row: Format, anchor: str, rank: int) -> Rule:
    literal = re.escape(anchor)
    edge = rf"(?<={row.lead}{literal})" if row.lead else ""
    if not row.sure:
        edge = "|".join(f"(?<{before}{literal})" for before in _EDGES)
        edge = f"(?:{edge})"
    pattern = regex(_classes(f"{literal}{edge}(?:{row.body})"), re.ASCII)
    cut = 0 if row.sure else len(anchor)

    def accepts(value: str) -> bool:
        if entropy(value) < row.floor:
            return False
        return is_varied(value) if row.sure else is_random(value[cut:])

    return Rule(row.name, anchor, pattern, accepts, row.width, rank)


def _classes(pattern: str) -> str:
    return re.sub("@[a-zA-Z]", lambda name: _CLASSES.get(name[0], name[0]), pattern)
