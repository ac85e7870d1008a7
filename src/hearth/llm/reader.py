"""A language model as a reader of sessions, of pairs of statements, and of causes, believed where it quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from typing import Any

from hearth.core.errors import BadReply
from hearth.core.extraction import Extraction, Handoff
from hearth.core.hook import Action, Outcome, Step
from hearth.core.instants import moment
from hearth.core.judgement import LIKELY, Cited, Judgement, Relation, Said
from hearth.core.lazy import dataclass
from hearth.core.transcript import TranscriptEntry, Turn
from hearth.language.causes import LINKED, CausalPair, SessionStatement
from hearth.language.evidence import has_span
from hearth.language.slots import MOST, find_language, read_statement
from hearth.llm import prompts
from hearth.llm.dialogue import dialogue, fence_of
from hearth.llm.judge import Judge
from hearth.llm.prompts import BatchReply, CauseReply, CausesReply, HandoffReply, PairReply, PairsReply, Prompt
from hearth.text.similarity import protected

MOST_CLASHES = 2
"""A statement takes the place of so many others at most: a model that says more of it is believed in none of that."""
_ASKED = 0.85
"""What a clash is worth at most of which a person shall be asked."""
_CLASHES = (Relation.UPDATE, Relation.CONTRADICTION)
_REASON_CHARS = 120


@dataclass(frozen=True, slots=True)
class PairJudge(prompts.LlmTask):
    """Judges how statements stand to each other."""

    def judge(self, newer: Said, older: Sequence[Said]) -> list[Judgement | None]:
        """How ``newer`` stands to each of the others, ``None`` where the model was not asked or is not believed. Raises
        ``Unavailable`` or ``BadReply``."""
        texts = [self._show(pairs) for pairs in (newer, *older)]
        asked = {number: text for number, text in enumerate(texts) if number and text is not None}
        if texts[0] is None or not asked:
            return [None] * len(older)
        pairs = [newer, *older]
        lines = [f"[new] {_day(newer)}: {texts[0]}", *(f"[{n}] {_day(pairs[n])}: {text}" for n, text in asked.items())]
        shown = "\n".join(lines)
        prompt = prompts.load("pair")
        reply = self.llm.complete(prompt.filled({"session": shown, "fence": fence_of(shown)}), PairsReply)
        verdicts = {one.number: one for one in reversed(reply.verdicts) if one.number in asked}
        path = f"{self.llm.name} {prompt.label}"
        found = {number: _believe(one, asked[number], texts[0], path) for number, one in verdicts.items()}
        clashes = [number for number, one in found.items() if one is not None and one.relation in _CLASHES]
        for number in clashes if len(clashes) > MOST_CLASHES else ():
            found[number] = None
        return [found.get(number) for number in range(1, len(pairs))]

    def _show(self, statement: Said) -> str | None:
        text = " ".join(self.clean(statement.text).split())
        return None if not text or len(text) > MOST or self.suspicious(text) else text


def _day(assertion: Said) -> str:
    return "undated" if assertion.at is None else moment(assertion.at).date().isoformat()


def _believe(pair: PairReply, older: str, newer: str, path: str) -> Judgement | None:
    confidence = min(1.0, max(0.0, pair.confidence))
    reason = " ".join(pair.reason.split())[:_REASON_CHARS] or "the model gives no reason"
    verdict = Judgement(pair.relation, confidence, reason=f"{path.split()[0]} says: {reason}", path=path)
    if pair.relation is Relation.UNRELATED or confidence < LIKELY:
        return replace(verdict, relation=Relation.UNRELATED)
    if pair.relation is Relation.SAME:
        return verdict if list(protected(older)) == list(protected(newer)) else None
    if pair.relation is Relation.REFINES:
        return verdict
    quotes = pair.older_quote, pair.newer_quote
    if pair.current == "both" or not has_span(older, quotes[0]) or not has_span(newer, quotes[1]):
        return None
    spans = Cited("older", quotes[0]), Cited("newer", quotes[1])
    if pair.current == "older" or not _differ_in_quotes(older, newer, quotes):
        confidence = min(confidence, _ASKED)
    return replace(verdict, confidence=confidence, current=pair.current, spans=spans)


def _differ_in_quotes(older: str, newer: str, quotes: tuple[str, str]) -> bool:
    """Whether both say the same but for the words quoted, and say something beside them."""
    language = find_language(older, newer)
    one, other = (
        read_statement(_plain(text).replace(_plain(quote), " ", 1), language)
        for text, quote in zip((older, newer), quotes, strict=True)
    )
    return bool(one.content) and one.content == other.content and one.is_negative == other.is_negative


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


LEAST = 0.6
"""Below this confidence nothing is kept."""
MOST_CAUSES = 2
"""One effect has so many causes at most: a model that names more is believed in none of them."""
_SHOWN = 40
"""Statements of a session, the latest."""
_CHARS = 400
_LEAST_QUOTE = 8


@dataclass(frozen=True, slots=True)
class CauseReader(prompts.LlmTask):
    """Finds what caused what in a session."""

    def read(self, statements: Sequence[SessionStatement]) -> list[CausalPair]:
        """Raises ``Unavailable`` or ``BadReply``."""
        texts = {number: self._show(one.text) for number, one in enumerate(statements[-_SHOWN:], 1)}
        shown = {number: text for number, text in texts.items() if text is not None}
        if len(shown) < 2:
            return []
        asked = dict(enumerate(statements[-_SHOWN:], 1))
        rows = (f"[{n}] turn {asked[n].turn}, {asked[n].content_type}: {text}" for n, text in shown.items())
        session = "\n".join(rows)
        prompt = prompts.load("causes")
        reply = self.llm.complete(prompt.filled({"session": session, "fence": fence_of(session)}), CausesReply)
        why = f"{self.llm.name} {prompt.label}"
        return [
            CausalPair(asked[one.cause].docid, asked[one.effect].docid, round(min(one.confidence, LINKED), 3), why)
            for one in _believed(reply, shown)
        ]

    def _show(self, text: str) -> str | None:
        shown = " ".join(self.clean(text).split())[:_CHARS]
        return None if not shown or self.suspicious(shown) else shown


def _believed(reply: CausesReply, shown: Mapping[int, str]) -> Iterator[CauseReply]:
    pairs = {(one.cause, one.effect): one for one in reply.pairs if one.confidence >= LEAST and _stands(one, shown)}
    causes = Counter(effect for _, effect in pairs)
    for (cause, effect), one in pairs.items():
        if (effect, cause) not in pairs and causes[effect] <= MOST_CAUSES:
            yield one


def _stands(one: CauseReply, shown: Mapping[int, str]) -> bool:
    ends = ((one.cause, one.cause_quote), (one.effect, one.effect_quote))
    return one.cause != one.effect and all(
        number in shown and has_span(shown[number], quote, _LEAST_QUOTE) for number, quote in ends
    )


MAX_NAMES = 40
"""Of known entities, that a prompt names."""
_NAME_CHARS = 60
_LINE_CHARS = 240
_MOST_ITEMS = 6


@dataclass(frozen=True, slots=True)
class ModelReader(prompts.LlmTask):
    """Reads sessions and questions."""

    @property
    def label(self) -> str:
        """Who answers to which prompt."""
        return f"{self.llm.name} {_load_prompt().label}"

    def ask(self, turns: Sequence[Turn], since: int, names: Sequence[str], today: date) -> str:
        """The model's answer about the turns after ``since``, as JSON, to be judged by ``judge`` now or later.

        Raises ``Unavailable`` or ``BadReply``, which is also said of a model that only repeats its prompt."""
        return self.llm.complete(self._ask(turns, since, names, today), BatchReply).model_dump_json()

    def judge(self, answer: str, turns: Sequence[Turn], since: int) -> Extraction:
        """What of an answer is kept. Raises ``BadReply`` for one that ``ask`` did not give."""
        try:
            reply = BatchReply.model_validate_json(answer)
        except ValueError as error:
            raise BadReply("an answer of the language model that was kept is damaged") from error
        prompt = _load_prompt()
        judge = Judge(self._clean(turns), since, prompt.text, self.suspicious)
        return judge.extraction(reply, self.llm.name, prompt.label)

    def hand_off(self, turns: Sequence[Turn], known: Handoff) -> Handoff:
        """What the next session has to know; ``known`` is what the rules found, whose files and whatever the model
        leaves empty are kept. Raises as ``ask`` does."""
        clean = self._clean(turns)
        session = dialogue(clean)
        prompt = prompts.load("handoff")
        reply = self.llm.complete(prompt.filled({"session": session, "fence": fence_of(session)}), HandoffReply)
        judge = Judge(clean, 0, prompt.text, self.suspicious)
        found: dict[str, Any] = {}
        for field in fields(Handoff):
            value = getattr(reply, field.name, None)
            lines = [value] if isinstance(value, str) else (value or [])
            kept = [cut for line in lines if (cut := _cut(line)) and judge.holds(cut)][:_MOST_ITEMS]
            if kept:
                found[field.name] = kept[0] if isinstance(value, str) else tuple(dict.fromkeys(kept))
        return replace(known, **found)

    def causes(self, statements: Sequence[SessionStatement]) -> list[CausalPair]:
        """Which statements of a session led to which. Raises ``Unavailable`` or ``BadReply``."""
        return CauseReader(self.llm, self.clean, self.suspicious).read(statements)

    # -- details ---------------------------------------------------------------------------------------------------

    def _ask(self, turns: Sequence[Turn], since: int, names: Sequence[str], today: date) -> str:
        known = ", ".join(dict.fromkeys(" ".join(self.clean(name).split())[:_NAME_CHARS] for name in names[:MAX_NAMES]))
        session = (f"[names] {known}\n" if known else "") + dialogue(self._clean(turns), since)
        return _load_prompt().filled({"session": session, "fence": fence_of(session), "today": today.isoformat()})

    def _clean(self, turns: Sequence[Turn]) -> list[Turn]:
        return [_turn(turn, self.clean) for turn in turns]


def _load_prompt() -> Prompt:
    return prompts.load("piece")


def _cut(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1].rstrip()}…"


def _turn(turn: Turn, clean: Callable[[str], str]) -> Turn:
    prompts_ = tuple(_entry(prompt, clean) for prompt in turn.prompts)
    replies = tuple(map(clean, turn.replies))
    return replace(turn, prompts=prompts_, replies=replies, steps=tuple(_step(step, clean) for step in turn.steps))


def _entry(entry: TranscriptEntry, clean: Callable[[str], str]) -> TranscriptEntry:
    return replace(entry, text=clean(entry.text))


def _step(step: Step, clean: Callable[[str], str]) -> Step:
    action = None if step.action is None else _action(step.action, clean)
    outcome = None if step.outcome is None else _outcome(step.outcome, clean)
    files = tuple(map(clean, step.files))
    # What a tool printed is nobody's word, and no model's to read.
    return replace(step, tool=clean(step.tool), action=action, outcome=outcome, files=files, output="")


def _action(action: Action, clean: Callable[[str], str]) -> Action:
    choices = tuple(replace(choice, question=clean(choice.question)) for choice in action.choices)
    todos = tuple(replace(todo, text=clean(todo.text)) for todo in action.todos)
    return replace(action, text=clean(action.text), choices=choices, todos=todos)


def _outcome(outcome: Outcome, clean: Callable[[str], str]) -> Outcome:
    answers = tuple((clean(question), clean(answer)) for question, answer in outcome.answers)
    return replace(outcome, answers=answers, plan=clean(outcome.plan), words=clean(outcome.words))
