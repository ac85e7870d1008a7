"""Names as keys, and letters that look like others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from unicodedata import normalize

from hearth.text.language import fold

MAX_NAME = 1_000
"""Characters; what is longer names nothing."""
SUFFIXES = (".md", ".markdown", ".txt")
# Marks that are part of a name: C#, C++, R&D, @home, 50%.
_KEPT = frozenset("#+&@%")


@lru_cache(maxsize=4_096)
def name_key(text: str) -> str:
    """The words of a name without case, accents and separators, one blank between; what is nothing but separators
    stays as it is. Empty where there is no name, or one longer than ``MAX_NAME``."""
    text = unicodedata.normalize("NFKC", text).strip()
    if len(text) > MAX_NAME:
        return ""
    return _words(text) or "".join(char for char in text.casefold() if unicodedata.category(char)[0] != "C")


@lru_cache(maxsize=4_096)
def part_key(text: str) -> str:
    """What a part of a name adds to its key: as that, but empty where it is nothing but separators."""
    return _words(unicodedata.normalize("NFKC", text))


def _words(text: str) -> str:
    spaced = text.translate(_SPACED) if text.isascii() else "".join(" " if _separates(one) else one for one in text)
    return " ".join(fold(word) for word in spaced.casefold().split())


def _separates(char: str) -> bool:
    return not char.isalnum() and char not in _KEPT and unicodedata.category(char)[0] in "ZPC"


_SPACED = {code: " " for code in range(128) if _separates(chr(code))}


def bare(path: str) -> str:
    """A path without the suffix of a note."""
    lower = path.lower()
    return next((path[: -len(end)] for end in SUFFIXES if lower.endswith(end) and len(path) > len(end)), path)


def document_keys(title: str, path: str, aliases: Iterable[str]) -> frozenset[str]:
    """By what a document is found: its title, file name, path and aliases, those of several levels also by the last."""
    whole = bare(path)
    names = [title, whole.rsplit("/", 1)[-1], whole]
    for alias in aliases:
        names += (alias, alias.rsplit("/", 1)[-1])
    return frozenset(key for key in map(name_key, names) if key)


def question_keys(text: str) -> tuple[str, ...]:
    """The keys that a text may mean if it is nothing but a name."""
    return tuple(dict.fromkeys(key for key in (name_key(text), name_key(bare(text.strip()))) if key))


_LEAST, _MOST = 3, 8
_JOINING = """
of the and for on in at to a an de del la las los el y e du des le les et pour der die das den und für von vom zu zur
im am da do dos das per il lo di
"""
_SMALL = frozenset(_JOINING.split())


@lru_cache(maxsize=16_384)
def initials_of(name: str) -> frozenset[str]:
    """In lower case, with and without the words that join others ("of", "und"); of three to eight letters. Two letters
    are too many people's."""
    words = [word for word in re.split(r"[\s\-/]+", name) if word and word[0].isalpha()]
    words_told = [word for word in words if word.casefold() not in _SMALL]
    found = ("".join(word[0] for word in some).casefold() for some in (words, words_told) if len(some) > 1)
    return frozenset(one for one in found if _LEAST <= len(one) <= _MOST)


def acronym_of(name: str) -> str | None:
    """The letters of a name that may be an acronym, in lower case: capitals alone, with dots or without."""
    letters = name.replace(".", "")
    return letters.casefold() if letters.isupper() and letters.isalpha() and _LEAST <= len(letters) <= _MOST else None


# Each character of a row looks like its first.
_ROWS = (
    "aаαɑᴀᎪΑАӑӓ", "bЬвʙᏴΒВƅ", "cсϲᴄᏟС", "dԁᴅᎠɗ", "eеєεᴇᎬΕЕҽ℮ҿё", "fꜰғƒϝ", "gɡցɢᏀԍ", "hһнʜᎻΗНհ", "iіιıɪᎥΙІїꙇ",
    "jјᴊᎫЈϳ", "kкκᴋᏦΚК", "lӏʟᏞłⅼǀן", "mмᴍᎷΜМ", "nոɴηΝпռ", "oоοօᴏᎾΟОσөՕ", "pрρᴘᏢΡР", "qԛգզ", "rгʀᎡᴦᏒ",
    "sѕꜱᏚʂЅՏ", "tтτᴛᎢΤТ", "uυսᴜμцՍ", "vνѵᴠᏙѴט", "wԝωᴡᏔԜшա", "xхχΧХ", "yуγʏүᎩΥУұ", "zᴢᏃʐΖ",
    "<˂ᐸ〈⟨❮❰⧼⦑", ">˃ᐳ〉⟩❯❱⧽⦒", "/⁄∕⧸╱⟋", "|∣ǀ│❘⏐┃", "-‐‑‒–—―−⁃", "_ˍ‗", "'’‘ʼ`´", "\"“”„«»",
)  # fmt: skip
_LOOKALIKES_MOST = 20_000


class _Table(dict[int, str]):
    """Fills itself with what texts hold."""

    def __missing__(self, code: int) -> str:
        plain = _plain(chr(code))
        if len(self) < _LOOKALIKES_MOST:
            self[code] = plain
        return plain


def skeleton(text: str) -> str:
    """Lower case, each character replaced by the ASCII one that it looks like; of the same length as ``text``.

    Other scripts become unreadable: it is for finding words of ASCII in disguise, not for reading.
    """
    return text.lower() if text.isascii() else text.translate(_table())


@cache
def _table() -> _Table:
    return _Table()


@cache
def _rows() -> dict[str, str]:
    return {char: row[0] for row in _ROWS for char in row[1:]}


def _plain(char: str) -> str:
    rows = _rows()
    for form in (char, normalize("NFKC", char)):
        if form in rows:
            return rows[form]
        if len(form) == 1 and form.isascii():
            return form.lower()
    lowered = normalize("NFKC", char).casefold()
    return rows.get(lowered, lowered) if len(lowered) == 1 else char
