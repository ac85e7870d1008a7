"""Questions in one language, paragraphs in another: how often the first hit is the right paragraph.

    python bench/across.py DATA/xquad --languages en,es,zh --questions 100

The folder holds one case a language (``hearth bench`` says how one looks), with the same questions, translated, under
the same ids. The paragraphs of each language are asked every question in each language.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hearth.benchmark.measures import BenchQuestion, Case, load
from hearth.benchmark.run import Plan, Report, measure
from hearth.cli.questions.bench import TemporaryWorkbench
from machine import table

RECIPES = ("hybrid", "semantic", "keyword")
PLAN = Plan(recipes=RECIPES, ks=(1, 5), baselines=False, sample=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="folder of one case a language")
    parser.add_argument("--languages", help="names of its cases (default: all)")
    parser.add_argument("--questions", type=int, default=200, help="of each language, at most (default: %(default)s)")
    options = parser.parse_args()
    cases = {case.name: case for case in load(options.set)}
    chosen = options.languages.split(",") if options.languages else list(cases)
    if missing := sorted(set(chosen) - set(cases)):
        raise SystemExit(f"{options.set} has no case {', '.join(missing)}; it has {', '.join(cases)}")
    cases = {language: cases[language] for language in chosen}
    picked = pick(cases, options.questions)
    if not picked:
        raise SystemExit(f"no question has an id that all of {', '.join(chosen)} share")
    reports = {}
    for language, case in cases.items():
        reports[language] = _ask(cross(case, cases, picked))
        print(f"{language}: {len(picked)} questions in each of {', '.join(chosen)}", file=sys.stderr)
    for recipe in RECIPES:
        print(f"\n{recipe}: first hit right, by language of the paragraphs (down) and of the question (across)\n")
        print(compare(reports, recipe))


def pick(cases: Mapping[str, Case], most: int) -> list[str]:
    """Ids of answerable questions that every language has, evenly over the set."""
    shared = set.intersection(*({asked.id for asked in case.questions if asked.gold} for case in cases.values()))
    ids = [asked.id for asked in next(iter(cases.values())).questions if asked.id in shared]
    return ids[:: max(1, -(-len(ids) // most))]


def cross(case: Case, cases: Mapping[str, Case], ids: list[str]) -> Case:
    """The case asked in every language; the type of a question is its language, its gold that of this case."""
    gold = {asked.id: asked.gold for asked in case.questions}
    said = {language: {asked.id: asked for asked in other.questions} for language, other in cases.items()}

    def translate(language: str, name: str) -> BenchQuestion:
        return replace(said[language][name], id=f"{language}-{name}", type=language, gold=gold[name])

    return replace(case, questions=tuple(translate(language, name) for language in said for name in ids))


def _ask(case: Case) -> Report:
    with tempfile.TemporaryDirectory(prefix="hearth-across-") as work:
        return measure(case.name, [case], PLAN, TemporaryWorkbench(Path(work)), lambda done, total: None)


def compare(reports: Mapping[str, Report], recipe: str) -> str:
    rows = []
    for language, report in reports.items():
        found = [report.find("hearth", recipe, asked) or report.find("hearth", recipe) for asked in reports]
        rows.append([language, *(f"{row.values['recall@1']:.3f}" if row else "–" for row in found)])
    return table(["", *reports], rows)


if __name__ == "__main__":
    main()
