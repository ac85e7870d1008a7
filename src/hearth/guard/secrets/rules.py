"""Secrets by the shape that their issuer gave them, one row of ``formats.tsv`` each, and words that tell of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
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


_STEMS = (
    "pass pw psw psk pin puk secret token key salt auth cred kennw wachtw senha contrase clave salasan parol"
    " heslo hasł"
    " haslo şifre sifre jelsz kodeord gangskode lösen losen mdp geheimnis secreto segred cod kod kood omb phrase"
    " frase"
    " mnemonic signature licen serial activation pepper cookie session sid= csrf xsrf community identified"
    " securestring seed lockbox bearer"
    " basic login zugang tunnus identifiant logowanie inlog hmac hash priv schlüs chiave klucz avain nyckel"
    " nøgl nøkk sleutel chave wifi wlan wi-fi otp clé"
)
_FOREIGN = (
    "cód kód парол пин код κωδικ 密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 비번 логин ключ 密钥 密鑰 キー 키"
)

Span = tuple[int, int, str]
"""Half-open range of the text, and the name of the rule that found a secret there."""

Places = Mapping[str, Sequence[int]]
"""Stem by the places where it begins, in order."""


# Words that hold no stem: nearly all of a text's, and texts share them, so that each is searched once a process.
_plain: set[str] = set()
_MOST, _LONGEST = 1 << 16, 32


def places_of(lowered: str, words: Set[str]) -> Places:
    """Where ``lowered`` has which stem; ``words`` are its words, with blanks between them."""
    stems = _stems()
    new = words - _plain
    telling = {word for word in new if stems.search(word)}
    if len(_plain) > _MOST:
        _plain.clear()
    # Numbers, keys and hashes hardly ever come again.
    _plain.update(word for word in new - telling if len(word) <= _LONGEST and word.isalpha())
    return {stem: tuple(_all(stem, lowered)) for stem in {stem for word in telling for stem in stems.findall(word)}}


def _all(stem: str, lowered: str) -> Iterator[int]:
    at = lowered.find(stem)
    while at >= 0:
        yield at
        at = lowered.find(stem, at + len(stem))


def matches(pattern: re.Pattern[str], literal: str, lowered: str, places: Places) -> Iterator[re.Match[str]]:
    """The matches of a pattern that begins with ``literal``, which holds a stem; none overlaps the one before."""
    stem, shift = _stem(literal)
    end = 0
    for at in places.get(stem, ()):
        if at - shift >= end and (match := pattern.match(lowered, at - shift)):
            end = match.end()
            yield match


Names = tuple[tuple[str, re.Pattern[str]], ...]
"""A literal that holds a stem, and a pattern that begins with it."""


def find_names(names: Names, lowered: str, places: Places) -> Iterator[tuple[str, re.Match[str]]]:
    """Of all ``names`` that the text has the literals and their matches."""
    by_stem = _by_stem(names)
    for stem in by_stem.keys() & places.keys():
        for literal, pattern in by_stem[stem]:
            for match in matches(pattern, literal, lowered, places):
                yield literal, match


@cache
def _by_stem(names: Names) -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    by_stem: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for literal, pattern in names:
        by_stem.setdefault(_stem(literal)[0], []).append((literal, pattern))
    return by_stem


@cache
def _stem(literal: str) -> tuple[str, int]:
    found = _stems().search(literal)
    if found is None:
        raise ValueError(f"no stem in {literal!r}")
    return found[0], found.start()


@cache
def _stems() -> re.Pattern[str]:
    return regex(_branch([*_STEMS.split(), *_FOREIGN.split()]))


def _branch(words: Iterable[str]) -> str:
    """A pattern of the words that looks at each first letter once; of words with the same beginning the shortest."""
    rest: dict[str, list[str]] = {}
    for word in words:
        if not word:
            return ""
        rest.setdefault(word[0], []).append(word[1:])
    parts = [re.escape(first) + _branch(tails) for first, tails in rest.items()]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


# What may stand around a word without a blank: a text's words are taken apart once.
_BEFORE = ("", "`", '"', "'", "(", "$(", "**", "./", "/bin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/")
_AFTER = ("", ":", ",", ".", ")", "`", ":**")


def spellings(words: Iterable[str], *, closed: bool = False) -> frozenset[str]:
    """``closed``: with what may follow, too."""
    return frozenset(
        before + word + after for word in words for before in _BEFORE for after in (_AFTER if closed else ("",))
    )
