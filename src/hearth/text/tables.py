"""Tables that stand beside the code: a row a line, its columns parted by tabs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def read_rows(file: Path) -> Iterator[list[str]]:
    """The columns of each line that is neither empty nor a comment (``#``)."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")
