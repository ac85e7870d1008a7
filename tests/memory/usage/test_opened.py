"""What an agent asks for: by name it is in use, and so not archived; its session is known."""

from __future__ import annotations

from pathlib import Path

from hearth.app import open_folder

DAY_MS = 86_400_000


def test_a_document_that_was_opened_counts_as_accessed_once_a_day(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Amber\n\nAmber floats in salt water.\n", "utf-8")
    with open_folder(tmp_path / "notes", tmp_path / "work") as vault:
        vault.index.sync()
        [stored] = vault.documents()
        assert stored.state.last_accessed_at is None
        for _ in range(2):
            vault.usage.opened(stored.document.docid)
        vault.usage.settle()
        [stored] = vault.documents()
        assert stored.state.last_accessed_at is not None
        assert stored.state.access_count == 0
    journals = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.jsonl"))
    assert journals.count('"seen"') == 1


def test_a_question_makes_its_session_known(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Amber\n\nAmber floats in salt water.\n", "utf-8")
    with open_folder(tmp_path / "notes", tmp_path / "work") as vault:
        vault.index.sync()
        vault.usage.recalled(vault.recall("does amber float in salt water?"), "s1")
        assert [session.id for session in vault.sessions.recent()] == ["s1"]
