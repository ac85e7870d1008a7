"""Settings without a feature are refused, and the documentation lists the same ones."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from hearth.app import settings
from hearth.config.later import LATER
from hearth.config.schema import leaf_keys
from hearth.errors import ConfigError

PAGE = Path(__file__).parents[2] / "docs" / "config.md"


def environ(tmp_path: Path, text: str) -> dict[str, str]:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text(text)
    return {f"HEARTH_{n}_DIR": str(tmp_path / n.lower()) for n in ("CONFIG", "DATA", "CACHE", "STATE")} | {
        "HOME": str(tmp_path)
    }


@pytest.mark.parametrize(
    "text",
    ["llm: {provider: anthropic}", "collections: {n: {path: /n, auto_embed: false}}"],
)
def test_a_setting_whose_feature_is_missing_is_refused_by_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="has no effect in this version"):
        settings(environ=environ(tmp_path, text))


def test_a_setting_at_its_default_or_in_effect_is_accepted(tmp_path: Path) -> None:
    text = (
        "llm: {provider: none}\nsearch: {mmr: false, scoring: composite}\nembedding: {cache_entries: 5}\n"
        "collections: {n: {path: /n}}"
    )
    assert settings(environ=environ(tmp_path, text)).loaded.config.search.mmr is False


def test_each_pattern_fits_a_key() -> None:
    keys = [key.replace("<name>", "x") for key in leaf_keys()]
    assert [pattern for pattern in LATER if not any(fnmatchcase(key, pattern) for key in keys)] == []


def test_the_documentation_lists_the_same_patterns() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Not yet in effect")[1].split("\n## ")[0]
    assert set(re.findall(r"`([^`]+)`", section)) == set(LATER)
