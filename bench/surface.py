"""What reaches the agent unasked: the whole way of the hook, from a prompt to the block that is injected.

    python bench/surface.py DATA [--sets locomo,beam-100k] [--cases N] [--questions N]

For each profile: the share of gold lines that the block holds, beside what ``query`` finds within the same budget; how
often something is injected for a question to another case's notes, and for everyday prompts (``everyday.txt``) that no
notes answer; tokens per injection, and per injection that holds some gold.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hearth.app import hooks
from hearth.benchmark.measures import BenchQuestion, Window, coverage, load
from hearth.benchmark.systems import Subject, prepare
from hearth.cli.questions.bench import TemporaryWorkbench
from hearth.config import Config
from hearth.context.hook_context import PROFILES, Profile
from hearth.core.hook import PromptSubmitted
from hearth.text.lines import estimate_tokens
from machine import table

CONFIG = Config()
EVERYDAY = Path(__file__).with_name("everyday.txt")
# Ample: what is measured is what is found, not how fast.
_DEADLINE_MS = 60_000
_PLACE = re.compile(r"^- .* \| [^|]*?/(?P<path>[^|]+):(?P<lines>[\d,-]+) \| #[0-9a-z]+$", re.MULTILINE)
_LIMIT = 100


@dataclass
class Tally:
    asked: int = 0
    covered: float = 0.0
    by_query: float = 0.0
    tokens: int = 0
    injections: int = 0
    useful: int = 0
    foreign: int = 0
    foreign_asked: int = 0
    idle: int = 0
    idle_asked: int = 0

    def row(self, name: str, profile: Profile) -> list[str]:
        kept = self.covered / self.by_query if self.by_query else 1.0
        return [
            name,
            f"{profile.name} {profile.tokens}",
            f"{self.covered / max(1, self.asked):.3f}",
            f"{self.by_query / max(1, self.asked):.3f}",
            f"{kept:.1%}",
            f"{self.foreign / max(1, self.foreign_asked):.1%}",
            f"{self.idle / max(1, self.idle_asked):.1%}",
            f"{self.tokens / max(1, self.injections):.0f}",
            f"{self.tokens / max(1, self.useful):.0f}",
        ]


HEAD = ["set", "profile", "coverage", "of query", "kept", "crosswise", "everyday", "tokens", "tokens/useful"]


def main() -> None:
    options = _options()
    rows: list[list[str]] = []
    for name in options.sets.split(","):
        if not (options.data / name).is_dir():
            print(f"{name}: not in {options.data}, skipped", file=sys.stderr)
            continue
        tallies = measured(options.data / name, options.cases, options.questions)
        rows += [tally.row(name, PROFILES[profile]) for profile, tally in tallies.items()]
    print(table(HEAD, rows))


def measured(folder: Path, most: int | None, questions: int | None) -> dict[str, Tally]:
    """Of ``most`` cases at most so many ``questions`` each; then each everyday prompt goes to one case alone."""
    tallies = {name: Tally() for name in PROFILES}
    with tempfile.TemporaryDirectory() as work:
        bench = TemporaryWorkbench(Path(work))
        cases = sorted(load(folder), key=lambda case: case.name)[:most]
        subjects = [prepare(case, bench.open) for case in cases]
        everyday = read_everyday()
        for at, (subject, following) in enumerate(zip(subjects, [*subjects[1:], *subjects[:1]], strict=True)):
            answerable = [asked for asked in subject.case.questions if asked.gold]
            thinned = answerable if questions is None else answerable[:: -(-len(answerable) // questions) or 1]
            for profile, tally in tallies.items():
                for asked in thinned:
                    _ask(subject, asked, PROFILES[profile], tally)
                    if following is not subject:
                        tally.foreign_asked += 1
                        tally.foreign += _injected(following, asked.text, following.at, profile) is not None
                for text in everyday if questions is None else everyday[at :: len(subjects)]:
                    tally.idle_asked += 1
                    tally.idle += _injected(subject, text, subject.at, profile) is not None
        for subject in subjects:
            subject.vault.close()
    return tallies


def read_everyday() -> list[str]:
    r"""The everyday prompts; ``\n`` in a line is a line's end."""
    lines = EVERYDAY.read_text("utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines if line and not line.startswith("#")]


def _ask(subject: Subject, asked: BenchQuestion, profile: Profile, tally: Tally) -> None:
    at = subject.find_time(asked)
    tally.asked += 1
    text = _injected(subject, asked.text, at, profile.name)
    if text is not None:
        held = coverage(list(_windows(text)), asked.gold, subject.sizes)
        tally.covered += held
        tally.tokens += estimate_tokens(text)
        tally.injections += 1
        tally.useful += held > 0
    query = subject.vault.query(asked.text, at=at, limit=_LIMIT, budget_tokens=profile.tokens)
    hits = subject.vault.recall(query).hits
    windows = [Window(hit.path, hit.start_line, hit.end_line) for hit in hits]
    tally.by_query += coverage(windows, asked.gold, subject.sizes)


def _injected(subject: Subject, text: str, at: int, profile: str) -> str | None:
    """A prompt of a new session, and nothing written down."""
    vault = subject.vault.with_core(replace(subject.vault.core, clock=lambda: at))
    event = PromptSubmitted(host="bench", session="bench", prompt=text)
    return hooks(vault, CONFIG).answer("context-surfacing", event, _DEADLINE_MS, profile).reply.context


def _windows(text: str) -> Iterator[Window]:
    """The passages that a block names."""
    for found in _PLACE.finditer(text):
        for part in found["lines"].split(","):
            first, _, last = part.partition("-")
            yield Window(found["path"], int(first), int(last or first))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="locomo,beam-100k")
    parser.add_argument("--cases", type=int, help="the first so many cases of each set")
    parser.add_argument("--questions", type=int, help="at most so many of each case")
    return parser.parse_args()


if __name__ == "__main__":
    main()
