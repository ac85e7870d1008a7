"""Finds statements that are meant to last, by a mark: "from now on", "we decided", "I prefer"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.language.structure import hands_over, is_typed, points_at_text
from hearth.text.lines import ABBREVIATIONS
from hearth.text.words import cues, forms

_TABLE = "sentences"
_ABBREVIATION = regex(
    rf"(?:^|[\s(])(?:[A-Za-z]|{ABBREVIATIONS}|p\.ej|ex|cf|env|Inc|Ltd|a\.m|p\.m|U\.S)\.[\"'”’)\]]*\s*$"
)
_MARK = regex(r"^\s*(?:[-*+•]|\d{1,2}[.)]|#{1,6}|>)\s+")
_CODE = regex(
    r"[{};]\s*$|^\s*(?:import\s+[\w.*{\"']+\s*(?:$|[,;{}]|(?:as|from)\s+\S+\s*$)|from\s+[\w.]+\s+import\b|"
    r"(?:async\s+)?def\s+\w+\(|"
    r"class\s+\w+\s*[({:]|(?:const|let|var)\s+\w+\s*[:=]|return\s+[\w.\"'\[(]+[;(\[]|return\s*$|"
    r"SELECT\s|\$ |#!|//|/\*|<\w)|=>|\);|==|::"
)


def sentences(text: str) -> Iterator[str]:
    """In order, as they stand, without marks of lists."""
    for line in text.split("\n"):
        line = _MARK.sub("", line).strip()
        if not line or _CODE.search(line):
            continue
        pending = ""
        for part in _parts(line):
            pending = f"{pending}{part}"
            if _ABBREVIATION.search(pending):
                continue
            if pending.strip():
                yield pending.strip()
            pending = ""
        if pending.strip():
            yield pending.strip()


def _parts(line: str) -> Iterator[str]:
    start = 0
    for match in forms(_TABLE, "break").finditer(line):
        yield line[start : match.end()]
        start = match.end()
    yield line[start:]


_LEAST_WORDS, _LEAST_DENSE = 3, 5
_LEAST_LETTERS = 2
"""Of what is to last, beside the words that say so."""
_LONGEST, _LONGEST_CORRECTION = 400, 160
_LONGEST_PLAIN = 200
_LONGEST_STATE = 300
_FEW_SENTENCES = 2
_STEPS = 3
_ITEM = regex(r"\s*(?:[-*+•‣]|\d{1,2}[.)、]|[a-z]\)|\[[ xX]\])\s*\S")
_LEADS_UP = regex(r"[:：?？]\s*$")
_WHOLE = regex(r"(?![a-zà-ÿа-я]).*[^\W_].*[.。]\s*$", re.DOTALL)
_ASKED = regex(r"[?？]\s*$")
_WORD = regex(r"\w+")
_DENSE = regex("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TRIM = " \t,;:–—-"


class Mark(StrEnum):
    """What shows that a statement is meant to last. Corrections and the last three count only with approval; ``PLAIN``
    has no mark: somebody else's text is handed over, and beside the request stands one whole sentence about neither."""

    REMEMBER = "remember"
    REMIND = "remind"
    CORRECT = "correct"
    STANDING = "standing"
    DECIDED = "decided"
    PROMISE = "promise"
    PREFER = "prefer"
    SELF = "self"
    BAN = "ban"
    ALWAYS = "always"
    MUST = "must"
    OURS = "ours"
    PLAIN = "plain"

    @property
    def is_explicit(self) -> bool:
        return self not in (Mark.CORRECT, Mark.MUST, Mark.OURS, Mark.PLAIN)


class Statement(NamedTuple):
    """``quote`` occurs in the prompt as it stands; ``text`` is it without what leads up to it. ``about`` is the mark of
    what is to be remembered."""

    text: str
    quote: str
    mark: Mark
    about: Mark | None = None


