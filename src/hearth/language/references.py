"""Which of the notes shown an answer used, by wording that they hardly share by chance."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from hearth.core.document import MIN_PREFIX
from hearth.core.lazy import dataclass, regex
from hearth.text.language import all_stop_words, background_share, detect, stem, unspaced_stop_words
from hearth.text.lines import estimate_tokens as estimate
from hearth.text.words import word_set

Gram = tuple[str, ...]

# Scripts written without spaces; hangul has spaces.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
_RUN = regex(f"[{UNSPACED}]+")
_WORD = regex(f"[^\\W_{UNSPACED}]+")
_TABLE = "references"
# Fitted on answers of 10 to 4,000 words against passages that they used and others.
_LEAST, _PER_DOUBLING, _FURTHER = 12.0, 1.5, 0.25
_RUN_CHARS, _CHARS_PER_DOUBLING = 5, 0.6
_TELLING = 5.0  # nats: in less than one of 150 windows of 100 words
_SHORT = 225  # tokens
_RAREST, _PER_LETTER = 6.5, 0.65
_MANNER_WEIGHT = 2.0
# Blocks of Unicode that hold the combining marks of living scripts.
_MARKS = tuple(range(0x300, 0x1CFF)), tuple(range(0x1DC0, 0x2100)), tuple(range(0xA66F, 0xAC00))


def grams(text: str, language: str, chars: int) -> set[Gram]:
    """The distinct pairs of content words, and runs of ``chars`` characters of scripts without spaces."""
    plain = normal(text)
    every: set[Gram] = set(pairwise(_content_words(plain, language)))
    if not plain.isascii():
        every.update((run,) for run in _char_grams(plain, chars))
    return every


def demand(answer: str) -> tuple[float, int]:
    """What a phrase must score in an answer of this length, and how many characters it needs in a script without
    spaces: chance alone shares rarer wording the longer an answer is."""
    doublings = max(0.0, math.log2(max(1, estimate(answer)) / _SHORT))
    return _LEAST + _PER_DOUBLING * doublings, round(_RUN_CHARS + _CHARS_PER_DOUBLING * doublings)


def distinctive(own: Iterable[Gram], least: float, language: str) -> Gram | None:
    """The best of the grams that an answer shares with one item alone, if together they say enough.

    A score is the information of the best pair, and a quarter of the second's and of three words' in a row. A pair of
    common words counts for nothing by itself.
    """
    grams = sorted(own)
    runs = [gram for gram in grams if len(gram) == 1]
    if runs or not grams:
        return runs[0] if runs else None
    information_of = {word: information(word, language) for gram in grams for word in gram}
    weights = {gram: sum(information_of[word] for word in set(gram)) for gram in grams}
    telling = (gram for gram in grams if max(information_of[word] for word in gram) >= _TELLING)
    ranked = sorted(telling, key=weights.__getitem__, reverse=True)
    if not ranked:
        return None
    second = weights[ranked[1]] if len(ranked) > 1 else 0.0
    after: dict[str, float] = {}
    for first, last in grams:
        after[first] = max(after.get(first, 0.0), information_of[last])
    chained = max((weights[gram] + after[gram[1]] for gram in grams if gram[1] in after), default=0.0)
    return ranked[0] if weights[ranked[0]] + _FURTHER * (second + chained) >= least else None


def information(word: str, language: str) -> float:
    """Of a stem, in nats: little for a number, most for a word that the table of ordinary text does not hold. There is
    a table for English alone; elsewhere long words count as rarer."""
    if word.isdecimal():
        return min(5.0, 1.0 + len(word))
    if word in _manners():
        return _MANNER_WEIGHT
    if language == "en":
        return -math.log(background_share(word))
    return min(_RAREST, 1.0 + _PER_LETTER * len(word))


def normal(text: str) -> str:
    """NFKC, folded case, without combining marks: forms in which the same wording is the same text."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded.translate(_no_marks())


def content(text: str, language: str) -> list[str]:
    """The stems of a text's content words in order, then its runs of unspaced scripts."""
    plain = normal(text)
    return _content_words(plain, language) + _RUN.findall(plain)


def _content_words(plain: str, language: str) -> list[str]:
    return [word for word in (_content(match, language) for match in _WORD.findall(plain)) if word]


