"""A language model as a reader of sessions: one question for a piece, one for the hand-off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from datetime import date
from typing import Any

from hearth.capture.handoff import fit_handoff
from hearth.core.action import Action, Outcome, Step
from hearth.core.errors import BadReply
from hearth.core.extraction import Extraction, Handoff
from hearth.core.lazy import dataclass
from hearth.core.transcript import TranscriptEntry, Turn
from hearth.language.causes import CausalPair, SessionStatement
from hearth.llm import prompts
from hearth.llm.dialogue import dialogue, fence_of
from hearth.llm.judge import Judge
from hearth.llm.prompts import Prompt
from hearth.llm.schema import HandoffReply, PieceReply
from hearth.llm.statements import CauseReader
from hearth.ports import Llm

MAX_NAMES = 40
"""Of known entities, that a prompt names."""
_NAME_CHARS = 60
_LINE_CHARS = 240
_MOST_ITEMS = 6


@dataclass(frozen=True, slots=True)
class ModelReader:
    """``clean`` takes secrets and whatever acts as a delimiter out of a text, before the model sees it or a quote is
    looked for in it; ``suspicious`` tells texts that give orders."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]

    @property
    def label(self) -> str:
        """Who answers to which prompt."""
        return f"{self.llm.name} {_piece().label}"

    def ask(self, turns: Sequence[Turn], since: int, names: Sequence[str], today: date) -> str:
        """The model's answer about the turns after ``since``, as JSON, to be judged by ``judge`` now or later.

        Raises ``Unavailable`` or ``BadReply``, which is also said of a model that only repeats its prompt."""
        return self.llm.complete(self._ask(turns, since, names, today), PieceReply).model_dump_json()

    def judge(self, answer: str, turns: Sequence[Turn], since: int) -> Extraction:
        """What of an answer is kept. Raises ``BadReply`` for one that ``ask`` did not give."""
        try:
            reply = PieceReply.model_validate_json(answer)
        except ValueError as error:
            raise BadReply("an answer of the language model that was kept is damaged") from error
        prompt = _piece()
        judge = Judge(self._clean(turns), since, prompt.text, self.suspicious)
        return judge.extraction(reply, self.llm.name, prompt.label)

    def hand_off(self, turns: Sequence[Turn], known: Handoff) -> Handoff:
        """What the next session has to know; ``known`` is what the rules found, whose files and whatever the model
        leaves empty are kept. Raises as ``ask`` does."""
        clean = self._clean(turns)
        session = dialogue(clean)
        prompt = prompts.load("handoff")
        told = self.llm.complete(prompt.filled({"session": session, "fence": fence_of(session)}), HandoffReply)
        judge = Judge(clean, 0, prompt.text, self.suspicious)
        found: dict[str, Any] = {}
        for field in fields(Handoff):
            value = getattr(told, field.name, None)
            lines = [value] if isinstance(value, str) else (value or [])
            kept = [cut for line in lines if (cut := _cut(line)) and judge.holds(cut)][:_MOST_ITEMS]
            if kept:
                found[field.name] = kept[0] if isinstance(value, str) else tuple(dict.fromkeys(kept))
        return fit_handoff(replace(known, **found))

    def causes(self, statements: Sequence[SessionStatement]) -> list[CausalPair]:
        """Which statements of a session led to which. Raises ``Unavailable`` or ``BadReply``."""
        return CauseReader(self.llm, self.clean, self.suspicious).read(statements)

    # -- details ---------------------------------------------------------------------------------------------------

    def _ask(self, turns: Sequence[Turn], since: int, names: Sequence[str], today: date) -> str:
        known = ", ".join(dict.fromkeys(" ".join(self.clean(name).split())[:_NAME_CHARS] for name in names[:MAX_NAMES]))
        session = (f"[names] {known}\n" if known else "") + dialogue(self._clean(turns), since)
        return _piece().filled({"session": session, "fence": fence_of(session), "today": today.isoformat()})

    def _clean(self, turns: Sequence[Turn]) -> list[Turn]:
        return [_turn(turn, self.clean) for turn in turns]


def _piece() -> Prompt:
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
