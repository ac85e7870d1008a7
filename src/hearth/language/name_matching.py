"""Which names mean the same, and which differ by a typing error. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from hearth.core.graph import NamedEntity
from hearth.core.lazy import dataclass, regex
from hearth.text.names import acronym_of, initials_of
from hearth.text.words import word_set

_ONE_FROM, _TWO_FROM = 6, 10
# Of a longer key two deletions leave too many.
_LONGEST = 32
_DIGITS = regex(r"\d+")


def find_nearly(keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of keys (of ``key_of``) that one edit makes equal, of 6 letters and more, or two, of 10 and more;
    never by a digit. In the order given. By deleting from both, as in symmetric deletion (Garbe 2012)."""
    places = {key: at for at, key in enumerate(keys) if _ONE_FROM <= len(key) <= _LONGEST}
    shared: defaultdict[str, list[str]] = defaultdict(list)
    for key in places:
        for rest in _delete(key, _allow(key)):
            shared[rest].append(key)
    seen = {
        (one, other) if places[one] < places[other] else (other, one)
        for group in shared.values()
        for one, other in combinations(group, 2)
    }
    yield from (pair for pair in sorted(seen, key=lambda pair: (places[pair[0]], places[pair[1]])) if is_nearly(*pair))


def is_nearly(one: str, other: str) -> bool:
    """Whether so few edits make two keys equal."""
    most = min(_allow(one), _allow(other))
    long = min(len(one), len(other)) >= _ONE_FROM
    return long and _DIGITS.findall(one) == _DIGITS.findall(other) and count_edits(one, other, most) <= most


def count_edits(one: str, other: str, most: int) -> int:
    """Letters inserted, deleted, replaced or swapped with the next one (optimal string alignment), as far as ``most``;
    ``most`` + 1 for more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    above: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, above, row = above, row, [at]
        for to, its in enumerate(other, 1):
            cost = min(above[to] + 1, row[to - 1] + 1, above[to - 1] + (letter != its))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == its:
                cost = min(cost, before[to - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _allow(key: str) -> int:
    return 2 if len(key) >= _TWO_FROM else 1


def _delete(key: str, most: int) -> set[str]:
    found = {key}
    level = {key}
    for _ in range(most):
        level = {one[:at] + one[at + 1 :] for one in level for at in range(len(one))}
        found |= level
    return found


_SEPARATORS = regex(r"[\s\-_‐‑‒–—]+")
_APOSTROPHES = str.maketrans("’‘ʼ`´", "'''''")
_TABLE = "names"
_FULL_FORMS = {"incorporated": "inc", "limited": "ltd", "corporation": "corp", "company": "co"}
_SPOKEN = {"+": "plus", "#": "sharp", "&": "and", "@": "at", "%": "percent", "*": "star", "$": "dollar"}
# The sign of a handle or a tag says no more than the type does.
_MARKED = regex(r"^[@#](?=\w{2})")
_SLUG_CHARS = 60
_SLUG_BYTES = 150
_HOPS = 32
# A word that so many persons share tells none of them.
_MOST_ALIKE = 64


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """``name`` is the one that it is filed under, ``None`` where nothing is known of it, or it may mean one of the
    ``candidates``; ``by`` says what joined them, empty where the spelling itself is known."""

    name: str | None
    candidates: tuple[str, ...] = ()
    by: str = ""


@lru_cache(maxsize=65_536)
def key_of(name: str, *, words: bool = False) -> str:
    """Equal for spellings that differ in case, spaces and hyphens only; with ``words`` a blank between these. Empty
    where there is neither letter nor digit."""
    text = unicodedata.normalize("NFKC", name).translate(_APOSTROPHES).casefold()
    return _SEPARATORS.sub(" " if words else "", text).strip() if any(map(str.isalnum, text)) else ""


def slug_of(name: str) -> str:
    """Letters and digits of any script in lower case, joined by hyphens: ``C++`` is ``c-plus-plus``. Signs are spoken,
    so that a name of signs alone has a slug, too; never empty, never a path, at most 60 characters and 150 bytes."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
    folded = _MARKED.sub("", folded)
    spoken = "".join(f" {_SPOKEN[char]} " if char in _SPOKEN else char for char in folded)
    if not any(map(str.isalnum, spoken)):
        spoken = " ".join(unicodedata.name(char, "").lower() for char in folded if not char.isspace())
    words = "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in spoken).split()
    kept = "-".join(words)[:_SLUG_CHARS]
    while len(kept.encode("utf-8", "replace")) > _SLUG_BYTES:
        kept = kept[:-1]
    return kept.strip("-") or "unnamed"


