"""Chains of causes, back and on, through what somebody says and what files say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.core.errors import NotFound, UsageError
from hearth.core.graph import DocumentRelation
from hearth.graph.chains import CAUSED_BY, CAUSES, MOST_LINKS, find_causal_links
from hearth.vault.vault import Vault


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("theft", "sessions", "sockets", "retries", "lunch"):
        (folder / f"{name}.md").write_text(f"# The {name}\n\nWhat there is to say of {name}.\n", "utf-8")
    return folder


@pytest.fixture
def vault(notes: Path, tmp_path: Path) -> Iterator[Vault]:
    with open_folder(notes, tmp_path / "work") as opened:
        opened.index.sync()
        yield opened


def relate(vault: Vault, *pairs: tuple[str, str]) -> None:
    for cause, effect in pairs:
        vault.graph.relate(f"{cause}.md", "causal", f"{effect}.md")


def found(vault: Vault, name: str, direction: str = "both", depth: int = 5) -> list[tuple[str, str, int]]:
    view = find_causal_links(vault, f"{name}.md", direction, depth)
    return [(link.document.path.removesuffix(".md"), link.direction, link.depth) for link in view.links]


def test_a_chain_is_followed_back_to_causes_and_on_to_effects(vault: Vault) -> None:
    relate(vault, ("theft", "sessions"), ("sessions", "sockets"), ("sockets", "retries"))
    assert found(vault, "sessions") == [("theft", CAUSED_BY, 1), ("sockets", CAUSES, 1), ("retries", CAUSES, 2)]
    assert found(vault, "theft", CAUSED_BY) == []
    assert [name for name, _, _ in found(vault, "theft", CAUSES, depth=2)] == ["sessions", "sockets"]
    last = find_causal_links(vault, "theft.md").links[-1]
    assert [step.words.replace("notes/", "").replace(".md", "") for step in last.via] == [
        "theft led to sessions",
        "sessions led to sockets",
        "sockets led to retries",
    ]


def test_a_circle_ends(vault: Vault) -> None:
    relate(vault, ("theft", "sessions"), ("sessions", "sockets"), ("sockets", "theft"))
    assert found(vault, "theft", CAUSES, depth=10) == [("sessions", CAUSES, 1), ("sockets", CAUSES, 2)]


def test_what_a_file_says_of_its_causes_counts_as_long_as_it_says_so(vault: Vault, notes: Path) -> None:
    (notes / "sockets.md").write_text(
        "---\ncaused_by: '[[sessions]]'\nbecause: theft.md\nresolved_by: [retries.md]\n---\n\n# Sockets\n", "utf-8"
    )
    vault.index.sync()
    assert sorted(found(vault, "sockets")) == [
        ("retries", CAUSES, 1),
        ("sessions", CAUSED_BY, 1),
        ("theft", CAUSED_BY, 1),
    ]
    [link] = find_causal_links(vault, "sessions.md").links[:1]
    assert (link.document.path, link.origin, link.confidence) == ("sockets.md", "file", 1.0)
    assert [one.place.rsplit("/", 1)[-1] for one in link.evidence] == ["sockets.md"]
    (notes / "sockets.md").write_text("# Sockets\n\nbecause we had no time\n", "utf-8")
    vault.index.sync()
    assert found(vault, "sockets") == []


def test_a_reason_in_prose_is_no_document(vault: Vault, notes: Path) -> None:
    (notes / "lunch.md").write_text("---\nbecause: we were hungry, and it rained\n---\n\n# Lunch\n", "utf-8")
    vault.index.sync()
    assert found(vault, "lunch") == []


def test_a_chain_is_as_sure_as_the_product_of_its_weights_and_weak_ones_are_left_out(vault: Vault) -> None:
    relate(vault, ("theft", "sessions"), ("sessions", "sockets"))
    with vault.store.write() as writer:
        docids = {path: docid for docid, (_, path) in writer.docids().items()}
        rows = [
            DocumentRelation(docids["sockets.md"], "causal", docids["retries.md"], 0.4),
            DocumentRelation(docids["retries.md"], "causal", docids["lunch.md"], 0.4),
        ]
        writer.set_relations(docids["retries.md"], {"causes": rows})
    view = find_causal_links(vault, "theft.md", CAUSES)
    assert [(link.document.path, link.confidence) for link in view.links] == [
        ("sessions.md", 1.0),
        ("sockets.md", 1.0),
        ("retries.md", 0.4),
    ]


def test_what_a_search_may_not_show_is_not_walked(vault: Vault) -> None:
    relate(vault, ("theft", "sessions"), ("sessions", "sockets"))
    vault.state.forget("sessions.md")
    assert found(vault, "theft", CAUSES) == []


def test_external_text_tells_no_causes(tmp_path: Path) -> None:
    folder = tmp_path / "clips"
    folder.mkdir()
    (folder / "a.md").write_text("---\ncaused_by: b.md\ntrust: external\n---\n\n# A\n", "utf-8")
    (folder / "b.md").write_text("# B\n", "utf-8")
    with open_folder(folder, tmp_path / "work") as vault:
        vault.index.sync()
        assert found(vault, "a") == []


def test_of_a_hub_the_surest_are_listed(vault: Vault, notes: Path) -> None:
    for number in range(MOST_LINKS + 10):
        (notes / f"e{number:02}.md").write_text(f"---\ncaused_by: theft.md\n---\n\n# E{number}\n", "utf-8")
    vault.index.sync()
    assert len(found(vault, "theft")) == MOST_LINKS


@pytest.mark.parametrize(("direction", "depth"), [("sideways", 5), ("both", 0), ("both", 11)])
def test_what_can_not_be_asked_is_refused(vault: Vault, direction: str, depth: int) -> None:
    with pytest.raises(UsageError):
        find_causal_links(vault, "theft.md", direction, depth)
    with pytest.raises(NotFound):
        find_causal_links(vault, "nothing-of-this-name")
