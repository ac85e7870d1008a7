"""``hearth models service``: a systemd unit that runs a model server on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hearth.cli import output
from hearth.core import paths
from hearth.core.errors import Unavailable, UsageError
from hearth.core.files import write_atomically
from hearth.core.lazy import dataclass


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a server is for, its usual port, its longest text in tokens, the flags it needs, and our provider for it."""

    what: str
    port: int
    tokens: int
    flags: tuple[str, ...]
    provider: str


PURPOSES: Mapping[str, Purpose] = {
    "embedding": Purpose("vectors", 8088, 2_048, ("--embeddings",), "http"),
    "rerank": Purpose("reranking", 8090, 4_096, ("--rerank",), "http"),
    "llm": Purpose("a language model", 8089, 16_384, ("--jinja",), "openai"),
}


@click.command("service")
@click.argument("name", type=click.Choice(list(PURPOSES)))
@click.option("--model", type=click.Path(), help="The GGUF file.")
@click.option("--program", default="llama-server", help="The server, by name or path (default: llama-server).")
@click.option("--port", type=click.IntRange(1, 65_535), help="Its port (default: 8088, 8090, 8089).")
@click.option("--tokens", type=click.IntRange(128, 1_000_000), help="The longest text (default: 2048, 4096, 16384).")
@click.option("--gpu-layers", type=click.IntRange(0, 999), default=0, help="Layers on the GPU (default: none).")
@click.option("--remove", "removes", is_flag=True, help="Delete the unit; stop it first.")
@click.option("--dry-run", is_flag=True, help="Print the unit and write nothing.")
def service(name: str, removes: bool, dry_run: bool, **given: Any) -> None:
    """Serve a model on this machine: write a systemd unit for llama-server (embedding, rerank or llm)."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base if base.startswith("/") else f"{paths.home(os.environ)}/.config", "systemd", "user")
    unit = folder / f"hearth-{name}.service"
    if removes:
        there = unit.exists()
        unit.unlink(missing_ok=True)
        output.say(f"removed {unit}" if there else f"{unit} is not there")
        return
    port = given["port"] or PURPOSES[name].port
    text = render_unit(name, _find_words(name, port, given), str(Path(paths.folders().config, f"model-{name}.env")))
    if dry_run:
        output.say(text.rstrip("\n"))
        return
    write_atomically(unit, text.encode("utf-8"))
    output.say(f"wrote {unit}")
    output.say(f"to run it: systemctl --user daemon-reload && systemctl --user enable --now {unit.name}")
    output.say(f"then: hearth config set {name}.url http://127.0.0.1:{port}/v1")
    output.say(f"      hearth config set {name}.provider {PURPOSES[name].provider}")


def _find_words(name: str, port: int, given: Mapping[str, Any]) -> list[str]:
    """The command line. The server refuses texts longer than a physical batch, so both batches hold the whole context.
    Raises ``UsageError`` and ``Unavailable``."""
    if given["model"] is None:
        raise UsageError("which model? add --model FILE.gguf")
    model, program = Path(given["model"]).expanduser().absolute(), shutil.which(given["program"])
    if program is None:
        raise Unavailable(f"{given['program']} is not there; install llama.cpp, or name it with --program")
    if not model.is_file():
        raise Unavailable(f"{model} is not there; name the GGUF file that you downloaded")
    purpose = PURPOSES[name]
    size = str(given["tokens"] or purpose.tokens)
    words = [os.path.realpath(program), "-m", str(model), "--host", "127.0.0.1", "--port", str(port), "-c", size]
    words += ["-b", size, "-ub", size] if name != "llm" else []
    words += ["-ngl", str(given["gpu_layers"])] if given["gpu_layers"] else []
    return [*words, *purpose.flags]


def join_words(words: Sequence[str]) -> str:
    """A command line of a systemd unit."""
    return " ".join(quote(word).replace("$", "$$") for word in words)


def quote(text: str) -> str:
    """A word of a systemd unit."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    return f'"{escaped}"'


def render_unit(name: str, words: list[str], settings: str) -> str:
    """``settings`` is an optional file of variables for the server."""
    return (
        f"[Unit]\nDescription=Hearth, {PURPOSES[name].what}\n\n"
        f"[Service]\nExecStart={join_words(words)}\nEnvironmentFile=-{settings.replace('%', '%%')}\n"
        "Restart=on-failure\nRestartSec=5\nNice=5\n\n"
        "[Install]\nWantedBy=default.target\n"
    )
