"""What ``from hearth import …`` gives, and that its page says the truth."""

from __future__ import annotations

import doctest
import inspect
import operator
import os
import re
import subprocess
import sys
import threading
import typing
from dataclasses import fields
from pathlib import Path

import pytest

import hearth
from hearth import Query, Vault, open_vault
from hearth.context.engine.engine import ContextEngine
from hearth.context.memory_tools import MemoryTools
from hearth.core.memory import NewMemory
from hearth.core.query import MemoryOptions, QueryOptions
from hearth.memory.archiver import Archiver
from hearth.memory.changer import Changer
from hearth.memory.memories import Memories
from hearth.memory.session_record import SessionLog
from hearth.memory.usage import UsageLog
from hearth.vault.exchange import Exchange
from hearth.vault.indexing.index import Index

PAGE = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "docs" / "python.md"
NOTES = {
    "decisions/0001-postgres.md": "# PostgreSQL over MongoDB\n\nWe chose PostgreSQL because joins matter more.\n",
    "daily/2026-03-05.md": "# Thursday\n\n- Baked bread with rye flour.\n- Walked the dog along the river.\n",
}
EXPORTED = """
    Ambiguous AssembleRequest Assembly BadReply ConfigError Conflict Excerpt HearthError Hit NotFound Query Recall
    Remembered SessionId Unavailable UsageError Vault __version__ open_vault
"""
PARTS = (Vault, Archiver, Changer, ContextEngine, MemoryTools, Exchange, Index, Memories, SessionLog, UsageLog)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    notes = tmp_path / "notes"
    for path, text in NOTES.items():
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(text, encoding="utf-8")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(f"collections:\n  notes:\n    path: {notes}\n", encoding="utf-8")
    folders = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in ("config", "data", "cache", "state")}
    return {**folders, "HOME": str(tmp_path), "PATH": os.environ["PATH"], "TZ": "UTC"}


def test_the_exported_names_are_these() -> None:
    assert hearth.__all__ == sorted(EXPORTED.split())
    assert dir(hearth) == hearth.__all__


@pytest.mark.parametrize("name", EXPORTED.split())
def test_every_exported_name_is_there_and_documented(name: str) -> None:
    found = getattr(hearth, name)
    said = found if isinstance(found, str) else inspect.getdoc(found)
    assert said and not said.startswith(f"{name}(")  # what a dataclass makes up by itself


def test_a_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="vaults"):
        hearth.vaults  # noqa: B018


def test_importing_the_package_loads_nothing_else() -> None:
    script = "import sys; before = set(sys.modules); import hearth; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['__future__', 'hearth']"


def test_every_public_call_of_a_vault_is_typed() -> None:
    calls = [call for part in PARTS for name, call in inspect.getmembers(part, inspect.isfunction) if name[0] != "_"]
    assert len(calls) > 50
    untyped = [call.__name__ for call in calls if "return" not in call.__annotations__]
    assert untyped == []


def test_the_typed_options_are_the_fields_of_what_they_make() -> None:
    assert set(typing.get_type_hints(QueryOptions)) == {field.name for field in fields(Query)} - {"text", "vault"}
    assert set(typing.get_type_hints(MemoryOptions)) == {field.name for field in fields(NewMemory)} - {
        "text",
        "content_type",
    }


def test_the_page_runs_as_it_stands(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("HEARTH_")]:
        monkeypatch.delenv(name)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    test = doctest.DocTestParser().get_doctest(PAGE.read_text(encoding="utf-8"), {}, "python.md", str(PAGE), 0)
    assert len(test.examples) > 30
    said: list[str] = []
    result = doctest.DocTestRunner().run(test, out=said.append)
    assert result.failed == 0, "".join(said)


def test_the_page_names_only_what_is_there(environ: dict[str, str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    imported = {name for line in re.findall(r"from hearth import (.+)", text) for name in line.split(", ")}
    assert {name for name in imported if name.isidentifier()} <= set(hearth.__all__)
    calls = set(re.findall(r"\bvault\.((?:\w+\.)*\w+)\(", text))
    assert len(calls) > 20
    with open_vault(environ=environ) as vault:
        for call in calls:
            operator.attrgetter(call)(vault)


def test_many_threads_may_ask_and_write_at_once(environ: dict[str, str]) -> None:
    failures: list[BaseException] = []
    with open_vault(environ=environ) as vault:
        vault.index.sync()

        def work(number: int) -> None:
            try:
                for turn in range(4):
                    done = vault.memories.remember(f"Thread {number} wrote fact number {turn} about zebras.", "fact")
                    assert vault.recall(f"thread {number} fact number {turn}").hits
                    assert vault.get(f"#{done.docid}").text
                    vault.state.pin(f"#{done.docid}")
            except BaseException as error:  # noqa: BLE001 (told to the main thread)
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert vault.status().states["pinned"] == len([d for d in vault.documents() if d.state.pinned]) > 0
        assert vault.index.check() == []


def test_one_vault_never_sees_another(environ: dict[str, str], tmp_path: Path) -> None:
    with (tmp_path / "config" / "config.yaml").open("a", encoding="utf-8") as file:
        file.write("vaults:\n  work: {}\n")
    with open_vault(environ=environ) as mine, open_vault("work", environ=environ) as work:
        mine.index.sync()
        done = work.memories.remember("The merger is called Albatross.", "fact")
        assert done.docid not in {hit.docid for hit in mine.recall("albatross merger").hits}
        assert [hit.docid for hit in work.recall("albatross merger").hits] == [done.docid]
        assert not work.recall("postgresql joins").confident
        assert {hit.docid for hit in work.recall("postgresql joins").hits} <= {done.docid}
        with pytest.raises(hearth.NotFound):
            mine.get(f"#{done.docid}")
        assert b"Albatross" not in b"".join(mine.exchange.export())
