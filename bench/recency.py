"""Does the newest version win where it is meant, and an older one where that is asked for?

    python bench/recency.py [--subjects 100] [--seed 1] [--json FILE]

Makes dated notes: each subject has a setting whose value was written down several times (notes, daily files and
decisions, by turns), among notes on other things. Four questions a subject: for the latest value ("latest"), for the
value without a word about time ("present"), for the value in the month of an older version ("dated"), and for an older
version by what only it mentions ("topic"). Prints the share of questions whose first result is the right file: without
a prior, with relevance scoring, and with composite scoring. Synthetic notes tell whether the mechanism works, not how
often people ask such questions.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from hearth.benchmark.measures import BenchQuestion, Case, Gold
from hearth.benchmark.systems import Subject, prepare
from hearth.core import instants
from hearth.core.query import Query
from hearth.recall.recall import Recaller
from machine import table
from tune import present, use

KINDS = ("latest", "present", "dated", "topic")
TYPES = ("note", "daily", "decision")
TODAY = date(2025, 6, 30)
SYSTEMS = ("birds", "ledger", "gateway", "kiosk", "atlas", "beacon", "harbor", "quarry", "meadow", "signal")
SETTINGS = ("retry limit", "cache size", "release train", "database", "on-call team", "session timeout", "log format",
            "deploy window", "queue depth", "page size", "backup target", "font", "parser", "test runner")  # fmt: skip
VALUES = ("amber", "cobalt", "walnut", "saffron", "granite", "juniper", "pewter", "indigo", "maple", "coral", "onyx",
          "topaz")  # fmt: skip
REASONS = ("the audit by Ingrid", "a customer in Oslo", "the outage of the mail relay", "a broken printer driver",
           "the licence renewal", "a flaky tunnel", "the visit of the auditors", "the move to the new building",
           "a thesis by an intern", "the leap second", "a recall of routers", "the winter storm")  # fmt: skip
# How a version is put: a person does not write the same sentence each time.
SENTENCES = (
    "The {setting} of {system} is {value} now, because of {reason}.",
    "{system}: {setting} set to {value} after {reason}.",
    "We went with {value} for the {setting} of {system}. The reason was {reason}.",
    "Talked about {system}. Its {setting} becomes {value}; {reason} left no choice.",
)
ASKED = {
    "latest": (
        "What is the latest {setting} of {system}?",
        "What did we most recently choose as {setting} of {system}?",
    ),
    "present": ("What is the {setting} of {system}?", "Which {setting} does {system} use?"),
    "dated": ("What was the {setting} of {system} in {month}?", "Which {setting} did {system} have in {month}?"),
    "topic": ("What {setting} did {system} get because of {reason}?", "{reason}: which {setting} for {system}?"),
}
OTHER = ("Watered the plants and sorted the shelf.", "Lunch with the team; nothing was decided.",
         "Read about {value} pigments for the poster.", "Cleaned up the wiki of {system}.")  # fmt: skip


@dataclass(frozen=True)
class Version:
    path: str
    day: date
    reason: str


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="hearth-recency-") as work:
        figures = run(Path(work), options.subjects, options.seed)
    kinds = [*KINDS, "all"]
    rows = [[name, *(f"{found[kind]:.3f}" for kind in kinds)] for name, found in figures.items()]
    print(table(["hit@1", *kinds], rows))
    print(f"\n{options.subjects} questions of each kind, seed {options.seed}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subjects", type=int, default=100, help="at most 140 (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    if not 1 <= options.subjects <= len(SYSTEMS) * len(SETTINGS):
        parser.error(f"--subjects {options.subjects} is out of range; choose 1 to {len(SYSTEMS) * len(SETTINGS)}")
    return options


def run(work: Path, subjects: int, seed: int) -> dict[str, dict[str, float]]:
    """hit@1 by scoring and kind of question."""
    from hearth.cli.questions.bench import TemporaryWorkbench

    case = corpus(work / "notes", subjects, random.Random(seed))
    subject = prepare(case, TemporaryWorkbench(work / "vaults").open)
    try:
        recaller = subject.vault.core.recaller
        settings = replace(recaller.settings, scoring="composite")
        composite = Recaller(subject.vault.store, recaller.spaces, settings)
        with _without_prior():
            found = {"no prior": hits(subject, recaller)}
        return found | {"relevance": hits(subject, recaller), "composite": hits(subject, composite)}
    finally:
        subject.vault.close()


@contextmanager
def _without_prior() -> Iterator[None]:
    before = present()
    use(tuple((name, 0.0 if name in ("PRIOR.band", "PRIOR.recency_band") else value) for name, value in before))
    try:
        yield
    finally:
        use(before)


def hits(subject: Subject, recaller: Recaller) -> dict[str, float]:
    """Share of the questions of each kind, and of all, whose first hit is the right file."""
    right: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    at = instants.noon(TODAY) + instants.DAY_MS // 2
    for asked in subject.case.questions:
        found = recaller(Query(asked.text, at=at, limit=10)).hits
        right[asked.type].append(bool(found) and found[0].path == asked.gold[0].path)
    shares = {kind: sum(marks) / len(marks) for kind, marks in right.items()}
    return shares | {"all": sum(map(sum, right.values())) / len(subject.case.questions)}


# -- notes ----------------------------------------------------------------------------------------------------------


def corpus(folder: Path, subjects: int, rng: random.Random) -> Case:
    """Notes below ``folder``, and four questions a subject."""
    pairs = rng.sample([(system, setting) for system in SYSTEMS for setting in SETTINGS], subjects)
    days: dict[str, list[str]] = {}
    questions: list[BenchQuestion] = []
    for number, (system, setting) in enumerate(pairs):
        versions = _versions(folder, number, system, setting, rng, days)
        questions += _questions(number, system, setting, versions, rng)
    for offset in range(0, 400, 3):
        said = rng.choice(OTHER).format(value=rng.choice(VALUES), system=rng.choice(SYSTEMS))
        days.setdefault(str(TODAY - timedelta(days=offset)), []).append(said)
    for day, lines in days.items():
        _write(folder / "daily" / f"{day}.md", f"# {day}\n\n" + "".join(f"- {line}\n" for line in lines))
    return Case("recency", folder, tuple(questions))


def _versions(
    folder: Path, number: int, system: str, setting: str, rng: random.Random, days: dict[str, list[str]]
) -> list[Version]:
    """Two to four versions, oldest first, in different months; the newest is up to a year old."""
    kind = TYPES[number % len(TYPES)]
    count = rng.randint(2, 4)
    reasons, values = rng.sample(REASONS, count), rng.sample(VALUES, count)
    day = TODAY - timedelta(days=rng.randint(1, 365))
    made: list[Version] = []
    for reason, value in zip(reasons, values, strict=True):
        said = rng.choice(SENTENCES).format(system=system, setting=setting, value=value, reason=reason)
        path = _placed(folder, kind, f"{system}-{setting}".replace(" ", "-"), day, said, days)
        made.append(Version(path, day, reason))
        day = day.replace(day=1) - timedelta(days=rng.randint(1, 80))
    return made[::-1]


def _placed(folder: Path, kind: str, name: str, day: date, said: str, days: dict[str, list[str]]) -> str:
    if kind == "daily":
        days.setdefault(str(day), []).append(said)
        return f"daily/{day}.md"
    path = f"{kind}s/{name}-{day:%y%m}.md"
    head = f"---\nauthored_at: {day}\ncontent_type: {kind}\n---\n"
    _write(folder / path, f"{head}# {name.replace('-', ' ')}\n\n{said}\n")
    return path


def _questions(
    number: int, system: str, setting: str, versions: list[Version], rng: random.Random
) -> Iterator[BenchQuestion]:
    older = rng.choice(versions[:-1])
    right: dict[str, Version] = {"latest": versions[-1], "present": versions[-1], "dated": older, "topic": older}
    form: Callable[[str], str] = lambda text: text.format(  # noqa: E731
        system=system, setting=setting, month=f"{older.day:%B %Y}", reason=older.reason
    )
    for kind in KINDS:
        gold = (Gold(right[kind].path, 1, 1),)
        yield BenchQuestion(f"{kind}-{number}", form(rng.choice(ASKED[kind])), kind, gold)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
