"""Words that show what a name names, and who speaks in a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

from hearth.core.graph import NamedEntity
from hearth.core.lazy import regex
from hearth.text.language import is_listed, is_stop_word
from hearth.text.terms import terms
from hearth.text.words import rows


@cache
def read_cues() -> Mapping[tuple[str, str], frozenset[str]]:
    """(type, where the cue stands) -> words in lower case."""
    found = ((row.kind.partition(": "), row.words) for row in rows("entity_cues"))
    return {(kind, where): frozenset(words) for (kind, _, where), words in found}


@lru_cache
def words_of(where: str) -> frozenset[str]:
    """The cues of all types in one place."""
    return frozenset[str]().union(*(words for (_, place), words in read_cues().items() if place == where))


LANGUAGES = ("en", "es", "fr", "de", "it", "pt", "nl", "ru", "sv")


@lru_cache(maxsize=16_384)
def is_common(word: str) -> bool:
    return is_listed(word) or any(is_listed(term) for term in terms(word, "en"))


@lru_cache(maxsize=16_384)
def is_ordinary(word: str) -> bool:
    """Whether a word is a common one, or tells a date."""
    low = word.lower()
    return is_small(low) or all(is_common(part) for part in low.split("-"))


def is_small(low: str) -> bool:
    """Whether a word in lower case joins others, or tells a date."""
    return low.removesuffix("s") in words_of("date") or is_stop_word(low, LANGUAGES)


def is_capitalised(name: str) -> bool:
    """Whether a file is called as somebody or something is: each word with a capital or in a script without them, and
    not by ordinary words alone. What is called by a date, a number or in lower case is a text."""
    words = [word for word in name.split() if not is_stop_word(word.lower(), LANGUAGES)]
    capitals = all(word[0].isalpha() and word[0] == word[0].upper() for word in words)
    return bool(words) and capitals and not all(is_common(word.lower()) for word in words)


_SPEAKER_LINE = regex(r"(?:\*\*|__)?([^\W\d_][^\s:*_]*(?: [^\W\d_][^\s:*_]*){0,2})(?:\*\*:|:\*\*|__:|:__|:)\s+\S")
_TWICE = 2


def find_speakers(texts: Iterable[str], language: str) -> list[list[str]]:
    """Those of each text, once. A label in one language may look like a name in another (``Hinweis:``), so that beside
    English two must speak."""
    by_text = [[name for name in map(_speaker_of, text.split("\n")) if name is not None] for text in texts]
    counts = Counter(name for names in by_text for name in names)
    speakers = {name for name, count in counts.items() if count >= _TWICE}
    if language != "en" and len(speakers) < _TWICE:
        return [[] for _ in by_text]
    return [[name for name in dict.fromkeys(names) if name in speakers] for names in by_text]


def _speaker_of(line: str) -> str | None:
    found = _SPEAKER_LINE.match(line)
    if found is None or not all(word[0].isupper() or not word[0].islower() for word in found[1].split()):
        return None
    cues = read_cues()
    given = found[1].split()[0].lower() in cues["person", "first"] | cues["person", "either"]
    return found[1] if given or not all(map(is_ordinary, found[1].split())) else None


_MARKUP = regex(
    r"\A---\n(?:.*\n){0,60}?---$|^#{1,6} .*$|^(?:```|~~~)(?:.|\n)*?(?:^(?:```|~~~)[ \t]*$|\Z)|`[^`\n]+`"
    # Addresses, and paths of two folders or more.
    r"|https?://\S+|(?<![\w.:])(?:~|[A-Za-z]:)?[/\\](?:[\w.@-]+[/\\]){2,}[^\s)\]>*`'\"]*"
    r"|\]\([^)\n]*\)|^\|.*\|$|^\s*(?:[-*+]|\d{1,2}[.)]) \*\*[^*\n]+\*\*:?|\*\*[^*\n]{1,40}:\*\*",
    re.MULTILINE,
)
# Where a linked page lies is no part of what it is called.
_FOLDER = regex(r"(?<=\[\[)[^\[\]\n|#]*/")


@lru_cache(maxsize=128)  # each fragment of a document is read a few times
def hide_markup(text: str) -> str:
    """As long as the text, with line breaks in place of it, and blanks in place of a link's folder."""
    plain = _MARKUP.sub(lambda found: "\n" * len(found[0]), text)
    return _FOLDER.sub(lambda found: " " * len(found[0]), plain)


