"""Where the daemon listens, and what callers must agree on with it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from hearth.core.paths import resolve
from hearth.daemon.address import MAX_SOCKET, Address, address

FOLDERS = {f"HEARTH_{name}_DIR": f"/x/{name.lower()}" for name in ("CONFIG", "DATA", "CACHE", "STATE")}


def of(**variables: str) -> Address:
    environ = {"HOME": "/h"} | FOLDERS | variables
    return Address(resolve(environ, "linux"), environ)


@pytest.mark.parametrize("name", ["CONFIG", "DATA", "CACHE"])
def test_each_set_of_folders_has_its_own_socket(name: str) -> None:
    assert of().socket != of(**{f"HEARTH_{name}_DIR": "/other"}).socket


def test_the_socket_lies_in_the_runtime_folder_and_else_below_tmp() -> None:
    with tempfile.TemporaryDirectory(prefix="h", dir="/tmp") as folder:
        assert of(XDG_RUNTIME_DIR=folder).socket == f"{folder}/hearth-{of().key}.sock"
    assert of().socket == f"/tmp/hearth-{os.getuid()}/hearth-{of().key}.sock"
    assert len(of().key) == 12


def test_a_runtime_folder_that_is_gone_open_to_others_or_too_long_is_not_used(tmp_path: Path) -> None:
    common = of().folder
    assert of(XDG_RUNTIME_DIR="/no/such/folder").folder == common
    with tempfile.TemporaryDirectory(prefix="h", dir="/tmp") as folder:
        Path(folder).chmod(0o777)
        assert of(XDG_RUNTIME_DIR=folder).folder == common
        Path(folder).chmod(0o700)
        link = Path(folder, "link")
        link.symlink_to(folder)
        assert of(XDG_RUNTIME_DIR=str(link)).folder == common
        long = Path(folder, "x" * 80)
        long.mkdir(mode=0o700)
        assert of(XDG_RUNTIME_DIR=str(long)).folder == common
    assert len(of().socket) <= MAX_SOCKET


def test_the_agreement_is_about_settings_not_about_how_folders_are_named() -> None:
    assert of().agreement == of(HEARTH_VAULT="work", HEARTH_DEBUG="1", EDITOR="vi").agreement
    assert of().agreement != of(HEARTH_PROFILE="deep").agreement
    assert of().agreement != of(HEARTH_STATE_DIR="/elsewhere").agreement
    named = {"HOME": "/h", "HEARTH_STATE_DIR": "/x/state", "XDG_CONFIG_HOME": "/x"}
    by_standard = Address(resolve(named, "linux"), named)
    assert by_standard.agreement == of().agreement


def test_a_folder_is_private_while_nobody_else_can_write_there() -> None:
    with tempfile.TemporaryDirectory(prefix="h", dir="/tmp") as folder:
        at = of(XDG_RUNTIME_DIR=folder)
        assert at.private()
        Path(folder).chmod(0o770)
        assert not at.private()
    assert not at.private()


def test_the_folder_below_tmp_is_made_for_this_user_alone() -> None:
    at = of(XDG_RUNTIME_DIR="/no/such/folder")
    assert at.private()
    status = Path(at.folder).stat()
    assert (status.st_mode & 0o777, status.st_uid) == (0o700, os.getuid())


def test_addresses_follow_the_environment(tmp_path: Path) -> None:
    environ = {key: str(tmp_path / key) for key in FOLDERS} | {"HOME": str(tmp_path)}
    assert address(environ).folders.cache == str(tmp_path / "HEARTH_CACHE_DIR")
