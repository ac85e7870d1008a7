"""A unit for a model server, and a .env to start from."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.cli.model_service import PURPOSES
from hearth.config import Config, load
from hearth.config.schema import flatten
from hearth.core import paths

Run = Callable[..., Any]
ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())


@pytest.fixture
def model(tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    program = tmp_path / "bin" / "llama-server"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    file = tmp_path / "models" / "a 100% model.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF")
    return file


@pytest.mark.parametrize("name", list(PURPOSES))
def test_a_unit_serves_the_model_to_this_machine_alone(hearth: Run, model: Path, tmp_path: Path, name: str) -> None:
    done = hearth("models", "service", name, "--model", str(model), "--gpu-layers", "99")
    assert done.code == 0, done.err
    unit = tmp_path / "home" / ".config" / "systemd" / "user" / f"hearth-{name}.service"
    [line] = re.findall(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)
    assert '"--host" "127.0.0.1"' in line and "100%% model.gguf" in line and '"-ngl" "99"' in line
    size = str(PURPOSES[name].tokens)
    assert (f'"-b" "{size}" "-ub" "{size}"' in line) == (name != "llm")
    assert f"hearth config set {name}.url http://127.0.0.1:{PURPOSES[name].port}/v1" in done.out
    assert hearth("models", "service", name, "--remove").code == 0 and not unit.exists()


def test_nothing_is_written_without_a_model_or_a_program(hearth: Run, model: Path, tmp_path: Path) -> None:
    assert hearth("models", "service", "llm").code == 2
    assert hearth("models", "service", "llm", "--model", "/nowhere.gguf").code == 5
    assert hearth("models", "service", "llm", "--model", str(model), "--program", "other-server").code == 5
    assert "ExecStart" in hearth("models", "service", "llm", "--model", str(model), "--dry-run").out
    assert not (tmp_path / "home" / ".config").exists()


def test_the_example_says_every_default_and_changes_none(hearth: Run, environ: dict[str, str]) -> None:
    text = hearth("config", "env", "--example").out
    assert text == (ROOT / ".env.example").read_text("utf-8")
    folder = Path(environ["HEARTH_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".env").write_text(re.sub(r"^#(?=HEARTH_)", "", text, flags=re.MULTILINE), encoding="utf-8")
    elsewhere = {name: value for name, value in environ.items() if name != "HEARTH_DAEMON_MODE"}
    assert flatten(load(paths.folders(environ), environ=elsewhere).config) == flatten(Config())
    assert ".env" in hearth("config", "env").out
