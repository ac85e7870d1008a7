"""``hearth llm``: the language model that reads sessions, tried on a sample."""

from __future__ import annotations

import time
from typing import Any

import click

from hearth.app.llm import open_reader, usage
from hearth.app.settings import now_ms
from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.core import instants
from hearth.core.extraction import Extraction
from hearth.core.transcript import Kind, TranscriptEntry, Turn

_SAMPLE = (
    ("Where do we keep the jars of the larder?", "On the lowest shelf, as far as I can see."),
    ("From now on they stand on the top shelf, because the cat can reach the lower ones.", "Noted: the top shelf."),
    ("I always want labels in capital letters. Please print new ones by Friday.", "I will print them in capitals."),
)


@click.group(no_args_is_help=True)
def llm() -> None:
    """Test the language model that reads sessions."""


@llm.command("test")
@options.json_flag
@pass_session
def test(session: CommandSession, as_json: bool) -> None:
    """Let the configured language model read a sample and show what would be kept; nothing is stored."""
    chosen = session.settings()
    reader = open_reader(chosen, now_ms)
    turns = sample()
    today = instants.moment(now_ms(), instants.zone_of(chosen.loaded.zone)).date()
    began = time.perf_counter()
    try:
        found = reader.judge(reader.ask(turns, 0, (), today), turns, 0)
    finally:
        reader.llm.close()
    seconds = round(time.perf_counter() - began, 1)
    used = usage(chosen, now_ms).used()
    if as_json:
        row: dict[str, Any] = {"model": reader.llm.name, "seconds": seconds, "calls_today": used.calls}
        output.say_json(row | {"tokens_today": used.tokens, "sample": _sample_rows(), "extraction": found.to_dict()})
        return
    _say(found)
    budget = chosen.loaded.config.llm.tokens_per_day
    most = "no limit" if budget is None else f"at most {budget:,}"
    calls = output.plural(used.calls, "call")
    output.note(f"{reader.llm.name} answered in {seconds:g} s; today: {calls}, {used.tokens:,} tokens ({most})")


def sample() -> list[Turn]:
    """A session that is read for trying."""
    return [
        Turn(number, prompts=(TranscriptEntry(Kind.USER, asked, turn=number),), replies=(answered,))
        for number, (asked, answered) in enumerate(_SAMPLE, 1)
    ]


def _sample_rows() -> list[dict[str, str]]:
    return [{"user": asked, "assistant": answered} for asked, answered in _SAMPLE]


def _say(found: Extraction) -> None:
    for number, (asked, answered) in enumerate(_SAMPLE, 1):
        output.say(f"turn {number}  user: {asked}")
        output.say(f"        assistant: {answered}")
    output.say("")
    for memory in found.memories:
        output.say(f"{memory.category}: {output.line(memory.text)} ({memory.tier}, turn {memory.evidence.turn})")
    for dropped in found.dropped:
        output.say(f"not kept: {output.line(dropped.text)}: {dropped.reason}")
    if not found.memories:
        output.warn("nothing would be kept: the model may be too small, or not one that follows instructions")
