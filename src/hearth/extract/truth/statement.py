"""A statement taken apart: what it is about, what it gives as value, how it says so."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import lru_cache
from itertools import pairwise

from hearth.extract.rules.sentences.cues import LANGUAGES
from hearth.extract.truth.tables import (
    UNSPACED,
    Key,
    cues,
    known,
    nouns,
    wordings,
    words,
)
from hearth.extract.truth.tokens import NOT, Keys, keys_of, token_keys, tokens
from hearth.lazy import dataclass, regex
from hearth.text.language import detect

MOST = 600
"""Characters of a statement that are read: what is longer says more than one thing."""
_NOTHING: Keys = frozenset()
# What a person said in a language without grammar for it here is kept as a quote after who said it.
_FRAME = regex(r"[^:“”\"«»]{3,40}:\s?[“\"«](?P<said>.+)[”\"»]\.?\Z", re.DOTALL)
_LATIN = LANGUAGES[:6]
DEEDS = ("using", "joining")
"""Kinds of deed of which one is as good as another."""
_TELLING = ("maybe", "talk", "past", "if", "has", "is", "theirs", "own", "yet", *DEEDS)
# What a statement goes back to stands behind it (``extract.rules.context``).
_CONTEXT = regex(r"\s+\(said: “[^”]*”\)\Z")
_QUOTE = regex(r"[“\"«「][^“”\"«»「」]{8,}[”\"»」]")
_END = regex(r"[;；]|\s[-–—]\s")
_FIGURE = regex(r"\d{1,12}(?:\.\d+)?")
# What is said beside it, of whatever.
_CLAUSE = regex(
    r",\s+(?:and|but|so|und|aber|y|pero|et|mais|e|mas|ma)\s+(?:it|we|i|they|he|she|there|es|wir|ich|sie|er|se|nosotros|yo|nous|"
    r"je|il|elle|nós|eu|noi|io)\b",
    re.IGNORECASE,
)
_STOP = regex(r"[,;.。、，；!?]|$")


@dataclass(frozen=True, slots=True)
class Claimed:
    """An attribute told, with what stands ``before`` its value and behind it; ``quote`` is the value as written."""

    attribute: str
    before: Keys
    value: Keys
    after: Keys
    quote: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """``keys`` are its words and values without cues; ``olds`` what it says was so before; ``flags`` the kinds of cue
    that it holds; ``turned`` what it changes its mind about, empty where it says only that it does; ``tail`` what a
    reason or a second clause adds; ``examples`` the names that it gives for a kind of thing; ``beside`` words that
    stand right behind one another; ``quotes`` each key as written."""

    language: str
    keys: Keys = _NOTHING
    olds: tuple[Keys, ...] = ()
    flags: frozenset[str] = frozenset()
    negative: bool = False
    tail: Keys = _NOTHING
    nouns: frozenset[str] = frozenset()
    over: tuple[Keys, Keys] | None = None
    turned: Keys | None = None
    claims: tuple[Claimed, ...] = ()
    examples: Keys = _NOTHING
    beside: frozenset[tuple[Key, Key]] = frozenset()
    marks: dict[str, str] = field(default_factory=dict)
    quotes: dict[Key, str] = field(default_factory=dict)

    @property
    def values(self) -> Keys:
        return frozenset(key for key in self.keys if key[0])

    @property
    def counts(self) -> dict[Key, float]:
        """What is counted -> how many: the word behind a number's own adjective, and the one right behind it."""
        found: dict[Key, float] = {}
        order = list(self.quotes)
        for at, (kind, form) in enumerate(order):
            if kind == "number" and _FIGURE.fullmatch(form):
                found |= {key: float(form) for key in order[at + 1 : at + 3] if not key[0]}
        return found

    @property
    def words(self) -> Keys:
        return frozenset(key for key in self.keys if not key[0])

    def quote(self, keys: Iterable[Key]) -> str:
        """As written, in the order of the text."""
        wanted = set(keys)
        found = [quote.strip() for key, quote in self.quotes.items() if key in wanted and quote.strip()]
        return ("" if self.language in UNSPACED else " ").join(found)


def language_for(older: str, newer: str) -> str:
    """One for both, since forms of different languages can't be compared: that of the script, else of most words."""
    text = f"{older[:MOST]}\n{newer[:MOST]}"
    found = detect(text)
    if found not in LANGUAGES or found in _LATIN:
        spoken = set(re.findall(r"\w+", text.casefold()))
        return max(_LATIN, key=lambda language: (len(spoken & known(language)), language == found))
    return found


@lru_cache(maxsize=512)
def read(text: str, language: str) -> Parsed:
    whole = " ".join(unicodedata.normalize("NFKC", text[:MOST]).split())
    whole = _CONTEXT.sub("", whole)
    framed = _FRAME.match(whole)
    whole = framed["said"] if framed is not None else whole
    flags = {kind for kind in _TELLING if _first(kind, language, whole)}
    flags |= {"asked"} if whole.rstrip().endswith("?") else set()
    flags |= {"talk"} if _QUOTE.search(whole) else set()
    marks: dict[str, str] = {}
    never, example = _first("never", language, whole), _first("example", language, whole)
    if never is not None:
        marks["never"] = never[0].strip()
    turned, whole = _turn(whole, language, marks)
    text, tail = _split(whole, language)
    for kind in ("fix", "now"):
        text = _blank(kind, language, text, marks)
    over = _over(text, language)
    claims = () if flags & {"maybe", "talk", "past", "if", "asked"} else tuple(_claims(text, language))
    changed = _first("change", language, text)
    text, olds = _without_old(text, language, changed=changed is not None, marks=marks)
    text = _blank("end", language, text, marks)
    text = _blank("change", language, text, marks)
    found = list(tokens(text, language))
    keys = {key: quote for key, quote in found if key != NOT}
    return Parsed(
        language=language,
        keys=frozenset(keys),
        olds=olds,
        flags=frozenset(flags | marks.keys()),
        negative=sum(key == NOT for key, _ in found) % 2 == 1,
        tail=keys_of(tail, language),
        nouns=frozenset(_nouns(keys, text, language)),
        over=over,
        turned=turned,
        claims=claims,
        examples=frozenset() if example is None else keys_of(example["name"], language),
        beside=frozenset(
            (key, next_key)
            for (key, word), (next_key, next_word) in pairwise(found)
            if not key[0] and not next_key[0] and f"{word} {next_word}" in text
        ),
        marks=marks,
        quotes=keys,
    )


