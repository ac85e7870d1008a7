"""Finds the names that a text mentions and what they name, by rules: runs of capitalised words that are not ordinary.
At the start of a sentence, and in German, a single word needs a second cue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from hearth.core.graph import EntityType
from hearth.core.lazy import dataclass, regex
from hearth.language.entity_words import (
    NameEvidence,
    hide_markup,
    is_common,
    is_ordinary,
    is_program_word,
    is_small,
    read_cues,
    words_of,
)
from hearth.text.names import acronym_of, initials_of

MOST_ENTITIES = 64
_MOST_WORDS, _MOST_OF_PERSON, _LEAST_COINED = 6, 3, 5
# "Fundación Biodiversidad": what it is stands first.
_HEAD_FIRST = frozenset(("es", "fr", "it", "pt"))

_TOKEN = regex(r"[^\W_]+(?:[-&.'’][^\W_]+)*|[^\w\s]|\n+")
_ELIDED = regex(r"^(?:[ldjmtscn]|qu)['’](?=\w)", re.IGNORECASE)
_POSSESSIVE = regex(r"['’]s?$")
_PEOPLES = regex(r".{3,}(?:ish|ese|ian|ians)$")
_GERMAN_NOUN = regex(r".*(?:ung|heit|keit|schaft|tion|tät|nis|ismus|ment|ierung|ungen|en|er|e|ie|ik|ur|um|um|ling)$")
_PAST = regex(r".{2,}(?:ed|ó|aron|ieron|aba|té|te|ten)$")
# The same where nothing else says so, and a name is not likely to end so.
_SURE_NOUN = regex(r".{3,}(?:ung(?:en)?|ionen|heit(?:en)?|keit(?:en)?|schaft(?:en)?|tion|tät|erin|eiterin)$")
_SAID_AGAIN = 2
_FAMILY = regex(r"(?:Ma?c|[OD]['’]|[DL][aei]|Van|Fitz)[A-Z][a-z]+$")
_NEAR = 4  # words before a name that are looked at
# What stands before a German noun and not before a name.
_DETERMINER = regex(
    r"(?:d(?:er|ie|as|em|en|es)|(?:k?ein|mein|dein|sein|ihr|unser|eu(?:e)?r|dies|jed|welch|manch|all)(?:e[rnms]?)?"
    r"|[iabv]m|beim|zu[mr]|ans|ins|vom|drei|vier|zwei)$"
)
_AUXILIARIES = {"is", "was", "are", "were", "has", "had", "will", "would", "can", "could", "should", "must", "does"}
_AUXILIARIES |= {"did", "est", "était", "sera", "es", "era", "será", "fue", "ha", "è"}
_GERMAN_ASIDES = frozenset(("bitte", "danke", "hallo", "deutsch", "englisch", "französisch", "spanisch", "italienisch"))
_GERMAN_BEFORE = frozenset(("von", "mit", "für", "zu", "an", "über", "durch", "gegen", "dass", "wenn", "und"))


class _Token(NamedTuple):
    """A word or a sign; ``starts`` a sentence, ``soft`` a part of one."""

    text: str
    start: int
    end: int
    starts: bool
    soft: bool
    owns: bool
    capital: bool

    @property
    def lower(self) -> str:
        return self.text.lower()


_make = partial(tuple.__new__, _Token)
# What a sentence ends with or a line begins with.
_STOPS = frozenset(".!?…\n:•*#>|。！？")
_APOSTROPHES = "'’"


@dataclass(frozen=True, slots=True)
class Entity:
    """``start`` and ``end`` are a half-open range of the text, of its first mention."""

    name: str
    type: EntityType
    start: int
    end: int
    sure: bool = True
    """Whether something said so: many a thing is called as persons are."""


class _Text:
    """A text as tokens, with what it says of its own words."""

    def __init__(self, text: str, language: str) -> None:
        self.evidence = NameEvidence(text, language)
        self.tokens = _read_tokens(hide_markup(text))
        self.language = language
        self.lower = {token.text for token in self.tokens if token.text[:1].islower()}
        self.at = {token.start: at for at, token in enumerate(self.tokens)}
        self.inside: dict[str, int] = {}
        for token in self.tokens:
            if token.capital and not token.starts:
                self.inside[token.text] = self.inside.get(token.text, 0) + 1
        # What an article stands before once is a noun wherever it stands: "die Abgabe".
        pairs = zip(self.tokens, self.tokens[1:], strict=False) if language == "de" else ()
        self.nouns = {
            token.text
            for before, token in pairs
            if token.capital and not (token.starts or token.soft) and _DETERMINER.match(before.lower)
        }

    @cached_property
    def words(self) -> Mapping[str, Sequence[int]]:
        """With the places of each among the tokens."""
        words: dict[str, list[int]] = {}
        for at, token in enumerate(self.tokens):
            words.setdefault(token.text, []).append(at)
        return words

    def stands_inside(self, run: Sequence[_Token]) -> bool:
        """Whether the same words follow one another where no sentence begins."""
        words = [token.text for token in run]
        places = ((at, self.tokens[at]) for at in self.words.get(words[0], ()))
        return any(
            not (token.starts or token.soft) and [one.text for one in self.tokens[at : at + len(words)]] == words
            for at, token in places
        )

    def ordinary(self, word: str) -> bool:
        """Whether a word is said in lower case, here or in general."""
        return word.lower() in self.lower or is_ordinary(word)


@lru_cache(maxsize=32)  # a passage is read again with what stands around it
def _read_text(text: str, language: str) -> _Text:
    return _Text(text, language)


def _read_tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    starts, soft = True, True
    for found in _TOKEN.finditer(text):
        word, (at, end) = found[0], found.span()
        if word.isalnum():  # as most are
            owns, capital = text[end : end + 1] in _APOSTROPHES, word[0].isupper()
            tokens.append(_make((word, at, end, starts, soft, owns, capital)))
            starts = soft = False
        elif word[0] in _STOPS:
            starts = True
        elif not word[0].isalnum():
            soft = True
            tokens.append(_make((word, at, end, False, False, False, False)))
        else:
            bare = word
            if "'" in word or "’" in word:
                if elided := _ELIDED.match(word):
                    word, bare = word[elided.end() :], elided[0]
                    tokens.append(_make((bare, at, at + len(bare), starts, soft, False, bare[0].isupper())))
                    at += len(bare)
                    starts = soft = False
                bare = _POSSESSIVE.sub("", word)
            owns = bare != word or text[end : end + 1] in _APOSTROPHES
            tokens.append(_make((bare, at, at + len(bare), starts, soft, owns, bare[0].isupper())))
            starts = soft = False
    return tokens


def find_entities(text: str, language: str = "en", known: Set[str] = frozenset()) -> list[Entity]:
    """The names in a text, in their order, each once with its first mention: at most 64. ``known`` are words of names
    that stand around the text."""
    read = _read_text(text, language)
    runs = list(_find_runs(read))
    long = [kept for run in runs if len(run) > 1 for kept in _judge(read, run, frozenset())]
    known = known | {token.text for kept in long if len(kept) > 1 for token in kept}
    found: dict[str, Entity] = {}
    for run in runs:
        for kept in _judge(read, run, known):
            name = " ".join(token.text for token in kept)
            kind, sure = _type(read, kept)
            before = found.setdefault(name.casefold(), Entity(name, kind, kept[0].start, kept[-1].end, sure))
            if (sure, kind != "other") > (before.sure, before.type != "other"):
                found[name.casefold()] = replace(before, type=kind, sure=sure)
    joined = _join_parts(list(found.values()))
    return sorted((*joined, *_find_acronyms(read, joined)), key=lambda entity: entity.start)[:MOST_ENTITIES]


def _find_acronyms(read: _Text, entities: Sequence[Entity]) -> Iterator[Entity]:
    """Capitals alone are a name where the text spells them out."""
    spelled = {
        initials: entity for entity in entities if entity.type != "person" for initials in initials_of(entity.name)
    }
    for token in read.tokens if spelled else ():
        acronym = acronym_of(token.text)
        if acronym is not None and (entity := spelled.pop(acronym, None)) is not None:
            yield Entity(token.text, entity.type, token.start, token.end, entity.sure)


def _find_runs(read: _Text) -> Iterator[list[_Token]]:
    """Capitalised words that follow one another on a line."""
    run: list[_Token] = []
    for token in read.tokens:
        if run:
            follows = token.capital and not token.starts and token.start == run[-1].end + 1 and not run[-1].owns
            if not follows:
                yield run
                run = []
        if token.capital:
            run.append(token)
    if run:
        yield run


def _judge(read: _Text, run: Sequence[_Token], known: Set[str]) -> Iterator[list[_Token]]:
    """The names in a run, without what only stands before them or is glued to them."""
    for part in _divide(read, run) if read.language == "de" else (run,):
        kept = _trim(read, part)
        if not kept:
            continue
        kept = [*kept[:-1], _unglue(kept[-1])]
        if len(kept) == 1:
            if _is_single_name(read, kept[0], known):
                yield [_strip_genitive(read, kept[0], known)]
        elif len(kept) <= _MOST_WORDS and not all(_is_acronym(token.text) for token in kept):
            yield kept


def _divide(read: _Text, run: Sequence[_Token]) -> Iterator[list[_Token]]:
    """A German run, cut behind a noun that is glued to a name ("Group-Leserin"), and behind a genitive ("Saelas
    Stimme")."""
    part: list[_Token] = []
    for at, token in enumerate(run):
        last = at == len(run) - 1
        head, dash, tail = token.text.partition("-")
        if dash and tail[:1].isupper() and (part or not last):
            yield [*part, token._replace(text=head, end=token.start + len(head))]
            part = []
        elif at == len(run) - 2 and _is_genitive(read, token.text, run[-1]):
            yield [*part, token._replace(text=token.text[:-1], end=token.end - 1)]
            return
        else:
            part.append(token)
    if part:
        yield part


def _is_genitive(read: _Text, word: str, owned: _Token) -> bool:
    """Whether a word owns the next one: where the text has its base, too, or the next is surely a noun."""
    if len(word) < 5 or not word.endswith("s") or is_common(word[:-1].lower()):
        return False
    if owned.lower in read_cues()["organization", "head"] or is_common(owned.lower):
        return False
    return word[:-1] in read.words or len(owned.text) > 9


def _trim(read: _Text, run: Sequence[_Token]) -> list[_Token]:
    """Without words before a name that are none of it ("Their CFO", "Distrikt"), and without a date behind it."""
    kept = list(run)
    while len(kept) > 1 and _is_aside(read, kept):
        kept.pop(0)
    while kept and (kept[-1].lower.removesuffix("s") in words_of("date") or kept[-1].text == "I"):
        kept.pop()
    while len(kept) > 1 and len(kept[-1].text) > 2 and is_small(kept[-1].lower):  # "to NixOS But if"
        kept.pop()
    return kept


def _is_aside(read: _Text, run: Sequence[_Token]) -> bool:
    first, second = run[0], run[1]
    before = words_of("before")
    if first.starts and not read.ordinary(second.text) and _is_first_name(read, run):
        return False
    if first.lower in before or is_small(first.lower):
        return True
    if _is_acronym(first.text) and not _is_acronym(second.text):
        return True
    opens = (first.starts or first.soft) and not _opens_link(read, first)
    if opens and read.ordinary(first.text) and not read.ordinary(second.text):
        return True
    if opens and len(run) == 2 and read.language != "de" and _is_order(read, run):
        return True
    if read.language != "de":
        return False
    noun = _GERMAN_NOUN if opens else _SURE_NOUN
    compound = len(run) > 2 and any(first.lower.endswith(word) for word in before if len(word) > 3)
    return noun.match(first.lower) is not None or compound


def _is_first_name(read: _Text, run: Sequence[_Token]) -> bool:
    """Whether an ordinary word that opens a sentence begins a person's name: always ("Tom Beck"), or where the name
    does something or stands elsewhere, too ("Mark Stone called", not "Will Amazon deliver")."""
    cues = read_cues()
    is_listed = run[0].lower in cues["person", "first"] or (
        run[0].lower in cues["person", "either"] and (_does(read, run) or run[-1].owns or read.stands_inside(run))
    )
    return is_listed and len(run) <= _MOST_OF_PERSON


def _does(read: _Text, run: Sequence[_Token]) -> bool:
    following, _ = _neighbours(read, run[-1])
    after = "" if following is None else following.lower
    verb = after in words_of("verb") or after in _AUXILIARIES or after in words_of("past")
    return verb or _PAST.match(after) is not None


def _is_order(read: _Text, run: Sequence[_Token]) -> bool:
    """Whether two ordinary words that open a sentence may be a verb and its object ("Manage Docker images"): they do
    nothing themselves, and stand nowhere else."""
    return all(read.ordinary(token.text) for token in run) and not (_does(read, run) or read.stands_inside(run))


def _opens_link(read: _Text, token: _Token) -> bool:
    """Whether a page's name begins with it, which is a name as it stands: "[[Will Barnes]]"."""
    at = read.at[token.start]
    return [before.text for before in read.tokens[max(0, at - 2) : at]] == ["[", "["]


def _unglue(token: _Token) -> _Token:
    """Without a cue that German glues to a name: "Spaces-Projekt"."""
    head, dash, tail = token.text.rpartition("-")
    if not dash:
        return token
    low = tail.lower()
    cues = (words for (_, where), words in read_cues().items() if where != "verb")
    glued = any(low in words or low.removesuffix("s") in words for words in cues)
    if glued or (_GERMAN_NOUN.match(low) and low != head.lower() and len(low) > 4):
        return token._replace(text=head, end=token.end - len(tail) - 1)
    return token


@lru_cache(maxsize=16_384)
def _is_cue(word: str) -> bool:
    return any(word in words or word.removesuffix("s") in words for words in read_cues().values())


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _is_camel(word: str) -> bool:
    if word[1:].islower():  # as most are
        return False
    inner = any(map(str.isupper, word[1:])) and not word.isupper() and "-" not in word
    return inner and not _FAMILY.match(word) and not is_program_word(word)


def _is_single_name(read: _Text, token: _Token, known: Set[str]) -> bool:
    if _is_acronym(token.text.removesuffix("s")):
        return False
    if _is_camel(token.text):
        return True
    if len(token.text) < 3 or _is_acronym(token.text) or _PEOPLES.match(token.text):
        return False
    if read.ordinary(token.text) or _is_cue(token.lower):
        return False
    if token.text in known or read.evidence.speaks(token.text) or _base(token.text, read, known) is not None:
        return True
    following, before = _neighbours(read, token)
    cues = read_cues()
    verb = following is not None and (following.lower in cues["person", "verb"] or _PAST.match(following.lower))
    placed = before is not None and before.lower in cues["place", "before"]
    if read.language == "de":
        if token.text in read.nouns or token.lower in _GERMAN_ASIDES or token.lower.endswith("erin"):
            return False
        is_person = before is not None and before.lower in (_GERMAN_BEFORE | cues["person", "verb"])
        is_person = is_person or (following is not None and following.lower == "und")
        if placed and not _SURE_NOUN.match(token.lower):
            return True
        if _GERMAN_NOUN.match(token.lower) and read.inside.get(token.text, 0) < _SAID_AGAIN and not verb:
            return False
        again = read.inside.get(token.text, 0) + token.starts >= _SAID_AGAIN
        return bool(verb) or placed or again or token.owns or is_person or "-" in token.text
    if token.starts:
        again = read.inside.get(token.text, 0) > 0
        joined = following is not None and following.lower in ("and", "y", "et", "und")
        return bool(verb) or again or token.owns or joined
    # "the Drukar": a people.
    grouped = before is not None and before.lower in ("the", "los", "las", "les") and token.lower.endswith(("s", "ar"))
    return not grouped or placed


def _neighbours(read: _Text, token: _Token) -> tuple[_Token | None, _Token | None]:
    at = read.at[token.start]
    following = read.tokens[at + 1] if at + 1 < len(read.tokens) and not read.tokens[at + 1].starts else None
    return following, read.tokens[at - 1] if at and not token.starts else None


def _base(word: str, read: _Text, known: Set[str]) -> str | None:
    """The name of which a word is the genitive: "Saelas"."""
    base = word.removesuffix("s")
    if base == word or read.language != "de":
        return None
    return base if base in known or base in read.words else None


def _strip_genitive(read: _Text, token: _Token, known: Set[str]) -> _Token:
    base = _base(token.text, read, known)
    return token if base is None else token._replace(text=base, end=token.end - 1)


def _type(read: _Text, run: Sequence[_Token]) -> tuple[EntityType, bool]:
    """And whether something said so; else a name of several words, or of one that acts, is taken for a person's."""
    cues = read_cues()
    following, _ = _neighbours_of(read, run)
    before = _words_before(read, run)
    after = "" if following is None else following.lower
    last = run[-1].lower
    place = run[0].start, run[-1].end
    head = run[0].lower if read.language in _HEAD_FIRST or not read.ordinary(run[0].text) else last
    if len(run) > 1 and {head, last} & cues["organization", "head"]:
        return "organization", True
    if any(_is_camel(token.text) for token in run):
        return "tool", any(_is_camel(token.text) and len(token.text) >= _LEAST_COINED for token in run)
    ordinary = [read.ordinary(token.text) for token in run]
    if any(word in cues["project", "before"] for word in before[:1]) or after in cues["project", "after"]:
        return "project", not cues["project", "head"].isdisjoint((*before[:1], after))
    if all(ordinary) or (len(run) > 1 and ordinary[-1] and any(ordinary)):
        return ("tool", True) if read.evidence.is_tool(*place) else ("project", False)
    if len(run) > 1 and ordinary[-1]:
        return "organization", False
    if any(word in cues["person", "before"] for word in before[:2]) or read.evidence.is_person(*place):
        return "person", True
    if read.evidence.is_tool(*place):
        return "tool", True
    coded = read.evidence.is_by_code(*place)
    if not coded and (after in cues["place", "after"] or _is_placed(before)):
        return ("place" if len(run) == 1 or "-" in run[0].text else "person"), False
    if coded or read.evidence.is_thing(*place):
        return "other", True
    made = any(word in cues["tool", "makes"] for word in before)
    may_order = run[0].starts and len(run) == 2 and after in ("to", "for")  # "Invite Colin to it"
    return ("person" if not may_order and _acts(read, run, () if made else before) else "other"), False


def _is_placed(before: Sequence[str]) -> bool:
    """Whether what stands before a name tells a place: of a source and a goal only where somebody moves ("moved from
    Leeds"), and of nothing that is made there ("written in Zig")."""
    cues = read_cues()
    if any(word in cues["place", "moves"] for word in before[1:]):
        return any(word in cues["place", "before"] | cues["place", "goal"] for word in before[:2])
    if any(word in cues["tool", "makes"] for word in before):
        return False
    return any(word in cues["place", "before"] - cues["place", "source"] for word in before[:2])


def _acts(read: _Text, run: Sequence[_Token], before: Sequence[str]) -> bool:
    cues = read_cues()
    following, _ = _neighbours_of(read, run)
    after = "" if following is None else following.lower
    if len(run) > 1 or run[-1].owns:
        return True
    if after in cues["tool", "does"]:
        return False
    if after in ("and", "y", "et", "und"):
        at = read.at[run[-1].start] + 2
        return run[0].starts or (at < len(read.tokens) and read.tokens[at].capital)
    acts = after in cues["person", "verb"] or _PAST.match(after) or after in cues["other", "past"]
    return bool(acts) or bool(before and before[0] in cues["person", "with"])


def _neighbours_of(read: _Text, run: Sequence[_Token]) -> tuple[_Token | None, _Token | None]:
    following, _ = _neighbours(read, run[-1])
    _, before = _neighbours(read, run[0])
    return following, before


def _words_before(read: _Text, run: Sequence[_Token]) -> list[str]:
    """The nearest words before a run, articles left out."""
    at = read.at[run[0].start]
    words: list[str] = []
    while at > 0 and len(words) < _NEAR and not read.tokens[at].starts:
        at -= 1
        if read.tokens[at].text[0].isalnum():
            words.append(read.tokens[at].lower)
    articles = {"the", "a", "an", "el", "la", "los", "las", "le", "les", "der", "die", "das", "den", "dem", "l'"}
    return [word for word in words if word not in articles]


def _join_parts(entities: Sequence[Entity]) -> list[Entity]:
    """A part of a person's name is the person where only one full name of the text has it, and the first word of
    another name said again is that other name."""
    full = _by_word(entity for entity in entities if entity.type == "person")
    others = _by_word(entity for entity in entities if entity.type != "person")
    return [entity for entity in entities if not (_is_part(entity, full) or _is_short(entity, others))]


def _by_word(entities: Iterable[Entity]) -> dict[str, list[Entity]]:
    """Those whose names have several words, by each of these."""
    found: dict[str, list[Entity]] = {}
    for entity in entities:
        for word in dict.fromkeys(entity.name.split()) if " " in entity.name else ():
            found.setdefault(word, []).append(entity)
    return found


def _is_part(entity: Entity, persons: Mapping[str, Sequence[Entity]]) -> bool:
    owners = [person for person in persons.get(entity.name, ()) if person is not entity]
    return len(owners) == 1 and entity.type in ("person", "other", "place")


def _is_short(entity: Entity, others: Mapping[str, Sequence[Entity]]) -> bool:
    longer = others.get(entity.name, ())
    opens = len(longer) == 1 and longer[0].name.split()[0] == entity.name and entity.start > longer[0].start
    return opens and entity.type in ("person", "other")
