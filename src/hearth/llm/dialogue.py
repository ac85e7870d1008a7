"""Turns as a model reads them, and what a text says by its stems."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property

from hearth.core.extraction import Source, spoken
from hearth.core.hook import Act, Step
from hearth.core.lazy import dataclass
from hearth.core.transcript import Turn
from hearth.text.language import detect, is_stop_word
from hearth.text.lines import estimate_tokens
from hearth.text.terms import terms
from hearth.transcripts.typed import own_words_of

MAX_TOKENS = 6_000
"""Of a prepared session; one that is shorter is shown whole."""
_PROMPT_CHARS, _REPLY_CHARS, _TOOL_CHARS, _LEFT_CHARS = 4_000, 2_400, 160, 320
_TOOLS = 24
"""Lines of tools that one turn shows."""
_NONCE_CHARS = 16


@dataclass(frozen=True, slots=True)
class _Line:
    """``rank`` says how soon it is taken (0 first), ``place`` where it stands; ``short`` is what stands for it where
    there is no room for all of it."""

    rank: int
    place: tuple[int, int]
    text: str
    short: str = ""


def dialogue(turns: Sequence[Turn], since: int = 0, most: int = MAX_TOKENS) -> str:
    """At most ``most`` tokens: the first request, the last answer, what the person said (the latest first), answers
    and tools, then what the assistant said, all in the order of the session. Turns up to ``since`` are context."""
    lines = [line for turn in turns for line in _lines(turn, turns, since)]
    chosen: dict[tuple[int, int], str] = {}
    room = most
    for line in sorted(lines, key=lambda line: (line.rank, -line.place[0], line.place[1])):
        for text in filter(None, (line.text, line.short)):
            cost = estimate_tokens(text) + 1
            if cost <= room:
                chosen[line.place] = text
                room -= cost
                break
    return "\n".join(chosen[place] for place in sorted(chosen))


def fence_of(text: str) -> str:
    """A line that the text can't hold, since it is made from all of it."""
    nonce = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_NONCE_CHARS]
    return f"=== SESSION {nonce} ==="


def _lines(turn: Turn, turns: Sequence[Turn], since: int) -> Iterator[_Line]:
    fresh = turn.ordinal > since
    mark = f"[turn {turn.ordinal}{'' if fresh else ' before'}]"
    number = 0

    def line(rank: int, who: str, text: str, most: int) -> _Line:
        nonlocal number
        number += 1
        whole, short = (f"{mark} {who}: {_indent(_cut(text, size))}" for size in (most, _LEFT_CHARS))
        return _Line(
            rank if fresh else rank + 4, (turn.ordinal, number), whole, short if len(text) > _LEFT_CHARS else ""
        )

    for prompt in turn.prompts:
        if text := own_words_of(prompt.text):
            yield line(0 if turn is turns[0] else 1, "USER", text, _PROMPT_CHARS)
    for step in turn.steps:
        for question, answer in _answers(step):
            yield line(1, "ANSWER", f"{question} -> {answer}", _LEFT_CHARS)
    for step in turn.steps[:_TOOLS]:
        if tool := _tool(step):
            yield line(2, "TOOL", tool, _TOOL_CHARS)
    for reply in turn.replies:
        last = turn is turns[-1] and reply is turn.replies[-1]
        if text := own_words_of(reply):
            yield line(0 if last else 3, "ASSISTANT", text, _REPLY_CHARS)


def _answers(step: Step) -> Iterator[tuple[str, str]]:
    """What the person said to a call: choices, an approved plan, words with which it was refused."""
    if step.outcome is None:
        return
    names = {choice.key: choice.question for choice in (step.action.choices if step.action else ()) if choice.key}
    for key, answer in step.outcome.answers:
        yield names.get(key, key), answer
    if step.outcome.plan:
        yield "approved plan", step.outcome.plan
    if step.outcome.words:
        yield "refused", step.outcome.words


def _tool(step: Step) -> str:
    """The name of a tool, its file or command, and whether it worked: never what it printed."""
    action = step.action
    what = ", ".join(step.files[:3])
    if not what and action is not None and action.act in (Act.COMMAND, Act.READ):
        what = action.text
    state = "failed" if step.failed else "ok" if step.done else "no result"
    return f"{step.tool or 'tool'} {' '.join(what.split())} ({state})"


def _cut(text: str, most: int) -> str:
    """Head and tail."""
    if len(text) <= most:
        return text
    return f"{text[: most * 3 // 4].rstrip()} […] {text[-most // 4 :].lstrip()}"


def _indent(text: str) -> str:
    """So that no line of a text passes for the beginning of another turn."""
    return text.replace("\r", "\n").replace("\n", "\n    ")


SPEAKERS = frozenset(
    ("user", "usuario", "nutzer", "utilisateur", "utente", "usuário", "пользователь", "agent", "assistant", "person")
)
"""Who is spoken of, not what of them is said."""
_TELLING = 4_000
"""Characters that tell a language."""


@dataclass(frozen=True)
class Vocabulary:
    turns: Sequence[Turn]

    def of(self, text: str) -> frozenset[str]:
        """What a text says, by stems; without stop words, speakers and what holds a digit, since dates are worked
        out."""
        found = (term for term in terms(text, self._language) if not term.startswith("="))
        return frozenset(
            term
            for term in found
            if not is_stop_word(term, (self._language, "en"))
            and term not in SPEAKERS
            and not any(char.isdigit() for char in term)
        )

    @cached_property
    def _language(self) -> str:
        """Of the whole session: a single statement is too short to tell, and its stems must be the same."""
        return detect("\n".join(text for turn in self.turns for text in spoken(turn, Source.PERSON))[:_TELLING])
