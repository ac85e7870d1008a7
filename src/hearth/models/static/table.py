"""The token table as files of the package: ``model.json``, ``vocabulary.txt``, ``vectors.npy``, ``scales.npy``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hearth.core.errors import Unavailable
from hearth.core.fragment import Curve
from hearth.core.lazy import dataclass

DATA_FILES = ("vocabulary.txt", "vectors.npy", "scales.npy")


@dataclass(frozen=True, slots=True)
class Card:
    """What ``model.json`` says about the table; ``tools/train_static.py`` fitted the curve."""

    name: str
    revision: str
    dimensions: int
    curve: Curve


@dataclass(frozen=True, slots=True, eq=False)
class VectorTable:
    """Token vectors: ``pieces[i]`` has the vector ``vectors[i] * scales[i]``, its weight included."""

    pieces: tuple[str, ...]
    vectors: NDArray[np.int8]
    scales: NDArray[np.float32]


def read_card(folder: Path) -> Card:
    """The card of the table in ``folder``. Raises ``Unavailable`` if it is missing or damaged."""
    try:
        facts = json.loads((folder / "model.json").read_text("utf-8"))
        curve = Curve(**facts["calibration"])
        return Card(facts["name"], facts["revision"], facts["dimensions"], curve)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refuse(folder, str(error)) from error


def read_table(folder: Path, dimensions: int) -> VectorTable:
    """The table in ``folder``, its vectors mapped, not read. Raises ``Unavailable`` if a file is missing or damaged."""
    try:
        pieces = tuple((folder / "vocabulary.txt").read_text("utf-8").split("\n"))
        # As a plain array: each slice of a ``memmap`` takes a few microseconds more.
        vectors = np.asarray(np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False))
        scales = np.load(folder / "scales.npy", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise _refuse(folder, str(error)) from error
    if vectors.shape != (len(pieces), dimensions) or scales.shape != (len(pieces),):
        raise _refuse(folder, "its files don't belong together")
    return VectorTable(pieces, vectors, scales)


def _refuse(folder: Path, why: str) -> Unavailable:
    return Unavailable(f"the built-in token table in {folder} can't be read ({why}); reinstall hearth-memory")


def revision(folder: Path) -> str:
    """First 16 hexadecimal digits of the SHA-256 over the data files; ``model.json`` states the same."""
    digest = hashlib.sha256()
    for name in DATA_FILES:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:16]
