"""How two statements stand as to their slots, and whether they say the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

from hearth.core.lazy import dataclass
from hearth.language.kinds import Value, find_tokens
from hearth.language.slots import OPEN_ATTRIBUTES, UNSPACED, Statement, Topic
from hearth.text.language import stem
from hearth.text.similarity import near_identical, normalised
from hearth.text.words import cues

_TRIM = " \t,;:.!。！、，"
_LEAST_CHARS = 4


def says_the_same(one: str, other: str) -> bool:
    """Whether one of two statements may be kept for both: they are near-identical as they stand, or once words that
    only stress them, and scopes that name no condition, are left out."""
    if near_identical(one, other):
        return True
    first, second = _strip(one), _strip(other)
    return min(len(first), len(second)) >= _LEAST_CHARS and near_identical(first, second)


@lru_cache(maxsize=1024)
def _strip(text: str) -> str:
    """A statement of one sentence without stress and empty scope, in the form in which texts are compared; of a longer
    text that form alone, since there the words belong to one of several things that are said."""
    plain = normalised(text).strip(_TRIM)
    if "\n" in text.strip() or any(end in plain for end in (". ", "! ", "? ", "。")):
        return plain
    bare = " ".join(cues("sameness", "stress").sub(" ", plain).split()).strip(_TRIM)
    return _cut_scope(bare)


def _cut_scope(text: str) -> str:
    while True:
        found = next((one for one in cues("sameness", "scope").finditer(text) if one.end() == len(text)), None)
        if found is None or not found.start():
            return text
        text = text[: found.start()].rstrip(_TRIM)


PERSONAL_ATTRIBUTES = frozenset({
    "owner", "landlord", "doctor", "accountant", "dentist", "lawyer", "vet", "teacher", "coach", "cleaner",
    "babysitter", "hairdresser", "therapist", "plumber", "contact",
})  # fmt: skip
"""Attributes whose value is a person."""
_COMPOUND = 5
"""Letters of a word that begins a compound."""
_RUN = 3
"""Pairs of signs that one name makes."""
_LEAST, _PART, _NEAR = 5.0, 0.5, 0.4
"""What the words that two statements share weigh at least, and which part of those of the shorter one: without a cue
of change, and with one."""
_FIRM = ((6.0, 0.8), (12.0, 0.6))
"""The same where nothing else says that both speak of one thing."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How two statements stand as to their slots. ``apart`` says what parts them. ``kinds`` are those of which the
    newer one names another value; ``attributes`` those that both give, ``open`` those of one subject whose value may be
    any word. ``named`` are values and names that both hold, ``ousted`` the kinds of which the newer one names the older
    one's value beside another. ``shared`` are stems that both hold, with their ``weight`` and the ``part`` that this is
    of the lighter statement. ``is_alone``: one of the two says nothing of what its value is for that the other does not
    say. ``is_ordered``: both begin with what they share. ``is_measured``: they give different figures of a measure,
    ``has_figures``: of anything. ``names_kind``: both name the kind of their values. ``has_same_subject``: the newer
    one names what the older one begins with. ``has_other_subject``, ``has_other_names``: they seem to be of different
    things, ``is_of_another``: and differ in little else. ``has_other_kinds``: the values of the one are of other kinds
    than those of the other."""

    apart: str = ""
    kinds: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    ousted: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    weight: float = 0.0
    part: float = 0.0
    is_alone: bool = False
    is_ordered: bool = False
    is_measured: bool = False
    has_figures: bool = False
    names_kind: bool = False
    has_same_subject: bool = False
    has_other_subject: bool = False
    is_of_another: bool = False
    has_other_names: bool = False
    has_other_kinds: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the values that they give are of a known kind."""
        return bool(self.kinds or self.attributes or self.is_measured)

    @property
    def is_of_others(self) -> bool:
        """Whether their values are known, and each names somebody or something else beside it."""
        return self.has_other_names and not (self.open or self.attributes & PERSONAL_ATTRIBUTES) and self.is_known

    @property
    def is_same(self) -> bool:
        """Whether the two give one thing a value each, whatever else they say."""
        if self.apart or self.has_other_subject:
            return False
        if not self.is_known:
            return self.is_ordered and self.weight >= _LEAST and self.part >= _PART and not self.has_figures
        if self.is_of_others:
            return False
        if self.open:
            return True
        return self.is_alone and (self.weight >= _LEAST or self.part >= 1 or bool(self.named))

    @property
    def is_firm(self) -> bool:
        """Whether both surely speak of one thing: their values are of one kind, one names the other's, or they share
        most of what they say."""
        alike = any(self.weight >= weight and (self.is_alone or self.part >= part) for weight, part in _FIRM)
        known = (self.is_known and self.is_alone) or bool(self.open or self.named)
        return not self.apart and (known or alike)

    @property
    def is_near(self) -> bool:
        """Whether they may do so, where the newer one says that something changed."""
        if self.apart:
            return False
        enough = self.weight >= _LEAST and self.part >= _NEAR
        if not self.is_known:
            if self.has_other_kinds:
                return False
            is_named = bool(self.named) and self.weight >= _LEAST / 2 and not self.has_other_subject
            return enough or is_named or (self.weight >= _LEAST and self.is_ordered and self.has_other_names)
        if self.open or (self.named and not (self.has_other_subject and not self.weight)):
            return True
        if self.is_alone and (self.kinds or self.attributes or self.weight >= _LEAST or self.part >= 1):
            return True
        if not self.kinds or self.has_other_subject:
            return False
        return self.names_kind or self.weight >= (_LEAST / 2 if self.has_same_subject else _LEAST)