_BY_TROUBLE = frozenset({Mark.CORRECT, Mark.ALWAYS, Mark.MUST, Mark.OURS, Mark.PREFER, Mark.BAN, Mark.PLAIN})
_BY_MOMENT = frozenset({Mark.CORRECT, Mark.DECIDED, Mark.MUST, Mark.OURS, Mark.PREFER, Mark.SELF, Mark.PLAIN})
_BY_REQUEST = frozenset({Mark.OURS, Mark.SELF, Mark.DECIDED, Mark.CORRECT, Mark.BAN})
_BY_INCOMPLETE = frozenset(
    {Mark.DECIDED, Mark.PREFER, Mark.SELF, Mark.ALWAYS, Mark.BAN, Mark.CORRECT, Mark.OURS, Mark.PLAIN}
)
_BY_DESCRIPTION = frozenset({Mark.ALWAYS, Mark.MUST})
_BY_POINTING = frozenset(Mark) - {Mark.REMEMBER, Mark.REMIND, Mark.PROMISE, Mark.SELF}
_BY_BARE = frozenset({Mark.SELF})
_BY_STATE = ("unsure", "reported", "irony", "moment", "trouble", "request", "question", "pointing", "narrates")
_ORDER = (
    Mark.CORRECT, Mark.STANDING, Mark.DECIDED, Mark.PROMISE, Mark.PREFER, Mark.SELF, Mark.BAN, Mark.ALWAYS, Mark.MUST,
    Mark.OURS,
)  # fmt: skip


def find_statements(passages: Sequence[str], *, beside: bool = False) -> list[Statement]:
    """Of a prompt's own passages, in order; ``beside`` says that the prompt holds what is not the person's, too."""
    found: list[Statement] = []
    sentences_left = [sentence for passage in passages for sentence in _drop_suppositions(_drop_steps(passage))]
    few = len(sentences_left) <= _FEW_SENTENCES
    is_announced = False
    for at, sentence in enumerate(sentences_left):
        before = sentences_left[at - 1] if at else ""
        wish = _find_wish(sentence)
        if wish is not None and len(sentences_left) > 1 and _minds_a_task(wish, "" if few else before):
            wish = None
        if is_announced:
            found.append(Statement(_clean(sentence), sentence, Mark.REMEMBER, _mark_of(sentence)))
        elif wish is None and not _is_mocked(sentences_left, at):
            marked = list(_of_sentence(sentence, few=few))
            if (
                not marked
                and beside
                and len(sentences_left) == _FEW_SENTENCES
                and _is_plain(sentence, sentences_left[1 - at])
            ):
                marked = [Statement(_clean(sentence), sentence, Mark.PLAIN)]
            found += [_with_context(one, before) for one in marked]
        elif wish is None:
            pass
        elif wish.text:
            found.append(wish)
        elif before and not _LEADS_UP.search(sentence):
            found = [one for one in found if one.quote not in before]
            found.append(Statement(_clean(before), before, Mark.REMEMBER, _mark_of(before)))
        # "Important:" over a list in a longer prompt heads a part of a brief.
        is_announced = wish is not None and not wish.text and few and _LEADS_UP.search(sentence) is not None
    return found


def _drop_steps(passage: str) -> str:
    """A passage without a list of three items or more, which are steps of a task, unless what leads up to it says that
    they last."""
    rows = passage.split("\n")
    listed = [at for at, row in enumerate(rows) if _ITEM.match(row)]
    if len(listed) < _STEPS:
        return passage
    head = "\n".join(rows[: listed[0]])
    lasting = any(cues("marks", kind).search(head) for kind in ("standing", "always", "prefer", "decided"))
    if lasting or asks_to_remember(head) or cues("marks", "rules").search(head):
        return passage
    return "\n".join(row for at, row in enumerate(rows) if at not in listed)


def _drop_suppositions(passage: str) -> Iterator[str]:
    """The sentences of a passage up to one that supposes something: what follows in it holds only under that."""
    is_supposed = False
    for sentence in sentences(passage):
        if not is_supposed or asks_to_remember(sentence):
            yield sentence
        is_supposed = is_supposed or cues("guards", "supposing").search(sentence) is not None


def _minds_a_task(wish: Statement, before: str) -> bool:
    """Whether a wish in a prompt that says more only tells what to mind in what the prompt asks for: "remember to run
    the tests, too", "note that it may fail"."""
    if before and cues("remember", "heed").search(wish.quote) is not None:
        return True
    return _is_idle(wish.text) or cues("guards", "dangling").search(wish.text) is not None


def _with_context(statement: Statement, before: str) -> Statement:
    """With the sentence before it, where it speaks of somebody whom only that one names."""
    if not before or cues("guards", "leaning").search(statement.text) is None or is_question(before):
        return statement
    text = f"{_clean(before)} {statement.text}"
    return statement._replace(text=text) if len(text) <= _LONGEST else statement


