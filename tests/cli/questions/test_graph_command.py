from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.models.llm.chat import ChatServer

Run = Callable[..., Any]


def test_what_a_document_is_about_is_said_without_building_anything(hearth: Run, vault: Path) -> None:
    told = hearth("graph", "evolution", "0001-postgres.md")
    assert told.code == 0 and "PostgreSQL" in told.out and "context" in told.out
    assert json.loads(hearth("graph", "evolution", "0001-postgres.md", "--json").out)["read_by"] == "rules"
    assert hearth("graph", "evolution", "nowhere.md").code != 0


NOTE = {"keywords": ["PostgreSQL", "MongoDB", "joins"], "tags": ["joins"], "context": "PostgreSQL over MongoDB."}


@pytest.fixture
def server(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    made = ChatServer(always=lambda sent: json.dumps(NOTE) if "[0] PostgreSQL over" in _own(sent.prompt) else "{}")
    for name, value in (("PROVIDER", "openai"), ("URL", made.url), ("MODEL", "small")):
        monkeypatch.setenv(f"HEARTH_LLM_{name}", value)
    yield made
    made.stop()


def _own(prompt: str) -> str:
    """The line of the document that is read, without its day."""
    return re.sub(r"\[0\] \d{4}-\d\d-\d\d ", "[0] ", prompt)


def test_a_model_reads_what_is_built_and_what_it_could_not_read_is_said(
    hearth: Run, server: ChatServer, vault: Path
) -> None:
    assert "3 documents to be read by the language model today" in hearth("status").out
    told = hearth("graph", "build")
    assert json.loads(hearth("status", "--json").out)["missing_notes"] == 0, "what was answered in vain rests"
    assert told.code == 0 and "1 document read by the language model, 2 waiting" in told.out
    assert "not read: " in told.err
    told = hearth("graph", "evolution", "0001-postgres.md")
    assert "keywords  PostgreSQL, MongoDB, joins" in told.out and "context   PostgreSQL over MongoDB." in told.out
    assert "read by   openai:small note 1" in told.out
    assert json.loads(hearth("graph", "build", "--json").out)["notes"]["read"] == 0


def test_what_is_known_of_an_entity_is_summed_up_where_the_graph_is_built(
    hearth: Run, server: ChatServer, vault: Path
) -> None:
    for fact in ("glazes tiles.", "sings in a choir.", "sold the kiln."):
        told = f"Ines Aldana {fact}"
        assert hearth("remember", "--type", "entity", "--subject", "Ines Aldana", "--tag", "person", told).code == 0
    said = {"sentences": [{"text": "Ines Aldana sold the kiln.", "sources": [3]}]}
    server.always = lambda sent: json.dumps(said if "You sum up what is known" in sent.prompt else {})
    assert "1 file about entities summed up" in hearth("graph", "build").out
    assert "  Ines Aldana sold the kiln.  #" in hearth("entities", "Ines Aldana").out
    assert json.loads(hearth("graph", "build", "--json").out)["summed_up"] == 0
