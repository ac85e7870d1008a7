"""What was superseded is back when what superseded it is forgotten, undone or gone."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.journal import Draft

BREAD, BOATS, TREES = "bread.md", "boats.md", "trees.md"


def shown(house: Any) -> list[str]:
    return [path for path in (BREAD, BOATS, TREES) if not house.state(path).hidden]


def settled(house: Any) -> list[str]:
    """What is shown, also after an index was built anew."""
    found = shown(house)
    house.rebuilt()
    assert shown(house) == found
    return found


def test_forgetting_the_newer_brings_the_older_back(house: Any) -> None:
    house.vault.state.supersede(BREAD, BOATS)
    assert settled(house) == [BOATS, TREES]
    house.vault.state.forget(BOATS)
    assert settled(house) == [BREAD, TREES]
    house.vault.state.undo()
    assert settled(house) == [BOATS, TREES]


def test_forgetting_what_a_file_says_supersedes_brings_the_older_back(house: Any) -> None:
    house.write(BOATS, "---\nsupersedes: bread.md\n---\n# Boats\n\nBoats instead.\n")
    house.vault.index.sync()
    assert settled(house) == [BOATS, TREES]
    house.vault.state.forget(BOATS)
    assert settled(house) == [BREAD, TREES]
    house.vault.state.restore(BOATS)
    assert settled(house) == [BOATS, TREES]


def test_the_newest_of_a_line_replaces_also_what_the_forgotten_one_between_did(house: Any) -> None:
    house.vault.state.supersede(BREAD, BOATS)
    house.vault.state.supersede(BOATS, TREES)
    house.vault.state.forget(BOATS)
    assert settled(house) == [TREES]
    assert house.state(BREAD).superseded_by == house.vault.get(TREES).document.docid
    house.vault.state.forget(TREES)
    assert settled(house) == [BREAD]


@pytest.mark.parametrize("rename", [False, True])
def test_a_superseding_file_deleted_by_hand_brings_the_older_back_and_a_renamed_one_does_not(
    house: Any, rename: bool
) -> None:
    house.vault.state.supersede(BREAD, BOATS)
    file = house.notes / BOATS
    if rename:
        file.rename(house.notes / "ships.md")
    else:
        file.unlink()
    house.vault.index.sync()
    assert house.state(BREAD).hidden is rename
    house.rebuilt()
    assert house.state(BREAD).hidden is rename


def test_two_machines_that_supersede_crosswise_leave_both(house: Any, neighbour: Any) -> None:
    house.vault.index.sync()
    neighbour.vault.index.sync()
    docids = {path: house.vault.get(path).document.docid for path in (BREAD, BOATS)}
    house.vault.state.supersede(BREAD, BOATS)
    # The other machine has not seen that yet.
    neighbour.vault.state.history.log.append([Draft("supersede", docids[BOATS], data={"by": docids[BREAD]})])
    for one in (house, neighbour):
        one.vault.index.sync()
        assert settled(one) == [BREAD, BOATS, TREES]
