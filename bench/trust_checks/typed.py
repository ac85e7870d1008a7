"""Typed statements: which of the statements of single turns become memories of the right type, by rules alone.

``memory-extraction`` holds a file a language; a row has ``id``, ``text`` and ``memories``, each with a ``type``. The
rules are asked as ``bench/capture.py`` asks them, of each turn for itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from capture import TYPES, f1, statements
from trust_checks.table import Options, Row, is_in

SET = "memory-extraction"


def measure(options: Options) -> Iterator[Row]:
    folder = None if options.data is None else options.data / SET
    if folder is None or not folder.is_dir():
        return
    _, total = statements(folder, lambda row: is_in(options.part, SET, row["id"]))
    right, told, wanted = (sum(total[f"{name} {kind}"] for name in TYPES) for kind in ("right", "told", "wanted"))
    yield Row("typed statements: precision", right, told, ">= 0.9")
    yield Row("typed statements: F1", right, wanted, measured=f1(total))