def compare(older: Statement, newer: Statement) -> Likeness:
    """Both read in one language."""
    shared = frozenset(older.topics.keys() & newer.topics.keys()) | _find_compounds(older, newer)
    weight = sum(older.topics[topic].weight for topic in shared)
    least = min(_weigh_topics(side, shared) for side in (older, newer))
    before, after = _pick_named(older, newer), _pick_named(newer, older)
    kinds = {kind for value in before.values() for kind in value.kinds}
    others = {kind for form, value in after.items() if form not in before for kind in value.kinds}
    named = frozenset(form for form in before if form in after and before[form].kinds & after[form].kinds)
    clashing, attributes = frozenset(kinds & others), older.attributes & newer.attributes
    if not _is_of_one_subject(older, newer):
        attributes -= OPEN_ATTRIBUTES
    opened = attributes & OPEN_ATTRIBUTES
    names = (older.names - newer.names - newer.topics.keys(), newer.names - older.names - older.topics.keys())
    return Likeness(
        apart=_part(older, newer),
        kinds=clashing,
        attributes=attributes,
        open=opened,
        named=named | (older.names & newer.names),
        ousted=clashing & {kind for form in named for kind in before[form].kinds},
        shared=shared,
        weight=weight,
        part=weight / least if least else 0.0,
        is_alone=not all(_purposes(side, shared, clashing | attributes) for side in (older, newer)),
        is_ordered=all(next(iter(side.topics), "") in shared for side in (older, newer)),
        is_measured=_is_measured(older, newer, attributes),
        has_figures=bool(older.figures and newer.figures - older.figures),
        names_kind=any(older.topics[root].names & clashing for root in shared),
        has_same_subject=older.first in shared,
        has_other_subject=not opened and _has_other_subject(older, newer, clashing),
        has_other_kinds=_have_other_kinds(before, after),
        is_of_another=not named and _is_of_another(newer, shared, clashing | attributes),
        has_other_names=all(names),
    )


def _is_of_one_subject(older: Statement, newer: Statement) -> bool:
    """Whether both say what an attribute is of in the same words, or both say it of the person: that the docs moved
    does not tell where somebody lives."""
    if older.language in UNSPACED or older.is_of_third or newer.is_of_third:
        return True
    return bool(older.subject & newer.subject) or not (older.subject or newer.subject)


