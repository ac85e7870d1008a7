"""Hits as an agent reads them."""

from __future__ import annotations

from dataclasses import replace

from hearth.app import open_vault
from hearth.model.query import Hit
from hearth.server.mcp.render import passage


def found(environ: dict[str, str]) -> Hit:
    with open_vault(environ=environ) as vault:
        [hit] = vault.recall("restic", limit=1).hits
    return hit


def test_what_a_hit_is_hidden_by_and_whom_it_comes_from_stand_in_its_second_line(environ: dict[str, str]) -> None:
    hit = found(environ)
    plain = passage(1, hit, full=False).splitlines()
    assert plain[0].startswith("1. ") and plain[0].endswith(f" | {hit.title}")
    assert plain[1].endswith(f", score {hit.score:.2f}, #{hit.docid}")
    hidden = passage(1, replace(hit, hidden=("snoozed", "archived"), trust="external"), full=False).splitlines()
    assert hidden == [plain[0], plain[1] + ", trust: external, hidden: snoozed, archived", *plain[2:]]