def asks_to_remember(text: str) -> bool:
    """Whether some sentence asks that something be remembered."""
    return any(_find_wish(sentence) is not None for sentence in sentences(text))


def states_plainly(prompt: str) -> bool:
    """Whether a prompt says in a sentence or two how something is, and little else: no errand, no question, no doubt,
    nothing about how things go at the moment."""
    sentences_here = list(sentences(prompt))
    if not 0 < len(sentences_here) <= _FEW_SENTENCES or len(prompt) > _LONGEST_STATE or _LEADS_UP.search(prompt):
        return False
    return all(
        _says_enough(one) and not any(cues("guards", kind).search(one) for kind in _BY_STATE) for one in sentences_here
    )


def as_sentence(text: str) -> str:
    """On one line, with a capital and an end."""
    return _clean(text)


def is_question(sentence: str) -> bool:
    """A question, but for one that only asks for a nod at its end."""
    return cues("guards", "question").search(sentence) is not None and cues("guards", "tag").search(sentence) is None


def _find_wish(sentence: str) -> Statement | None:
    """What is to be remembered; without a text where the sentence only announces it."""
    lead = _lead_end(sentence)
    clause = sentence[lead:].lstrip("¿¡")
    remind = cues("remember", "remind").match(clause)
    is_asked = _ASKED.search(clause) is not None and cues(_TABLE, "answered").match(clause.lower()) is None
    if remind is not None and not is_asked:
        about = clause[remind.end() :].strip(_TRIM)
        if _ASKED.search(clause) and cues(_TABLE, "recalls").match(about.lower()):
            return None
        text = cues(_TABLE, "to").sub("", about).rstrip("?？ ")
        return Statement(_clean(text), sentence, Mark.REMIND) if text else None
    found = cues("remember", "remember").match(clause)
    if found is None:
        return _find_wish_at_end(clause, sentence)
    rest = clause[found.end() :].strip(_TRIM)
    rest = cues("remember", "polite").sub("", rest).strip(_TRIM).rstrip(".!。！")
    if rest in ("?", "？"):
        rest = ""
    if cues(_TABLE, "when").match(rest.lower()) or (_ASKED.search(rest) and is_asked):
        return None
    if len(_WORD.findall(rest)) < 2 and not _DENSE.search(rest):
        return Statement("", sentence, Mark.REMEMBER) if not rest else None
    rest = rest.rstrip("?？ ")
    return Statement(_clean(rest), sentence, Mark.REMEMBER, _mark_of(rest))


def _find_wish_at_end(clause: str, sentence: str) -> Statement | None:
    plain = clause.rstrip(" .!。！")
    found = next(
        (match for match in cues("remember", "remember").finditer(plain) if match.end() >= len(plain) - 1), None
    )
    if found is None or not found.start():
        return None
    before = plain[: found.start()].rstrip()
    if before[-1:].isalnum() and not _DENSE.search(before[-1:]):
        return None
    before = before.strip(_TRIM + "。.、を")
    return Statement(_clean(before), sentence, Mark.REMEMBER, _mark_of(before)) if _says_enough(before) else None


def _of_sentence(sentence: str, *, few: bool) -> Iterator[Statement]:
    is_open = sentence.endswith((":", "：")) or cues("guards", "irony").search(sentence) is not None
    if not _LEAST_DENSE <= len(sentence) <= _LONGEST or is_open:
        return
    rest = sentence[_lead_end(sentence) :]
    is_said = not is_question(sentence) and not _is_idle(sentence)
    clauses = [part for part in cues(_TABLE, "joined").split(rest) if part] if is_said else []
    marks = [_mark_of(clause) for clause in clauses]
    if len(clauses) > 1 and marks.count(Mark.SELF) > 1:
        for clause, mark in zip(clauses, marks, strict=True):
            if mark is not None and _holds(clause, mark):
                yield Statement(_clean(clause), clause, mark)
        return
    for text in (sentence, *_clauses(rest)) if is_said else _clauses(rest):
        statement = _of_clause(text, few=few)
        if statement is not None:
            yield statement._replace(quote=sentence)
            return


