"""Settings on disk: a backup, one writer at a time, and no writing over what somebody else wrote meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.core.errors import ConfigError, Conflict, Unavailable
from hearth.settings_files.file import MAX_BYTES, Edits, install, remove

OURS = "ours\n"


def put(text: str) -> str:
    return text if OURS in text else text + OURS


def strip(text: str) -> str:
    return text.replace(OURS, "")


def edits(put: Callable[[str], str] = put) -> Edits:
    return Edits(put, strip, (put,), lambda text: OURS not in text, lambda text: not text.strip())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings"


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "state" / "setup.lock"


def test_the_backup_is_of_the_time_before_our_first_entry(file: Path, lock: Path) -> None:
    file.write_text("mine\n", "utf-8")
    install(file, edits(), lock)
    file.write_text(file.read_text("utf-8") + "more\n", "utf-8")
    install(file, edits(lambda text: text if text.endswith("ours too\n") else text + "ours too\n"), lock)
    assert Path(f"{file}.before-hearth").read_text("utf-8") == "mine\n"


def test_a_file_with_entries_of_ours_is_backed_up_where_no_backup_is(file: Path, lock: Path) -> None:
    file.write_text(f"mine\n{OURS}", "utf-8")
    install(file, edits(lambda text: text if text.endswith("new\n") else text + "new\n"), lock)
    backup = Path(f"{file}.before-hearth")
    assert backup.read_text("utf-8") == f"mine\n{OURS}"
    backup.unlink()
    change = remove(file, edits(), lock)
    assert file.read_text("utf-8") == "mine\nnew\n"
    assert change.backup == backup and backup.read_text("utf-8") == f"mine\n{OURS}new\n"


def test_a_backup_with_entries_of_ours_never_comes_back(file: Path, lock: Path) -> None:
    file.write_text(f"mine\n{OURS}", "utf-8")
    Path(f"{file}.before-hearth").write_text(f"mine\n{OURS}", "utf-8")
    remove(file, edits(), lock)
    assert file.read_text("utf-8") == "mine\n"


def test_a_backup_is_as_private_as_the_file(file: Path, lock: Path) -> None:
    backup = Path(f"{file}.before-hearth")
    for former in (None, 0o644):
        file.write_text("mine\n", "utf-8")
        file.chmod(0o600)
        if former is not None:
            backup.chmod(former)
        install(file, edits(), lock)
        assert backup.stat().st_mode & 0o777 == 0o600


def test_a_backup_of_an_earlier_time_is_replaced(file: Path, lock: Path) -> None:
    Path(f"{file}.before-hearth").write_text("ages ago\n", "utf-8")
    file.write_text("mine\n", "utf-8")
    install(file, edits(), lock)
    assert Path(f"{file}.before-hearth").read_text("utf-8") == "mine\n"


@pytest.mark.parametrize("removing", [False, True])
def test_what_another_program_writes_in_between_is_not_lost(file: Path, lock: Path, removing: bool) -> None:
    file.write_text(f"mine\n{OURS if removing else ''}", "utf-8")

    def meanwhile(edit: Callable[[str], str]) -> Callable[[str], str]:
        def run(text: str) -> str:
            file.write_text("theirs\n", "utf-8")
            return edit(text)

        return run

    with pytest.raises(Conflict, match=r"another program just wrote it; run the command again"):
        if removing:
            remove(file, Edits(put, meanwhile(strip), (put,), lambda _: False, lambda _: False), lock)
        else:
            install(file, edits(meanwhile(put)), lock)
    assert file.read_text("utf-8") == "theirs\n"


def test_an_edit_that_fails_leaves_everything_as_it_was(file: Path, lock: Path) -> None:
    def refuse(text: str) -> str:
        raise ConfigError("no")

    file.write_text("mine\n", "utf-8")
    with pytest.raises(ConfigError):
        install(file, edits(refuse), lock)
    assert file.read_text("utf-8") == "mine\n"
    assert sorted(entry.name for entry in file.parent.iterdir()) == ["settings", "state"]


def test_a_folder_in_the_place_of_a_file_is_an_error(file: Path, lock: Path) -> None:
    file.mkdir()
    with pytest.raises(Unavailable, match="can't read"):
        install(file, edits(), lock)


def test_a_file_that_is_too_large_for_settings_is_refused(file: Path, lock: Path) -> None:
    with file.open("wb") as large:
        large.truncate(MAX_BYTES + 1)
    with pytest.raises(ConfigError, match="is not a settings file"):
        install(file, edits(), lock)


def test_a_file_shared_with_a_project_can_be_read_by_others(file: Path, lock: Path) -> None:
    install(file, edits(), lock, private=False)
    assert file.stat().st_mode & 0o777 == 0o644


def test_removing_where_nothing_was_installed_changes_nothing(file: Path, lock: Path) -> None:
    assert not remove(file, edits(), lock).changed
    file.write_text("mine\n", "utf-8")
    assert not remove(file, edits(), lock).changed
    assert file.read_text("utf-8") == "mine\n"