def identify(names: Iterable[NamedEntity], others: Iterable[str] = ()) -> dict[str, str]:
    """Key of each name -> ``<type>-<slug>``; what is taken, as those of ``others`` are, gets ``-2``, in the order
    given."""
    found: dict[str, str] = {}
    taken: set[str] = set(others)
    for one in names:
        key = key_of(one.name) or one.name
        if key in found:
            continue
        plain = identity = f"{one.type}-{slug_of(one.name)}"
        number = 1
        while identity in taken:
            number += 1
            identity = f"{plain}-{number}"
        taken.add(identity)
        found[key] = identity
    return found


def follow(aliases: Mapping[str, str], key: str) -> str | None:
    """The name that a name means by what people said of it, and of that in turn; ``None`` where nobody did. Of names
    that mean each other, which two machines may have said at once, one is taken, the same everywhere."""
    found: str | None = None
    seen: dict[str, str] = {}
    while key in aliases and len(seen) < _HOPS:
        found = aliases[key]
        if key in seen:
            return min((seen[one] for one in list(seen)[list(seen).index(key) :]), key=key_of)
        seen[key] = found
        key = key_of(found)
    return found


class KnownNames:
    """The names of some texts, the most frequent spelling first, and what people said of them: ``aliases`` are keys
    with the name that each means. A name that is an alias of itself stands alone."""

    def __init__(self, names: Iterable[NamedEntity], aliases: Mapping[str, str] | None = None) -> None:
        self._aliases = dict(aliases or {})
        self._names: dict[str, NamedEntity] = {}
        for one in names:
            key = key_of(one.name)
            known = self._names.get(key)
            if key and (known is None or known.type == "other" != one.type):
                self._names[key] = one if known is None else NamedEntity(known.name, one.type)
        # Whoever acts is taken for a person: beside the same name with a legal form it is the company.
        firms = {_less_form(one.name) for one in self._names.values() if one.type != "person"}
        for key in {bare for bare, form in firms if form}.intersection(self._names):
            if self._names[key].type == "person":
                self._names[key] = NamedEntity(self._names[key].name, "organization")
        self._bare: defaultdict[str, list[str]] = defaultdict(list)
        self._initials: defaultdict[str, list[str]] = defaultdict(list)
        self._persons: defaultdict[str, list[str]] = defaultdict(list)
        self._spelled: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for key, one in self._names.items():
            self._file(key, one)

    def _file(self, key: str, one: NamedEntity) -> None:
        if one.type == "person":
            words = person_words(one.name)
            # Without a title first, whichever is more frequent.
            self._spelled[words].insert(0 if key == "".join(words) else len(self._spelled[words]), key)
            for word in set(words):
                self._persons[word].append(key)
            return
        self._bare[_less_form(one.name)[0]].append(key)
        for initials in initials_of(one.name):
            self._initials[initials].append(key)

    def resolve(self, name: str) -> ResolvedName:
        key = key_of(name)
        alias = follow(self._aliases, key)
        if alias is not None:
            known = self._names.get(key_of(alias))
            return ResolvedName(alias if known is None else known.name, by="alias")
        one = self._names.get(key)
        for by, found in self._find(key, one or NamedEntity(name)):
            kept = list(dict.fromkeys(self._settle(other) for other in found))
            if len(kept) == 1:
                return ResolvedName(kept[0], by=by)
            if kept:
                return ResolvedName(None if one is None or by == "part" else one.name, tuple(kept))
        return ResolvedName(None if one is None else one.name)

    def _find(self, key: str, one: NamedEntity) -> Iterable[tuple[str, Sequence[str]]]:
        """The keys of others that a name may mean, rule by rule."""
        if one.type != "person":
            yield "legal form", self._find_formed(key, one)
            if (short := acronym_of(one.name)) is not None:
                yield "acronym", [other for other in self._initials.get(short, ()) if other != key]
        if one.type in ("person", "other", "place"):
            yield "title", self._find_titled(key, one.name)
            yield "part", self._find_whole(key, one.name)

    def _find_formed(self, key: str, one: NamedEntity) -> Sequence[str]:
        """Whom those are filed under that differ by a legal form alone: the bare name, else the first. Two forms are
        two companies, and the bare name is neither."""
        bare, form = _less_form(one.name)
        others = self._bare.get(bare, ())
        forms = {other: _less_form(self._names[other].name)[1] for other in others}
        if len({*forms.values(), form} - {""}) > 1:
            return []
        first = next((other for other in others if not forms[other]), next(iter(others), key))
        return [] if first == key or (not form and key in self._names) else [first]

    def _find_titled(self, key: str, name: str) -> list[str]:
        """The person of the same words, without a title and in their order."""
        return [other for other in self._spelled.get(person_words(name), ())[:1] if other != key]

    def _find_whole(self, key: str, name: str) -> list[str]:
        words = person_words(name)
        whole = [word for word in words if len(word) > 1]
        if not whole:
            return []
        fewest = min((self._persons.get(word, []) for word in whole), key=len)
        if len(fewest) > _MOST_ALIKE:
            return []
        fits = (person_words(self._names[other].name) for other in fewest if other != key)
        return list(dict.fromkeys(self._spelled[full][0] for full in fits if _is_part(words, full)))

    def _settle(self, key: str) -> str:
        """The name that a known one is filed under: people's word, or that of its own legal form."""
        one = self._names[key]
        alias = follow(self._aliases, key)
        if alias is not None:
            known = self._names.get(key_of(alias))
            return alias if known is None else known.name
        if one.type != "person":
            found = self._find_formed(key, one)
        else:
            found = self._find_titled(key, one.name) or self._find_whole(key, one.name)
        return self._names[found[0]].name if len(found) == 1 else one.name


