from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.cli.health.machine import kind_of

Run = Callable[..., object]
MOUNTS = [
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
    "30 22 0:25 / /mnt/my\\040share rw - nfs4 server:/x rw",
    "31 30 0:26 / /mnt/my\\040share/inner rw shared:3 master:1 - cifs //a/b rw",
    "broken line",
]


def findings(result: object) -> dict[str, dict[str, str]]:
    rows = json.loads(result.out)["findings"]  # type: ignore[attr-defined]
    return {row["check"]: row for row in sorted(rows, key=lambda row: ["ok", "warn", "fail"].index(row["level"]))}


def test_a_sound_vault_passes_every_check(hearth: Run, vault: Path) -> None:
    result = hearth("doctor", "--json")
    found = findings(result)
    assert result.code == 0
    assert [row for row in found.values() if row["level"] == "fail"] == []
    assert {"python", "sqlite", "config", "journal", "index", "agreement", "vectors", "model", "machine id"} <= set(
        found
    )
    assert hearth("doctor").out.startswith("ok    python: ")


def test_missing_folders_fail_and_are_created_by_fix(hearth: Run) -> None:
    broken = hearth("doctor", "--json")
    assert broken.code == 1
    assert findings(broken)["data folder"]["fix"] == "run: hearth init"
    fixed = hearth("doctor", "--fix", "--json")
    assert fixed.code == 0
    assert json.loads(fixed.out)["fixed"] == ["created the missing folders"]


def test_files_newer_than_the_index_are_a_warning_and_fix_updates(hearth: Run, vault: Path) -> None:
    (vault / "new.md").write_text("# New\n", encoding="utf-8")
    (vault / "daily" / "2026-03-05.md").unlink()
    stale = hearth("doctor", "--json")
    assert stale.code == 0
    assert findings(stale)["agreement"]["message"].startswith("1 files are new, 0 changed and 1 gone")
    assert findings(hearth("doctor", "--fix", "--json"))["agreement"]["level"] == "ok"


@pytest.mark.parametrize("where", [0.02, 0.3, 0.6, 0.9])
def test_a_damaged_index_fails_and_fix_rebuilds_it(hearth: Run, vault: Path, where: float) -> None:
    index = Path(hearth("path", "index").out.strip())
    for number in range(150):
        (vault / f"{number}.md").write_text(f"# Note {number}\n\n{'word ' * number}\n", encoding="utf-8")
    hearth("update")
    size = index.stat().st_size
    with index.open("r+b") as file:
        file.seek(int(size * where) // 4096 * 4096)
        file.write(b"\xa5" * (4096 * 12))
    broken = hearth("doctor", "--json")
    assert broken.code == 1, broken.out
    fixed = hearth("doctor", "--fix", "--json")
    assert fixed.code == 0, fixed.out
    assert "decisions/0001-postgres.md" in hearth("search", "postgresql", "--files").out


def test_an_index_that_is_no_database_is_replaced_and_filled_again(hearth: Run, vault: Path) -> None:
    index = Path(hearth("path", "index").out.strip())
    for name in (index, index.with_name("index.sqlite-wal"), index.with_name("index.sqlite-shm")):
        name.unlink(missing_ok=True)
    index.write_bytes(b"hello" * 1000)
    assert hearth("doctor", "--fix").code == 0
    assert "0001-postgres.md" in hearth("search", "postgresql", "--files").out


def test_a_broken_configuration_is_a_failure_of_its_own(hearth: Run, tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("serch: {}\n", encoding="utf-8")
    result = hearth("doctor", "--json")
    assert result.code == 1
    assert "serch" in findings(result)["config"]["message"]
    assert hearth("doctor", "--fix").code in (1, 2)


def test_a_missing_folder_of_notes_fails(hearth: Run, vault: Path) -> None:
    vault.rename(vault.with_name("away"))
    result = hearth("doctor", "--json")
    assert result.code == 1
    assert "hearth collection remove my-notes" in findings(result)["collection my-notes"]["fix"]


def test_copies_left_by_a_sync_conflict_are_named(hearth: Run, vault: Path) -> None:
    (vault / "a.sync-conflict-20260305-101010-ABCDEFG.md").write_text("# Copy\n", encoding="utf-8")
    result = hearth("doctor", "--json")
    assert result.code == 0
    assert "a.sync-conflict" in findings(result)["collection my-notes"]["message"]


def test_bad_lines_of_a_journal_are_a_warning(hearth: Run, vault: Path) -> None:
    folder = Path(hearth("path", "journal").out.strip())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "abcdefghjk.jsonl").write_text("not json\n", encoding="utf-8")
    assert findings(hearth("doctor", "--json"))["journal"]["level"] == "warn"


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/home/me", "ext4"), ("/mnt/my share/x", "nfs4"), ("/mnt/my share/inner", "cifs"), ("/mnt/my", "ext4")],
)
def test_the_deepest_mount_tells_the_kind_of_file_system(folder: str, kind: str) -> None:
    assert kind_of(Path(folder), MOUNTS) == kind