def _char_grams(plain: str, chars: int) -> Iterator[str]:
    for run in _RUN.findall(plain):
        for part in unspaced_stop_words().split(run):
            for start in range(len(part) - chars + 1):
                yield part[start : start + chars]


@lru_cache(maxsize=50_000)
def _content(word: str, language: str) -> str:
    """The stem of a word that says something; "" for stop words and single letters."""
    if word in _stops() or (len(word) < 2 and not word.isdecimal()):
        return ""
    return stem(word, language)


@cache
def _stops() -> frozenset[str]:
    """Of all languages, in the form that texts are compared in."""
    return frozenset(map(normal, all_stop_words()))


@cache
def _manners() -> frozenset[str]:
    # What assistants say in every answer, and people in every chat: the table knows manuals, not manners.
    words = word_set(_TABLE, "manners")
    return words | {stem(word, "en") for word in words}


@cache
def _no_marks() -> dict[int, None]:
    return {point: None for points in _MARKS for point in points if unicodedata.category(chr(point))[0] == "M"}


By = Literal["path", "docid", "title", "phrase"]

MAX_ANSWER = 200_000
"""Characters; what follows in an answer is not looked at."""
MAX_SHOWN = 20_000
"""Characters of one item's text."""
MIN_TITLE = 5
# Nats that a title's words say in all, or its only word.
_TITLE_LEAST, _PER_CHAR = 9.0, 2.5
_TITLE_WORD_LEAST = 7.0
_DATE = 6  # digits
_PATH_CHAR = r"[\w./\\~-]"
_EMPHASIS = str.maketrans("", "", "*`")


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A note as the assistant saw it: ``path`` within its ``collection``, ``text`` what was injected of it. An ``echo``
    is ours about a session, and may repeat what another note says."""

    docid: str
    title: str
    collection: str
    path: str
    text: str
    echo: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """``evidence`` is what was found in the answer, for people; a phrase as stems."""

    docid: str
    by: By
    evidence: str


def references(answer: str, shown: Sequence[ShownNote], prompt: str = "") -> list[Reference]:
    """The items that an answer used, each once, in the order shown, by the first of these that holds:

    its path; its docid, or ``#`` and at least six characters of it; its title, word-bounded, of at least five
    characters, unless generic, shared with another item or, as a single word, in the prompt; a distinctive phrase of
    its text, which no other item but an echo has and whose words are neither all common nor all in the prompt.
    """
    if not shown or not answer.strip():
        return []
    answer = answer[:MAX_ANSWER]
    plain = " ".join(normal(answer).translate(_EMPHASIS).split())
    ways: tuple[tuple[By, dict[str, str]], ...] = (
        ("path", _paths(plain, shown)),
        ("docid", _docids(plain, shown)),
        ("title", _titles(plain, shown, prompt)),
        ("phrase", _phrases(answer, shown, prompt)),
    )
    found: dict[str, Reference] = {}
    for by, evidence in ways:
        for docid, what in evidence.items():
            found.setdefault(docid, Reference(docid, by, what))
    return [found[docid] for docid in dict.fromkeys(item.docid for item in shown) if docid in found]


def find_quoted(answer: str, texts: Mapping[str, str], prompt: str = "", echoes: Collection[str] = ()) -> set[str]:
    """The names of the texts of which an answer has a distinctive phrase that no other of them, but for ``echoes``,
    has."""
    shown = [ShownNote(name, "", "", "", text, name in echoes) for name, text in texts.items()]
    return set(_phrases(answer[:MAX_ANSWER], shown, prompt)) if shown and answer.strip() else set()


def _paths(plain: str, shown: Sequence[ShownNote]) -> dict[str, str]:
    same = Counter(name for _, name in {(item.docid, _base(item)) for item in shown})
    found = {}
    for item in shown:
        for name, alone in _path_forms(item, same[_base(item)] == 1):
            before = rf"(?<!{_PATH_CHAR})" if alone else r"(?<![\w.-])"
            if name in plain and re.search(rf"{before}{re.escape(name)}(?![\w/\\-]|\.\w)", plain):
                found[item.docid] = name
                break
    return found


def _base(item: ShownNote) -> str:
    return " ".join(normal(item.path.rsplit("/", 1)[-1]).split())


def _path_forms(item: ShownNote, unique: bool) -> list[tuple[str, bool]]:
    """Ways to write a path, longest first, each with whether nothing of a path may stand before it."""
    parts = " ".join(normal(f"{item.collection}/{item.path}").split()).split("/")
    forms = [("/".join(parts), False)]
    if len(parts) > 2:
        forms.append(("/".join(parts[1:]), False))
    forms.extend(("/".join(parts[start:]), True) for start in range(2, len(parts) - 1))
    name, dot, _ = parts[-1].rpartition(".")
    if unique and dot and not _is_generic(name):
        forms.append((parts[-1], True))
    return forms


def _docids(plain: str, shown: Sequence[ShownNote]) -> dict[str, str]:
    found = {}
    tokens = set(re.findall(r"#?[0-9a-z]+", plain))
    short = [token[1:] for token in tokens if token[0] == "#" and len(token) > MIN_PREFIX]
    docids = {item.docid.lower() for item in shown}
    for item in shown:
        docid = item.docid.lower()
        if docid in tokens or f"#{docid}" in tokens:
            found[item.docid] = docid
            continue
        for part in short:
            if docid.startswith(part) and sum(name.startswith(part) for name in docids) == 1:
                found[item.docid] = f"#{part}"
    return found


def _titles(plain: str, shown: Sequence[ShownNote], prompt: str) -> dict[str, str]:
    titles = {item.docid: " ".join(normal(item.title).translate(_EMPHASIS).split()) for item in shown}
    shared = Counter(titles.values())
    asked = " ".join(normal(prompt).split())
    found: dict[str, str] = {}
    taken = bytearray(len(plain))
    # Longest first: where a longer title stands, a shorter one inside it is not named.
    for docid, title in sorted(titles.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        if len(title) < MIN_TITLE or title not in plain or not _says_something(title, asked):
            continue
        spans = [(match.start(), match.end()) for match in _bind(title).finditer(plain)]
        free = any(0 in taken[start:end] for start, end in spans)
        for start, end in spans:
            taken[start:end] = b"\1" * (end - start)
        if free and shared[title] == 1:
            found[docid] = title
    return found


def _bind(title: str) -> re.Pattern[str]:
    """Word-bounded; where a script has no spaces, a word ends anywhere."""
    left = r"(?<![^\W_])" if _space(title[0]) else ""
    right = r"(?![^\W_])" if _space(title[-1]) else ""
    return re.compile(f"{left}{re.escape(title)}{right}")


def _space(char: str) -> bool:
    return char.isalnum() and not _RUN.match(char)


def _says_something(title: str, asked: str) -> bool:
    telling = [word for word in content(title, "en") if not word.isdecimal() and not _is_generic(word)]
    if len(telling) == 1 and not _RUN.match(telling[0]):
        return information(telling[0], "en") >= _TITLE_WORD_LEAST and title not in asked
    amounts = (_PER_CHAR * len(word) if _RUN.match(word) else information(word, "en") for word in telling)
    return sum(amounts) >= _TITLE_LEAST


def _is_generic(name: str) -> bool:
    """Whether a name is made of generic words, single letters and short numbers alone; a date is not."""
    parts = re.findall(r"[^\W\d_]+", name)
    return all(part in _generic() or len(part) < 2 for part in parts) and sum(map(str.isdecimal, name)) < _DATE


def _phrases(answer: str, shown: Sequence[ShownNote], prompt: str) -> dict[str, str]:
    language = detect(answer)
    least, chars = demand(answer)
    phrases = grams(answer, language, chars)
    by_docid: dict[str, set[Gram]] = {}
    for item in shown:
        by_docid.setdefault(item.docid, set()).update(phrases & grams(item.text[:MAX_SHOWN], language, chars))
    echoes = {item.docid for item in shown if item.echo}
    spread = Counter(gram for shared in by_docid.values() for gram in shared)
    sources = Counter(gram for docid, shared in by_docid.items() if docid not in echoes for gram in shared)
    asked = {part for gram in grams(prompt[:MAX_SHOWN], language, chars) for part in gram}
    found = {}
    for docid, shared in by_docid.items():
        having = spread if docid in echoes else sources
        own = (gram for gram in shared if having[gram] == 1 and not asked.issuperset(gram))
        if best := distinctive(own, least, language):
            found[docid] = " ".join(best)
    return found


@cache
def _generic() -> frozenset[str]:
    words = word_set(_TABLE, "generic")  # names that a thousand files have
    return frozenset(normal(form) for word in words for form in (word, stem(word, "en")))
