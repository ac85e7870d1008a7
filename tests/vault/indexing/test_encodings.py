"""Which text stands in a file, whatever wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.house import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    built = House(tmp_path, tmp_path / "notes")
    built.configure()
    built.write("plain.md", "# Plain\n\nNothing much.\n")
    return built


@pytest.mark.parametrize(
    ("encoding", "text", "question"),
    [
        (
            "cp1252",
            "# Brot\n\nDie Bäckerin läßt den Sauerteig über Nacht ruhen – für „später“.\n",
            "Bäckerin Sauerteig",
        ),
        ("shift_jis", "# パン\n\nパン生地はひと晩やすませてから、あさに焼きます。\n", "パン生地"),
        ("gb18030", "# 面包\n\n面团要放一整夜，第二天早上再烤，味道更好。\n", "面团"),
    ],
)
def test_older_encodings_are_read_where_certain(house: House, encoding: str, text: str, question: str) -> None:
    (house.notes / "old.md").write_bytes(text.encode(encoding))
    hit = house.vault.recall(question, recipe="keyword").hits[0]
    assert hit.path == "old.md"
    assert hit.text.strip() in text


def test_what_is_damaged_is_named(house: House) -> None:
    (house.notes / "odd.md").write_bytes("# Brot\n\nBäckerin, Öfen, Mühle".encode() + b"\n\xff\xfe\x9d more\n")
    vault = house.vault
    vault.index.sync()
    assert [uri for uri, why in vault.status().problems if "UTF-8" in why] == ["hearth://notes/odd.md"]


def test_payloads_are_found_by_nothing(house: House) -> None:
    payload = "QmFrZXJ5" * 60
    house.write(
        "page.md", f"# Oven\n\nThe picture of the oven.\n\n![oven](data:image/png;base64,{payload})\n\n{payload}\n"
    )
    hits = house.vault.recall("picture of the oven", recipe="keyword").hits
    assert hits[0].path == "page.md"
    assert all("QmFrZXJ5" not in hit.text for hit in hits)


@pytest.mark.parametrize(
    "line", ["x" * 200_000 + " end of it", ("y" * 60 + " ") * 30 + "no more " * 3_000, "z" * 24 + " " + "w" * 100_000]
)
def test_a_long_line_of_long_words_is_read_at_once(house: House, line: str) -> None:
    house.write("line.md", f"# Oven\n\n{line}\n\nThe oven is hot.\n")
    assert house.vault.recall("how hot is the oven", recipe="keyword").hits[0].path == "line.md"


@pytest.mark.parametrize(
    ("written", "asked"), [("Sauer\u00adteig", "Sauerteig"), ("שָׁלוֹם", "שלום"), ("Diyarbakır", "diyarbakir")]
)
def test_marks_that_nobody_asks_with_are_folded(house: House, written: str, asked: str) -> None:
    house.write("word.md", f"# Word\n\nIt is called {written} here.\n")
    assert house.vault.recall(asked, recipe="keyword").hits[0].path == "word.md"
