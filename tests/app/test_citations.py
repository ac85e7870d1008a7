"""Answers that somebody asked for say what became of the code that a memory cites."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hearth.app import citations
from hearth.app.pool import VaultPool
from hearth.operations import catalog
from hearth.operations.operation import Request
from hearth.operations.runner import carry_out

QUESTION = "does ledger.py round"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "note.md").write_text("# Shop\n\nThe shop sells jars.\n")
    (root / "ledger.py").write_text("def close_month(ledger):\n    return ledger.total\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")
    return root


def git(root: Path, *words: str) -> None:
    name = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    name |= {key.replace("AUTHOR", "COMMITTER"): value for key, value in name.items()}
    subprocess.run(["git", *words], cwd=root, env={"PATH": "/usr/bin:/bin", **name}, check=True, capture_output=True)


@pytest.fixture
def environ(tmp_path: Path, shop: Path) -> dict[str, str]:
    (tmp_path / "config").mkdir()
    text = f"collections:\n  shop:\n    path: {shop / 'docs'}\ndaemon:\n  mode: never\n"
    (tmp_path / "config" / "config.yaml").write_text(text)
    names = ("config", "data", "cache", "state", "run")
    return {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in names} | {"HOME": str(tmp_path)}


@pytest.fixture
def call(environ: dict[str, str], shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(citations, "SECONDS", 60.0)  # a busy machine changes no answer
    pool = VaultPool(environ=environ)
    with pool.use("default") as opened:
        project = opened.vault.sessions.project_of(str(shop))
        opened.vault.memories.remember("ledger.py never rounds before the last step.", "decision", project=project)

        def ask(name: str, **given: Any) -> tuple[dict[str, Any], str]:
            operation, tool = catalog.find(name)
            read = tool.view(operation).read(given).updated(**tool.fixed)
            result, _ = carry_out(operation, Request(pool, opened, "agent", describes=True), read)
            return result.to_dict(), operation.words(result, read)

        yield ask
    pool.close()


@pytest.mark.parametrize("name", ["query", "search", "memory_retrieve", "get"])
def test_an_answer_says_whether_cited_code_is_as_it_was(call: Any, shop: Path, name: str) -> None:
    docid = call("search", query=QUESTION)[0]["results"][0]["docid"]
    given = {"reference": f"#{docid}"} if name == "get" else {"query": QUESTION}

    def cited() -> tuple[str | None, str]:
        row, text = call(name, **given)
        rows = [hit for hit in row.get("results", [row]) if hit["docid"] == docid]
        return rows[0].get("cited"), text

    state, text = cited()
    assert state == "fresh" and "cited:" not in text
    (shop / "ledger.py").unlink()
    state, text = cited()
    assert state == "gone (ledger.py)" and "cited: gone (ledger.py)" in text


def test_a_memory_of_another_project_or_without_code_says_nothing(call: Any, shop: Path) -> None:
    call("memory_store", text="ledger.py rounds to cents.", type="decision", project="github.com/acme/other")
    hits = call("search", query="ledger.py rounds to cents")[0]["results"]
    assert [hit.get("cited") for hit in hits if "to cents" in hit["snippet"]] == [None]
