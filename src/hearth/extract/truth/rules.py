"""The rules of the judge, in the order in which they are asked: each says how two statements stand, or nothing."""

from __future__ import annotations

from collections.abc import Callable

from hearth.extract.truth.differences import (
    DATES,
    OCCASION,
    WHEN,
    claimed,
    contains,
    denies,
    excludes,
    is_change,
    leads,
    missing_words,
    narrows,
    timeless,
)
from hearth.extract.truth.statement import DEEDS, Parsed
from hearth.extract.truth.tables import UNSPACED, Key, opposites
from hearth.extract.truth.tokens import USER, Keys, keys_of
from hearth.model.truth.judgement import Cited, Judgement, Relation, Side
from hearth.text.stopwords import is_stop_word

_CERTAIN, _SURE, _NEAR, _LIKELY, _FAINT = 1.0, 0.95, 0.85, 0.7, 0.6
_ABOUT_ONE_THING = 2
_SIGNS = 6
_YET: Key = ("", "yet")
_CONCORDANT = frozenset({"es", "fr", "pt", "it", "ru"})
"""Where one negation may hold several words: "nunca … ningún"."""
_GREW = frozenset({"now", "change"})
_FIGURES = frozenset({"number"}) | WHEN
_PREFER = ("prefer", "preferir", "bevorzugt", "préfère", "prefere", "preferisce", "предпочитает")
_TASTES = frozenset(("", word) for word in _PREFER)
Rule = Callable[[Parsed, Parsed], Judgement | None]
_Words = tuple[Parsed, Keys]


def _same(one: Parsed, other: Parsed) -> Judgement | None:
    if one.negative != other.negative or ("end" in one.flags) != ("end" in other.flags):
        return None
    shared = [old for old in other.olds if old in one.olds]
    if shared and (one.words <= other.words or other.words <= one.words) and _equal(one, other):
        return Judgement(Relation.SAME, _SURE, reason="both tell of the same change")
    if one.keys != other.keys or one.over != other.over or bool(one.olds) != bool(other.olds):
        return _same_claim(one, other)
    if other.tail - one.tail - one.keys:
        return Judgement(Relation.REFINES, _NEAR, reason="the newer one gives a reason or a detail")
    return Judgement(Relation.SAME, _SURE, reason="they say the same in the same words")


def _same_claim(one: Parsed, other: Parsed) -> Judgement | None:
    for first, second in claimed(one, other):
        if first.value == second.value and first.before == second.before and first.after == second.after:
            return Judgement(Relation.SAME, _SURE, reason=f"the same {first.attribute}", attribute=first.attribute)
    return None


def _judge_swap(one: Parsed, other: Parsed) -> Judgement | None:
    """The newer one names what was so before."""
    if one.negative or "end" in one.flags:
        return None
    for old in other.olds:
        if not old <= one.keys:
            continue
        rest = one.keys - old
        missing = missing_words(rest - other.keys, one)
        new = other.keys - rest - old
        said = other.marks.get("swap") or other.marks.get("from") or ""
        denied = denies(said, other.language)
        if not new and not denied:
            continue
        sure = _SURE if not missing and len(new) <= max(2, len(old) + 1) else _LIKELY
        if len(missing) > len(rest) / 2 or USER in missing | new:
            continue
        relation = Relation.CONTRADICTION if denied or "fix" in other.flags else Relation.UPDATE
        reason = f"the newer one has “{other.quote(new)}” where “{one.quote(old)}” was, and says so: “{said}”"
        return _clash(relation, sure, reason, (one, old), (other, new), said)
    return None


def _judge_end(one: Parsed, other: Parsed) -> Judgement | None:
    """The newer one says that it is so no longer."""
    if "end" not in other.flags or "end" in one.flags or one.negative or other.negative:
        return None
    less = one.keys - other.keys
    if other.keys - one.keys or not other.words - {USER} or leads(less, one):
        return None
    reason = f"the newer one says that this ended: “{other.marks['end']}”"
    return _clash(Relation.UPDATE, _SURE, reason, (one, one.keys), (other, other.keys), other.marks["end"])


