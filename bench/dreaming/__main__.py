"""What dreaming makes of simulated months: prints the goals and what came of each.

    cd bench && python -m dreaming DATA              months over LoCoMo and BEAM, eight seeds each
    cd bench && python -m dreaming DATA --fit        and which gates would have been best
    cd bench && python -m dreaming DATA --show NAME  and one month's DREAMS.md and MEMORY.md, of a case
    cd bench && python -m dreaming DATA --steady     a year of nights; a month of chatter
    cd bench && python -m dreaming DATA --size       a night over 100,000 documents and 50,000 signals

Questions are asked on random days, a fifth of them on two; six answers in ten quote what answers, the others something
else or nothing. In as many months again three questions in ten are held out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from dreaming import gates, size, steady
from dreaming.measures import Tally, rows
from dreaming.month import HELD_OUT, Month, kept
from hearth.benchmark.measures import load
from hearth.pages.dream.scores import Gates
from machine import fresh, table

SETS = ("locomo", "beam-100k")
DOCUMENTS, SIGNALS = 100_000, 50_000
HEAD = ["months", "measure", "is", "goal", "met"]


def main() -> None:
    options = _options()
    if options.steady or options.size:
        _other(options)
        return
    months = list(_months(options))
    told: list[list[str]] = []
    for name in options.sets:
        tally = Tally()
        for month in months:
            if month.set == name:
                tally.add(month, month.promoted)
        if tally.months:
            print(f"{name}: {tally.promoted / tally.months:.1f} promoted a month, {tally.months} months")
            print(f"{name}: of the passages that answer most of what was asked, as many, the last measure is", end=" ")
            print(f"{tally.ceiling:.2f}, of all that answer three {tally.ceiling_often:.2f}")
            told += rows(name, tally)
    print(table(HEAD, told), end="\n\n")
    if options.fit:
        print(table(["gates, a night at most", "a month", "one", "two", "of three", "lift"], list(_fitted(months))))
    for month in months:
        if month.case == options.show and month.seed == options.first and not month.held:
            print(month.diary, month.page, sep="\n")


def _other(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="hearth-dreaming-") as work:
        if options.steady:
            found = steady.year(Path(work))
            print(f"{steady.NIGHTS} nights: {found['promoted']} promoted, {found['left']} left again")
            print(", ".join(f"{found[name]} {name}" for name in ("duplicates", "over the cap", "superseded left")))
            case = load(options.data / options.sets[0])[0]
            print(f"a month of chatter, heartbeats and schedules: {steady.chatter(case, Path(work))} promoted")
        if options.size:
            cost = fresh(size.measure, DOCUMENTS, SIGNALS, Path(work))
            print(f"{DOCUMENTS:,} documents, {SIGNALS:,} signals: a dry run {cost.planned:.1f} s, a night", end=" ")
            print(
                f"{cost.night:.1f} s of the processor, {cost.megabytes:+.0f} MB; {cost.per_search:.2f} ms of a search"
            )


def _months(options: argparse.Namespace) -> Iterator[Month]:
    with (
        tempfile.TemporaryDirectory(prefix="hearth-dreaming-") as work,
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool,
    ):
        waiting = [
            pool.submit(kept, options.data / name, case.name, seed, Path(work), held, options.keep)
            for name in options.sets
            for case in load(options.data / name)[: options.cases]
            for seed in range(options.first, options.first + options.seeds)
            for held in (0.0, HELD_OUT)
        ]
        for number, one in enumerate(waiting, 1):
            yield one.result()
            print(f"{number} of {len(waiting)} months", file=sys.stderr, end="\r")


def _fitted(months: Sequence[Month]) -> Iterator[list[str]]:
    """Each choice of gates over all months, the present one, with fewer promotions a night, and the seed's first."""
    known = [(month, gates.evenings(month)) for month in months]
    choices = [(Gates(), most) for most in (gates.PER_NIGHT, *gates.FEWER)]
    choices += [(chosen, gates.PER_NIGHT) for chosen in (gates.SEED, *gates.grid())]
    for chosen, most in choices:
        tally = Tally()
        for month, evenings in known:
            tally.add(month, gates.promote(month, evenings, chosen, most))
        name = f"{chosen.min_score} {chosen.min_signals} {chosen.min_questions} {chosen.min_confirmations}, {most}"
        yield [name, f"{tally.promoted / tally.months:.1f}", *(f"{share:.3f}" for share in tally.shares)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=lambda text: Path(text).resolve(), help="folder of sets")
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(SETS))
    parser.add_argument("--cases", type=int, help="of each set, so many")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first", type=int, default=0, help="of the seeds")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep months here, and go on with those that are")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--steady", action="store_true")
    parser.add_argument("--size", action="store_true")
    parser.add_argument("--show", metavar="CASE", default="")
    return parser.parse_args()


if __name__ == "__main__":
    main()
