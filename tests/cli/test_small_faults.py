"""Odd names, closed streams and settings taken back, as people meet them on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hearth.cli.index import warnings
from hearth.cli.session import CommandSession, Progress
from hearth.core.paths import install_command
from hearth.vault.indexing.plan import SyncReport


@pytest.mark.parametrize("command", ["query larder", "update", "status", "list"])
@pytest.mark.parametrize("closed", ["1", "2", "0"])
def test_a_command_without_one_of_its_streams_ends_well(
    vault: Path, environ: dict[str, str], command: str, closed: str
) -> None:
    shell = f'exec "$0" -m hearth {command} {closed}>&-'
    done = subprocess.run(["sh", "-c", shell, sys.executable], env=environ, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "Error" not in done.stderr


def test_names_with_commas_and_brackets_are_names_before_they_are_patterns(spawn: Any, vault: Path) -> None:
    for name in ("salt, pepper.md", "drafts [old].md", "plain.md"):
        (vault / name).write_text(f"# {name}\n\nAbout {name}.\n", encoding="utf-8")
    assert spawn("update").code == 0
    both = spawn("multi-get", "salt, pepper.md, plain.md")
    assert both.code == 0 and "About salt, pepper.md." in both.out and "About plain.md." in both.out
    assert "About drafts [old].md." in spawn("multi-get", "drafts [old].md").out


def test_a_name_with_control_characters_opens_as_it_is_printed(spawn: Any, vault: Path) -> None:
    (vault / "bell\x07 and\ttab.md").write_text("# Bell\n\nRings twice.\n", encoding="utf-8")
    assert spawn("update").code == 0
    printed = next(line for line in spawn("list").out.splitlines() if "bell" in line)
    name = next(part for part in printed.split("\t") if "bell" in part).split("notes/")[-1].strip()
    assert "Rings twice." in spawn("get", name).out


def test_a_text_changed_in_place_with_its_size_and_time_kept_is_read_again(spawn: Any, vault: Path) -> None:
    file = vault / "pantry.md"
    file.write_text("# Pantry\n\nThe flour is rye.\n", encoding="utf-8")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    assert spawn("update").code == 0
    with file.open("r+", encoding="utf-8") as opened:
        opened.write("# Pantry\n\nThe flour is oat.\n")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    assert spawn("update").code == 0
    assert "oat" in spawn("search", "flour").out


def test_an_update_says_of_a_problem_that_it_is_the_journals_only_where_it_is(
    spawn: Any, vault: Path, environ: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert spawn("remember", "The oven door sticks.").code == 0
    (journal,) = Path(environ["HEARTH_DATA_DIR"]).rglob("journal/*.jsonl")
    with journal.open("a", encoding="utf-8") as opened:
        opened.write("no event\n")
    assert f"warning: journal: {journal.name}:2: not JSON" in spawn("update").err
    warnings(SyncReport(problems=["the model failed to embed new fragments: it is away"]))
    assert capfd.readouterr().err == "hearth: warning: the model failed to embed new fragments: it is away\n"


def test_a_setting_taken_back_has_its_default_again(spawn: Any, environ: dict[str, str]) -> None:
    file = Path(environ["HEARTH_CONFIG_DIR"], "config.yaml")
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    assert spawn("config", "set", "search.mmr_lambda", "0.3").code == 0
    assert spawn("config", "unset", "search.mmr_lambda").code == 0
    assert (file.read_text(encoding="utf-8") if file.exists() else "") == before
    again = spawn("config", "unset", "search.mmr_lambda")
    assert again.code != 0 and "does not set search.mmr_lambda" in again.err


def test_uninstall_with_purge_deletes_what_can_be_made_again_and_nothing_else(
    spawn: Any, vault: Path, environ: dict[str, str]
) -> None:
    assert spawn("update").code == 0
    cache, data = Path(environ["HEARTH_CACHE_DIR"]), Path(environ["HEARTH_DATA_DIR"])
    said = spawn("uninstall", "--purge", "--yes", "--dry-run").out
    assert f"would delete {cache}" in said and cache.is_dir()
    kept = sorted(path for path in (*vault.rglob("*"), *data.rglob("*")) if path.is_file())
    assert spawn("uninstall", "--purge", "--yes").code == 0
    assert not cache.exists() and all(path.exists() for path in kept)


@pytest.mark.parametrize(
    ("receipt", "removal", "extra"),
    [
        ("uv-receipt.toml", "uv tool uninstall hearth-memory", "uv tool install 'hearth-memory[onnx]'"),
        ("pipx_metadata.json", "pipx uninstall hearth-memory", "pipx install --force 'hearth-memory[onnx]'"),
        ("none", "pip uninstall hearth-memory", "pip install 'hearth-memory[onnx]'"),
    ],
)
def test_commands_for_the_program_itself_are_those_of_what_installed_it(
    hearth: Any, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receipt: str, removal: str, extra: str
) -> None:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / receipt).write_text("")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "tool"))
    assert removal in hearth("uninstall", "--dry-run").out
    assert install_command("onnx") == extra


@pytest.mark.parametrize(
    ("receipt", "noted", "extra"),
    [
        (
            "uv-receipt.toml",
            '[tool]\nrequirements = [{ name = "hearth-memory", extras = ["import", "llama"], directory = "/src/h" }]\n',
            "uv tool install '/src/h[import,llama,onnx]'",
        ),
        (
            "uv-receipt.toml",
            '[tool]\nrequirements = [\n    { name = "hearth-memory", extras = ["onnx"] },\n    { name = "pip" },\n]\n',
            "uv tool install 'hearth-memory[onnx]'",
        ),
        (
            "pipx_metadata.json",
            '{"main_package": {"package": "hearth-memory", "package_or_url": "/src/hearth[import]"}}',
            "pipx install --force '/src/hearth[import,onnx]'",
        ),
        (
            "pipx_metadata.json",
            '{"injected_packages": {"other": {"package_or_url": "other"}},'
            ' "main_package": {"package_or_url": "hearth-memory[import]==0.1.0"}}',
            "pipx install --force 'hearth-memory[import,onnx]'",
        ),
        (
            "pipx_metadata.json",
            '{"main_package": {"package_or_url": "git+https://example.org/h.git"}}',
            "pipx install --force 'hearth-memory[onnx] @ git+https://example.org/h.git'",
        ),
        (
            "uv-receipt.toml",
            '[tool]\nrequirements = [{ name = "hearth-memory", git = "https://example.org/h.git?rev=v1#0a1b" }]\n',
            "uv tool install 'hearth-memory[onnx] @ git+https://example.org/h.git@v1'",
        ),
        (
            "uv-receipt.toml",
            '[tool]\nrequirements = [{ name = "hearth-memory", url = "https://example.org/h-0.1.0.whl" }]\n',
            "uv tool install 'hearth-memory[onnx] @ https://example.org/h-0.1.0.whl'",
        ),
        (
            "pipx_metadata.json",
            '{"main_package": {"package_or_url": "git+https://ines:opens@example.org/h.git@v1"}}',
            "pipx install --force 'hearth-memory[onnx] @ git+https://CREDENTIALS@example.org/h.git@v1'",
        ),
        (
            "uv-receipt.toml",
            '[tool]\nrequirements = [{ name = "hearth-memory", git = "https://k@example.org/h.git?rev=v1#0a1b" }]\n',
            "uv tool install 'hearth-memory[onnx] @ git+https://CREDENTIALS@example.org/h.git@v1'",
        ),
        (
            "uv-receipt.toml",
            '[tool]\nrequirements = [{ name = "hearth-memory", url = "https://example.org/h.whl?k=1#sha256=0a" }]\n',
            "uv tool install 'hearth-memory[onnx] @ https://example.org/h.whl?CREDENTIALS#sha256=0a'",
        ),
        (
            "uv-receipt.toml",
            '[tool]\nrequirements = [{ name = "hearth-memory", git = "ssh://git@example.org/h.git" }]\n',
            "uv tool install 'hearth-memory[onnx] @ git+ssh://git@example.org/h.git'",
        ),
    ],
)
def test_an_extra_is_added_to_those_that_are_there_and_from_where_they_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receipt: str, noted: str, extra: str
) -> None:
    (tmp_path / receipt).write_text(noted, encoding="utf-8")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert install_command("onnx") == extra


def test_long_work_says_every_ten_seconds_how_far_it_is_where_no_terminal_shows_a_bar(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    with Progress(CommandSession(), "updating") as progress:
        for done in range(31):
            moment[0] = float(done)
            progress(done, 100)
    assert capfd.readouterr().err.splitlines() == [f"updating: {done} of 100 files" for done in (10, 20, 30)]


def test_once_all_files_are_read_the_stage_that_follows_is_named(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    with Progress(CommandSession(), "updating") as progress:
        for done in (0, 12, 14):
            moment[0] = float(done)
            progress(done, 14)
    assert capfd.readouterr().err.splitlines() == ["updating: 12 of 14 files", "updating: 14 files read, linking"]


def test_a_byte_order_mark_before_the_json_of_a_host_is_no_part_of_it(spawn: Any, vault: Path) -> None:
    assert spawn("update").code == 0
    for session, mark in (("one", ""), ("other", "\ufeff")):
        event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(vault)}
        told = mark + json.dumps(event | {"prompt": "why postgres?"})
        assert "PostgreSQL over MongoDB" in spawn("hook", "context-surfacing", stdin=told.encode()).out


def test_what_was_shown_in_one_session_is_asked_for_by_its_id(spawn: Any, vault: Path) -> None:
    assert spawn("budget", "--session", "none").code != 0