def _judge_values(one: Parsed, other: Parsed) -> Judgement | None:
    """Both give one attribute a value."""
    if "if" in one.flags or one.negative or other.negative or "end" in one.flags | other.flags:
        return None
    for first, second in claimed(one, other):
        if first.before != timeless(second.before) or first.value == second.value:
            continue
        if not first.after <= second.after or any(key[0] in OCCASION for key in second.after - first.after):
            continue
        if first.value < second.value or second.value < first.value or contains(first, second):
            return Judgement(Relation.REFINES, _NEAR, reason=f"both tell the {first.attribute}, one more exactly")
        if not excludes(first, second, other):
            continue
        relation = Relation.CONTRADICTION if "fix" in other.flags else Relation.UPDATE
        reason = f"the {first.attribute} was “{first.quote}” and is “{second.quote}”"
        spans = Cited("older", first.quote), Cited("newer", second.quote)
        return Judgement(relation, _CERTAIN, "newer", reason, spans, first.attribute)
    return None


def _differs(one: Parsed, other: Parsed) -> Judgement | None:
    """All but one value is the same."""
    if one.words != other.words or one.negative or other.negative or one.olds or "end" in one.flags | other.flags:
        return None
    before, after = one.values - other.values, other.values - one.values
    kinds = {kind for kind, _ in before | after}
    if not before or not after or len(kinds - DATES) + bool(kinds & DATES) != 1 or len(before) != len(after):
        return None
    if len(before) > 1:
        return None
    if narrows(*before, *after):
        return Judgement(Relation.REFINES, _NEAR, reason="the newer one says it more exactly")
    return _judge_change(one, other, before, after)


def _judge_change(one: Parsed, other: Parsed, before: Keys, after: Keys) -> Judgement | None:
    [(kind, _)] = before
    attribute = next(iter(sorted(one.nouns & other.nouns)), None)
    reason = f"only “{one.quote(before)}” and “{other.quote(after)}” differ"
    if "fix" in other.flags:
        return _clash(
            Relation.CONTRADICTION, _SURE, f"{reason}, and the newer one corrects", (one, before), (other, after)
        )
    if attribute is not None or kind in ("progress", "marital", "database", "version"):
        name = attribute or kind
        verdict = _clash(Relation.UPDATE, _CERTAIN, f"{reason}, values of the {name}", (one, before), (other, after))
        return _name_attribute(verdict, name)
    if is_change(other):
        said = other.marks.get("now") or other.marks.get("change") or ""
        return _clash(Relation.UPDATE, _SURE, f"{reason}, and it says “{said}”", (one, before), (other, after), said)
    if kind == "number" and "has" in one.flags & other.flags:
        return _name_attribute(
            _clash(Relation.UPDATE, _SURE, f"{reason}, a count", (one, before), (other, after)), "count"
        )
    if kind in ("number", "time") and "is" in one.flags & other.flags and not one.words & _TASTES:
        return _clash(
            Relation.UPDATE, _LIKELY, f"{reason}; nothing says that it changed", (one, before), (other, after)
        )
    return None


def _grown(one: Parsed, other: Parsed) -> Judgement | None:
    """Both count the same of the user, and the newer one has more and says that it grew: "15 problems by now"."""
    if one.negative or other.negative or not other.flags & _GREW or "end" in one.flags | other.flags:
        return None
    if USER not in one.keys & other.keys:
        return None
    shared = {key for key in one.keys & other.keys if key[0] not in _FIGURES} - {USER}
    for unit, before in one.counts.items():
        after = other.counts.get(unit)
        if after is not None and after > before and len(shared - {unit}) >= 2:
            reason = f"“{one.quote([unit])}” were {before:g} and are {after:g}"
            return _name_attribute(
                _clash(Relation.UPDATE, _FAINT, reason, (one, one.words), (other, other.words)), "count"
            )
    return None


def _judge_renaming(one: Parsed, other: Parsed) -> Judgement | None:
    """One name differs, and the newer one says that it corrects, or how it is now."""
    before, after = one.keys - other.keys, other.keys - one.keys
    if len(before) != 1 or len(after) != 1 or one.negative or other.negative or "end" in one.flags | other.flags:
        return None
    first, second = one.quote(before), other.quote(after)
    if not one.keys & other.keys - {USER} or not (first[:1].isupper() and second[:1].isupper()):
        return None
    said = other.marks.get("fix") or (other.marks.get("now") if "is" in one.flags & other.flags else None)
    if said is None:
        return None
    relation = Relation.CONTRADICTION if "fix" in other.flags else Relation.UPDATE
    reason = f"“{second}” takes the place of “{first}”, and it says “{said}”"
    return _clash(relation, _SURE, reason, (one, before), (other, after), said)


