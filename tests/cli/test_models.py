"""A configured model on the command line: what embed, status and doctor say of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hearth import app
from hearth.app.models import ChosenModels
from hearth.core.files import locked
from hearth.testing import TableModel

Run = Callable[..., object]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> TableModel:
    """Stands where the adapter of a server would: everything else is real."""
    found = TableModel()
    monkeypatch.setenv("HEARTH_EMBEDDING_PROVIDER", "http")
    monkeypatch.setenv("HEARTH_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HEARTH_EMBEDDING_MODEL", "table")
    monkeypatch.setattr(ChosenModels, "_open", lambda self, remembered: found)
    return found


def spaces(hearth: Run) -> dict[str, dict[str, object]]:
    rows = json.loads(hearth("status", "--json").out)["spaces"]  # type: ignore[attr-defined]
    return {row["role"]: row for row in rows}


def findings(hearth: Run) -> list[dict[str, str]]:
    return json.loads(hearth("doctor", "--json").out)["findings"]  # type: ignore[attr-defined,no-any-return]


def test_a_model_is_filled_and_its_state_is_shown(hearth: Run, vault: Path, model: TableModel) -> None:
    before = spaces(hearth)
    assert before["filling"]["missing"] == before["static"]["vectors"]
    assert "run: hearth embed" in hearth("status").out
    asked = hearth("query", "restore a backup")
    assert "answered without table: its vectors are not complete" in asked.err
    done = hearth("embed")
    assert done.code == 0
    assert "model:64:1 is complete and answers from now on" in done.out
    assert spaces(hearth)["model"]["serves"] is True
    assert "answered without" not in hearth("query", "restore a backup").err
    assert "model:64:1 can tell texts apart: related" in str(findings(hearth))


def test_while_vectors_are_made_status_names_who_makes_them(
    hearth: Run, vault: Path, model: TableModel, environ: dict[str, str]
) -> None:
    [index] = Path(environ["HEARTH_CACHE_DIR"]).rglob("index.sqlite")
    with locked(index.with_name("embed.lock")):
        shown = hearth("status").out
    assert "missing; being embedded by " in shown and "run: hearth embed" not in shown


def test_what_a_model_refused_is_shown_with_its_reason(hearth: Run, vault: Path, model: TableModel) -> None:
    model.refused = frozenset({"rye"})
    failed = hearth("embed")
    assert (failed.code, "1 failed; hearth status says why" in failed.out) == (0, True)
    assert "1 fragment failed: model:64:1 refuses rye" in hearth("status").out
    assert any("model:64:1 refuses rye" in row["message"] and row["level"] == "warn" for row in findings(hearth))


def test_a_model_that_is_away_ends_embed_with_5_and_fails_the_doctor(
    hearth: Run, vault: Path, model: TableModel
) -> None:
    model.away = True
    stopped = hearth("embed")
    assert stopped.code == 5
    assert "embedding stopped: model:64:1 is away" in stopped.err
    assert any(row["check"] == "model" and row["level"] == "fail" for row in findings(hearth))
    assert hearth("query", "restore a backup").code == 0


def test_a_bootstrap_succeeds_though_the_model_is_of_no_use(hearth: Run, notes: Path, model: TableModel) -> None:
    model.spoilt = "alike"
    result = hearth("bootstrap", str(notes))
    assert result.code == 0
    assert "embedding stopped: the model model:64:1 can't tell texts apart" in result.err
    assert hearth("embed").code == 6
    assert "PostgreSQL" in hearth("query", "why PostgreSQL?").out


def test_a_model_that_changed_is_named_by_embed_query_status_and_doctor(
    hearth: Run, vault: Path, model: TableModel
) -> None:
    hearth("embed")
    model.seed = 4
    assert hearth("embed").code == 6
    said = "is not the model that made the stored vectors"
    assert said in hearth("query", "restore a backup").err
    assert said in hearth("status").out
    assert said in str(findings(hearth))
    assert hearth("embed", "-f").code == 0
    assert said not in str(findings(hearth))


def test_a_key_that_is_not_set_is_named(
    hearth: Run, vault: Path, model: TableModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_EMBEDDING_API_KEY_ENV", "MY_KEY")
    (row,) = [row for row in findings(hearth) if row["check"] == "model key"]
    assert (row["level"], row["message"]) == ("fail", "the variable MY_KEY is not set")
    monkeypatch.setenv("MY_KEY", "sesame-4711")
    (row,) = [row for row in findings(hearth) if row["check"] == "model key"]
    assert row["level"] == "ok"
    assert "sesame-4711" not in repr(app.settings())


def test_vectors_of_a_model_that_is_no_longer_configured_are_a_warning(
    hearth: Run, vault: Path, model: TableModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    hearth("embed")
    monkeypatch.setenv("HEARTH_EMBEDDING_PROVIDER", "static")
    assert spaces(hearth)["former"]["serves"] is False
    (row,) = [row for row in findings(hearth) if "no longer configured" in row["message"]]
    assert row["level"] == "warn"
    assert "dropped the vectors of model:64:1" in hearth("embed").out
    assert set(spaces(hearth)) == {"static"}


def test_a_reindex_keeps_a_models_space_without_asking_it(hearth: Run, vault: Path, model: TableModel) -> None:
    hearth("embed")
    asked = model.asked
    assert hearth("reindex").code == 0
    assert model.asked == asked
    assert spaces(hearth)["model"]["missing"] == 0
    assert spaces(hearth)["model"]["serves"] is True