MOST_CHARS = 100
# What may hold a name.
_CHUNK = regex(r"(?<![\w./@:#-])(?=[\w.@:#-]*?(?:[/_]|[a-z][A-Z]))[\w./@:#-]+")
_NAME = regex(
    r"(?:\.{0,2}/)?(?:[\w-][\w.-]*/)+[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,7}"
    r"|_{0,2}[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]{2,}(?:[A-Z][a-z0-9]+)+"
)
# What programs call a failure, and keys and ids.
_PROGRAM_WORD = regex(r"[a-z](?:Error|Exception|Warning)$|[A-Za-z]\d+[A-Za-z]+\d")
_BLOCK = regex(r"^(?:```|~~~)(?:.|\n)*?(?:^(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE)
# Where a link leads is not mentioned.
_LINKS = ("[[", "](")


def find_code(text: str) -> Iterator[str]:
    """As they are written, each as often as it is there."""
    plain = _BLOCK.sub("\n", text) if "```" in text or "~~~" in text else text
    for found in _CHUNK.finditer(plain):
        name = found[0].rstrip(".:-#")
        if is_code_name(name) and plain[max(0, found.start() - 2) : found.start()] not in _LINKS:
            yield name


def is_code_name(name: str) -> bool:
    return len(name) <= MOST_CHARS and _NAME.fullmatch(name) is not None


def is_program_word(word: str) -> bool:
    """Whether only programs write a word so: ``TimeoutError``, ``a1B2c3``."""
    return _PROGRAM_WORD.search(word) is not None


MOST_WORDS = 8
_LEAST_CHARS = 3
_WORD = regex(r"[^\W_]+")
# Between the words of a name.
_GAPS = frozenset((" ", "-", "\n", "'", "’"))
# Where a name ends.
_END = ""


class KnownTrie:
    """``names`` are spellings with whom each means. One that is a word of everyday language, or has signs that a text
    may do without, is not looked for."""

    def __init__(self, names: Mapping[str, NamedEntity]) -> None:
        self._root: dict[str, Any] = {}
        for spelled, entity in names.items():
            if is_distinctive(spelled):
                node = self._root
                for word in _WORD.findall(spelled):
                    node = node.setdefault(word.casefold(), {})
                node[_END] = entity

    def find(self, text: str) -> Iterator[NamedEntity]:
        """At each place the longest name, each as often as it is there."""
        if not self._root:
            return
        plain = hide_markup(text)
        if self._root.keys().isdisjoint(map(str.casefold, _WORD.findall(plain))):
            return
        words = list(_WORD.finditer(plain))
        end = 0
        for at, word in enumerate(words):
            if at >= end and word[0].casefold() in self._root:
                found, end = self._read(plain, words, at)
                if found is not None:
                    yield found

    def _read(self, text: str, words: Sequence[re.Match[str]], at: int) -> tuple[NamedEntity | None, int]:
        """The longest name from a word on, and the word behind it."""
        node, found, end = self._root, None, at
        for step in range(at, len(words)):
            node = node.get(words[step][0].casefold(), {})
            found, end = (node[_END], step + 1) if _END in node else (found, end)
            if not node or (step + 1 < len(words) and not _goes_on(text, words[step], words[step + 1])):
                break
        return found, end


def _goes_on(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    gap = text[word.end() : following.start()]
    return gap in _GAPS or (gap in (".", ". ") and len(word[0]) == 1)


def is_distinctive(name: str) -> bool:
    """Whether a name is one in lower case, too: several words that say something, or one that is no ordinary word."""
    words = [word.casefold() for word in _WORD.findall(name)]
    if not words or len(words) > MOST_WORDS or any(not (char.isalnum() or char in " -.'’") for char in name):
        return False
    if len(words) == 1:
        return len(words[0]) >= _LEAST_CHARS and not is_ordinary(words[0])
    return not all(is_stop_word(word, LANGUAGES) for word in words)


_CODE = regex(r"`{3,}[^`]*`{3,}|~~~[^~]*~~~|`[^`\n]+`|https?://[^\s/)>\]]+")
_DOTTED_WORD = regex(r"[^\W_]+(?:[.+][^\W_]+)*")
_VERSION = regex(r" (?:v\d{1,3}|v?\d{1,3}(?:\.\d+)+)(?![\w:/%°-]|[.,]\d)")
_RELEASED = regex(r"(?:\*\*|__|\])? v?\d+\.\d+")
_LINK_END = regex(r"[^\[\]\n]{0,40}\]\(")
_LINK_BEGIN = regex(r"(?<!\[)\[[^\[\]\n]{0,40}\Z")
_ARTICLES = {
    "en": regex(r"\b(?:the|an?)\s\Z", re.IGNORECASE),
    "es": regex(r"\b(?:el|los|las|una?)\s\Z", re.IGNORECASE),
    "fr": regex(r"\b(?:les?|une?|des)\s\Z", re.IGNORECASE),
}
_PLATFORM = regex(r" on (?P<name>[A-Z][\w+#-]*)")
_ADDRESSED = regex(
    r"\b(?:hey|hi|hello|dear|thanks|thank you|congrats|congratulations|sorry|hola|querid[oa]|gracias|salut|ch[eè]re?"
    r"|merci|hallo|liebe[rn]?|danke),?\s\Z",
    re.IGNORECASE,
)
_TOLD = regex(r",? (?:who|whose|quien|cuy[oa]|qui)\b|, (?:she|he)\b")
_NEXT_WORD = regex(r"['’]?s? ?(?P<word>[^\W\d_]+)")
_OWNED = regex(r"['’]s? (?P<word>[^\W\d_]+)")
_LISTED_BEFORE = regex(r"(?P<name>[\w.+#-]*\w),? (?:(?:and|or|y|o|et|ou|und|oder|e) )?\Z")
_LISTED_BEHIND = regex(r",? (?:(?:and|or|y|o|et|ou|und|oder|e) )?(?P<name>[\w.+#-]*\w)")
_JOINS = regex(r",|\b(?:and|or|y|o|et|ou|und|oder|e)\b")
_SPEAKER = regex(r"^\**([^\s:*][^\n:*]{0,40})(?:\*\*:|:\*\*|:) ", re.MULTILINE)
_AROUND, _LINE_REACH = 48, 400
_SPEAKS_TWICE = 2


class NameEvidence:
    """Of the names in one text, by their half-open range."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language

    @cached_property
    def _code(self) -> frozenset[str]:
        """Words of code and of addresses, in lower case."""
        return frozenset(word.casefold() for part in _CODE.findall(self._text) for word in _DOTTED_WORD.findall(part))

    @cached_property
    def _speakers(self) -> Counter[str]:
        return Counter(_SPEAKER.findall(self._text))

    def is_person(self, start: int, end: int) -> bool:
        before, behind = self._around(start, end)
        if _ADDRESSED.search(before) or _TOLD.match(behind):
            return True
        cues = read_cues()
        says = _NEXT_WORD.match(behind)
        if says is not None and says["word"].lower() in cues["person", "says"]:
            return True
        owned = _OWNED.match(behind)
        kin = owned is not None and owned["word"].lower() in cues["person", "kin"]
        return kin or self.speaks(self._text[start:end])

    def speaks(self, name: str) -> bool:
        """Whether two lines begin with it, as those of a dialogue do with who speaks."""
        return self._speakers[name] >= _SPEAKS_TWICE

    def is_tool(self, start: int, end: int) -> bool:
        name = self._text[start:end]
        before, behind = self._around(start, end)
        if name[-1].isdigit() or name.casefold() in self._code or _RELEASED.match(behind):
            return True
        # "Woche 9"
        if self._language != "de" and _VERSION.match(behind):
            return True
        if " " not in name and _LINK_BEGIN.search(before) and _LINK_END.match(behind):
            return True
        cues = read_cues()
        last, following = _DOTTED_WORD.findall(before)[-1:], _NEXT_WORD.match(behind)
        if last and last[0].lower() in cues["tool", "before"]:
            return True
        if following is not None and following["word"] in cues["tool", "after"]:
            return True
        on = _PLATFORM.match(behind)
        if on is not None and on["name"].lower().removesuffix("s") not in cues["other", "date"]:
            return True
        return any(self._is_technical(other) for other in self._listed_with(before, behind))

    def is_thing(self, start: int, end: int) -> bool:
        """Whether it has an article, which persons have none of."""
        article = _ARTICLES.get(self._language)
        return article is not None and article.search(self._around(start, end)[0]) is not None

    def is_by_code(self, start: int, end: int) -> bool:
        """Whether code stands on its line."""
        before, behind = self._text[max(0, start - _LINE_REACH) : start], self._text[end : end + _LINE_REACH]
        return "`" in before.rpartition("\n")[2] or "`" in behind.partition("\n")[0]

    def _around(self, start: int, end: int) -> tuple[str, str]:
        return self._text[max(0, start - _AROUND) : start], self._text[end : end + _AROUND]

    def _listed_with(self, before: str, behind: str) -> Iterable[str]:
        for found in (_LISTED_BEFORE.search(before), _LISTED_BEHIND.match(behind)):
            if found is not None and _JOINS.search(found[0].replace(found["name"], "", 1)):
                yield found["name"]

    def _is_technical(self, word: str) -> bool:
        inner = word[1:]
        return word.casefold() in self._code or (
            any(map(str.isupper, inner)) and not word.isupper() and "-" not in word
        )