def _judge_denial(one: Parsed, other: Parsed) -> Judgement | None:
    """One says of the same thing that it is not so."""
    if one.negative == other.negative or one.keys != other.keys or one.olds or other.olds:
        return None
    if "end" in one.flags | other.flags and not one.negative:
        return None
    reason = "one of them denies what the other one says"
    return _clash(Relation.CONTRADICTION, _SURE, reason, (one, one.keys), (other, other.keys))


def _judge_never(one: Parsed, other: Parsed) -> Judgement | None:
    """The newer one says that its speaker never did, or has not yet done, what the older one tells of: the deed and
    much of what it was done to, nearly all of that in other words, or the use of what it names. A person is asked."""
    if "never" not in other.flags or one.negative or "end" in one.flags | other.flags:
        return None
    if not other.negative and other.language not in _CONCORDANT:  # "never without"
        return None
    if "own" not in one.flags & other.flags or ("theirs" in one.flags) != ("theirs" in other.flags):
        return None
    told = _tells(other)
    shared = (one.keys | one.tail).intersection(told)
    kin = frozenset(DEEDS) & one.flags & other.flags
    if not ("using" in kin and _shares_example(one, other)) and not _is_told_of(told, shared, one, other, bool(kin)):
        return None
    reason = f"the newer one says that it was never so: “{other.quote(shared)}”"
    return _clash(
        Relation.CONTRADICTION, _LIKELY, reason, (one, shared), (other, frozenset(told)), other.marks["never"]
    )


def _judge_done(one: Parsed, other: Parsed) -> Judgement | None:
    """The newer one tells as done all of what the older one says was not done yet."""
    if "yet" not in one.flags or other.negative or "never" in other.flags or "end" in one.flags | other.flags:
        return None
    if "own" not in one.flags & other.flags or "theirs" in one.flags | other.flags:
        return None
    told = frozenset(_tells(one))
    if len(told) < _ABOUT_ONE_THING or not told <= other.keys or _has_other_value(other, one):
        return None
    reason = f"the newer one tells as done what was not done yet: “{one.quote(told)}”"
    return _clash(Relation.UPDATE, _SURE, reason, (one, told), (other, told), one.marks["never"])


def _tells(statement: Parsed) -> list[Key]:
    """The deed that was never done, and what it was to be done to. A deed may be a value: "done"."""
    language = statement.language
    cue = keys_of(statement.marks["never"], language) | {USER, _YET}
    found = statement.quotes.items()
    return [
        key for key, written in found
        if key[0] in ("", "progress") and key not in cue and not is_stop_word(written.casefold(), (language,))
    ]  # fmt: skip


def _is_told_of(told: list[Key], shared: Keys, one: Parsed, other: Parsed, kin: bool) -> bool:
    """``kin`` says that the two tell of a deed of one kind."""
    if other.language in UNSPACED:  # a sign is no word
        return len(shared) >= _SIGNS and 4 * len(shared) >= 3 * len(told)
    if len(shared) < _ABOUT_ONE_THING or _has_other_value(one, other) or _has_other_modifier(told, one, other):
        return False
    deed, things = (told[-1], told[:2]) if other.language == "de" else (told[0], told[1:3])
    if shared.isdisjoint(things):
        return False
    in_common = len(shared) + (kin and deed not in shared)
    same_deed = (kin or deed in shared) and in_common >= min(3, len(told))
    return same_deed or (len(shared) >= 3 and 5 * len(shared) >= 3 * len(told))


def _has_other_value(one: Parsed, other: Parsed) -> bool:
    """Whether the newer one has figures or dates, and the older one only others of that kind."""
    mine = [value for value in other.values if value[0] in _FIGURES]
    return bool(mine) and one.values.isdisjoint(mine) and any(kind in dict(one.values) for kind, _ in mine)


