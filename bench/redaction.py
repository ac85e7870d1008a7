"""The secrets guard: what it finds by kind, what it takes out of ordinary text, and how fast it reads.

    python bench/redaction.py --corpus ~/evaluation/leaks --ordinary examples/notes docs --seed 7

Recall on the project's own samples (``leaks.py``, ``files.py``) is *fitted*: rules were written until nearly all of
them were found, so it guards against going back and says little of other people's files. For those name a ``--corpus``:
a folder with a file ``labels.tsv`` of lines ``path<TAB>line number<TAB>kind``; the kind may be left out. It counts as
*unseen*, unless you changed rules for it. A sample counts as found when no eight characters in a row of its secret are
left, a line when something of it is hidden.

``--ordinary`` names folders of text that holds no secrets; without it, the source of Python's standard library, this
project's documents and ``examples/notes``. ``--part aside`` reads only the third of their files that a hash of the path
chooses, from which no rule may be written. Speed is characters over processor time, best of three.

The table *as people share them* is of ``samples/shared.py``: chats, notes, keys, commands and files with invented
values, the forms to write rules from apart from the sealed third of them. (Not named
``secrets.py``: beside the other benches that would hide the module of the standard library.)
"""

from __future__ import annotations

import argparse
import json
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hearth.guard.secrets.redaction import redact
from machine import ROOT, commit, describe, table
from samples.grid import cells
from samples.leaks import Leak, leaked, leaks
from samples.shared import is_sealed, samples

TEXT = frozenset({".py", ".md", ".txt", ".rst"})


def _print_grid(seed: int) -> None:
    """What is found by sort of value, and of the forms those that miss most."""
    sorts: dict[str, list[bool]] = {}
    forms: dict[str, list[bool]] = {}
    for cell in cells(seed):
        found = not leaked(Leak(cell.sort, "", cell.text, cell.value), redact(cell.text).text)
        for key, rows in ((cell.sort, sorts), (cell.form, forms)):
            rows.setdefault(key, []).append(found)
    for head, rows in (("value", sorts), ("form", forms)):
        shares = sorted((sum(found) / len(found), key, len(found)) for key, found in rows.items())
        cells_of = [[key.replace("\n", "⏎"), str(of), f"{share:.0%}"] for share, key, of in shares[:20]]
        print(table([head, "of", "found"], cells_of))
    hits = [hit for row in sorts.values() for hit in row]
    print(f"\ngrid: {len(forms)} forms, {len(hits)} texts: recall {sum(hits) / len(hits):.1%} (fitted)")


def main() -> None:
    options = _options()
    if options.grid:
        _print_grid(options.seed)
        return
    ordinary = options.ordinary or [sysconfig.get_paths()["stdlib"], ROOT / "docs", ROOT / "examples" / "notes"]
    found = recall(options.seed, options.each)
    corpora = [labelled(folder) for folder in options.corpus]
    plain = [false_positives(Path(folder), options.limit, options.part) for folder in ordinary]
    people = shared(options.seed)
    if options.show:
        for place, rule, line in (hit for row in plain for hit in row["hits"]):
            print(f"{place}: {rule}: {line}")
    result = {
        "machine": describe(),
        "commit": commit(),
        "fitted": found,
        "unseen": corpora,
        "shared": people,
        "ordinary": [_without_hits(row) for row in plain],
    }
    if options.json:
        print(json.dumps(result, indent=1))
        return
    results = [("fitted", found), *(("unseen", corpus) for corpus in corpora)]
    for origin, judged in results:
        rows = [[kind, f"{hit}/{of}", f"{hit / of:.1%}"] for kind, (hit, of) in sorted(judged["kinds"].items())]
        print(table(["kind", "found", "recall"], rows if options.all else [row for row in rows if row[2] != "100.0%"]))
        print(f"\n{origin}: {len(rows)} kinds, {judged['samples']} samples: recall {judged['recall']:.2%}\n")
    print(f"rules were written against {found['samples'] / _samples(found, corpora):.0%} of these samples\n")
    rows = [[kind, *map(_share, parts)] for kind, parts in people.items()]
    print(table(["as people share them", "read", "sealed"], rows))
    print()
    head = ["ordinary text", "files", "MB", "marks", "marked files", "per 1,000 files", "MB/s"]
    print(table(head, [_row(row) for row in plain]))


def recall(seed: int, each: int) -> dict[str, Any]:
    """Found and all samples by kind, and the share found."""
    kinds: dict[str, list[int]] = {}
    for leak in leaks(seed, each):
        count = kinds.setdefault(leak.kind, [0, 0])
        count[0] += not leaked(leak, redact(leak.text).text)
        count[1] += 1
    found, samples = (sum(count[i] for count in kinds.values()) for i in (0, 1))
    return {"kinds": kinds, "samples": samples, "recall": found / samples}


