"""Terms of a text, and those of a fragment packed into bytes, by which it is rescored without its text."""

from __future__ import annotations

import re
import sys
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, compress
from operator import itemgetter
from struct import Struct

from hearth.core.document import TermCounts
from hearth.core.lazy import dataclass, loaded, regex
from hearth.text.language import stem

VERSION = 6
MAX_WHOLE = 128
ASIDE = "~aside"
"""A mark, no word: the fragment holds only what an assistant said, or only frontmatter. No text analyzes to it."""
_MAX_MEMO = 200_000
# Fragments from which on arrays pay.
_MANY = 30

# Characters that end a chunk. What stays inside (. - _ / \ @ # + : ' & % $ ~) may join parts of one identifier.
_CHUNK = regex(
    r"""[^\s()\[\]{}<>"“”„‘«»,;!?¡¿|`=*^…·•–—。，、！？；：（）【】「」『』《》〈〉"""
    r"""\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+"""
)
_EDGE = ".-_/\\@#+:'’&%$~"
_SENTENCE_EDGE = ".:'’"
_JOINER = regex(r"[.\-_/\\@#+:&%$~]+")
_CAMEL = regex(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# What a machine drew by lot: a docid, a digest, a part of a UUID. The letters between its digits spell no word.
_DRAWN = regex(r"(?=[a-z]*\d)[0-9a-hjkmnp-tv-z]{16}|(?=[a-f]+\d+[a-f]|\d+[a-f]+\d)[0-9a-f]{8,}")
_KEEP_TAIL = regex(r"[A-Za-z]{1,2}(?:\+\+|#)$")
_KEEP_HEAD = regex(r"(?:\.[A-Za-z]{2,}|@[\w-]+/|--?[A-Za-z])")
_CLITIC = regex(r"^(.+?)['’](?:s|re|ve|ll|d|m|t)$", re.IGNORECASE)
_ELISION = regex(r"^[A-Za-zÀ-ÿ]{1,2}['’](.+)$|^(?:qu|jusqu|lorsqu)['’](.+)$", re.IGNORECASE)
_UNSPACED = regex(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)
# Soft hyphens, and the points of Hebrew and Arabic, which few write and nobody asks with.
_UNSOUNDED = regex(r"[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670\u0640]")
_CODE_NAME = regex(
    r"(?:[\w.@-]+/)*[A-Za-z][\w-]+\.[a-z][a-z0-9]{0,4}|[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*(?:\(\))?"
    r"|[A-Za-z]+\w*_\w*[A-Za-z0-9]|[A-Za-z]\w*(?:::\w+)+"
)
# Signs that stand for a word; skin tones and joiners are left out, flags are a pair.
_SIGN = regex(
    r"[\U0001f1e6-\U0001f1ff]{2}|[\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55]"
    r"|[\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
)

# Separators of ASCII text as spaces: splitting takes half the time of the pattern.
_ASCII_SEPARATORS = {point: " " for point in range(128) if not _CHUNK.match(chr(point))}


def chunks(text: str) -> list[str]:
    """The runs of characters between separators, as written."""
    return text.translate(_ASCII_SEPARATORS).split() if text.isascii() else _CHUNK.findall(text)


def terms(text: str, language: str) -> Iterator[str]:
    """The index terms of a text in order, repeats included."""
    return chain.from_iterable(map(_memo_of(language).__getitem__, chunks(text)))


def count_terms(text: str, language: str) -> dict[str, int]:
    """How often each index term occurs."""
    return Counter(terms(text, language))


class _Memo(dict[str, tuple[str, ...]]):
    """Terms by chunk; a miss is analyzed and, if short enough to come again, kept."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        found = chunk_terms(chunk, self._language)
        if len(chunk) <= MAX_WHOLE:
            if len(self) > _MAX_MEMO:
                self.clear()
            self[chunk] = found
        return found


_memos: dict[str, _Memo] = {}


def _memo_of(language: str) -> _Memo:
    memo = _memos.get(language)
    return memo if memo is not None else _memos.setdefault(language, _Memo(language))


@dataclass(frozen=True, slots=True)
class SurfaceForms:
    """What a chunk is made of, before stemming: whole tokens (with ``=``), n-grams, and lower-case words."""

    wholes: tuple[str, ...]
    grams: tuple[str, ...]
    words: tuple[str, ...]


def surface(chunk: str) -> SurfaceForms:
    """A chunk taken apart; every part once."""
    if _is_plain(chunk):
        return SurfaceForms((), (), (chunk.lower(),))
    wholes: list[str] = []
    grams: list[str] = []
    words: list[str] = []
    plain = chunk.isascii()
    runs = [(chunk, False)] if plain else _runs(_UNSOUNDED.sub("", unicodedata.normalize("NFKC", chunk)))
    for run, unspaced in runs:
        if unspaced:
            grams.extend(ngrams(run))
            continue
        if whole := whole_form(run):
            wholes.extend(_wholes(whole))
        if not plain:
            wholes.extend("=" + sign for sign in _SIGN.findall(run))
        words.extend(_words(run))
    return SurfaceForms(*(tuple(dict.fromkeys(part)) for part in (wholes, grams, words)))


def chunk_terms(chunk: str, language: str) -> tuple[str, ...]:
    """The index terms of one chunk: whole forms first, where it is more than a word."""
    # A full stop or colon at the end of a word adds nothing to it.
    word = chunk.rstrip(".:")
    if word and _is_plain(word):
        return (stem(word.lower(), language),)
    parts = surface(chunk)
    stems = (stem(word, language) for word in parts.words)
    return tuple(dict.fromkeys((*parts.wholes, *parts.grams, *stems)))


def _is_plain(chunk: str) -> bool:
    return chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk[1:].islower() or len(chunk) == 1)


def whole_form(chunk: str) -> str | None:
    """The lower-cased token as written when it is an identifier, path, version, address or code; else ``None``."""
    trimmed = _trim(chunk)
    if not 2 <= len(trimmed) <= MAX_WHOLE:
        return None
    if _JOINER.search(trimmed) is None:
        inner = trimmed.replace("'", "").replace("’", "")
        if not inner.isascii() or len(_CAMEL.findall(inner)) < 2:
            return None
    return trimmed.casefold() if any(map(str.isalnum, trimmed)) else None


def names_code(chunk: str) -> bool:
    """Whether it can be nothing but a name in code: ``StateFlow``, ``get_user``, ``money.py``, ``src/store.ts``."""
    return _CODE_NAME.fullmatch(_trim(chunk)) is not None


def ngrams(run: str) -> Iterator[str]:
    """Single characters and pairs of a run of an unspaced script."""
    run = run.casefold()
    yield from run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def _trim(chunk: str) -> str:
    tail = chunk.rstrip(_SENTENCE_EDGE)
    if tail[-1:] not in ("+", "#") or not _KEEP_TAIL.fullmatch(tail.lstrip(_EDGE)):
        tail = chunk.rstrip(_EDGE)
    return tail if tail[:1] in (".", "@", "-") and _KEEP_HEAD.match(tail) else tail.lstrip(_EDGE)


def _wholes(whole: str) -> Iterator[str]:
    """The token and the forms by which people also name it: a file by its base name, a version without its v."""
    yield "=" + whole
    bare = whole.lstrip("-@.")
    if bare != whole and len(bare) > 1 and _JOINER.search(bare):
        yield "=" + bare
    if "/" in whole or "\\" in whole:
        base = re.split(r"[/\\]", whole.rstrip("/\\"))[-1]
        if base != whole and len(base) > 1 and _JOINER.search(base):
            yield "=" + base
    if re.fullmatch(r"v\d[\d.]*", whole):
        yield "=" + whole[1:]


def _runs(chunk: str) -> Iterator[tuple[str, bool]]:
    """The chunk cut where unspaced scripts begin and end."""
    at = 0
    for match in _UNSPACED.finditer(chunk):
        if match.start() > at:
            yield chunk[at : match.start()], False
        yield match.group(), True
        at = match.end()
    if at < len(chunk):
        yield chunk[at:], False


def _words(run: str) -> Iterator[str]:
    """Lower-case words of a run: identifiers whole and in parts, clitics and elisions cut off."""
    for piece in _JOINER.split(run):
        word = piece.strip("'’")
        if "'" in word or "’" in word:
            if clitic := _CLITIC.match(word):
                word = clitic.group(1)
            elif elision := _ELISION.match(word):
                word = elision.group(1) or elision.group(2)
        for letters in _letters(word):
            lower = letters.casefold()
            if letters == lower and letters.isalpha():
                yield lower
                continue
            drawn = _DRAWN.fullmatch(letters) is not None
            camel = _CAMEL.findall(letters) if letters.isascii() and not drawn else []
            yield lower
            if len(camel) > 1:
                yield from (part.lower() for part in camel if len(part) > 1)


def _letters(word: str) -> Iterator[str]:
    """Runs of letters, marks and digits: combining marks belong to the word that they modify."""
    if word.isalnum():
        yield word
        return
    start: int | None = None
    for i, char in enumerate(word):
        inside = char.isalnum() or unicodedata.category(char)[0] == "M"
        if inside and start is None:
            start = i
        elif not inside and start is not None:
            yield word[start:i]
            start = None
    if start is not None:
        yield word[start:]


COMPOUND_LANGUAGES = frozenset({"de", "nl", "sv"})
"""Languages that write compounds as one word. Danish and Norwegian are detected as Swedish."""
END_MARK = "~"
SHORTEST_TAIL = 4
_SHORTEST_HEAD = 3
_SHORTEST_COMPOUND = 8
_VOWELS = frozenset("aeiouyåäöæøü")


def reverse_term(term: str) -> str:
    """The index term of words that end with ``term``; longer ones begin with it."""
    return END_MARK + term[::-1]


def find_ends(counts: Mapping[str, TermCounts], language: str) -> Iterator[tuple[str, TermCounts]]:
    """The terms for the ends of the long words among those that are counted, counted as these are."""
    if language in COMPOUND_LANGUAGES:
        yield from (
            (reverse_term(term), count)
            for term, count in counts.items()
            if len(term) >= _SHORTEST_COMPOUND and term.isalpha()
        )


def is_compound(end: str, tail: str) -> bool:
    """Whether the term for a word's end is that of a compound with this tail: what stands before it may be a word."""
    head = end[len(END_MARK) + len(tail) :]
    return end.startswith(reverse_term(tail)) and len(head) >= _SHORTEST_HEAD and not _VOWELS.isdisjoint(head)


def pack(terms: Iterable[tuple[int, TermCounts]]) -> bytes:
    rows = sorted(terms, key=itemgetter(0))
    if not rows:
        return b""
    numbers, counts = zip(*rows, strict=True)
    ids = array("I", numbers)
    if sys.byteorder == "big":
        ids.byteswap()
    return ids.tobytes() + b"".join(map(_clip, zip(*counts, strict=True)))


def _clip(counts: Sequence[int]) -> bytes:
    try:
        return bytes(counts)
    except ValueError:  # rare: a term more than 255 times in one window
        return bytes(min(255, count) for count in counts)


def sum_counts(packed: bytes, wanted: frozenset[int], heading: float, meta: float) -> dict[int, float]:
    """How often a fragment has each of the ``wanted`` terms that it has; what stands in headings and in what the
    document is called counts ``heading`` and ``meta`` times."""
    size = len(packed) // 7
    ids = _unpacker(size)(packed)
    found: dict[int, float] = {}
    for term in wanted.intersection(ids):
        at = 4 * size + bisect_left(ids, term)
        found[term] = packed[at] + heading * packed[at + size] + meta * packed[at + 2 * size]
    return found


def sum_all_counts(
    packed: Sequence[bytes], wanted: frozenset[int], heading: float, meta: float
) -> list[dict[int, float]]:
    """As ``sum_counts`` of each; in arrays at half the time, where NumPy is there."""
    if (numpy := loaded("numpy")) is None or len(packed) < _MANY:
        return [sum_counts(one, wanted, heading, meta) for one in packed]
    sizes = [len(one) // 7 for one in packed]
    starts = numpy.cumsum([0, *sizes])
    pairs = list(zip(packed, sizes, strict=True))
    ids = numpy.frombuffer(b"".join([one[: 4 * size] for one, size in pairs]), dtype="<u4")
    counts = numpy.frombuffer(b"".join([one[4 * size :] for one, size in pairs]), dtype=numpy.uint8)
    places = numpy.flatnonzero(numpy.isin(ids, numpy.fromiter(wanted, dtype=numpy.uint32, count=len(wanted))))
    owners = numpy.searchsorted(starts, places, side="right") - 1
    bodies, widths = places + 2 * starts[owners], numpy.asarray(sizes)[owners]
    sums = counts[bodies] + heading * counts[bodies + widths] + meta * counts[bodies + 2 * widths]
    found: list[dict[int, float]] = [{} for _ in packed]
    for owner, term, value in zip(owners.tolist(), ids[places].tolist(), sums.tolist(), strict=True):
        found[owner][term] = value
    return found


@lru_cache(maxsize=2048)
def _unpacker(size: int) -> Callable[[bytes], tuple[int, ...]]:
    return Struct(f"<{size}I").unpack_from


class Packed:
    """Read access to packed terms."""

    __slots__ = ("_bytes", "_ids", "_size")

    def __init__(self, packed: bytes) -> None:
        self._bytes = packed
        self._size = len(packed) // 7
        self._ids = _unpacker(self._size)(packed)

    def __len__(self) -> int:
        return self._size

    def counts(self, term: int) -> tuple[int, int, int] | None:
        """(body, heading, meta) occurrences, ``None`` where the fragment lacks the term."""
        size = self._size
        at = bisect_left(self._ids, term)
        if at == size or self._ids[at] != term:
            return None
        base = 4 * size + at
        packed = self._bytes
        return packed[base], packed[base + size], packed[base + 2 * size]

    def ids(self) -> list[int]:
        return list(self._ids)

    def body_ids(self) -> Iterator[int]:
        """Terms that occur in the body."""
        return compress(self._ids, self._bytes[4 * self._size : 5 * self._size])

    def strong_ids(self) -> Iterator[int]:
        """Terms that stand prominently: repeated in the body, or in a heading or the path."""
        size, packed = self._size, self._bytes
        base = 4 * size
        for at, term in enumerate(self._ids):
            if packed[base + at] > 1 or packed[base + size + at] or packed[base + 2 * size + at]:
                yield term


def prominent(counts: TermCounts) -> bool:
    return counts.body > 1 or counts.heading > 0 or counts.meta > 0
