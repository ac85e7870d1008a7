"""Fits the gate of what is brought unasked: the weights in ``src/hearth/ranking/gate.toml``.

    python bench/fit_gate.py DATA [--rows FILE] [--write]

Pairs are natural ones: questions of the sets in DATA (notes, team, engnotes, the chats) and of the examples, asked of
their own notes, of other notes, and those without an answer; and prompts of coding sessions that no notes answer
(``everyday.txt``, and those that the tables in ``coding_prompts.txt`` make). A third of the questions, by a hash of set
and id, is left out. Each kind is then left out in turn, so that the figures are of kinds that the weights never saw.
Run it again after a change of the vectors or of the lanes. ``--rows`` keeps what was collected, ``--write`` writes the
weights.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hearth.cli.questions.bench import TemporaryWorkbench
from hearth.engine.bench.cases import BenchQuestion, Case, Gold, load
from hearth.engine.bench.subject import Subject, prepare
from hearth.engine.recall import recipes
from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.gate import GateStage, Reading
from hearth.model.query import Conversation
from hearth.ranking.gate import FALLING, RISING, Features
from machine import table

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "src/hearth/ranking/gate.toml"
EXAMPLES = HERE.parent / "examples"
SETS = ("notes", "team", "engnotes", "locomo", "beam-100k")
MANUALS = ("notes", "team")
PER_CASE = {"locomo": 40, "beam-100k": 20}
FOREIGN = 40
CODING = 400
KEPT = 3
# What another passage of an answered question weighs: it may answer, too.
BESIDE = 0.3
RIDGE = 1e-3
LANES = {"meaning": "surface", "words": "surface-speed"}
# So many of the prompts of coding sessions, and of the questions to other notes, may bring something.
ALLOWED = 0.02


@dataclass
class Row:
    """A passage for a prompt: what kind of prompt, of which set, and whether it is wanted."""

    kind: str
    prompt: str
    wanted: bool
    weight: float
    features: list[float]


class _Recorder(Stage):
    """Stands where the gate does and keeps what it reads."""

    name: ClassVar[str] = "gate"

    def __init__(self) -> None:
        self.read: list[tuple[Any, Features]] = []

    def __call__(self, context: Context, pool: Pool) -> Pool:
        reading = Reading(context)
        self.read = [(one, reading.read(one)) for one in pool.candidates[:16]]
        return replace(pool, candidates=[])


def collect(data: Path, lane: str) -> Iterator[Row]:
    rng = random.Random(7)
    recorder = _Recorder()
    usual = recipes.RECIPES[LANES[lane]]
    stages: tuple[Stage, ...] = tuple(recorder if isinstance(one, GateStage) else one for one in usual.stages)
    recipes.RECIPES["fit"] = replace(usual, name="fit", stages=stages)
    with tempfile.TemporaryDirectory(prefix="hearth-gate-") as work:
        bench = TemporaryWorkbench(Path(work))
        cases = [(name, case) for name in SETS for case in _load(data / name, name)]
        cases += [("examples", case) for case in load(EXAMPLES)]
        cases.append(("instructions", _write_instructions(Path(work) / "instructions")))
        subjects = [(name, prepare(case, bench.open)) for name, case in cases]
        coding = [*_read_everyday(), *_make_coding(rng)]
        for name, subject in subjects:
            own = list(_thin(subject.case, name))
            for asked in own:
                yield from _judge(subject, asked, name, recorder)
            others = [q for other, one in subjects if other != name for q in _thin(one.case, other) if q.gold]
            for asked in rng.sample(others, min(len(others), FOREIGN)):
                yield from _judge(subject, replace(asked, gold=(), at=None), "foreign", recorder)
            if name in MANUALS:  # they do answer some
                continue
            for text in rng.sample(coding, CODING if name in ("engnotes", "examples", "instructions") else CODING // 8):
                question = BenchQuestion(f"{name}/{text}", text, "coding", ())
                yield from _judge(subject, question, "coding", recorder)
        for _, subject in subjects:
            subject.vault.close()


def _judge(subject: Subject, asked: BenchQuestion, kind: str, recorder: _Recorder) -> Iterator[Row]:
    recorder.read = []
    at = subject.asked_at(asked)
    query = subject.vault.query(asked.text, recipe="fit", at=at, limit=26, conversation=Conversation(here=None))
    subject.vault.recall(query)
    kept = 0
    for candidate, features in sorted(recorder.read, key=lambda one: -one[0].relevance):
        document, fragment = candidate.document.document, candidate.fragment
        gold = any(
            one.path == document.path and one.start <= fragment.end_line and fragment.start_line <= one.end
            for one in asked.gold
        )
        if gold or kept < KEPT:
            kept += not gold
            weight = BESIDE if asked.gold and not gold else 1.0
            yield Row(kind, f"{subject.case.name}/{asked.id}/{kind}", gold, weight, list(features))


def _load(folder: Path, name: str) -> list[Case]:
    if not folder.is_dir():
        print(f"{folder} is not there, left out", file=sys.stderr)
        return []
    return load(folder)


def _thin(case: Case, name: str) -> Iterator[BenchQuestion]:
    """Those that are not aside, at most so many of a case."""
    left = [one for one in case.questions if one.type not in ("name", "alias") and not _is_aside(name, case, one)]
    most = PER_CASE.get(name, 400)
    yield from left[:: -(-len(left) // most) or 1]


def _is_aside(name: str, case: Case, asked: BenchQuestion) -> bool:
    own = f"{name}/{case.name}/{asked.id}" if name in PER_CASE else f"{name}/{asked.id}"
    return int(hashlib.sha256(own.encode()).hexdigest(), 16) % 3 == 0


def _read_everyday() -> list[str]:
    lines = (HERE / "everyday.txt").read_text("utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines if line and not line.startswith("#")]


def _write_instructions(folder: Path) -> Case:
    """The notes that govern instructions, as a case."""
    folder.mkdir()
    asked = []
    rows = (line.split("\t") for line in (HERE / "instructions.tsv").read_text("utf-8").splitlines())
    for number, row in enumerate(row for row in rows if len(row) == 3):
        prompt, title, text = row
        (folder / f"{number}.md").write_text(f"# {title}\n\n{text}\n", "utf-8")
        asked.append(BenchQuestion(f"i{number}", prompt, "governs", (Gold(f"{number}.md", 1, 9),)))
    return Case("instructions", folder, tuple(asked))


def _make_coding(rng: random.Random) -> list[str]:
    """Each pattern of the tables filled in some ways; ``{name}`` stands for one of the words of that name."""
    words: dict[str, list[str]] = {}
    patterns: list[str] = []
    for line in (HERE / "coding_prompts.txt").read_text("utf-8").splitlines():
        if line.startswith("<"):
            name, _, listed = line[1:].partition(">")
            words[name] = [word.strip() for word in listed.split("|")]
        elif line and not line.startswith("#"):
            patterns.append(line.replace("\\n", "\n"))
    found = []
    for pattern, _ in itertools.product(patterns, range(4)):
        text = pattern
        while (start := text.find("{")) >= 0 and text[start + 1 : text.find("}", start)] in words:
            end = text.find("}", start)
            text = text[:start] + rng.choice(words[text[start + 1 : end]]) + text[end + 1 :]
        found.append(text)
    return list(dict.fromkeys(found))


# -- fitting --------------------------------------------------------------------------------------------------------


def fit(rows: Sequence[Row], use: Sequence[str]) -> dict[str, float]:
    """Logistic weights whose signs are as they must be, by projected gradient; every kind weighs the same."""
    at = [Features._fields.index(name) for name in use]
    values = np.array([[row.features[one] for one in at] for row in rows])
    wanted = np.array([float(row.wanted) for row in rows])
    weight = _weigh(rows)
    low = np.array([0.0 if name in RISING else -np.inf for name in use])
    high = np.array([0.0 if name in FALLING else np.inf for name in use])
    slope, intercept = np.zeros(len(use)), 0.0
    first, second = np.zeros(len(use) + 1), np.zeros(len(use) + 1)
    for step in range(1, 6001):
        chance = 1 / (1 + np.exp(-np.clip(values @ slope + intercept, -30, 30)))
        error = weight * (chance - wanted)
        bent = np.append(values.T @ error + RIDGE * slope, error.sum())
        first = 0.9 * first + 0.1 * bent
        second = 0.999 * second + 0.001 * bent**2
        move = 0.02 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        slope = np.clip(slope - move[:-1], low, high)
        intercept -= move[-1]
    return {"intercept": float(intercept)} | {n: float(v) for n, v in zip(use, slope, strict=True)}


def _weigh(rows: Sequence[Row]) -> Any:
    total: dict[tuple[str, bool], float] = {}
    for row in rows:
        total[row.kind, row.wanted] = total.get((row.kind, row.wanted), 0.0) + row.weight
    whole = sum(total[key] ** 0.5 for key in total)
    return np.array([row.weight / total[row.kind, row.wanted] ** 0.5 / whole for row in rows])


def score(rows: Sequence[Row], weights: dict[str, float]) -> Any:
    values = np.array([row.features for row in rows])
    slope = np.array([weights.get(name, 0.0) for name in Features._fields])
    return 1 / (1 + np.exp(-np.clip(values @ slope + weights["intercept"], -30, 30)))


def measure(rows: Sequence[Row], scores: Any, floor: float) -> dict[str, tuple[int, int]]:
    """By kind: of the prompts with a wanted passage those that it is brought for, of the others those that bring
    something."""
    best: dict[tuple[str, str, bool], float] = {}
    answered = {row.prompt for row in rows if row.wanted}
    for row, value in zip(rows, scores, strict=True):
        has = row.prompt in answered
        if row.wanted or not has:
            key = (row.kind, row.prompt, has)
            best[key] = max(best.get(key, 0.0), float(value))
    found: dict[str, tuple[int, int]] = {}
    for (kind, _, has), value in best.items():
        name = f"{kind} {'wanted' if has else 'nothing'}"
        brought, count = found.get(name, (0, 0))
        found[name] = (brought + (value >= floor), count + 1)
    return found


def leave_out(rows: Sequence[Row], use: Sequence[str]) -> Any:
    """The score of each row by weights that saw none of its kind."""
    scores = np.zeros(len(rows))
    for kind in sorted({row.kind for row in rows}):
        others = [row for row in rows if row.kind != kind]
        own = [n for n, row in enumerate(rows) if row.kind == kind]
        scores[own] = score([rows[n] for n in own], fit(others, use))
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=Path, help="a file to keep what was collected in, read where it is there")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--without", default="", help="features left out")
    options = parser.parse_args()
    use = [name for name in Features._fields if name not in options.without.split(",")]
    text = "# Made by bench/fit_gate.py; docs/scoring.md says what the features are.\n"
    for lane in LANES:
        rows = _get_rows(options, lane)
        held = leave_out(rows, use)
        nothing = [sorted(measure_best(rows, held, kind)) for kind in ("coding", "foreign")]
        floor = max(values[int((1 - ALLOWED) * (len(values) - 1))] for values in nothing)
        weights = fit(rows, use)
        found = measure(rows, held, floor)
        print(f"{lane}: floor {floor:.3f}")
        told = [[kind, str(brought), f"{n} {brought / n:.0%}"] for kind, (brought, n) in sorted(found.items())]
        print(table(["kind", "brought", "of"], told))
        print(table(["feature", "weight"], [[name, f"{value:.2f}"] for name, value in weights.items()]))
        # One half is where a passage is brought.
        weights["intercept"] -= math.log(floor / (1 - floor))
        text += f"\n[{lane}]\n"
        text += "".join(f"{name} = {value:.3f}\n" for name, value in weights.items() if abs(value) >= 0.0005)
    if options.write:
        WEIGHTS.write_text(text, "utf-8")


def measure_best(rows: Sequence[Row], scores: Any, kind: str) -> list[float]:
    best: dict[str, float] = {}
    for row, value in zip(rows, scores, strict=True):
        if row.kind == kind:
            best[row.prompt] = max(best.get(row.prompt, 0.0), float(value))
    return list(best.values())


def _get_rows(options: argparse.Namespace, lane: str) -> list[Row]:
    kept = None if options.rows is None else options.rows.with_suffix(f".{lane}.jsonl")
    if kept is not None and kept.exists():
        return [Row(**json.loads(line)) for line in kept.read_text("utf-8").splitlines()]
    rows = list(collect(options.data, lane))
    if kept is not None:
        kept.write_text("".join(json.dumps(vars(row)) + "\n" for row in rows), "utf-8")
    return rows


if __name__ == "__main__":
    main()
