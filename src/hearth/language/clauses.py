"""A text as clauses of tokens, by which what is stated is compared with what was said.

A token is a word by its stem, a name, a number, or a mark: what negates, limits, compares, or says who is spoken of.
The marks are rows of ``data/evidence.toml``. A word that stands behind a mark of direction ("over", "from", "by") or
of circumstance ("in", "if") has its role.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cache
from typing import NamedTuple

from hearth.core.lazy import dataclass, regex
from hearth.text.language import detect, is_stop_word, stem
from hearth.text.lines import split_sentences
from hearth.text.names import skeleton
from hearth.text.words import Row, cues, rows

TABLE = "evidence"
CONTENT = frozenset(("word", "name", "number", "term", "person", "group"))
CIRCUMSTANCES = frozenset(("scope", "condition", "before", "after"))
DIRECTIONS = frozenset(("contrast", "source", "agent", "before", "after", "more", "less"))
_RESETS = frozenset(("frame", "auxiliary", "first", "other", "user", "hedge", "universal", "limit"))
_ROMANCE = frozenset(("es", "fr", "it", "pt"))
_POSTPOSED = frozenset(("scope", "condition", "contrast", "source", "agent"))
# Which row wins where two find the same words.
_ORDER = (
    "user", "request", "negation", "aversion", "ending", "past", "hedge", "contrast", "condition", "before", "after",
    "more", "less", "agent", "source", "scope", "universal", "limit", "own", "first", "other", "person", "group",
    "term", "number", "split", "auxiliary", "frame",
)  # fmt: skip
# What may be a name, too.
_COMMON = frozenset(("frame", "ending", "limit", "more", "less", "agent", "past"))
_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_PIECE = regex(
    rf"(?P<date>\d{{4}}-\d\d-\d\d)|(?P<number>\d[\d.,:/]*\d|\d)(?![^\W\d_{_SPACELESS}])|(?P<kata>[\u30a1-\u30ffー]+)"
    rf"|(?P<kana>[\u3040-\u309f]+)|(?P<han>[\u3400-\u9fff\uf900-\ufaff])"
    rf"|(?P<word>[^\W_{_SPACELESS}]+(?:[._/@+#'’&-]+[^\W_{_SPACELESS}]+)*[+#]*)|(?P<stop>[,;:()—–，、；：（）]|\s-\s)"
)
_CLITIC = regex(r"['’](?:s|re|ve|ll|d|m)$|^(?:[cdjlmnst]|qu|un|dell|all|nell|sull)['’](?=\w{2})", re.IGNORECASE)
_CURRENCY = regex(r"([$€£])\s?(\d[\d.,]*)")
_UNIT = regex(r"(?<![\w.])(\d[\d.,]*)(%|€|[a-z]{1,3}\b)", re.IGNORECASE)
_CLOCK = regex(r"(?<![\w.:])(1[0-2]|0?[1-9])(?::([0-5]\d))?\s?([ap])\.?m\b\.?", re.IGNORECASE)
_ORDINAL = regex(r"(?<![\w.])(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_INVISIBLE = regex("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
_LETTERS = regex(r"[^\W\d_]+")
_LATIN, _OTHER = regex("[a-zA-Z\u00c0-\u024f]"), regex("[\u0370-\u052f]")
_TO_CYRILLIC = str.maketrans("aeopcxykmtbhABEKMHOPCTXy", "аеорсхукмтвнАВЕКМНОРСТХу")
_LEAST_STEM, _SAME = 5, 0.75
_TAIL, _LEAST_ROOT = 3, 3


class Token(NamedTuple):
    """``role`` is the kind of the mark that it stands behind, ``is_first`` whether directly behind."""

    kind: str
    key: str
    text: str
    role: str = ""
    is_first: bool = False

    @property
    def is_content(self) -> bool:
        return self.kind in CONTENT

    @property
    def is_time(self) -> bool:
        """Whether it is a day, a month or a unit."""
        return self.kind == "term" and not self.key.startswith("verb-")

    def is_inflection_of(self, other: Token) -> bool:
        return self.kind == "word" == other.kind and _is_inflected(self.key, other.key)

    def matches(self, other: Token) -> bool:
        """Whether both name the same, inflection aside; the roles of direction must be equal."""
        if (self.role in DIRECTIONS or other.role in DIRECTIONS) and self.role != other.role:
            return False
        return self.key == other.key or self.is_inflection_of(other)


@dataclass(slots=True)
class Clause:
    sentence: int
    tokens: list[Token] = field(default_factory=list)
    is_question: bool = False
    is_subject: bool = False
    is_set_off: bool = False
    """Whether a comma or another stop separates it from what stands before it."""

    @property
    def content(self) -> list[Token]:
        return [token for token in self.tokens if token.is_content]

    def count(self, *kinds: str) -> int:
        return sum(token.kind in kinds for token in self.tokens)


def languages_of(statement: str, quote: str) -> tuple[str, ...]:
    """The languages to read both in. Short texts tell theirs badly; how a statement names the user tells it well."""
    named = {row.lang for row in rows(TABLE) if row.kind == "user" and _pattern_of(row).search(statement)}
    found = {detect(quote)}
    if not named:
        found.add(detect(statement))
    elif named & _ROMANCE and found <= _ROMANCE:
        found = set()
    return tuple(sorted(found | named))


@cache
def _pattern_of(row: Row) -> re.Pattern[str]:
    return regex(row.expression, re.IGNORECASE)


def fold(text: str) -> str:
    """NFKC without invisible characters, and look-alike letters of another script as those of their word's own."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if _OTHER.search(text) is None:
        return text
    is_latin = len(_LATIN.findall(text)) >= len(_OTHER.findall(text))
    return _LETTERS.sub(lambda found: _fold_word(found[0], is_latin), text)


