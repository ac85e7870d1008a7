from __future__ import annotations

from pathlib import Path

import pytest

from hearth.core.errors import NotFound
from hearth.models.onnx import catalogue

ENTRIES = catalogue.list_entries()


def test_names_are_unique_and_usable_as_folders() -> None:
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names)
    assert all(Path(name).name == name and not name.startswith((".", "path:")) for name in names)


def test_each_kind_has_its_default_first() -> None:
    for kind, name in catalogue.DEFAULT.items():
        assert next(entry.name for entry in ENTRIES if entry.recipe.kind == kind) == name


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_entry_says_where_it_comes_from_and_what_it_is_good_for(entry: catalogue.CatalogueEntry) -> None:
    assert entry.package or entry.repository
    assert entry.megabytes > 0 and entry.languages and entry.good_for and entry.recipe.licence
    assert (entry.recipe.dimensions > 0) == (entry.recipe.kind == "embedder")


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.fastembed], ids=lambda entry: entry.name)
def test_the_catalogue_agrees_with_that_of_fastembed(extra: None, entry: catalogue.CatalogueEntry) -> None:
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    source = TextEmbedding if entry.recipe.kind == "embedder" else TextCrossEncoder
    row = next(row for row in source.list_supported_models() if row["model"] == entry.fastembed)
    assert row["sources"]["hf"] == entry.repository
    assert row["model_file"] == entry.recipe.model_file
    assert set(row.get("additional_files") or ()) == set(entry.more_files)
    assert row.get("dim", 0) == entry.recipe.dimensions
    assert abs(row["size_in_GB"] * 1000 - entry.megabytes) < 20
    known = row["license"].lower()
    assert known == entry.recipe.licence.lower() or (known == "gemma" and "Gemma" in entry.recipe.licence)


def test_a_model_is_found_by_either_name_and_only_as_its_kind() -> None:
    assert catalogue.find_entry("BAAI/bge-small-en-v1.5").name == "bge-small"
    assert catalogue.find_entry("bge-small", "embedder").name == "bge-small"
    with pytest.raises(NotFound, match="no reranker 'bge-small'"):
        catalogue.find_entry("bge-small", "reranker")


@pytest.mark.parametrize("wrong", [{"query": "no slot"}, {"kind": "poet"}, {"max_tokens": 1}])
def test_a_recipe_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="doesn't fit"):
        catalogue.read_recipe({"name": "x", "kind": "embedder", "model_file": "m", "max_tokens": 64} | wrong)


def test_a_measured_curve_is_read() -> None:
    row = {"name": "x", "kind": "embedder", "model_file": "m", "max_tokens": 64, "curve": {"slope": 9, "intercept": -4}}
    found = catalogue.read_recipe(row).curve
    assert found is not None and (found.slope, found.intercept) == (9, -4)
