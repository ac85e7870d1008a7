"""Documents like another one, as whoever asks for them sees them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.vault.vault import Vault

HARBOUR = "The harbour pilots moor the ferry at the quay, and cranes unload containers from the ships at the dock. "
BEES = "The beekeeper checks each hive for its queen, and bees carry pollen and nectar into the honeycomb. "
TABLE = "| Pump | Litres |\n|---|---|\n| Grundfos | 40 |\n| Wilo | 35 |\n"
Fill = Callable[[dict[str, str]], Vault]


@pytest.fixture
def vault(tmp_path: Path) -> Fill:
    def filled(files: dict[str, str]) -> Vault:
        (tmp_path / "notes").mkdir()
        for name, text in files.items():
            (tmp_path / "notes" / name).write_text(text, "utf-8")
        opened = open_folder(tmp_path / "notes", tmp_path / "work")
        opened.index.sync()
        return opened

    return filled


def test_the_rows_of_a_table_stay_rows_in_what_is_like_a_note(vault: Fill) -> None:
    found = {
        "well.md": f"# Pumps of the well\n\n{TABLE}",
        "pond.md": f"# Pumps of the pond\n\n{TABLE}",
    }
    with vault(found) as opened:
        [hit] = opened.similar("well.md")
    assert hit.path == "pond.md"
    assert "\n| Pump | Litres |\n|---|---|" in hit.snippet


def test_a_long_document_is_like_others_by_its_whole(vault: Fill) -> None:
    """Its first windows tell of something else than most of it, and only so many are asked for one by one."""
    long = "\n\n".join([f"## Port {at}\n\n{HARBOUR * 6}" for at in range(4)])
    long += "\n\n" + "\n\n".join([f"## Hive {at}\n\n{BEES * 6}" for at in range(20)])
    found = {
        "long.md": f"# A year\n\n{long}\n",
        "bees.md": "# Bees\n\nBees gather nectar and pollen for the hive, where the queen lays her eggs.\n",
        "boats.md": "# Boats\n\nThe rowing boat wants a coat of varnish before the summer.\n",
        "tax.md": "# Tax\n\nThe adviser files the return in May.\n",
    }
    with vault(found) as opened:
        [hit] = opened.similar("long.md", limit=1)
    assert hit.path == "bees.md"