def find_disguised(text: str) -> list[str]:
    """Words of letters of two scripts that look alike."""
    words = _LETTERS.findall(unicodedata.normalize("NFKC", text))
    return [word for word in words if _LATIN.search(word) and _OTHER.search(word)]


def read_clauses(text: str, languages: Sequence[str]) -> list[Clause]:
    """The clauses of a text in order. A circumstance that is set off by a comma belongs to what it limits."""
    found: list[Clause] = []
    for number, sentence in enumerate(split_sentences(fold(text))):
        parts = [part for part in _split(sentence, number, tuple(languages)) if part.tokens]
        is_question = sentence.rstrip().endswith(("?", "？")) and not any(part.count("request") for part in parts)
        for part in parts:
            part.is_question = is_question
        found.extend(_attach(parts))
    return found


def _attach(parts: list[Clause]) -> Iterator[Clause]:
    """A condition in front holds for each clause that follows, another circumstance for the next clause; one behind
    belongs to the clause before it."""
    size = next((at for at, part in enumerate(parts) if at and part.is_set_off), 0)
    if size and len(parts) > size and _opener(parts[0]) == "condition":
        condition = [token for part in parts[:size] for token in part.tokens]
        for part in _attach(parts[size:]):
            part.tokens[:0] = condition
            yield part
        return
    pending: Clause | None = None
    for at, part in enumerate(parts):
        kind, is_last = _opener(part), at + 1 == len(parts)
        is_behind = kind in CIRCUMSTANCES and (is_last or not _is_aside(part))
        if pending is not None and (is_behind or _is_aside(pending) or _opener(pending) == "condition"):
            pending.tokens.extend(part.tokens)
        else:
            if pending is not None:
                yield pending
            pending = part
    if pending is not None:
        yield pending


def _opener(clause: Clause) -> str:
    idle = ("filler", "own", "frame", "auxiliary", "universal", "limit")
    return next((token.kind for token in clause.tokens if token.kind not in idle), "")


def _is_aside(clause: Clause) -> bool:
    """Whether it says nothing but under what circumstances."""
    return _opener(clause) in CIRCUMSTANCES and all(
        token.role in CIRCUMSTANCES or not token.is_content for token in clause.tokens
    )


def _split(sentence: str, number: int, languages: tuple[str, ...]) -> Iterator[Clause]:
    clause, role, is_first, is_set_off = Clause(number), "", False, False
    tokens, target = list(_tokens(sentence, languages)), cues(TABLE, "target")
    for at, token in enumerate(tokens):
        if token.kind == "split" or _contrasts(tokens, at):
            yield clause
            is_set_off = (is_set_off and not clause.tokens) or not token.text[:1].isalpha()
            clause, role, is_first = Clause(number, is_set_off=is_set_off), "", False
            if token.kind == "split":
                continue
        if token.key == "ja" and token.kind in _POSTPOSED:
            _assign(clause.tokens, token.kind)
            role = ""
        elif token.kind in DIRECTIONS or token.kind in CIRCUMSTANCES:
            role, is_first = token.kind, True
        elif token.kind in _RESETS or (role == "source" and target.fullmatch(token.text)):
            role = ""
        elif token.is_content:
            token, is_first = token._replace(role=role, is_first=is_first), False
        clause.tokens.append(token)
    yield clause


def _assign(tokens: list[Token], role: str) -> None:
    """The role of a mark that stands behind its words."""
    at = len(tokens)
    while at and tokens[at - 1].is_content and not tokens[at - 1].role:
        at -= 1
        tokens[at] = tokens[at]._replace(role=role)
    if at < len(tokens):
        tokens[at] = tokens[at]._replace(is_first=True)


def _contrasts(tokens: Sequence[Token], at: int) -> bool:
    """Whether a negation begins what is denied beside what is said: "pnpm not npm"."""
    if tokens[at].kind != "negation" or tokens[at].key != "en" or not 0 < at < len(tokens) - 1:
        return False
    return tokens[at - 1].is_content and tokens[at + 1].is_content


