"""Whatever was done through the vault's calls, an index built anew from files and journal holds the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.core.errors import HearthError

PLACES = ("bread.md", "boats.md", "trees.md", "new/bread.md", "new/boats.md")
KINDS = ("pin", "unpin", "snooze", "unsnooze", "forget", "restore", "supersede", "invalidate")
DEEDS = ("undo", "undo one", "rename", "edit", "remember", "purge", "purge file", "scan", "rebuild")
STEPS = st.lists(
    st.tuples(st.sampled_from((*KINDS, *DEEDS)), st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=14
)


def act(house: Any, deed: str, one: int, other: int) -> None:
    vault, path, target = house.vault, PLACES[one % len(PLACES)], PLACES[other % len(PLACES)]
    file = house.notes / path
    match deed:
        case "snooze":
            vault.state.snooze(path, vault.clock() + 86_400_000 * (1 + other))
        case "supersede":
            vault.state.supersede(path, target)
        case "undo":
            vault.state.undo()
        case "undo one":
            events = house.events()
            vault.state.undo(events[one % len(events)].id if events else None)
        case "rename":
            (house.notes / target).parent.mkdir(exist_ok=True)
            if file.exists() and not (house.notes / target).exists():
                file.rename(house.notes / target)
                vault.index.sync()
        case "edit":
            if file.exists():
                house.write(path, f"# Edited {other}\n\nAnother text, number {other}, of {path}.\n")
                vault.index.sync()
        case "remember":
            vault.memories.remember(f"The kettle number {one} sings", "preference", subject=f"kettle {one % 3}")
        case "purge" | "purge file":
            vault.state.purge(path, yes=True, file=deed == "purge file")
        case "scan":
            vault.index.sync()
        case "rebuild":
            vault.index.reindex()
        case _:
            getattr(vault.state, deed)(path)


def summary(house: Any) -> Any:
    house.vault.index.sync()
    shown = {q: sorted(house.found(q)) for q in ("rye bread patience", "dinghy regatta", "pear quince", "kettle sings")}
    return house.states(), house.folded(), shown


def check(house: Any, steps: list[tuple[str, int, int]]) -> None:
    for deed, one, other in steps:
        try:
            act(house, deed, one, other)
        except HearthError:
            continue  # refused, as it should be where the state does not fit
    before = summary(house)
    assert summary(house) == before
    house.rebuilt()
    assert summary(house) == before


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_a_new_index_holds_the_same(make_house: Callable[[], Any], steps: list[tuple[str, int, int]]) -> None:
    house = make_house()
    try:
        check(house, steps)
    finally:
        house.close()


@pytest.mark.torture
@pytest.mark.timeout(3600)
@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_a_new_index_holds_the_same_after_a_thousand_histories(
    make_house: Callable[[], Any], steps: list[tuple[str, int, int]]
) -> None:
    test_a_new_index_holds_the_same.hypothesis.inner_test(make_house, steps)  # type: ignore[attr-defined]
