"""Bootstrap and setup offer the small model once, to a person at a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.agents.setup.test_one_home import answered
from tests.cli.conftest import Result
from tests.cli.test_model_commands import made  # noqa: F401 (a fixture)

Run = Callable[..., Result]
OFFER = "Fetch the small model"


@pytest.fixture
def config(environ: dict[str, str]) -> Callable[[], str]:
    return lambda: Path(environ["HEARTH_CONFIG_DIR"], "config.yaml").read_text("utf-8")


@pytest.fixture
def fetched(environ: dict[str, str], made: Path) -> Path:  # noqa: F811
    """A model that stands where the small one would be fetched to."""
    place = Path(environ["HEARTH_CACHE_DIR"], "_models", "minilm-int8")
    return Path(shutil.copytree(made / "bge-small", place))


def test_a_model_that_is_refused_is_not_fetched_nor_offered_again(
    environ: dict[str, str], notes: Path, hearth: Run, config: Callable[[], str]
) -> None:
    shown = answered(environ, "n", "bootstrap", str(notes), "--setup", "none")
    assert shown.count(OFFER) == 1
    assert "paraphrased questions instead of 3 in 5" in shown
    assert "provider: static" in config()
    assert not Path(environ["HEARTH_CACHE_DIR"], "_models").exists()
    again = answered(environ, "y", "bootstrap", str(notes), "--setup", "none")
    assert OFFER not in again + answered(environ, "y", "setup", "mcp", "--client", "cursor")
    assert hearth("query", "restore", "--json").code == 0


def test_a_model_that_is_taken_embeds_the_notes_and_answers(
    environ: dict[str, str], notes: Path, hearth: Run, fetched: Path, config: Callable[[], str]
) -> None:
    assert fetched.is_dir()
    shown = answered(environ, "y", "bootstrap", str(notes), "--setup", "none")
    assert shown.count(OFFER) == 1
    assert "model: minilm-int8" in config()
    spaces = hearth("status").out
    assert "built in" in spaces
    assert ":384:" in spaces and ", answers" in spaces


def test_a_model_that_can_not_be_fetched_leaves_the_built_in_table_and_is_offered_again(
    environ: dict[str, str], notes: Path, config: Callable[[], str]
) -> None:
    offline = environ | {"PIP_NO_INDEX": "1", "HF_HUB_OFFLINE": "1"}
    shown = answered(offline, "y", "bootstrap", str(notes), "--setup", "none")
    assert "was not fetched" in shown
    assert "embedding" not in config()
    assert OFFER in answered(offline, "n", "setup", "mcp", "--client", "cursor")


def test_nothing_is_offered_or_fetched_without_a_terminal(
    hearth: Run, environ: dict[str, str], notes: Path, config: Callable[[], str]
) -> None:
    result = hearth("bootstrap", str(notes))
    assert result.code == 0
    assert OFFER not in result.out + result.err
    assert "embedding" not in config()
    assert not Path(environ["HEARTH_CACHE_DIR"], "_models").exists()


def test_the_list_of_models_says_what_each_finds(hearth: Run) -> None:
    listed: Any = hearth("models", "list")
    assert "found 0.79" in listed.out
    assert "not measured" in listed.out
    assert "built in 0.61" in listed.err
