"""``hearth.json`` in a model's folder: how to run it, where it came from, and the checksum of each file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from hearth.core.errors import Unavailable
from hearth.core.files import write_atomically
from hearth.core.lazy import dataclass
from hearth.models.onnx.catalogue import ExportRecipe, recipe

NAME = "hearth.json"
FORMAT = 1
_REVISION = 16


@dataclass(frozen=True, slots=True)
class File:
    """Size in bytes and SHA-256 in hexadecimal."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """``source`` says where the files came from; keys of ``files`` are paths below the folder."""

    recipe: ExportRecipe
    source: str
    files: Mapping[str, File]

    @property
    def revision(self) -> str:
        """Sixteen hexadecimal digits over the weights and the tokenizer: equal ones mean equal vectors."""
        return revision(self.files)

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.recipe, self.revision)

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files.values())


def revision(files: Mapping[str, File]) -> str:
    sums = (f"{name} {files[name].sha256}\n" for name in sorted(files) if decides(name))
    return hashlib.sha256("".join(sums).encode()).hexdigest()[:_REVISION]


def decides(name: str) -> bool:
    """Whether a file of this name changes vectors: weights and tokenizer do, read-mes and configurations don't."""
    return name.endswith((".onnx", ".onnx_data", ".onnx.data")) or Path(name).name == "tokenizer.json"


def fingerprint(kept: ExportRecipe, revision: str) -> str:
    """Name, dimensions, revision, and eight digits over pooling, window and templates."""
    how = json.dumps([kept.pooling, kept.output, kept.max_tokens, kept.query, kept.document])
    return f"{kept.name}:{kept.dimensions}:{revision}:{hashlib.sha256(how.encode()).hexdigest()[:8]}"


def write(folder: Path, manifest: Manifest) -> None:
    """Raises ``Unavailable`` where the folder can't be written."""
    row = {
        "format": FORMAT,
        **asdict(manifest.recipe),
        "source": manifest.source,
        "files": {name: asdict(file) for name, file in sorted(manifest.files.items())},
    }
    write_atomically(folder / NAME, (json.dumps(row, indent=2) + "\n").encode())


def read(folder: Path) -> Manifest | None:
    """None where the folder has none. Raises ``Unavailable`` for one that can't be read or makes no sense."""
    place = folder / NAME
    try:
        row = json.loads(place.read_text(encoding="utf-8"))
        if row["format"] != FORMAT:
            raise ValueError(f"format {row['format']}, not {FORMAT}")
        files = {name: File(int(file["bytes"]), str(file["sha256"])) for name, file in row["files"].items()}
        return Manifest(recipe(row), str(row["source"]), files)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unavailable(f"{place} can't be read ({error}); remove the folder and pull the model again") from error


def describe(folder: Path, names: Iterable[str]) -> dict[str, File]:
    """Size and checksum of each file as it lies there. Raises ``OSError``."""
    return {name: File((folder / name).stat().st_size, checksum(folder / name)) for name in names}


def missing(folder: Path, manifest: Manifest) -> list[str]:
    """Files that are not there or not whole, judged by their size alone: what opening a model can afford."""
    return [name for name, file in manifest.files.items() if _size(folder / name) != file.bytes]


def damage(folder: Path, manifest: Manifest) -> list[str]:
    """What is wrong with each file that isn't as it was pulled; reads everything."""
    found = []
    for name, file in manifest.files.items():
        size = _size(folder / name)
        if size is None:
            found.append(f"{name} is missing")
        elif size != file.bytes:
            found.append(f"{name} has {size:,} of {file.bytes:,} bytes")
        elif checksum(folder / name) != file.sha256:
            found.append(f"{name} has another checksum")
    return found


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None
