"""How a later statement stands to an earlier one, by what both settle and by cues of change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from hearth.core.judgement import SURE, Cited, Judgement, Relation, Said
from hearth.core.lazy import regex
from hearth.language.kinds import find_tokens, names_region
from hearth.language.likeness import PERSONAL_ATTRIBUTES, Likeness, compare
from hearth.language.slots import (
    ASIDE,
    CHANGES,
    MOST,
    OPEN,
    Statement,
    Topic,
    find_clause,
    find_cues,
    find_language,
    read_statement,
    split_clause,
)
from hearth.language.statement_values import is_denied, is_done_by_now, is_never_done
from hearth.language.statements import sentences
from hearth.text.language import is_stop_word
from hearth.text.similarity import near_identical, normalised
from hearth.text.words import word_set, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Embed = Callable[[Sequence[str]], "Vectors"]
"""Texts to unit vectors of the built-in embedder."""
_CERTAIN, _SURE, _FINAL, _NEAR, _LIKELY = 1.0, 0.95, 0.9, 0.85, 0.7
_ABOUT, _SURELY_ABOUT = 0.4, 0.5
"""Cosine from which two statements are about one thing, and from which surely."""
_UNSPACED = ("zh", "ja")
"""Languages in which the built-in embedder tells too little."""
_TABLE = "truth/persons"
_SHOWN, _STEM = 80, 4
_YEAR = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAMED = frozenset({"residence", "employer"})
"""Attributes whose value is a name, written with a capital in ``_CAPITALS``."""
_CAPITALS = ("en", "fr", "es", "pt", "it", "ru")
Cues = Mapping[str, str]


def judge(older: Said, newer: Said, embed: Embed | None = None) -> Judgement:
    """How ``newer`` stands to ``older``; who calls knows which is which. ``embed`` gives the built-in embedder's
    vectors, which tell that two statements are about one thing where they share no words."""
    if max(len(older.text), len(newer.text)) > MOST:
        return Judgement(Relation.UNRELATED, 0.5, reason="one of them makes several statements")
    if normalised(older.text) == normalised(newer.text) or near_identical(older.text, newer.text):
        return Judgement(Relation.SAME, _SURE, reason="they are worded the same")
    language = find_language(older.text, newer.text)
    one, other = read_statement(older.text, language), read_statement(newer.text, language)
    before, now = find_cues(older.text, language), find_cues(newer.text, language)
    likeness = compare(one, other)
    aside = likeness.apart or _find_aside(one, before, other, now) or _find_other_actor(one, other, now, likeness)
    if aside:
        return Judgement(Relation.UNRELATED, 0.9, reason=aside)
    verdict = _deny(one, before, other, now, likeness) or _settle(one, before, other, now, likeness)
    if embed is not None and verdict.relation is Relation.UNRELATED and verdict.confidence < SURE:
        return _judge_by_meaning(one, other, now, likeness, embed) or verdict
    return verdict


def _judge_by_meaning(
    one: Statement, other: Statement, now: Cues, likeness: Likeness, embed: Embed
) -> Judgement | None:
    """Both are about one thing in other words, and the newer one tells of a change or is not decided."""
    changed = next((now[kind] for kind in CHANGES if kind in now), "")
    cue = changed or next((now[kind] for kind in ("now", *OPEN) if kind in now), "")
    if (
        one.language in _UNSPACED
        or not cue
        or likeness.is_of_another
        or likeness.is_of_others
        or now.keys() & {"asks", "never"}
    ):
        return None
    if likeness.is_known and likeness.weight > 0 and not likeness.is_alone:
        return None  # what they say is alike, and each says it of another thing
    rows = embed([one.text, other.text])
    near = float(rows[0] @ rows[1])
    if near < _ABOUT:
        return None
    cues_now = now.keys() & {"instead", "fix", "change"}
    sure = cues_now and near >= _SURELY_ABOUT and not (likeness.has_other_subject or now.keys() & set(OPEN))
    reason = "both are about one thing by their meaning, and the newer one says"
    return _clash(Relation.UPDATE, SURE if sure else _LIKELY, reason, (one, other), cue)


def _find_aside(one: Statement, before: Cues, other: Statement, now: Cues) -> str:
    """Why one of them says nothing about how things are, or speaks of something beside."""
    for side, cues in (("newer", now), ("older", before)):
        for kind in ASIDE:
            if kind in cues and not (kind == "compare" and cues.keys() & {"end", "change"}):
                return f"the {side} one does not state a fact: “{cues[kind]}”"
    changes = any(kind in now for kind in (*CHANGES, "now"))
    if "past" in now and not changes:
        return f"the newer one is about the past: “{now['past']}”"
    if "past" in before and not before.keys() & {"end", "change", "now"} and "never" not in now:
        return f"the older one is about the past: “{before['past']}”"
    if "more" in now and not now.keys() & {"end", "instead", "fix", "never"}:
        return f"the newer one adds to the older: “{now['more']}”"
    if "asks" in before or "lean" in before:
        return "the older one was not decided"
    years = [set(_YEAR.findall(side.text)) for side in (one, other)]
    if not changes and years[0] and years[1] and years[0].isdisjoint(years[1]) and not other.attributes:
        return "they are about different years"
    return ""


def _find_other_actor(one: Statement, other: Statement, now: Cues, likeness: Likeness) -> str:
    """Whether somebody of whom the older one does not speak ended, or changed for themselves, what it says to be so:
    "The agency gave up X"."""
    words = [token.word.partition("'")[0] for token in find_tokens(other.text)]
    changed = "end" in now or ("change" in now and likeness.named and not likeness.weight)
    first_person = words_of(_TABLE, "first person", one.language) or frozenset(words)
    if not changed or not first_person.isdisjoint(words):
        return ""
    actor, *rest = other.order or ("",)
    known = {*one.topics, *one.names, *(value.form for value in one.values)}
    values = {value.form for value in other.values if value.kinds & likeness.kinds}
    topic = other.topics.get(actor, Topic(0.0))
    if actor in known | values or topic.is_person or topic.names & (likeness.kinds | likeness.attributes):
        return ""
    if not known & set(rest):
        return ""
    opens = any(word.startswith(actor[:_STEM]) for word in words[:2])
    return "somebody else is said to have changed it" if opens else ""


def _deny(one: Statement, before: Cues, other: Statement, now: Cues, likeness: Likeness) -> Judgement | None:
    if is_denied(one, before, other, now):
        reason = "the newer one contradicts the older one"
        return _clash(Relation.CONTRADICTION, _SURE, reason, (one, other), now.get("end", ""))
    if is_never_done(one, before, other, now, likeness):
        reason = "the newer one says the older was never true"
        return _clash(Relation.CONTRADICTION, _LIKELY, reason, (one, other), now["never"])
    if is_done_by_now(one, before, other, now, likeness):
        return _clash(Relation.UPDATE, _SURE, "the newer one reports as done what was planned", (one, other))
    is_ended = likeness.named and "end" in now  # "We use X, never Y": it says more than never
    if "never" in now or "yet" in before or ("never" in before and not is_ended):
        return _judge_unrelated(_FINAL)
    return None


def _settle(one: Statement, before: Cues, other: Statement, now: Cues, likeness: Likeness) -> Judgement:
    mine, theirs = one.content, other.content
    new = theirs - mine
    if before.keys() & {"change", "instead"} and not (theirs - mine) and _current(one, before) == _current(other, now):
        return Judgement(Relation.SAME, _NEAR, reason="both report the same change")
    if one.is_negative == other.is_negative and "end" not in now and mine == theirs:
        return _reverse(one, other, now)
    if not new and "end" not in now:
        return Judgement(Relation.REFINES, _NEAR, reason="both settle the same thing in the same way")
    changed = any(kind in now for kind in CHANGES)
    adds = mine <= theirs and not (
        changed or (likeness.kinds and "now" in now) or (likeness.has_figures and now.keys() & set(OPEN))
    )
    if adds or _narrows(one, other, likeness):
        return Judgement(Relation.REFINES, _NEAR, reason="the newer one adds a detail")
    if "end" in before and "end" in now and not likeness.kinds and not _ends_what_followed(one, before, other, now):
        return _judge_unrelated(_FINAL)
    open_cue = next((now[kind] for kind in OPEN if kind in now), "") or _question(one, other, now)
    if open_cue:
        reason = "both settle one thing, and the newer one is not decided"
        near = likeness.is_near or (likeness.named and likeness.weight > 0)
        return _clash(Relation.UPDATE, _LIKELY, reason, (one, other), open_cue) if near else _judge_unrelated()
    return _weigh(one, other, now, likeness)


def _ends_what_followed(one: Statement, before: Cues, other: Statement, now: Cues) -> bool:
    """Whether the newer one ends what the older one says to have come in place of what it ended."""
    ended = [
        {*read.content, *read.names}
        for side, cue in ((one, before["end"]), (other, now["end"]))
        for read in (read_statement(" ".join(split_clause(side.text, cue)), one.language),)
    ]
    return bool((ended[1] - ended[0]) & {*one.content, *one.names}) and not ended[0] & ended[1]


def _current(statement: Statement, cues: Cues) -> str:
    """Of the values in a statement about a change the one that holds now."""
    order = [found for found in statement.order if found not in statement.topics or found in statement.names]
    return "" if not order else order[0] if "instead" in cues else order[-1]


def _reverse(one: Statement, other: Statement, now: Cues) -> Judgement:
    """Both name the same things, in one order or the other."""
    if now.keys() & {"over", "change"} and one.order != other.order:
        return _clash(Relation.CONTRADICTION, _SURE, "they order the same two things differently", (one, other))
    if not one.content:
        return _judge_unrelated()
    words = [{token.word for token in find_tokens(side.text)} for side in (one, other)]
    auxiliary = word_set(_TABLE, "auxiliary")
    idle = all(word in auxiliary or is_stop_word(word, (one.language,)) for word in words[0] ^ words[1])
    sure = _SURE if idle else _NEAR
    return Judgement(Relation.SAME, sure, reason="both name the same things")


def _narrows(one: Statement, other: Statement, likeness: Likeness) -> bool:
    """Whether one names a country or region, and the other a place: the same, told more exactly."""
    if "residence" not in likeness.attributes:
        return False
    wide = [names_region(side.text) for side in (one, other)]
    return wide[0] != wide[1]


def _question(one: Statement, other: Statement, now: Cues) -> str:
    """The question with which the newer one ends, where it asks about what the older one says."""
    asked = find_clause(other.text, other.text.rstrip()[-1:]) if "asks" in now else ""
    about = compare(one, read_statement(asked, one.language)) if asked else Likeness()
    return asked if about.weight > 0 or about.named or about.kinds else ""


def _weigh(one: Statement, other: Statement, now: Cues, likeness: Likeness) -> Judgement:
    cue = next((now[kind] for kind in CHANGES if kind in now), "")
    attribute = next(iter(sorted(likeness.attributes)), None)
    ended = "end" in now and not now.keys() & {"change", "instead", "fix"}
    if likeness.is_of_another and (ended or likeness.is_known):
        return _judge_unrelated(_FINAL)
    if ended and not _tells_end(one, other, now["end"], likeness):
        if "now" not in now:
            return _judge_unrelated(_FINAL) if likeness.kinds else _judge_unrelated()
        cue, ended = "", False
    ousts = likeness.named and ("instead" in now or ended)
    if cue and (likeness.is_near or ousts or (ended and not likeness.apart and not likeness.is_of_another)):
        reason = "both settle one thing, and the newer one says that it changed"
        sure = _CERTAIN if likeness.open else _SURE if likeness.is_firm or ousts or ended else _LIKELY
        return _clash(Relation.UPDATE, sure, reason, (one, other), cue, attribute)
    occasions = {kind for value in other.values for kind in value.kinds if kind in _OCCASIONS}
    if "now" not in now:
        if "prefer" in now and not likeness.ousted:
            return _judge_unrelated(_FINAL)  # two tastes may stand beside each other
        if one.is_negative != other.is_negative and not likeness.kinds:
            return _judge_unrelated()
        if likeness.is_measured and likeness.kinds - {"month"}:
            return _judge_unrelated(_FINAL)  # each holds for its own kind of thing
        if occasions and (likeness.has_figures or likeness.open or likeness.kinds - _OCCASIONS):
            return _judge_unrelated(_FINAL)  # each holds on its own occasion
    if likeness.ousted and not likeness.has_other_subject:
        reason = "the newer one names the former value beside its own"
        return _clash(Relation.UPDATE, _SURE, reason, (one, other))
    if "now" in now and likeness.is_near and not likeness.has_other_subject and not likeness.is_of_others:
        reason = "both settle one thing, and the newer one says how it is now"
        return _clash(Relation.UPDATE, _SURE, reason, (one, other), now["now"])
    if not likeness.is_same:
        return _judge_unrelated()
    single = sorted(likeness.attributes | (likeness.kinds & _SINGLE))
    is_valued = likeness.kinds or likeness.is_measured or _names_values(one, other, likeness)
    if single and is_valued:
        reason = f"both give the {single[0]}, of which there is one"
        return _clash(Relation.UPDATE, _CERTAIN, reason, (one, other), attribute=single[0])
    if likeness.attributes and not (likeness.is_known and (other.figures or likeness.kinds or other.names)):
        return _judge_unrelated()  # it says something else of it than its value
    reason = "both settle one thing, and nothing says that it changed"
    return _clash(Relation.UPDATE, _LIKELY, reason, (one, other))


def _names_values(one: Statement, other: Statement, likeness: Likeness) -> bool:
    """Whether both name the value that they give an attribute, which may be any word, or that is a person."""
    if likeness.open & _NAMED and one.language in _CAPITALS:
        return bool(one.names and other.names - one.names)
    return bool(likeness.open or (likeness.attributes & PERSONAL_ATTRIBUTES and other.names - one.names))


def _tells_end(one: Statement, other: Statement, cue: str, likeness: Likeness) -> bool:
    """Whether what the newer one says to be over is what the older one says to be so."""
    if likeness.kinds and not (likeness.ousted or likeness.named):
        return False
    parts = [find_clause(other.text, cue)]
    if cue.split()[0].lower() in word_set(_TABLE, "copula"):  # "the name was taken": what is over stands before
        parts.append(split_clause(other.text, cue)[0])
    return any(_names_ended(one, part, likeness) for part in parts)


def _names_ended(one: Statement, clause: str, likeness: Likeness) -> bool:
    ended = read_statement(clause, one.language)
    if {value.form for value in ended.values if not value.plain} & {value.form for value in one.values}:
        return True
    tokens = {token.word for token in find_tokens(one.text)}
    last = next(reversed(ended.topics), "")
    if last in one.topics:
        return last in (one.order[0], one.order[-1], *one.names) or likeness.is_near
    words = [token.word for token in find_tokens(clause)]
    return bool(words) and len(ended.topics) <= 1 and words[-1] in tokens


_OCCASIONS = {"weekday", "daytime"}
_SINGLE = {"progress", "marital", "visibility", "switch"}
"""Kinds of state: a thing is in one at a time."""


def _judge_unrelated(sure: float = 0.8) -> Judgement:
    return Judgement(Relation.UNRELATED, sure, reason="they settle different things")


def _clash(
    relation: Relation,
    sure: float,
    reason: str,
    sides: tuple[Statement, Statement],
    cue: str = "",
    attribute: str | None = None,
) -> Judgement:
    one, other = sides
    message = f"{reason}: “{cue}”" if cue else reason
    if attribute:
        message = f"{message}; the {attribute} was “{one.text[:_SHOWN]}” and is “{other.text[:_SHOWN]}”"
    spans = (Cited("older", one.text), Cited("newer", cue or other.text))
    return Judgement(relation, sure, "newer", message, spans, attribute)


_TOLD = frozenset({*CHANGES, "now"})


def find_statements(text: str, most: int) -> list[str]:
    """Of a longer text the sentences that name a value or an attribute, or tell that something changed, in order."""
    fit = (sentence for sentence in sentences(text) if len(sentence) <= MOST and _is_definite(sentence))
    return list(islice(fit, most))


def says_again(earlier: str, later: str) -> bool:
    """Whether the later statement says what the earlier one said, and tells of no change."""
    verdict = judge(Said(earlier), Said(later))
    doubts = find_cues(later, find_language(later)).keys() & {*OPEN, "asks"}
    return verdict.relation is Relation.SAME and _is_definite(later) and not (doubts or tells_change(later))


def tells_change(text: str) -> bool:
    """Whether it tells of a change, and not only how something is."""
    return bool(find_cues(text, find_language(text)).keys() & _TOLD)


def _is_definite(sentence: str) -> bool:
    found = read_statement(sentence)
    named = any(not value.plain for value in found.values)
    return bool(named or found.attributes or found.figures) or tells_change(sentence)
