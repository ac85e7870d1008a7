"""Fits the constants of ranking on the evaluation sets: coordinate search, cross-validated by case.

    python bench/tune.py DATA --sets locomo,beam-100k --fields FUSION,KEYWORD.k1 --try CUT.floor=0.4,0.5,0.6

Each field of the dataclasses in ``hearth.recall.ranking.weights`` is one coordinate; without ``--try`` its present
value is
tried at several multiples. A value replaces the present one when the mean over the cases is better. Then the search
is done again for every case left out, and that case is scored with what the others chose: the difference between both
means is what the fit owes to having seen the answers. Indexes are built once a run, scores kept by constants and case.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, is_dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from machine import table

MULTIPLES = (0.5, 0.75, 1.33, 2.0)
MIN_GAIN = 0.0003
# Injections into another case's session allowed before they cost.
ALLOWED = {"locomo": 0.10, "beam-100k": 0.20}
# What a set's score is the mean of.
SCORED = {
    "locomo": ("coverage@800", "coverage@2000"),
    "beam-100k": ("recall@10", "coverage@2000"),
    "scifact": ("ndcg@10",),
    "cranfield": ("ndcg@10",),
    "notes": ("recall@5",),
    "examples": ("recall@5",),
    "xquad": ("recall@1",),
}
OTHERWISE = ("recall@10", "coverage@2000")

Constants = tuple[tuple[str, float], ...]
"""(``GROUP.field``, value) in a fixed order."""


def present() -> Constants:
    """The constants as the package has them."""
    from hearth.recall.ranking import weights

    groups = {name: value for name, value in vars(weights).items() if name.isupper() and is_dataclass(value)}
    return tuple(
        (f"{name}.{field.name}", float(getattr(group, field.name)))
        for name, group in groups.items()
        for field in fields(group)
    )


def use(constants: Constants) -> None:
    """Puts constants in place of those that the modules of ranking imported."""
    from hearth.recall.ranking import weights

    for group in {name.split(".")[0] for name, _ in constants}:
        changes = {name.split(".")[1]: value for name, value in constants if name.startswith(f"{group}.")}
        old = getattr(weights, group)
        new: Any = replace(old, **{field: type(getattr(old, field))(value) for field, value in changes.items()})
        for module in list(sys.modules.values()):
            if module.__name__.startswith("hearth.") and getattr(module, group, None) is old:
                setattr(module, group, new)


# -- in the workers -----------------------------------------------------------------------------------------------

_worker: Worker | None = None


class Worker:
    """Some sets, indexed once and asked again and again."""

    def __init__(self, folders: Sequence[Path], questions: int) -> None:
        from hearth.benchmark.measures import load
        from hearth.benchmark.systems import prepare
        from hearth.cli.questions.bench import TemporaryWorkbench

        self._work = tempfile.TemporaryDirectory(prefix="hearth-tune-", dir=_memory_folder())
        bench = TemporaryWorkbench(Path(self._work.name))
        self._sets = {
            folder.name: [prepare(_thinned(case, questions), bench.open) for case in load(folder)] for folder in folders
        }

    def cases(self) -> list[tuple[str, str]]:
        return [(name, subject.case.name) for name, subjects in self._sets.items() for subject in subjects]

    def score(self, constants: Constants, name: str, case: str) -> float:
        """The score of one case of a set, injections into the next case's session charged."""
        from hearth.benchmark.measures import coverage, ndcg_at, recall_at
        from hearth.benchmark.systems import Hearth

        use(constants)
        subjects = self._sets[name]
        at = next(n for n, subject in enumerate(subjects) if subject.case.name == case)
        subject, following = subjects[at], subjects[(at + 1) % len(subjects)]
        wanted = SCORED.get(name, OTHERWISE)
        asked = [question for question in subject.case.questions if question.gold]
        system = Hearth(subject, "hybrid")
        total = 0.0
        for question in asked:
            top = system.top(question, 10).windows if any("@1" in m or "@5" in m for m in wanted) else []
            for measure in wanted:
                kind, number = measure.split("@")
                if kind == "coverage":
                    held = system.packed(question, int(number), limit=30).windows
                    total += coverage(held, question.gold, subject.sizes) / len(wanted)
                else:
                    grade = {"recall": recall_at, "ndcg": ndcg_at}[kind]
                    total += grade(top, question.gold, int(number)) / len(wanted)
        injected = 0.0
        if name in ALLOWED:
            other = Hearth(following, "surface")
            undated = [replace(question, at=None) for question in asked]
            injected = sum(bool(other.top(question, 10).windows) for question in undated) / max(1, len(asked))
        return total / max(1, len(asked)) - INJECTION_COST * max(0.0, injected - ALLOWED.get(name, 1.0))