def _turn(text: str, language: str, marks: dict[str, str]) -> tuple[Keys | None, str]:
    """What a change of mind is about, and the text without saying so."""
    found = _first("mind", language, text)
    if found is None:
        return None, text
    marks["mind"] = found[0].strip(" ,:.")
    topic = found.groupdict().get("topic") or ""
    return keys_of(topic, language), f"{text[: found.start()]} {text[found.end() :].lstrip(' ,:.')}".strip()


def _first(kind: str, language: str, text: str) -> re.Match[str] | None:
    for pattern in cues(kind, language):
        found = pattern.search(text)
        if found is not None:
            return found
    return None


def _split(text: str, language: str) -> tuple[str, str]:
    """What is said, and what a reason or a second clause adds to it."""
    reason = _first("why", language, text)
    ends = [found.start() for found in (_END.search(text), reason) if found is not None and found.start() > 8]
    # "; Webpack is gone" says what was so before.
    ends = [end for end in ends if not any(p.match(text, end) for p in cues("swap", language))]
    cut = min(ends, default=len(text))
    return text[:cut].rstrip(" ,"), text[cut:]


def _blank(kind: str, language: str, text: str, marks: dict[str, str]) -> str:
    """The text without the cues of a kind, but for what they keep."""

    def kept(found: re.Match[str]) -> str:
        marks.setdefault(kind, found[0].strip(" ,:;"))
        return f" {' '.join(value for value in found.groupdict().values() if value)} "

    for pattern in cues(kind, language):
        text = pattern.sub(kept, text)
    return text


def _without_old(text: str, language: str, *, changed: bool, marks: dict[str, str]) -> tuple[str, tuple[Keys, ...]]:
    olds = []
    for kind in ("swap", "from") if changed else ("swap",):
        for pattern in cues(kind, language):
            found = _innermost(pattern, text)
            if found is None or _first("change", language, found["old"]):
                continue
            old = keys_of(found["old"], language)
            if not old:
                continue
            olds.append(old)
            marks.setdefault(kind, found[0].strip(" ,:;"))
            text = f"{text[: found.start()]} {text[found.end() :]}"
    return text, tuple(olds)


def _innermost(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Of matches that end alike the shortest: "de la empresa de MySQL a" is about MySQL."""
    best = found = pattern.search(text)
    while found is not None:
        found = pattern.search(text, found.start() + 1)
        if found is not None and best is not None and found.end() <= best.end():
            best = found
    return best


def _over(text: str, language: str) -> tuple[Keys, Keys] | None:
    found = _first("over", language, text)
    if found is None:
        return None
    one, other = (keys_of(side[: _end_of_value(side, 0, language)], language) for side in found.group("a", "b"))
    return (one, other) if one and other and one != other else None


def _claims(text: str, language: str) -> Iterator[Claimed]:
    blanked = _blank("change", language, text, {})
    for wording in wordings(language):
        named = "noun" in wording.pattern.groupindex
        source = blanked if named else text
        found = wording.pattern.search(source)
        if found is None:
            continue
        groups = found.groupdict()
        start, end = found.span("v") if groups.get("v") else (found.end(), _end_of_value(source, found.end(), language))
        value = keys_of(source[start:end], language)
        if not value or NOT in token_keys(source, language):
            continue
        around = f"{groups.get('noun') or ''} {groups.get('of') or ''}"
        before = keys_of(f"{source[: found.start()]} {around}", language)
        rest = source[max(end, found.end()) :]
        clause = _CLAUSE.search(rest)
        after = keys_of(rest if clause is None else rest[: clause.start()], language)
        yield Claimed(wording.attribute, before, value, after, source[start:end].strip(" .,;"))


def _end_of_value(text: str, start: int, language: str) -> int:
    """A value ends with its clause, or before what qualifies it."""
    stop = _STOP.search(text, start)
    while stop is not None and _goes_on(text, stop):
        stop = _STOP.search(text, stop.end())
    end = stop.start() if stop is not None else len(text)
    if language in UNSPACED:
        return end
    half = re.compile(rf"\s(?:{'|'.join(words('half', language))}|as|since|seit|desde|depuis|als|como|comme)\s", re.I)
    found = half.search(text, start + 1, end)
    return found.start() if found is not None and found.start() > start else end


def _goes_on(text: str, stop: re.Match[str]) -> bool:
    """Whether it is within a word or a figure: "example.org", "18,000"."""
    behind = text[stop.end() : stop.end() + 1]
    return (stop[0] == "." and behind.isalnum()) or (
        stop[0] == "," and behind.isdigit() and text[: stop.start()][-1:].isdigit()
    )


def _nouns(keys: Iterable[Key], text: str, language: str) -> Iterator[str]:
    table = nouns(language)
    if language in UNSPACED:
        yield from (name for noun, name in table.items() if noun in text)
    else:
        yield from (table[form] for kind, form in keys if not kind and form in table)
