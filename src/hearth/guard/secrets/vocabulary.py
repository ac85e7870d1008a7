"""One search of a text for all words that tell of secrets, by which the scans know where to look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache

from hearth.core.lazy import regex

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
