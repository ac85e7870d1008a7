"""Of prose only what is said of two things with names of their own."""

from __future__ import annotations

import pytest

from hearth.core.document import Document
from hearth.language.triples import find_named_triples


def told(text: str, wanted: str, title: str = "Notes", language: str = "en") -> list[str]:
    document = Document("d" * 16, "notes", "notes.md", title, "note", 0, 0, "", "", 0, language=language)
    found = find_named_triples(text, wanted, lambda: text, document)
    return [" ".join((one.subject, one.predicate, one.object)) for one in found]


@pytest.mark.parametrize(("text", "wanted", "stated"), [
    ("These days, our Larder uses PostgreSQL.", "larder", "Larder uses PostgreSQL"),
    ("PostgreSQL replaced Redis for the queue.", "redis", "PostgreSQL replaced Redis"),
    ("GitHub Pages is hosted on GitHub.", "github pages", "GitHub Pages runs_on GitHub"),
    ("Today we saw it: Node.js 22 requires OpenSSL 3.", "openssl", "Node.js 22 depends_on OpenSSL 3"),
    ("We like Larder. Larder runs on Hetzner.", "hetzner", "Larder runs_on Hetzner"),
    ("Nur hier gilt: DuckDB läuft auf S3.", "duckdb", "DuckDB runs_on S3"),
])  # fmt: skip
def test_two_names_state_a_fact(text: str, wanted: str, stated: str) -> None:
    assert told(text, wanted, language="de" if "gilt" in text else "en") == [stated]


@pytest.mark.parametrize(("text", "wanted"), [
    ("Properties are stored in YAML.", "yaml"),  # a capital that only begins its sentence
    ("This feature requires a paid subscription.", "subscription"),
    ("Version Control: Use Git for version control.", "git"),
    ("I've decided to use the OpenWeather Geocoding API.", "openweather"),
    ("Repository: Since GitHub Pages is hosted on GitHub, it is public.", "github"),
    ("Move tasks from To Do to In Progress.", "to do"),
    ("Our Larder may use PostgreSQL? Perhaps Larder uses Kafka.", "larder"),
    ("The larder uses Kafka.", "kafka"),
    ("These days, our Larder uses PostgreSQL.", "redis"),  # another name was asked for
])  # fmt: skip
def test_what_lacks_a_name_or_states_nothing_is_no_fact(text: str, wanted: str) -> None:
    assert told(text, wanted) == []


@pytest.mark.parametrize(
    "word", ["Since", "Because", "While", "When", "Although", "Though", "Once", "After", "Before", "If"]
)
def test_a_word_that_joins_sentences_begins_no_name(word: str) -> None:
    assert told(f"Hosts: {word} GitHub Pages is hosted on GitHub, it is public.", "github") == []


@pytest.mark.parametrize("name", [
    "Bank of England", "Marks & Spencer", "Marks and Spencer", "Musée de Lyon", "Banco del Sur", "Radio la Red",
    "Gare du Nord", "Haus von Ulm", "Banca di Roma", "Casa do Norte",
])  # fmt: skip
def test_a_name_may_be_joined_by_small_words(name: str) -> None:
    assert told(f"Today, our DuckDB uses {name}.", "duckdb") == [f"DuckDB uses {name}"]


def test_what_a_note_is_called_is_a_name_and_a_german_noun_is_none() -> None:
    assert told("Larder runs on Hetzner.", "hetzner") == []
    assert told("Larder runs on Hetzner Cloud since DuckDB came.", "hetzner", title="larder") == [
        "Larder runs_on Hetzner Cloud"
    ]
    assert told("Nur die Datenbank läuft auf Hetzner.", "datenbank", language="de") == []