@lru_cache(maxsize=16_384)
def person_words(name: str) -> tuple[str, ...]:
    """In their order, without titles and dots; ``Last, First`` is turned round."""
    last, comma, first = name.partition(",")
    if comma and first.strip() and key_of(first) not in word_set(_TABLE, "generation"):
        name = f"{first} {last}"
    words = [word.replace(".", "") for word in re.split(r"[\s,]+|(?<=\w\.)(?=\w)", name.casefold()) if word]
    while len(words) > 1 and words[0] in word_set(_TABLE, "title"):
        words.pop(0)
    return tuple(key for word in words if (key := key_of(word)))


def _is_part(short: Sequence[str], full: Sequence[str]) -> bool:
    """Whether the words of a name, or their initials, stand in a full name in their order, and it says more."""
    if len(full) < 2 or len(short) > len(full) or len("".join(short)) >= len("".join(full)):
        return False
    generations = word_set(_TABLE, "generation")  # a father and his son are two
    if set(short) & generations != set(full) & generations:
        return False
    rest = iter(full)
    return all(any(word == other or (len(word) == 1 and other[0] == word) for other in rest) for word in short)


@lru_cache(maxsize=16_384)
def _less_form(name: str) -> tuple[str, str]:
    """Key of a name without its legal form, and that form; a name that is nothing else is kept whole."""
    words = [word for word in re.split(r"[\s,]+", key_of(name, words=True)) if word]
    forms: list[str] = []
    legal = word_set(_TABLE, "legal form")
    while len(words) > 1 and (words[-1] == "&" or words[-1].replace(".", "").replace("&", "") in legal):
        forms.insert(0, words.pop().replace(".", ""))
    return key_of(" ".join(words)), _FULL_FORMS.get(form := "".join(forms).replace("&", ""), form)


def names_one(one: str, other: str) -> bool:
    """Whether two names are equal but for case, space, hyphens and a legal form; two forms are two companies."""
    (bare, form), (other_bare, other_form) = _less_form(one), _less_form(other)
    return bool(bare) and bare == other_bare and (not (form and other_form) or form == other_form)


def less_form(name: str) -> str:
    """A name as it is written, without its legal form; empty where it has none."""
    words = name.split()
    bare, form = _less_form(name)
    while form and len(words) > 1 and key_of(" ".join(words)).strip(",") != bare:
        words.pop()
    return " ".join(words).rstrip(",") if form else ""