INJECTION_COST = 0.3


def _memory_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _thinned(case: Any, questions: int) -> Any:
    """Every n-th question, so that at most so many are left."""
    stride = -(-len(case.questions) // questions) or 1
    return replace(case, questions=case.questions[::stride])


def _start(folders: Sequence[Path], questions: int) -> list[tuple[str, str]]:
    global _worker
    _worker = Worker(folders, questions)
    return _worker.cases()


def _score(constants: Constants, cases: Sequence[tuple[str, str]]) -> list[float]:
    assert _worker is not None
    return [_worker.score(constants, name, case) for name, case in cases]


# -- in the main process ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    set: str
    name: str


class Scores:
    """Scores of constants by case, measured at most once."""

    def __init__(self, pools: Sequence[ProcessPoolExecutor], held: Sequence[Sequence[tuple[str, str]]]) -> None:
        self._pools = list(zip(pools, held, strict=True))
        self._known: dict[Constants, dict[Case, float]] = {}
        self.cases = [Case(*case) for cases in held for case in cases]

    def of(self, constants: Constants) -> Mapping[Case, float]:
        if constants not in self._known:
            jobs = [(pool.submit(_score, constants, cases), cases) for pool, cases in self._pools]
            found = {Case(*c): s for job, cases in jobs for c, s in zip(cases, job.result(), strict=True)}
            self._known[constants] = found
        return self._known[constants]

    def mean(self, constants: Constants, cases: Sequence[Case]) -> float:
        """The mean over the sets of the mean over their cases."""
        scores = self.of(constants)
        sets = {case.set for case in cases}
        return sum(
            sum(scores[c] for c in cases if c.set == name) / sum(c.set == name for c in cases) for name in sets
        ) / max(1, len(sets))


def search(
    scores: Scores, start: Constants, tries: Mapping[str, Sequence[float]], rounds: int, cases: Sequence[Case]
) -> tuple[Constants, list[tuple[str, float, float, bool]]]:
    """Coordinate search over some cases; and what was tried: (name, value, score, taken)."""
    best, reached = start, scores.mean(start, cases)
    tried = []
    for _ in range(rounds):
        before = best
        for name, values in tries.items():
            outcomes = []
            for value in values:
                changed = tuple((n, value if n == name else v) for n, v in best)
                outcomes.append((scores.mean(changed, cases), value, changed))
            top = max(outcomes, key=lambda outcome: outcome[0])
            taken = top[0] > reached + MIN_GAIN
            tried += [(name, value, score, taken and value == top[1]) for score, value, _ in outcomes]
            if taken:
                reached, _, best = top
        if best == before:
            break
    return best, tried


def main() -> None:
    options = _options()
    folders = [options.data / name for name in options.sets.split(",") if (options.data / name).is_dir()]
    if not folders:
        raise SystemExit(f"{options.data} holds none of {options.sets}")
    started = time.perf_counter()
    groups = [part for part in (folders[::2], folders[1::2]) if part]
    pools = [ProcessPoolExecutor(1, mp_context=get_context("spawn")) for _ in groups]
    held = [
        job.result() for job in [p.submit(_start, g, options.questions) for p, g in zip(pools, groups, strict=True)]
    ]
    scores = Scores(pools, held)
    start = present()
    tries = _tries(start, options.fields.split(","), options.values)
    print(f"{len(scores.cases)} cases indexed in {time.perf_counter() - started:.0f} s", flush=True)
    base = scores.mean(start, scores.cases)
    best, tried = search(scores, start, tries, options.rounds, scores.cases)
    _print(scores, start, best, base, tried)
    held_out = _cross_validated(scores, start, tries, options.rounds) if options.cross_validate else None
    if held_out is not None:
        print(f"left-out cases: {held_out:.4f} (constants as they are {base:.4f})")
    print(f"{time.perf_counter() - started:.0f} s")
    if options.json:
        figures = {"before": base, "after": scores.mean(best, scores.cases), "held_out": held_out, "best": dict(best),
                   "tried": tried}  # fmt: skip
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    for pool in pools:
        pool.shutdown()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of sets")
    parser.add_argument("--sets", default="locomo,beam-100k,scifact,xquad", help="(default: %(default)s)")
    parser.add_argument("--fields", default="KEYWORD,FUSION,CUT,PRIOR", help="groups or fields (default: %(default)s)")
    parser.add_argument("--try", dest="values", action="append", default=[], help="GROUP.field=value,value")
    parser.add_argument("--questions", type=int, default=40, help="per case at most (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=1, help="over all fields at most (default: %(default)s)")
    parser.add_argument("--cross-validate", action="store_true", help="search again for each case left out")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args()


def _tries(start: Constants, wanted: Sequence[str], given: Sequence[str]) -> dict[str, list[float]]:
    """Values to try by field; ``--try`` replaces the multiples and the choice of fields."""
    explicit = {name: [float(v) for v in values.split(",")] for name, values in (item.split("=") for item in given)}
    known = dict(start)
    for name in explicit:
        if name not in known:
            raise SystemExit(f"no constant {name}; there are {', '.join(known)}")
    if explicit:
        return explicit
    return {
        name: [round(value * multiple, 4) for multiple in MULTIPLES]
        for name, value in start
        if name in wanted or name.split(".")[0] in wanted
    }


def _cross_validated(scores: Scores, start: Constants, tries: Mapping[str, Sequence[float]], rounds: int) -> float:
    """The mean score of each case under constants that the other cases chose."""
    left_out: dict[Case, float] = {}
    for case in scores.cases:
        others = [other for other in scores.cases if other != case]
        chosen, _ = search(scores, start, tries, rounds, others)
        left_out[case] = scores.of(chosen)[case]
    sets = {case.set for case in scores.cases}
    means = [sum(s for c, s in left_out.items() if c.set == n) / sum(c.set == n for c in left_out) for n in sets]
    return sum(means) / len(means)


def _print(
    scores: Scores, start: Constants, best: Constants, base: float, tried: Sequence[tuple[str, float, float, bool]]
) -> None:
    lines = [[name, f"{value:g}", f"{score:.4f}", "yes" if taken else ""] for name, value, score, taken in tried]
    print(table(["constant", "value", "score", "taken"], lines))
    rows = []
    for name in dict.fromkeys(case.set for case in scores.cases):
        inside = [case for case in scores.cases if case.set == name]
        rows.append([name, f"{scores.mean(start, inside):.4f}", f"{scores.mean(best, inside):.4f}"])
    rows.append(["mean", f"{base:.4f}", f"{scores.mean(best, scores.cases):.4f}"])
    print(table(["set", "before", "after"], rows))
    changed = [f"{name}={value:g}" for (name, value), (_, old) in zip(best, start, strict=True) if value != old]
    print("changed:", ", ".join(changed) or "nothing", flush=True)


if __name__ == "__main__":
    main()
