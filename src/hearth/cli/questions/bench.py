"""``hearth bench``: measures recall on notes whose answers are known."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from hearth import app
from hearth.benchmark.measures import load
from hearth.benchmark.run import Plan, Report, ReportRow, measure
from hearth.benchmark.systems import Ranker
from hearth.cli.options import json_flag
from hearth.cli.output import line, plural, say, say_json, say_rows, size
from hearth.cli.session import CommandSession, Progress, pass_session
from hearth.core import paths
from hearth.markdown import DEFAULT_OVERLAP, DEFAULT_WORDS
from hearth.models.onnx import models_folder
from hearth.store.sqlite.read_search import Bm25Baseline
from hearth.vault.vault import Vault


class TemporaryWorkbench:
    """Implements ``benchmark.subject.Workbench`` below a folder that the caller removes, with default settings but
    for the variables ``given``. Models that were pulled are found."""

    def __init__(self, work: Path, given: Mapping[str, str] | None = None) -> None:
        self._work = work
        self._given = given or {}
        self._opened = 0

    @property
    def fingerprint(self) -> str:
        return app.fingerprint(DEFAULT_WORDS, DEFAULT_OVERLAP)

    def open(self, corpus: Path) -> Vault:
        self._opened += 1
        work = self._work / str(self._opened)
        if self._given:
            lend_models(work / "cache")
        return app.open_folder(corpus, work, self._given)

    def size(self) -> int:
        files = (path for path in self._work.glob("*/cache/**/*") if path.is_file())
        return sum(path.stat().st_size for path in files)

    def bm25(self, fragments: Iterable[tuple[int, str]], stop_words: frozenset[str]) -> Ranker:
        return Bm25Baseline(fragments, stop_words)


def lend_models(cache: Path) -> None:
    here, there = models_folder(cache), models_folder(paths.folders().cache)
    here.parent.mkdir(parents=True)
    here.symlink_to(there)


def _variables(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Settings given as KEY=VALUE, as the variables that stand for them."""
    del ctx, param
    for given in value:
        if not re.fullmatch(r"(embedding|rerank|search|fragments)\.[a-z_]+=.*", given):
            raise click.BadParameter(f"{given!r} is not a setting such as embedding.provider=onnx")
    pairs = (given.split("=", 1) for given in value)
    return {f"HEARTH_{key.replace('.', '_').upper()}": setting for key, setting in pairs}


def _numbers(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """Ascending positive integers from a comma-separated list."""
    del ctx
    try:
        numbers = tuple(sorted({int(part) for part in value.split(",")}))
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list such as {param.default}") from None
    largest = 100 if param.name == "ks" else 1_000_000
    if numbers[0] < 1 or numbers[-1] > largest:
        raise click.BadParameter(f"{value!r} is out of range; each must lie between 1 and {largest}")
    return numbers


@click.command()
@click.argument("folder", metavar="DIR", type=Path)
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    type=click.Choice(["keyword", "semantic", "hybrid", "intent", "surface"]),
    help="How to search; may be given several times.  [default: hybrid]",
)
@click.option("--k", "ks", default="5,10", show_default=True, callback=_numbers, help="Windows for recall@k.")
@click.option(
    "--budget", "budgets", default="800,2000", show_default=True, callback=_numbers, help="Token budgets for coverage."
)
@click.option(
    "--with",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_variables,
    help="Override a setting; all others have their defaults.",
)
@click.option("--baselines/--no-baselines", default=True, show_default=True, help="Compare with bm25 and grep.")
@json_flag
@pass_session
def bench(
    session: CommandSession,
    /,
    folder: Path,
    recipes: tuple[str, ...],
    given: dict[str, str],
    as_json: bool,
    **chosen: Any,
) -> None:
    """Measure how well questions with known answers are answered.

    DIR holds queries.jsonl beside a folder corpus (or notes), or folders that do. Each line of queries.jsonl is
    {"id", "query", "type", "gold": [{"path", "start", "end"}]}; empty gold says that the notes hold no answer. The
    notes are indexed in a temporary folder; vaults and settings are left alone.
    """
    cases = load(folder)
    plan = Plan(recipes or ("hybrid",), **chosen)
    with tempfile.TemporaryDirectory(prefix="hearth-bench-") as work, Progress(session, "asking", "questions") as bar:
        report = measure(folder.resolve().name, cases, plan, TemporaryWorkbench(Path(work), given), bar)
    if as_json:
        say_json(report.to_dict())
    else:
        _print(report)


def _print(report: Report) -> None:
    header, cells = _cells(report.rows)
    if sys.stdout.isatty():
        _print_table(header, cells)
    else:
        say_rows([header, *cells])
    say()
    index = report.index
    say(
        f"{line(report.set)}: {plural(report.cases, 'case')}, {plural(index.fragments, 'fragment')}, "
        f"{size(index.bytes)} on disk, {index.docs_per_s:,.0f} documents/s, index {report.fingerprint}"
    )
    abstained = report.abstention
    for value, label in (
        (abstained.unanswerable, "of the questions without an answer returned something"),
        (abstained.injected, "of the questions put to another case's notes returned something"),
        (abstained.answered, "of questions with an answer return something"),
        (abstained.answerable_kept, "of what a search finds within the same budget is brought unasked, too"),
    ):
        if value is not None:
            say(f"{value:.1%} {label}")
    sure = report.confidence
    if sure is not None:
        say(
            f"{sure.kept:.1%} of the questions with an answer are confident, {sure.doubted:.1%} of those without are "
            f"not; AUROC {sure.auroc:.3f}, {sure.silence:.1%} told apart where 95 % are kept"
        )


def _cells(rows: Iterable[ReportRow]) -> tuple[list[str], list[list[str]]]:
    found = list(rows)
    names = list(found[0].values) if found else []
    header = ["system", "recipe", "type", "queries", *names, "tokens", "p50 ms", "p95 ms"]
    cells = [
        [
            row.system, row.recipe, line(row.type), str(row.queries),
            *(f"{row.values[name]:.3f}" if name in row.values else "" for name in names),
            f"{row.tokens:.0f}", f"{row.p50_ms:.1f}", f"{row.p95_ms:.1f}",
        ]
        for row in found
    ]  # fmt: skip
    return header, cells


def _print_table(header: list[str], cells: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for at, name in enumerate(header):
        table.add_column(Text(name), justify="left" if at < 3 else "right", no_wrap=True)
    for row in cells:
        table.add_row(*map(Text, row), style="bold" if row[0] == "hearth" and row[2] == "all" else None)
    Console().print(table)
