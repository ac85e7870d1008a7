"""Hooks are processes: many record at once, and each opens the vault for itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import HANGS, children
from tests.memory.state.conftest import House

from hearth.core.session import Shown, Sighting, Surfacing

PROGRAM = """
import json, sys
from hearth import app
from hearth.core.session import Shown, Sighting, Surfacing
number, docs = int(sys.argv[1]), json.loads(sys.argv[2])
with app.open_vault() as vault:
    key = vault.usage.digest("what about the dinghy?")
    vault.sessions.seen(Sighting("shared", "codex", cwd="/"))
    for turn in range(5):
        name = f"t{turn}"
        shown = tuple(Shown(doc, 1, 3) for doc in docs)
        vault.usage.surfaced(Surfacing("shared", name, shown, 10, f"hook-{number}", key))
        vault.usage.feedback("shared", name, f"see #{docs[0]} and #{docs[1]}")
        vault.sessions.turn_ended("shared", "/t.jsonl", 100 * turn + number, name, [f"/w/{number}.py"])
print(key)
"""


@pytest.fixture
def house(tmp_path: Path) -> Any:
    built = House(tmp_path / "house")
    yield built
    built.close()


def docids(house: House) -> list[str]:
    return [stored.document.docid for stored in house.vault.documents()]


def test_writers_of_several_processes_lose_nothing_and_count_nothing_twice(house: House) -> None:
    docs = docids(house)
    environ = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"} | house.environ
    with children() as start:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started = [
            start([sys.executable, "-c", PROGRAM, str(number), json.dumps(docs)], env=environ, **streams)
            for number in range(3)
        ]
        ended = [process.communicate(timeout=HANGS) for process in started]
    assert [process.returncode for process in started] == [0] * 3, ended
    assert len({out.strip() for out, _ in ended}) == 1
    [session] = house.vault.sessions.recent()
    assert (session.id, session.host, session.turns, session.tokens) == ("shared", "codex", 5, 3 * 5 * 10)
    assert (session.surfaced, session.referenced, session.files) == (5 * len(docs), 5 * 2, 3)
    assert [house.vault.usage.statistics(doc).surfaced for doc in docs] == [5] * len(docs)
    assert [house.vault.usage.statistics(doc).referenced for doc in docs] == [5, 5, 0]
    before = house.folded(), house.vault.sessions.recent(), house.vault.usage.budget()
    house.rebuilt()
    assert (house.folded(), house.vault.sessions.recent(), house.vault.usage.budget()) == before


def test_no_file_holds_a_prompt_a_question_or_an_answer(house: House) -> None:
    docs, vault = docids(house), house.vault
    prompt = "Wherefore does my zucchini spaceship wobble so terribly"
    answer = f"The xylophone quartet answers: #{docs[0]}, and eighteen hours of patience for a sour starter."
    vault.sessions.seen(Sighting("s", "claude-code", cwd=str(house.home)))
    surfacing = Surfacing("s", "t", tuple(Shown(doc, 1, 3) for doc in docs), 9, "h", vault.usage.digest(prompt))
    vault.usage.surfaced(surfacing)
    assert vault.usage.feedback("s", "t", answer, prompt).new
    vault.usage.recalled(vault.recall("gargantuan marmalade bread patience"), "s")
    vault.sessions.turn_ended("s", "/t.jsonl", 10, "t")
    vault.sessions.ended("s")
    vault.usage.settle()
    house.close()
    files = [file.read_bytes().lower() for file in house.home.rglob("*") if file.is_file()]
    assert any(vault.usage.digest(prompt).encode() in data for data in files)
    for word in ("zucchini", "spaceship", "xylophone", "gargantuan", "marmalade"):
        assert house.holding(word) == []
        assert not any(word.encode() in data for data in files)
    assert vault.usage.digest(prompt) != vault.usage.digest(prompt + "?")


def check_costs(house: House, count: int, steps: Callable[..., int]) -> None:
    docs, vault = docids(house), house.vault
    vault.sessions.seen(Sighting("s", "codex"))
    shown = tuple(Shown(doc, 1, 3) for doc in docs)
    surface, look = [], []
    for turn in range(count):
        surfacing = Surfacing("s", f"t{turn}", shown, 9, "h", "0" * 32)
        if turn in (9, count - 1):
            look.append(steps(lambda: vault.usage.list_shown("s")))
            surface.append(steps(lambda surfacing=surfacing: vault.usage.surfaced(surfacing)))
        else:
            vault.usage.surfaced(surfacing)
    assert vault.usage.statistics(docs[0]).surfaced == count
    assert len(vault.usage.list_shown("s")) == 5
    for early, late in (surface, look):
        assert late < 1.2 * early


def test_a_surfacing_costs_no_more_however_often_its_documents_were_shown(
    house: House, steps: Callable[..., int]
) -> None:
    check_costs(house, 300, steps)


@pytest.mark.torture
@pytest.mark.timeout(600)
def test_ten_thousand_surfacings_of_one_session_cost_no_more_each(house: House, steps: Callable[..., int]) -> None:
    check_costs(house, 10_000, steps)
