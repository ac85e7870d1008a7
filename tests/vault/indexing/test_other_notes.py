"""Which files count as notes, and how files that look like notes are reported."""

from __future__ import annotations

from pathlib import Path

from tests.house import House


def test_markdown_is_read_whatever_its_suffix_and_other_notes_are_counted(tmp_path: Path) -> None:
    house = House(tmp_path, tmp_path / "notes")
    house.configure()
    for name in ("a.md", "b.MD", "c.markdown", "d.txt", "e.org", "f.TXT", ".hidden.txt", "g.png", "node_modules/h.txt"):
        house.write(name, "# Rye\n\nBread.\n")
    vault = house.vault
    report = vault.index.sync()
    assert sorted(d.document.path for d in vault.documents()) == ["a.md", "b.MD", "c.markdown"]
    assert report.other_notes == {"*.org": 1, "*.txt": 2}
    assert vault.status().other_notes["notes"] == {"*.org": 1, "*.txt": 2}
