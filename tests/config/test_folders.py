"""Folders come from HEARTH_* variables, else from the platform's standard."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.core import paths
from hearth.core.errors import ConfigError, UnsupportedPlatform
from hearth.core.paths import Folders, folders, resolve

SOURCE = Path(paths.__file__).parents[2]
EXPLICIT = {f"HEARTH_{name}_DIR": f"/x/{name.lower()}" for name in ("CONFIG", "DATA", "CACHE", "STATE")}


def python(code: str, environ: dict[str, str]) -> str:
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(SOURCE), **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def test_linux_uses_the_xdg_defaults_below_home() -> None:
    found = resolve({"HOME": "/home/me"}, "linux")
    assert found == Folders(
        "/home/me/.config/hearth",
        "/home/me/.local/share/hearth",
        "/home/me/.cache/hearth",
        "/home/me/.local/state/hearth",
        f"/tmp/hearth-{os.getuid()}",
    )
    assert hash(found) == hash(resolve({"HOME": "/home/me"}, "linux"))
    assert "state='/home/me/.local/state/hearth'" in repr(found)


def test_linux_follows_xdg_variables_and_passes_over_relative_ones() -> None:
    environ = {"HOME": "/h", "XDG_CONFIG_HOME": "/c/", "XDG_DATA_HOME": "data", "XDG_RUNTIME_DIR": "/run/user/7"}
    found = resolve(environ, "linux")
    assert (found.config, found.data, found.runtime) == ("/c/hearth", "/h/.local/share/hearth", "/run/user/7")


def test_macos_uses_library_folders() -> None:
    found = resolve({"HOME": "/Users/me", "XDG_CONFIG_HOME": "/c"}, "darwin")
    support = "/Users/me/Library/Application Support/hearth"
    caches = "/Users/me/Library/Caches/hearth"
    assert found == Folders(support, support, caches, support, f"/tmp/hearth-{os.getuid()}")


def test_explicit_folders_win_and_expand_the_home() -> None:
    found = resolve({**EXPLICIT, "HEARTH_DATA_DIR": "~/memory/", "HOME": "/h", "XDG_DATA_HOME": "/d"}, "linux")
    assert (found.config, found.data, found.cache, found.state) == ("/x/config", "/h/memory", "/x/cache", "/x/state")


def test_an_empty_variable_counts_as_unset() -> None:
    assert resolve({"HOME": "/h", "HEARTH_DATA_DIR": "", "XDG_DATA_HOME": ""}, "linux").data == "/h/.local/share/hearth"


@pytest.mark.parametrize("value", ["memory", "./memory", "~other/memory", "../x"])
def test_a_relative_folder_is_an_error_that_names_the_variable(value: str) -> None:
    with pytest.raises(ConfigError, match="HEARTH_DATA_DIR must be an absolute folder"):
        resolve({**EXPLICIT, "HEARTH_DATA_DIR": value, "HOME": "/h"}, "linux")


def test_native_windows_is_refused_and_names_wsl2() -> None:
    with pytest.raises(UnsupportedPlatform, match="WSL2") as error:
        folders(EXPLICIT, platform="win32")
    assert error.value.exit_code == 2


def test_a_test_run_without_explicit_folders_is_refused() -> None:
    with pytest.raises(ConfigError, match="set HEARTH_CONFIG_DIR, HEARTH_CACHE_DIR, HEARTH_STATE_DIR to temporary"):
        folders({"HEARTH_DATA_DIR": "/x/data", "HOME": "/h"})
    assert folders({**EXPLICIT, "HOME": "/h"}, platform="linux").data == "/x/data"


def test_a_child_of_a_test_run_is_refused_too() -> None:
    code = "from hearth.core import paths\ntry: paths.folders()\nexcept paths.ConfigError as e: print(e)"
    assert "set HEARTH_CONFIG_DIR" in python(code, {"HOME": "/h", "PYTEST_CURRENT_TEST": "x"})


@pytest.mark.parametrize(
    ("environ", "linux"),
    [
        (
            {"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/e"},
            ("/c/hearth", "/d/hearth", "/e/hearth", "/h/.local/state/hearth"),
        ),
        (
            {"XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "relative"},
            ("/h/.config/hearth", "/h/.local/share/hearth", "/h/.cache/hearth", "/s/hearth"),
        ),
    ],
)
def test_each_folder_follows_its_own_xdg_variable_and_macos_none(
    environ: dict[str, str], linux: tuple[str, str, str, str]
) -> None:
    found = resolve({"HOME": "/h", **environ}, "linux")
    assert (found.config, found.data, found.cache, found.state) == linux
    assert resolve({"HOME": "/h", **environ}, "darwin") == resolve({"HOME": "/h"}, "darwin")


def test_importing_paths_brings_none_of_the_slow_modules() -> None:
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
        "from hearth.core import paths; print(*set(sys.modules) - before)"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(SOURCE)], capture_output=True, text=True, check=True
    )
    assert set(run.stdout.split()) <= {"hearth", "hearth.core", "hearth.core.paths", "hearth.core.errors", "__future__"}


def test_the_home_is_the_accounts_where_the_variable_is_missing_or_relative() -> None:
    import pwd

    account = pwd.getpwuid(os.getuid()).pw_dir
    assert paths.home({}) == paths.home({"HOME": "x"}) == account