def _tokens(text: str, languages: tuple[str, ...]) -> Iterator[Token]:
    text = _CURRENCY.sub(r"\2 \1", _ORDINAL.sub(r"\1", text))
    text = _UNIT.sub(r"\1 \2", _CLOCK.sub(_in_24_hours, text))
    at = 0
    for start, end, kind, key in _marks(text, languages):
        yield from _words(text[at:start], languages, not at)
        mark = text[start:end]
        if start and kind in _COMMON and _is_capital(mark) and "de" not in languages:
            kind, key = "name", _stem(mark, languages)
        if kind == "group":
            key = _stem(mark.split()[-1], languages)
        yield Token(kind, _stem(mark, languages) if kind == "person" else key, mark)
        at = end
    yield from _words(text[at:], languages, not at)


def _in_24_hours(found: re.Match[str]) -> str:
    hour = int(found[1]) % 12 + (12 if found[3] in "pP" else 0)
    return f"{hour}:{found[2] or '00'}"


def _marks(text: str, languages: tuple[str, ...]) -> Iterator[tuple[int, int, str, str]]:
    """Spans of marks, the longest first where they overlap."""
    found = [
        (hit.start(), hit.start() - hit.end(), rank, kind, key)
        for rank, kind, key, pattern in _patterns(languages)
        for hit in pattern.finditer(text)
    ]
    at = 0
    for start, size, _, kind, key in sorted(found):
        if start >= at:
            at = start - size
            yield start, at, kind, key


@cache
def _patterns(languages: tuple[str, ...]) -> tuple[tuple[int, str, str, re.Pattern[str]], ...]:
    found = []
    for row in rows(TABLE):
        if row.kind in _ORDER and (row.lang == "any" or row.lang in languages):
            key = row.id.partition("-")[2] if row.kind in ("term", "number") else row.lang
            found.append((_ORDER.index(row.kind), row.kind, key.removeprefix("number-"), _pattern_of(row)))
    return tuple(found)


def _words(text: str, languages: tuple[str, ...], opens: bool) -> Iterator[Token]:
    for place, found in enumerate(_PIECE.finditer(text)):
        kind, word = str(found.lastgroup), found[0]
        if kind == "stop":
            yield Token("split", "", word)
        elif kind in ("number", "date"):
            plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", word)
            yield Token("number", plain.lstrip("0") or "0", word)
        elif kind == "kana":
            yield Token("filler", "", word)
        elif kind in ("han", "kata"):
            yield Token("word", word, word)
        else:
            yield _word(word, languages, is_initial=opens and not place)


def _word(word: str, languages: tuple[str, ...], *, is_initial: bool) -> Token:
    bare = _CLITIC.sub("", word)
    lower = bare.casefold()
    if is_stop_word(lower, languages) and (len(bare) < 2 or not bare.isupper()):
        return Token("filler", "", word)
    inner = bare[1:] if is_initial or "de" in languages else bare
    is_name = inner != inner.lower() or not bare.isalpha()
    return Token("name" if is_name else "word", _stem(lower, languages), word)


def _is_capital(word: str) -> bool:
    """Written like a name: "Make", "Go"."""
    return len(word) > 1 and word[0].isupper() and word[1:].islower()


def _stem(word: str, languages: tuple[str, ...]) -> str:
    language = next((one for one in languages if one not in ("zh", "ja")), "en")
    return stem(word.casefold(), language)


def _fold_word(word: str, is_latin: bool) -> str:
    if _OTHER.search(word) is None:
        return word
    plain = skeleton(word)
    if _LATIN.search(word):
        back = word.translate(_TO_CYRILLIC)
        return back if not is_latin and _LATIN.search(back) is None else plain
    return plain if is_latin and plain.isascii() else word


def _is_inflected(one: str, other: str) -> bool:
    if one + one[-1:] == other or other + other[-1:] == one:
        return len(min(one, other, key=len)) >= _LEAST_ROOT  # "log", "logged"
    pairs = enumerate(zip(one, other, strict=False))
    shared = next((at for at, (first, second) in pairs if first != second), min(len(one), len(other)))
    most = max(len(one), len(other))
    if shared >= max(_LEAST_STEM, _SAME * most) and most - shared <= _TAIL:
        return True
    if shared < _LEAST_ROOT:
        return False
    # The root may end before what both endings share.
    roots = (size for size in range(shared, max(shared - 2, _LEAST_ROOT - 1), -1))
    return any(_is_ending(one[size:]) and _is_ending(other[size:]) for size in roots)


@cache
def _is_ending(rest: str) -> bool:
    return not rest or any(re.fullmatch(row.pattern, rest) for row in rows(TABLE) if row.kind == "inflection")
