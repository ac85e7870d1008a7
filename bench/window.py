"""What a summary loses: a long conversation held in a small window, against a search of all of it.

    python bench/window.py DATA [--sets beam-100k] [--cases N] [--questions N] [--window TOKENS]

Each conversation is committed turn by turn to the context engine, which compacts it whenever the window is full. Then
``coverage@2000`` is the share of gold lines that stand in the summary and in what a search finds in the rest of 2,000
tokens, beside what a search alone finds in 2,000; and with the messages that are still in the window.
Last come the identifiers that the summaries hold, and how many of them nobody said.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from hearth.benchmark.measures import Case, Window, coverage, load
from hearth.benchmark.systems import Subject, prepare
from hearth.capture.compaction import find_identifiers, summarize_lines
from hearth.cli.questions.bench import TemporaryWorkbench
from hearth.config.tree import ContextSettings
from hearth.context.engine.assembly import AssembleRequest, EngineServices
from hearth.context.engine.engine import ContextEngine
from hearth.context.engine.messages import plain_text
from hearth.context.engine.sessions import SessionId
from hearth.disk.session_logs import DiskSessionLogs
from hearth.text.lines import estimate_tokens
from machine import table

BUDGET = 2_000
_LIMIT = 100
_LEAST = 20
"""Characters of a line that are found again in a summary."""
_TURN = re.compile(r"(?m)^## (User|Assistant)\s*$")
SESSION = SessionId("bench")
HEAD = [
    "set",
    "cases",
    "questions",
    "search alone",
    "summary + search",
    "with the window",
    "summary tokens",
    "compactions",
    "identifiers",
    "invented",
]


@dataclass
class Tally:
    cases: int = 0
    asked: int = 0
    alone: float = 0.0
    summary: float = 0.0
    window: float = 0.0
    tokens: int = 0
    compactions: int = 0
    identifiers: int = 0
    invented: int = 0

    def row(self, name: str) -> list[str]:
        shares = [f"{value / max(1, self.asked):.3f}" for value in (self.alone, self.summary, self.window)]
        counts = [f"{self.tokens / max(1, self.cases):.0f}"]
        counts += [str(self.compactions), str(self.identifiers), str(self.invented)]
        return [name, str(self.cases), str(self.asked), *shares, *counts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="beam-100k")
    parser.add_argument("--cases", type=int, default=None)
    parser.add_argument("--questions", type=int, default=None)
    parser.add_argument("--window", type=int, default=32_768)
    options = parser.parse_args()
    rows = []
    for name in options.sets.split(","):
        tally = Tally()
        for case in sorted(load(options.data / name), key=lambda case: case.name)[: options.cases]:
            measure_case(case, options.window, options.questions, tally)
        rows.append(tally.row(name))
    print(table(HEAD, rows))


def measure_case(case: Case, window: int, most: int | None, tally: Tally) -> None:
    with tempfile.TemporaryDirectory() as work:
        summary, kept, compactions = hold(case, Path(work) / "sessions", window)
        subject = prepare(case, TemporaryWorkbench(Path(work)).open)
        with_summary = [*find_lines(case, summary), *find_lines(case, kept)]
        in_summary = find_lines(case, summary)
        used = estimate_tokens(summary)
        tally.cases += 1
        tally.tokens += used
        tally.compactions += compactions
        said = "\n".join(plain_text(message) for turn in read_turns(case) for message in turn)
        named = find_identifiers([summary])
        tally.identifiers += len(named)
        tally.invented += sum(name not in said for name in named)
        answerable = [asked for asked in subject.case.questions if asked.gold]
        for asked in answerable if most is None else answerable[:most]:
            tally.asked += 1
            alone = search(subject, asked, BUDGET)
            beside = search(subject, asked, BUDGET - used) if used < BUDGET else []
            tally.alone += coverage(alone, asked.gold, subject.sizes)
            tally.summary += coverage([*in_summary, *beside], asked.gold, subject.sizes)
            tally.window += coverage([*with_summary, *beside], asked.gold, subject.sizes)
        subject.vault.close()


def search(subject: Subject, asked: Any, budget: int) -> list[Window]:
    query = subject.vault.query(asked.text, at=subject.find_time(asked), limit=_LIMIT, budget_tokens=budget)
    return [Window(hit.path, hit.start_line, hit.end_line) for hit in subject.vault.recall(query).hits]


def hold(case: Case, folder: Path, window: int) -> tuple[str, str, int]:
    """The summary in the end, the texts still in the window, and how often it was compacted."""
    services = EngineServices(
        recall=lambda session, prompt, tokens: ("", lambda: None),
        files=lambda agent, budget, private: [],
        day_notes=lambda agent, today: [],
        summarize=lambda lines, cut, former, focus, by_rules: summarize_lines(lines, cut, former, focus),
        committed=lambda session, end: None,
        ended=lambda session, reason, said, host: None,
        unflushed=lambda session, folder: "",
        has_memory=lambda agent: True,
    )
    settings = ContextSettings()
    engine = ContextEngine(DiskSessionLogs(folder), services, settings, lambda text: text, lambda: 0, UTC)
    compactions = 0
    for number, turn in enumerate(read_turns(case)):
        engine.commit(SESSION, f"t{number}", turn)
        if engine.is_compaction_due(SESSION, window=window):
            compactions += engine.compact(SESSION, window=window).compacted
    sent = engine.assemble(SESSION, AssembleRequest(window, files=False, window=window)).messages
    texts = [plain_text(message) for message in sent]
    has_summary = bool(texts) and texts[0].startswith("<vault-summary>")
    return texts[0] if has_summary else "", "\n".join(texts[has_summary:]), compactions


def read_turns(case: Case) -> Iterator[list[dict[str, str]]]:
    """A prompt with its answers."""
    turn: list[dict[str, str]] = []
    for file in sorted(case.corpus.rglob("*.md")):
        parts = _TURN.split(file.read_text("utf-8"))
        for role, text in zip(parts[1::2], parts[2::2], strict=True):
            if role == "User" and turn:
                yield turn
                turn = []
            turn.append({"role": role.lower(), "content": text.strip()})
    if turn:
        yield turn


def find_lines(case: Case, text: str) -> list[Window]:
    """The lines of the conversation that stand in a text, whole or as far as an item of a summary goes."""
    items = [line.strip().removeprefix(">").strip().removeprefix("- ").rstrip("… ") for line in text.splitlines()]
    told = [item.removeprefix("Last request: ") for item in items if len(item) >= _LEAST]
    known = "\n".join(told)
    found = []
    for file in sorted(case.corpus.rglob("*.md")):
        path = file.relative_to(case.corpus).as_posix()
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            own = line.strip()
            if len(own) >= _LEAST and (own in known or any(item in own for item in told if len(item) < 300)):
                found.append(Window(path, number, number))
    return found


if __name__ == "__main__":
    main()
