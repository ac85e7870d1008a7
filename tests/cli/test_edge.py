from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click
import pytest

from hearth import cli
from hearth.cli.entrypoint import run
from hearth.cli.group import CommandEntry, root
from hearth.core import errors

Run = Callable[..., object]
HEAVY = ("numpy", "rich", "apsw", "watchfiles", "usearch", "hearth.app", "hearth.vault", "hearth.recall")


def loaded_by(*arguments: str, environ: dict[str, str]) -> set[str]:
    code = "import sys; from hearth.cli import main; main(sys.argv[1:]);print(*sorted(sys.modules), file=sys.stderr)"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=100, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--help"], ["version"], ["--version"], []])
def test_help_and_version_load_no_engine(arguments: list[str], environ: dict[str, str]) -> None:
    assert not loaded_by(*arguments, environ=environ).intersection(HEAVY)


def test_a_piped_keyword_search_loads_no_rich(spawn: Run, vault: Path, environ: dict[str, str]) -> None:
    assert not loaded_by("search", "postgres", environ=environ).intersection({"rich", "watchfiles"})


def test_a_search_that_finds_the_folders_unchanged_loads_nothing_that_reads_files(
    spawn: Run, vault: Path, environ: dict[str, str]
) -> None:
    reading = {
        "hearth.vault.indexing.analysis",
        "hearth.vault.indexing.sync",
        "hearth.vault.embedding",
        "hearth.guard.secrets.redaction",
    }
    for place in (*vault.rglob("*"), vault):
        os.utime(place, (1_700_000_000, 1_700_000_000))  # what was written a moment ago may be written again
    assert spawn("update").code == 0
    assert not loaded_by("query", "postgres", environ=environ).intersection(reading)
    assert not loaded_by("search", "postgres", environ=environ).intersection({*reading, "numpy", "difflib"})


def test_the_console_script_is_the_main_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    module, _, attribute = project["project"]["scripts"]["hearth"].partition(":")
    assert getattr(import_module(module), attribute) is cli.main


def test_python_m_hearth_runs_the_command_line(spawn: Run) -> None:
    result = spawn("version")
    assert result.code == 0
    assert result.out.startswith("hearth ")


def test_an_unknown_command_is_an_error_that_names_the_nearest(hearth: Run) -> None:
    result = hearth("serch", "x")
    assert (result.code, result.out) == (2, "")
    assert result.err == "hearth: no command 'serch'; did you mean search?; see: hearth --help\n"


def test_an_unknown_option_is_an_error_that_names_the_nearest(hearth: Run) -> None:
    result = hearth("search", "x", "--limt", "3")
    assert result.code == 2
    assert "no option --limt; did you mean --limit?" in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["journal", "show", "-n", "99999999999999999999"],
        ["collection", "add", "x" * 300],
        ["collection", "add", "~nobody-of-that-name/notes"],
    ],
)
def test_what_no_machine_can_hold_is_a_wrong_argument(hearth: Run, arguments: list[str]) -> None:
    result = hearth(*arguments)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "unexpected" not in result.err


def test_common_options_stand_before_or_after_the_command(hearth: Run) -> None:
    for arguments in (
        ["--vault", "work", "status"],
        ["status", "--vault", "work"],
        ["config", "get", "x", "--vault=w"],
    ):
        result = hearth(*arguments)
        assert result.code == 3
        assert "there is no vault" in result.err


@pytest.mark.parametrize(
    "error",
    [
        errors.UsageError("u"),
        errors.ConfigError("c"),
        errors.NotFound("n"),
        errors.Ambiguous("a", ("x", "y")),
        errors.Conflict("k"),
        errors.Unavailable("v"),
        errors.BadReply("b"),
    ],
)
def test_each_deliberate_error_is_one_line_and_its_own_exit_code(
    error: errors.HearthError, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(_raising(error), []) == error.exit_code
    assert capsys.readouterr().err == f"hearth: {error}\n"


def test_an_unexpected_error_is_one_line_and_shows_where_on_demand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HEARTH_DEBUG", raising=False)
    assert run(_raising(ZeroDivisionError("by\nzero")), []) == 1
    said = capsys.readouterr().err
    assert said.startswith("hearth: unexpected ZeroDivisionError: by zero; hearth --debug")
    assert said.count("\n") == 1


def test_a_stop_says_how_far_it_got(capsys: pytest.CaptureFixture[str]) -> None:
    @click.command()
    @click.pass_obj
    def command(session: object) -> None:
        session.done, session.total = 3, 8  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    assert run(command, []) == 130
    assert capsys.readouterr().err.strip() == "hearth: stopped; work done so far is kept (3 of 8 files)"


def test_debug_shows_the_traceback_by_option_and_by_variable(spawn: Run, hearth: Run) -> None:
    for result in (spawn("--debug", "get", "x"), spawn("get", "x", "--debug"), spawn("get", "x", HEARTH_DEBUG="1")):
        assert result.code == 3
        assert "Traceback" in result.err
    assert "Traceback" not in spawn("get", "x").err


def test_a_reader_that_goes_away_is_no_error(spawn: Run, vault: Path, environ: dict[str, str]) -> None:
    command = f"{sys.executable} -m hearth config show | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], env=environ, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode in (0, 1)
    assert done.stderr == ""


def test_native_windows_is_refused_with_the_way_out(environ: dict[str, str]) -> None:
    code = "import sys; from hearth.cli import main; sys.platform = 'win32'; sys.exit(main(['status']))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 2
    assert "WSL2" in done.stderr


def test_a_table_of_commands_is_all_that_the_group_needs() -> None:
    groups = {"Set up": ("up",)}
    group = root({"up": CommandEntry("no.such.module", "up", "Goes up.")}, groups, groups, {})
    assert group.list_commands(click.Context(group)) == ["up"]
    assert "Goes up." in group.get_help(click.Context(group))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(hearth: Run, shell: str) -> None:
    result = hearth("completion", shell)
    assert result.code == 0
    assert "_HEARTH_COMPLETE" in result.out


def test_completion_knows_commands_and_options(spawn: Run) -> None:
    words = {"COMP_WORDS": "hearth sea", "COMP_CWORD": "1"}
    assert "search" in spawn(_HEARTH_COMPLETE="bash_complete", **words).out
    words = {"COMP_WORDS": "hearth search --exp", "COMP_CWORD": "2"}
    assert "--explain" in spawn(_HEARTH_COMPLETE="bash_complete", **words).out


def _raising(error: Exception) -> click.Command:
    @click.command()
    def command() -> None:
        raise error

    return command
