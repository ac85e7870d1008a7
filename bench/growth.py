"""How the time of what reads untrusted text grows with the text: the guards, a reply that is searched for what it used,
and the shape of a request.

    python bench/growth.py --length 100000

Every text of ``runs.py`` is read at ``length`` and at twice that, by the processor's time, the best of ``--tries``.
Two means linear, four quadratic. Printed are, for each reader, the texts that grow most; those that take less than a
millisecond are left out, being no measure. The tests read the same texts, longer, and only ask that
they come to an end.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from hearth.guard.attacks import suspicion
from hearth.guard.fence import entry
from hearth.guard.secrets.redaction import redact
from hearth.guard.secrets.rules import Rule, token_rules
from hearth.language.references import ShownNote, references
from hearth.language.signals import is_standing
from hearth.text.words import rows
from machine import commit, describe, table
from samples.runs import FENCED, JUDGED, of_attack, of_rule, run, secret_texts

Read = Callable[[str], object]
Texts = Iterator[tuple[str, str]]
Work = tuple[str, Read, Callable[[int], Texts]]
_LEAST_SECONDS = 0.001


def main() -> None:
    options = _options()
    rows = [row for name, read, texts in _works() for row in growth(name, read, texts, options)]
    if options.json:
        print(json.dumps({"machine": describe(), "commit": commit(), "growth": rows}, indent=1))
        return
    shown = [[row["reader"], repr(row["piece"])[:40], f"{row['ms']:.1f}", f"{row['ratio']:.2f}"] for row in rows]
    print(table(["reader", "made of", "ms", "twice the text"], shown))


def growth(name: str, read: Read, texts: Callable[[int], Texts], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The texts whose time grows most, ``options.top`` of them."""
    rows: list[dict[str, Any]] = []
    for (piece, once), (_, twice) in zip(texts(options.length), texts(2 * options.length), strict=True):
        single, double = (min(_seconds(read, text) for _ in range(options.tries)) for text in (once, twice))
        if double >= _LEAST_SECONDS:
            rows.append({"reader": name, "piece": piece, "ms": 1000 * double, "ratio": double / max(single, 1e-9)})
    return sorted(rows, key=lambda row: -row["ratio"])[: options.top]


def _works() -> Iterator[Work]:
    yield "secrets", redact, secret_texts
    yield "fence", lambda text: entry(["t"], text, trust="external"), lambda length: _repeated(FENCED, length)
    yield "injection", suspicion, lambda length: _repeated(JUDGED, length)
    for rule in token_rules():
        yield f"rule {rule.name}", rule.pattern.findall, partial(_of, rule)
    for row in rows("guard/attacks"):
        yield f"attack {row.id}", re.compile(row.expression).search, partial(of_attack, row)
    yield "references", lambda text: references(text, _SHOWN), lambda length: _repeated(_ANSWERS, length)
    yield "standing", is_standing, lambda length: _repeated(_REQUESTS, length)


_SHOWN = [
    ShownNote("0a1b2c" * 3, "Ledger reconciliation", "notes", "ops/ledger.md", "Mismatches page the treasury desk.")
]
_ANSWERS = ("Ledger reconciliation ", "a/", "#0a1b2c", "ops/ledger", "treasury desk ")
_REQUESTS = ("- ", "a", "## \n", "please and ")


def _repeated(pieces: tuple[str, ...], length: int) -> Texts:
    return ((piece, run(piece, length)) for piece in pieces)


def _of(rule: Rule, length: int) -> Texts:
    return ((text[:40], text) for text in of_rule(rule, length))


def _seconds(read: Read, text: str) -> float:
    started = time.process_time()
    read(text)
    return time.process_time() - started


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=100_000, help="characters of the shorter text")
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--top", type=int, default=2, help="texts to show for each reader")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
