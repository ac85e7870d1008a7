"""Triples: subject, predicate and object of a sentence, and of two things with names of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from hearth.core.document import Document
from hearth.core.graph import PREDICATES
from hearth.core.lazy import regex
from hearth.language.intervals import strip_days, strip_spans
from hearth.language.statements import sentences
from hearth.text.language import all_stop_words, fold, is_stop_word
from hearth.text.names import name_key
from hearth.text.words import cues, rows, word_set

EVENTS = frozenset({"adopted", "migrated_to", "deployed_to", "replaced", "caused_by", "resolved_by"})
"""Predicates of what happened on a day, where the others say how something is."""
_MOST_CHARS = 400
_MOST_WORDS, _MOST_LITERAL = 6, 14
_TABLE = "triples"
_MOST_DEFINITION = 24
_TRIPLE = regex(
    rf"- (?P<subject>[^.:?!]+?) (?P<predicate>{'|'.join(one for one in PREDICATES if '_' in one)}) (?P<object>[^:?!]+)"
)
_LINK = regex(r"\[\[(?:[^\]|#]*/)?(?P<name>[^\]|#/]+)(?:#[^\]|]*)?(?:\|(?P<shown>[^\]]+))?\]\]")
# Endings and words of an order, of what we do, and of what another than the subject did.
_OF_OTHERS = ("mos", "ons", "don't", "went", "got")


class FactTriple(NamedTuple):
    """``quote`` is the sentence that says it. What was replaced may have been so ``within`` one thing alone: what moved
    from it, or what "in" and "for" name; empty where nothing says so."""

    subject: str
    predicate: str
    object: str
    quote: str
    within: str = ""


class _Pattern(NamedTuple):
    predicate: str
    swapped: bool
    verb: re.Pattern[str]


@cache
def _patterns() -> tuple[_Pattern, ...]:
    return tuple(
        _Pattern(row.kind.removesuffix(" <"), row.kind.endswith(" <"), regex(_whole(row.body), re.IGNORECASE))
        for row in rows("predicates")
    )


@cache
def _any_verb() -> re.Pattern[str]:
    """Of a text in lower case, which most sentences are passed over by in a seventh of the time."""
    return regex(_whole("|".join(row.body for row in rows("predicates"))))


def _cue(kind: str) -> re.Pattern[str]:
    return cues(_TABLE, kind)


def _whole(verb: str) -> str:
    return rf"(?<![\w-])(?:{verb})(?![\w-])"


def find_triples(text: str, about: str | None = None) -> Iterator[FactTriple]:
    """Of each sentence at most one, and one more of what it replaced; ``about`` is the subject of those that name none
    ("Runs on Hetzner."). A text may be a triple itself: "- larder runs_on Hetzner"."""
    triple = _TRIPLE.fullmatch(text)
    if triple is not None:
        yield from _take(triple)
        return
    for sentence in sentences(text):
        quote = " ".join(sentence.strip(" -*+>#").split())
        if not quote or len(quote) > _MOST_CHARS or quote.endswith(("?", "？")):
            continue
        plain = strip_spans(quote)
        found = _state(plain, about)
        if not found and plain != quote and _cue("opening").match(quote):
            found = _state(quote, about)
        if (timeless := strip_days(plain)) != plain:
            # The day of what happened may stand before its verb, and between that and what it names.
            found = [one for one in _state(timeless, about) if one.predicate in EVENTS] or found
        yield from (triple._replace(quote=quote) for triple in found)


def define(sentence: str, is_wanted: Callable[[str], bool]) -> FactTriple | None:
    """What a sentence that begins with a name says it is: "Karpenter is a tool that scales clusters"."""
    quote = " ".join(sentence.strip(" -*+>#").split())
    found = _cue("defines").match(quote.replace("**", "").replace("`", "").replace("[[", "").replace("]]", ""))
    if found is None or len(quote) > _MOST_CHARS or _cue("hedge").search(found["what"]) or not is_wanted(found["name"]):
        return None
    meaning = _cue("reason").split(found["what"], maxsplit=1)[0]
    what = _phrase(meaning, _MOST_DEFINITION)
    # "that acts as …", "frameworks comme …": cut where it begins to say something.
    cut = found["what"][len(meaning) :].startswith(" as ") or meaning.split()[-1].casefold() in all_stop_words()
    return None if cut or what is None or _cue("loose").match(what) else FactTriple(found["name"], "is", what, quote)


def _state(sentence: str, about: str | None) -> list[FactTriple]:
    moved = _cue("moved").search(sentence)
    moves = moved is not None and not _cue("hedge").search(sentence[: moved.end()])
    return list(_moves(moved) if moved is not None and moves else _read(sentence, about))


def _take(triple: re.Match[str]) -> Iterator[FactTriple]:
    subject, object_ = _phrase(triple["subject"]), _phrase(triple["object"])
    if subject is not None and object_ is not None and not _cue("hedge").search(triple[0]):
        yield FactTriple(subject, triple["predicate"], object_, triple[0].removeprefix("- "))


def _read(quote: str, about: str | None) -> Iterator[FactTriple]:
    first = _first(quote)
    if first is None:
        return
    pattern, verb = first
    before, behind = quote[: verb.start()], quote[verb.end() :]
    if pattern.predicate != "avoids" and _cue("hedge").search(f"{before}{verb[0]}"):
        return
    old = None
    if pattern.predicate == "migrated_to" and (came := _cue("from").match(behind)) is not None:
        old, behind = came["old"], behind[came.end() :]
    elif pattern.predicate == "migrated_to":
        behind = _cue("to").sub("", behind)
    told = (
        about if about and not _cue("article").sub("", before) and _reports(verb[0]) else _cue("lead").sub("", before)
    )
    if _cue("opening").match(before) and _cue("inverts").fullmatch(verb[0]):
        inverted = _cue("inverted").match(behind)
        if inverted is None:
            return
        told, behind = inverted["subject"], behind[inverted.start("object") :]
    subject = _phrase(told)
    if pattern.predicate in ("prefers", "avoids"):
        object_ = _phrase(_cue("reason").split(behind.strip(), maxsplit=1)[0], _MOST_LITERAL)
    else:
        object_ = _phrase(_cue("stop").split(behind.strip(), maxsplit=1)[0])
    if subject is None or object_ is None or _cue("loose").search(subject) or _cue("loose").match(object_):
        return
    if pattern.swapped:
        subject, object_ = object_, subject
    within = _narrow(before, behind) if pattern.predicate == "replaced" else ""
    yield FactTriple(subject, pattern.predicate, object_, quote, within)
    gone = _cue("gone").search(behind)
    old = old or (gone["old"] if gone is not None else None)
    replaced = _phrase(_cue("stop").split(old, maxsplit=1)[0]) if old else None
    if replaced is not None and pattern.predicate in ("uses", "adopted", "migrated_to", "runs_on"):
        yield FactTriple(object_, "replaced", replaced, quote, subject)


def _narrow(before: str, behind: str) -> str:
    """For what alone something was replaced: "for the importer", "in our wiki"."""
    opening = _cue("for").match(before)
    found = opening if opening is not None and opening.end() < len(before) else _cue("for").search(behind)
    return (_phrase(_cue("stop").split(found["thing"], maxsplit=1)[0]) or "") if found is not None else ""


def _reports(verb: str) -> bool:
    """Whether a verb says, without a subject, what another does or what became of it: no order, and nothing of us."""
    first = verb.split()[0].casefold().replace("’", "'")
    return first.endswith(("s", "t", "moved", "migrated", "switched")) and not first.endswith(_OF_OTHERS)


def _moves(moved: re.Match[str]) -> Iterator[FactTriple]:
    """Of "we moved the wiki from one to another"."""
    thing, old, new = (_phrase(_cue("stop").split(part, maxsplit=1)[0]) for part in moved.group("thing", "old", "new"))
    if thing is not None and new is not None:
        yield FactTriple(thing, "migrated_to", new, moved.string)
        if old is not None:
            yield FactTriple(new, "replaced", old, moved.string, thing)


def _first(quote: str) -> tuple[_Pattern, re.Match[str]] | None:
    """The pattern whose verb comes first; of two at one place the longer."""
    if not _any_verb().search(quote.lower()):
        return None
    found = [(pattern, verb) for pattern in _patterns() if (verb := pattern.verb.search(quote)) is not None]
    return min(found, key=lambda one: (one[1].start(), -one[1].end()), default=None)


def unlink(text: str) -> str:
    """A text with its wikilinks as they are shown."""
    return _LINK.sub(lambda link: link["shown"] or link["name"], text)


def _phrase(text: str, most: int = _MOST_WORDS) -> str | None:
    """What a name or a few words name; ``None`` for nothing and for what only another sentence tells."""
    words = _cue("article").sub("", " ".join(unlink(text).replace("**", "").replace("`", "").split())).strip(" .,'’([")
    if not words or len(words.split()) > most or _cue("pointer").fullmatch(words) or not any(map(str.isalpha, words)):
        return None
    return words


# German writes every noun as others write names.
_NOUNS_LIKE_NAMES = "de"
_NUMBER = regex(r"v?\d[\d.]*\+?")
# Of what is no name: "I've", "Version control:", code.
_MARK = regex(r"[:;|{}<>\[\]()]|[^\W_]['’](?:m|s|re|ve|ll|d)$", re.IGNORECASE)
_WORD = regex(r"[^\W_]+")
# Before a word that only begins its sentence, or its line.
_BEGINS = r"(?:^|[.!?:;|]\s+|[*\-#>•(\[\"“]\s*|\d[.)]\s+|\n\s*)"


def find_named_triples(
    paragraph: str, wanted: str, text: Callable[[], str], document: Document
) -> Iterator[FactTriple]:
    """Of the sentences that hold the words of the key of a name; ``text`` gives that of the whole document, for which
    few ask."""
    needed = wanted.split()
    if paragraph.islower() or not _holds(paragraph, needed):
        return
    for sentence in sentences(paragraph):
        triple = define(sentence, lambda name: _spell(name) == needed) if _holds(sentence, needed) else None
        if triple is not None:
            yield triple
            continue
        names = sum(not word.islower() for word in sentence.split())
        if names > 1 and _holds(sentence, needed):
            yield from (one for one in find_triples(sentence) if _is_named(one, text, document))


def _spell(name: str) -> list[str]:
    return _WORD.findall(fold(name.casefold()))


def _holds(text: str, words: list[str]) -> bool:
    folded = fold(text.casefold())
    return all(word in folded for word in words)


def _is_named(triple: FactTriple, text: Callable[[], str], document: Document) -> bool:
    """A capital tells of a name, but not of a noun in German, nor where it may only begin the sentence."""
    if _cue("order").match(triple.quote):
        return False
    opening = triple.quote.lstrip('*_`[("“ ')
    for phrase in (triple.subject, triple.object):
        words = phrase.split()
        if not _is_name(words, document.language):
            return False
        if _is_coined(words[0]) or name_key(phrase) == name_key(document.title):
            continue
        begins = opening.startswith(phrase) and not _stands_within(phrase, text())
        if begins or document.language == _NOUNS_LIKE_NAMES:
            return False
    return True


def _is_name(words: list[str], language: str) -> bool:
    first = words[0].casefold()
    leads = first in word_set(_TABLE, "leading") or is_stop_word(first, ("en", language))
    if leads or any(_MARK.search(word) for word in words):
        return False
    written = [_is_capital(word) or _NUMBER.fullmatch(word) is not None for word in words]
    joining = {"&", *word_set(_TABLE, "joining")}
    between = [known or word in joining for known, word in zip(written, words, strict=True)]
    return _is_capital(words[0]) and written[-1] and all(between)


def _stands_within(phrase: str, text: str) -> bool:
    """Whether it stands elsewhere than at the beginning of a sentence or a line."""
    there = len(re.findall(rf"(?<!\w){re.escape(phrase)}(?!\w)", text))
    return there > len(re.findall(rf"{_BEGINS}{re.escape(phrase)}(?!\w)", text, re.MULTILINE))


def _is_capital(word: str) -> bool:
    return word[0].isupper() or _is_coined(word)


def _is_coined(word: str) -> bool:
    """A capital inside, or digits among letters: nothing that a sentence begins with looks so."""
    return any(map(str.isupper, word[1:])) or (any(map(str.isdigit, word)) and any(map(str.isalpha, word)))


_FIELDS = {"owner": "owned_by"} | {one: one for one in ("owned_by", "depends_on", "uses", "runs_on")}
_MOST_TITLE_WORDS = 12
"""A longer title names nothing."""
# A link and what stands in quotes may hold a comma.
_PART = regex(r"""\s*((?:\[\[[^\[\]]*\]\]|"[^"]*"|'[^']*'(?=\s*(?:,|$))|[^,])+)""")
_NOTHING = frozenset({"", "~", "null"})
# What a template leaves to be filled in.
_PLACEHOLDER = ("{{", "<%")


def field_triples(key: str, value: str, title: str, *, whole: bool = True) -> Iterator[FactTriple]:
    """What a field says of the note of this title; unless ``whole``, its value may name several, apart by commas."""
    predicate = _FIELDS.get(key.strip().casefold())
    if predicate is None or len(title.split()) > _MOST_TITLE_WORDS or value.startswith(_PLACEHOLDER):
        return
    for part in [value] if whole else _PART.findall(value):
        meaning = " ".join(unlink(part).split()).strip(" \"'")
        if meaning.casefold() not in _NOTHING:
            yield FactTriple(title, predicate, meaning, f"{key}: {value}")


def row_triples(row: str, title: str) -> Iterator[FactTriple]:
    """What a line ``key:: value`` of a text says of its note."""
    key, _, value = row.replace("::", ":", 1).partition(":")
    value = value.strip()
    listed = value.startswith("[") and not value.startswith("[[")
    for triple in field_triples(key.strip(" -*"), value.strip(" []") if listed else value, title, whole=False):
        yield triple._replace(quote=row.strip())