def _clauses(sentence: str) -> Iterator[str]:
    """The main clauses of a sentence of several, up to one that asks or doubts: what follows may hang on that."""
    parts = cues(_TABLE, "part").split(sentence)
    for clause in parts if len(parts) > 1 else ():
        if is_question(clause) or _is_idle(clause):
            return
        yield clause.strip()


def _of_clause(clause: str, *, few: bool) -> Statement | None:
    rest = clause[_lead_end(clause) :]
    kinds = (mark for mark in _ORDER if (few or mark.is_explicit) and _is_marked(clause, rest, mark))
    mark = next((mark for mark in kinds if _holds(_drop_objection(rest, mark), mark)), None)
    return None if mark is None else Statement(_clean(_drop_objection(rest, mark)), clause, mark)


def _is_plain(sentence: str, other: str) -> bool:
    """Whether it is a whole sentence about how things are, not about the text beside it, this moment, or who speaks;
    the other one hands that text over."""
    if (
        not hands_over(other)
        or not _WHOLE.match(sentence)
        or len(sentence) > _LONGEST_PLAIN
        or ":" in sentence
        or points_at_text(sentence)
        or is_typed(sentence)
    ):
        return False
    speaks = any(cues("guards", kind).search(sentence) for kind in ("personal", "request", "description"))
    return not speaks and not _is_idle(sentence) and _holds(sentence, Mark.PLAIN)


def _drop_objection(clause: str, mark: Mark) -> str:
    """What a correction says to be so, without what says that the agent was wrong."""
    found = cues("marks", mark).match(clause) if mark is Mark.CORRECT else None
    return clause if found is None else clause[found.end() :]


def _is_marked(sentence: str, clause: str, mark: Mark) -> bool:
    found = cues("marks", mark)
    return found.search(sentence) is not None or (clause != sentence and found.search(clause) is not None)


def _mark_of(text: str) -> Mark | None:
    return next((mark for mark in _ORDER if cues("marks", mark).search(text)), None)


def _is_mocked(sentences_before: Sequence[str], at: int) -> bool:
    """Whether a sign behind a sentence shows that it is meant the other way round."""
    after = sentences_before[at + 1] if at + 1 < len(sentences_before) else ""
    return bool(after) and not any(map(str.isalnum, after)) and cues("guards", "irony").search(after) is not None


def _is_idle(sentence: str) -> bool:
    """Whether it doubts, jokes, or tells what others say."""
    return any(cues("guards", kind).search(sentence) for kind in ("unsure", "reported", "irony"))


def _holds(text: str, mark: Mark) -> bool:
    """Whether nothing about a sentence speaks against its mark."""
    if not _says_enough(text) or (mark is Mark.CORRECT and len(text) > _LONGEST_CORRECTION):
        return False
    rest = cues("marks", mark).sub("", text).strip(_TRIM) if mark is Mark.STANDING else text
    if mark is Mark.STANDING and sum(map(str.isalnum, rest)) < _LEAST_LETTERS:
        return False
    against = (
        ("trouble", _BY_TROUBLE),
        ("moment", _BY_MOMENT),
        ("pointing", _BY_POINTING),
        ("dangling", _BY_POINTING),
        ("bare", _BY_BARE),
        ("description", _BY_DESCRIPTION),
        ("incomplete", _BY_INCOMPLETE),
    )
    if any(mark in marks and cues("guards", kind).search(rest) for kind, marks in against):
        return False
    # "We go with Ceph" is no request, though "go" begins many.
    return mark not in _BY_REQUEST or not _is_request(text) or cues("marks", mark).match(text) is not None


def _is_request(text: str) -> bool:
    return cues("guards", "request").search(text) is not None


def _says_enough(text: str) -> bool:
    if _DENSE.search(text):
        return len(text) >= _LEAST_DENSE
    return len(_WORD.findall(text)) >= _LEAST_WORDS


def _lead_end(sentence: str) -> int:
    lead = cues("guards", "lead").match(sentence)
    correct = cues("marks", "correct").match(sentence)
    return lead.end() if lead is not None and correct is None else 0


def _clean(text: str) -> str:
    """As a sentence: on one line, with a capital and an end."""
    text = cues("guards", "tag").sub("", " ".join(text.split())).strip(_TRIM)
    if not text:
        return ""
    end = "" if text.endswith((".", "!", "?", "。", "！", "？", "”", '"')) else "。" if _DENSE.search(text) else "."
    return f"{text[:1].upper()}{text[1:]}{end}"
