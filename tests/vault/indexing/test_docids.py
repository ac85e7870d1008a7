"""Which of several files bears the id that they name: it follows from the files, whatever came first."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.vault.indexing.test_two_machines_one_day import machine, memory
from tests.vault.indexing.test_warm_index import dump

from hearth.cli.health import index
from hearth.cli.health.machine import OK
from hearth.core import document
from hearth.ports import Filter
from hearth.vault.vault import Vault


def learn(home: Path, text: str = "Anna lives in Rome") -> tuple[str, Path]:
    with machine(home) as vault:
        done = vault.memories.remember(text, "entity", subject="Anna", tags=("person",))
    return done.docid, Path(done.file)


def paths(vault: Vault) -> dict[str, str]:
    return {Path(one.document.path).name: one.document.docid for one in vault.documents(Filter(include_hidden=True))}


def warm_and_rebuilt(home: Path) -> None:
    kept = ("documents", "files", "fragments", "states", "skipped")
    with machine(home) as vault:
        vault.index.sync()
        warm = dump(vault.store)
    shutil.rmtree(home / "cache")
    with machine(home) as vault:
        vault.index.sync()
        rebuilt: dict[str, Any] = dump(vault.store)
    for what in kept:
        assert rebuilt[what] == warm[what], what


def test_a_pin_stays_with_the_original_when_a_copy_comes_that_sorts_before_it(tmp_path: Path) -> None:
    docid, file = learn(tmp_path)
    copy = file.with_name("person-anna (1).md")
    copy.write_text(f"{file.read_text('utf-8')}- from the other machine\n", "utf-8")
    with machine(tmp_path) as vault:
        vault.state.pin("person-anna.md")
        assert paths(vault)[file.name] == docid
    warm_and_rebuilt(tmp_path)
    with machine(tmp_path) as vault:
        assert paths(vault)[file.name] == docid


def test_what_was_forgotten_stays_forgotten_where_only_a_copy_of_it_is_left(tmp_path: Path) -> None:
    with machine(tmp_path) as vault:
        done = vault.memories.remember("We decided to use PostgreSQL for the larder")
        vault.state.forget(done.docid)
    file = Path(done.file)
    copy = file.with_name("larder-database.md")
    copy.write_text(f"{file.read_text('utf-8')}\nBy hand: and Redis beside it.\n", "utf-8")
    with machine(tmp_path) as vault:
        vault.index.sync()
        assert [hit.path for hit in vault.recall("Redis", recipe="keyword").hits] == ["agent/notes/larder-database.md"]
        [(_, why)] = vault.status().problems
        assert "names the id of another file" in why
        assert [finding.level for finding in index.integrity(vault, deep=True)] == [OK]
        file.unlink()
        vault.index.sync()
        assert vault.recall("Redis", recipe="keyword").hits == ()
        assert (paths(vault), vault.status().problems) == ({copy.name: done.docid}, ())
    warm_and_rebuilt(tmp_path)


def test_of_files_that_come_at_once_each_is_a_document_and_one_bears_the_id(tmp_path: Path) -> None:
    docid, file = learn(tmp_path)
    text = file.read_text("utf-8")
    file.unlink()
    for name in ("b.md", "a-longer-name.md", "c.md"):
        (memory(tmp_path) / name).write_text(text, "utf-8")
    with machine(tmp_path) as vault:
        vault.index.sync()
        assert [name for name, borne in paths(vault).items() if borne == docid] == ["b.md"]
        assert len(paths(vault)) == 3
    warm_and_rebuilt(tmp_path)


def test_a_file_that_names_no_id_any_more_gives_it_up(tmp_path: Path) -> None:
    docid, file = learn(tmp_path)
    other = file.with_name("person-anna-rossi.md")
    other.write_text(file.read_text("utf-8") + "- Sings.\n", "utf-8")
    with machine(tmp_path) as vault:
        vault.index.sync()
    file.write_text("# Anna\n\nBy hand.\n", "utf-8")
    with machine(tmp_path) as vault:
        vault.index.sync()
        assert [name for name, borne in paths(vault).items() if borne == docid] == [other.name]
    warm_and_rebuilt(tmp_path)


@pytest.mark.parametrize("added", [" (1)", "-thinkpad"])
def test_a_copy_of_an_entity_adds_its_own_lines_and_another_entity_all(tmp_path: Path, added: str) -> None:
    _, file = learn(tmp_path)
    with machine(tmp_path) as vault:
        vault.memories.remember("Anna Maria lives in Rome", "entity", subject="Anna Maria", tags=("person",))
    copy = file.with_name(f"{file.stem}{added}.md")
    copy.write_text(f"{file.read_text('utf-8')}- 2026-01-01 Paints in Oslo.\n", "utf-8")
    with machine(tmp_path) as vault:
        vault.index.sync()
        with vault.store.read() as reader:
            texts = {
                Path(one.document.path).name: " ".join(part.text for part in reader.fragments_of(one.id))
                for one in vault.documents()
            }
    assert [name for name, text in sorted(texts.items()) if "Rome" in text] == ["person-anna-maria.md", file.name]
    assert "Oslo" in texts[copy.name]


@pytest.mark.parametrize("added", [".sync-conflict-20260101-120000-ABCDEFG", " (1)"])
def test_a_copy_whose_memory_is_gone_is_that_memory(tmp_path: Path, added: str) -> None:
    with machine(tmp_path) as vault:
        done = vault.memories.remember("We decided to use PostgreSQL for the larder")
    file = Path(done.file)
    for more in (added, f"{added} 2"):
        file.with_name(f"{file.stem}{more}.md").write_text(file.read_text("utf-8"), "utf-8")
    file.unlink()
    with machine(tmp_path) as vault:
        vault.index.sync()
        assert paths(vault) == {f"{file.stem}{added}.md": done.docid}
    warm_and_rebuilt(tmp_path)


def test_a_memory_that_names_the_id_of_a_note_keeps_it_from_nothing(tmp_path: Path) -> None:
    done = learn(tmp_path, "Anna keeps the cellar")[1]
    text, note = done.read_text("utf-8"), tmp_path / "notes" / "larder.md"
    wanted = document.docid("notes", note.name)
    done.write_text(re.sub(r"^id: .*$", f"id: {wanted}", text, flags=re.MULTILINE), "utf-8")
    note.parent.mkdir()
    (tmp_path / "config").mkdir(exist_ok=True)
    settings = f"collections: {{notes: {{path: {note.parent}}}}}\n"
    (tmp_path / "config" / "config.yaml").write_text(settings, "utf-8")
    with machine(tmp_path) as vault:
        vault.index.sync()
        assert paths(vault)[done.name] == wanted
    note.write_text("# Larder\n\nFlour.\n", "utf-8")
    with machine(tmp_path) as vault:
        report = vault.index.sync()
        found = paths(vault)
        assert (found[note.name], report.problems) == (wanted, [])
        assert found[done.name] not in ("", wanted)
    warm_and_rebuilt(tmp_path)