def _find_compounds(older: Statement, newer: Statement) -> frozenset[str]:
    """Topics of the older one that begin or end a compound of the newer one, or the other way round: "Branches",
    "Branchnamen"."""
    if older.language != "de":
        return frozenset()
    return frozenset(
        one
        for one in older.topics
        for other in newer.topics
        if min(len(one), len(other)) >= _COMPOUND and (other.startswith(one) or one.startswith(other))
    )


def _weigh_topics(side: Statement, shared: frozenset[str]) -> float:
    """Without names, which may be the value."""
    return sum(topic.weight for root, topic in side.topics.items() if root in shared or root not in side.names)


def _have_other_kinds(before: Mapping[str, Value], after: Mapping[str, Value]) -> bool:
    kinds = [{kind for value in side.values() for kind in value.kinds} for side in (before, after)]
    return bool(kinds[0] and kinds[1]) and kinds[0].isdisjoint(kinds[1]) and before.keys().isdisjoint(after.keys())


def _purposes(side: Statement, shared: frozenset[str], known: frozenset[str]) -> list[str]:
    """What one statement is about beside what both are, and beside words for the kind of its value."""
    return [
        root
        for root, topic in side.topics.items()
        if not (root in shared or root in side.names or topic.names & known or topic.is_person)
    ]


def _is_measured(older: Statement, newer: Statement, attributes: frozenset[str]) -> bool:
    """Whether the newer one gives another figure of what is measured, dated or one of an attribute."""
    if older.measures and newer.measures - older.measures:
        return True
    dated = older.has_kind("month") and newer.has_kind("month")
    return bool((dated or attributes) and older.figures and newer.figures - older.figures)


def _has_other_subject(older: Statement, newer: Statement, kinds: frozenset[str]) -> bool:
    """Whether both begin with a thing that the other one does not name, and that is no value of a kind of both."""
    if not older.first or not newer.first or older.first == newer.first:
        return False
    for one, other in ((older, newer), (newer, older)):
        known = {*other.topics, *other.names, *(value.form for value in other.values)}
        of_kind = {value.form for value in one.values if value.kinds & kinds}
        topic = one.topics.get(one.first, Topic(0.0))
        if one.first in known or one.first in of_kind or topic.is_person or topic.names & (kinds | other.attributes):
            return False
    return True


def _is_of_another(newer: Statement, shared: frozenset[str], known: frozenset[str]) -> bool:
    """Whether the newer one says of something else what the older one says: it names that first, or as what the
    shared word is of ("garage rent"), and little else that is new."""
    first = newer.order[:1]
    fresh = [root for root in newer.topics if root not in shared and not newer.topics[root].names & known]
    if not fresh or not shared or fresh[0] not in first or newer.topics[fresh[0]].is_person or fresh[0] in newer.names:
        return False
    if known and newer.language not in UNSPACED:
        return _modifies(newer, fresh[0], shared)
    return len(fresh) <= (_RUN if newer.language in UNSPACED else 1)


def _modifies(statement: Statement, root: str, heads: frozenset[str]) -> bool:
    """Whether a word stands right before one of others: "garage rent"."""
    roots = [stem(token.word.removesuffix("'s"), statement.language) for token in find_tokens(statement.text)]
    return any(one == root and other in heads for one, other in pairwise(roots))


def _pick_named(one: Statement, other: Statement) -> dict[str, Value]:
    """Named values by form. A plain word is one beside another value of its kind, or where the other statement names
    the kind."""
    sure = {kind for value in other.values if not value.plain for kind in value.kinds} | other.kinds
    values = [value.narrowed(sure) if value.plain else value for value in one.values]
    return {value.form: value for value in values if not value.plain}


def _part(one: Statement, other: Statement) -> str:
    """What makes two statements speak of different things."""
    if one.holders != other.holders and not (one.holders & other.holders):
        alone = other if one.holders else one
        if (one.holders and other.holders) or not alone.is_of_third:
            return "they are about different people"
    if one.number and other.number and one.number != other.number:
        return "they are about different items of one kind"
    groups = [{name.partition(":")[0]: name for name in side.conditions} for side in (one, other)]
    for group in groups[0].keys() | groups[1].keys():
        if groups[0].get(group) != groups[1].get(group):
            return "they apply under different conditions"
    return ""