def shared(seed: int) -> dict[str, list[list[int]]]:
    """Found and all by kind, of the forms that rules are written from and of the sealed ones."""
    kinds: dict[str, list[list[int]]] = {}
    for sample in samples(seed, 6):
        found = sample.value not in redact(sample.text).text
        for kind in (sample.kind, "all"):
            count = kinds.setdefault(kind, [[0, 0], [0, 0]])[sample.sealed]
            count[0] += found
            count[1] += 1
    kinds["all"] = kinds.pop("all")
    return kinds


def _share(count: list[int]) -> str:
    return f"{count[0]}/{count[1]} {count[0] / max(1, count[1]):.1%}"


def labelled(folder: Path) -> dict[str, Any]:
    """Lines found and all, by kind, of a folder with ``labels.tsv``; without a kind the folder's name.

    Raises ``SystemExit`` where the folder has no labels.
    """
    listing = folder / "labels.tsv"
    if not listing.is_file():
        raise SystemExit(f"{folder} has no labels.tsv: lines of path, line number and kind, with tabs between")
    kinds: dict[str, list[int]] = {}
    hidden: dict[str, set[int]] = {}
    for row in listing.read_text(encoding="utf-8").splitlines():
        path, number, *kind = row.split("\t")
        if path not in hidden:
            hidden[path] = _hidden_lines((folder / path).read_text(encoding="utf-8", errors="replace"))
        count = kinds.setdefault(kind[0] if kind else folder.name, [0, 0])
        count[0] += int(number) in hidden[path]
        count[1] += 1
    found, samples = (sum(count[i] for count in kinds.values()) for i in (0, 1))
    return {"corpus": folder.name, "kinds": kinds, "samples": samples, "recall": found / max(1, samples)}


def _hidden_lines(text: str) -> set[int]:
    spans = ((secret.start, secret.end) for secret in redact(text).secrets)
    return {n for start, end in spans for n in range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2)}


def _samples(found: dict[str, Any], corpora: list[dict[str, Any]]) -> int:
    return sum(int(judged["samples"]) for judged in (found, *corpora))


def false_positives(folder: Path, limit: int, part: str) -> dict[str, Any]:
    """What is redacted in text without secrets, by rule, and megabytes a second; at most ``limit`` MB are read."""
    texts = [
        row for row in _texts(folder, limit * 1_000_000) if part == "all" or is_sealed(row[0]) == (part == "aside")
    ]
    hits = [(place, secret.rule, _line(text, secret.start)) for place, text in texts for secret in redact(text).secrets]
    megabytes = sum(len(text) for _, text in texts) / 1e6
    seconds = []
    for _ in range(3):
        started = time.process_time()
        for _, text in texts:
            redact(text)
        seconds.append(time.process_time() - started)
    return {
        "folder": folder.name,
        "megabytes": megabytes,
        "files": len(texts),
        "lines": sum(text.count("\n") + 1 for _, text in texts),
        "marked": len({place for place, _, _ in hits}),
        "rules": Counter(rule for _, rule, _ in hits),
        "mb_per_s": megabytes / min(seconds) if texts else 0.0,
        "hits": hits,
    }


def _texts(folder: Path, limit: int) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*")):
        if file.suffix not in TEXT or not file.is_file() or "site-packages" in file.relative_to(folder).parts:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        limit -= len(text)
        if limit < 0:
            return
        yield str(file.relative_to(folder)), text


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else None].strip()[:120]


def _without_hits(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "hits"}


def _row(row: dict[str, Any]) -> list[str]:
    redacted, files = sum(row["rules"].values()), max(1, row["files"])
    return [row["folder"], f"{row['files']:,}", f"{row['megabytes']:.1f}", str(redacted),
            str(row["marked"]), f"{1000 * row['marked'] / files:.2f}", f"{row['mb_per_s']:.1f}"]  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ordinary", nargs="*", metavar="FOLDER", help="folders of text without secrets")
    parser.add_argument("--corpus", nargs="*", type=Path, default=[], help="folders with labels.tsv")
    parser.add_argument("--part", choices=("all", "read", "aside"), default="all", help="of the ordinary files")
    parser.add_argument("--limit", type=int, default=20, help="most megabytes to read of each folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=2, help="samples for each kind, form and place")
    parser.add_argument("--all", action="store_true", help="print the kinds that were all found, too")
    parser.add_argument("--show", action="store_true", help="print what was redacted in ordinary text")
    parser.add_argument("--grid", action="store_true", help="instead: forms crossed with names and sorts of values")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
