"""From the entries of a session to its turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from hearth.extract.actions import match_outcome
from hearth.model.host.action import Step
from hearth.model.host.transcript import Kind, TranscriptEntry, Turn


def turns(entries: Iterable[TranscriptEntry]) -> list[Turn]:
    """Each prompt with what the main session made of it; subagents' entries and meta text are left out.

    The first turn has no prompt where reading began in the middle of one.
    """
    grouped = groupby(entries, key=lambda entry: entry.turn)
    return [turn for ordinal, part in grouped if (turn := _turn(ordinal, list(part))) is not None]


def _turn(ordinal: int, entries: list[TranscriptEntry]) -> Turn | None:
    prompts = tuple(entry for entry in entries if entry.kind is Kind.USER)
    calls = [entry for entry in entries if entry.kind is Kind.TOOL_CALL]
    failed = {entry.call for entry in entries if entry.kind is Kind.TOOL_RESULT and entry.failed}
    files = dict.fromkeys(name for call in calls if call.call is None or call.call not in failed for name in call.files)
    replies = _messages(entry for entry in entries if entry.kind is Kind.ASSISTANT)
    if not (prompts or calls or replies):
        return None
    steps = tuple(_steps(calls, entries))
    said = [entry.outcome for entry in entries if entry.kind is not Kind.TOOL_RESULT]
    return Turn(
        ordinal,
        entries[-1].prompt,
        prompts,
        replies,
        tuple(call.tool for call in calls),
        tuple(files),
        steps,
        any(outcome is not None and outcome.interrupted for outcome in (*said, *(step.outcome for step in steps))),
        next((entry.cwd for entry in (*prompts, *entries) if entry.cwd is not None), None),
    )


def _steps(calls: Iterable[TranscriptEntry], entries: Iterable[TranscriptEntry]) -> Iterator[Step]:
    results = {entry.call: entry for entry in entries if entry.kind is Kind.TOOL_RESULT and entry.call is not None}
    for call in calls:
        result = results.get(call.call) if call.call is not None else None
        if result is None:
            yield Step(call.tool, call.action, done=False, files=call.files, at=call.at)
        else:
            outcome = match_outcome(call.tool, call.action, result.outcome)
            yield Step(call.tool, call.action, result.text, result.failed, True, outcome, call.files, call.at)


def _messages(entries: Iterable[TranscriptEntry]) -> tuple[str, ...]:
    """Parts of one message joined by an empty line."""
    found: dict[object, list[str]] = {}
    for place, entry in enumerate(entries):
        found.setdefault(entry.message or place, []).append(entry.text)
    return tuple("\n\n".join(parts) for parts in found.values())