def _has_other_modifier(told: list[Key], one: Parsed, other: Parsed) -> bool:
    """Whether a word that both have follows another one in each: "tidal power", "nuclear power"."""
    theirs = {word: modifier for modifier, word in one.beside if modifier not in other.keys and modifier != USER}
    return any(
        modifier in told[1:] and modifier not in one.keys and word in theirs and not _is_part(modifier, theirs[word])
        for modifier, word in other.beside
    )


def _is_part(one: Key, other: Key) -> bool:
    return one[1] in other[1] or other[1] in one[1]


def _shares_example(one: Parsed, other: Parsed) -> bool:
    """Whether the older one is about what the newer one names for a kind of thing."""
    return any(one.quote([key])[:1].isupper() for key in one.keys & other.examples)


def _judge_opposites(one: Parsed, other: Parsed) -> Judgement | None:
    """One word differs, and it is the opposite."""
    before, after = one.keys - other.keys, other.keys - one.keys
    if len(before) != 1 or len(after) != 1 or one.negative or other.negative or "end" in one.flags | other.flags:
        return None
    table = opposites(one.language)
    [(_, first)], [(_, second)] = before, after
    pairs = {(number, 1 - side) for number, side in table.get(first, ())} & set(table.get(second, ()))
    if not pairs or one.olds:
        return None
    reason = f"“{one.quote(before)}” and “{other.quote(after)}” exclude each other"
    return _clash(Relation.CONTRADICTION, _SURE, reason, (one, before), (other, after))


def _judge_reversal(one: Parsed, other: Parsed) -> Judgement | None:
    """The same two things, preferred the other way round."""
    if one.over is None or other.over is None or one.keys != other.keys or one.negative != other.negative:
        return None
    if one.over != (other.over[1], other.over[0]):
        return None
    reason = f"“{one.quote(one.over[0])}” came before “{one.quote(one.over[1])}”, now it is the other way round"
    return _clash(Relation.CONTRADICTION, _SURE, reason, (one, one.over[0]), (other, other.over[0]))


def _judge_turn(one: Parsed, other: Parsed) -> Judgement | None:
    """The newer one says that its speaker thinks otherwise now, about what the older one tells of."""
    if other.turned is None or one.turned is not None or "end" in one.flags:
        return None
    shared = (one.keys & other.keys) - {USER}
    about = other.turned if other.turned and other.turned <= one.keys else shared
    if not about or (not other.turned and len(shared) < _ABOUT_ONE_THING) or (other.turned and about is shared):
        return None
    said = other.marks["mind"]
    reason = f"the newer one is about “{one.quote(about)}” too, and says “{said}”"
    return _clash(Relation.UPDATE, _LIKELY, reason, (one, about), (other, frozenset()), said)


def _judge_refinement(one: Parsed, other: Parsed) -> Judgement | None:
    if one.negative != other.negative or one.olds != other.olds or ("end" in one.flags) != ("end" in other.flags):
        return None
    more = (other.keys | other.tail) - one.keys
    if one.keys <= other.keys and more and one.words - {USER}:
        reason = f"the newer one adds “{other.quote(more) or 'a reason'}”"
        return Judgement(Relation.REFINES, _NEAR, reason=reason)
    return None


RULES: tuple[Rule, ...] = (
    _same, _judge_swap, _judge_end, _judge_reversal, _judge_values,
    _differs, _judge_renaming, _grown, _judge_denial, _judge_done, _judge_never,
    _judge_opposites, _judge_turn, _judge_refinement,
)  # fmt: skip


def _clash(
    relation: Relation,
    sure: float,
    reason: str,
    older: tuple[Parsed, Keys],
    newer: tuple[Parsed, Keys],
    cue: str = "",
) -> Judgement:
    sides: tuple[tuple[Side, str], ...] = (
        ("older", older[0].quote(older[1])),
        ("newer", newer[0].quote(newer[1])),
        ("newer", cue),
    )
    spans = tuple(Cited(side, quote) for side, quote in sides if quote)
    return Judgement(relation, sure, "newer", reason, spans)


def _name_attribute(verdict: Judgement, attribute: str) -> Judgement:
    return Judgement(
        verdict.relation, verdict.confidence, verdict.current, verdict.reason, verdict.spans, attribute, verdict.path
    )


def _equal(one: Parsed, other: Parsed) -> bool:
    return one.values <= other.values or other.values <= one.values
