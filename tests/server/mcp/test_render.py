"""Hits as an agent reads them."""

from __future__ import annotations

from dataclasses import replace

from hearth.app import open_vault
from hearth.core.judgement import Validity
from hearth.core.query import Hit
from hearth.operations.render import fragment


def found(environ: dict[str, str]) -> Hit:
    with open_vault(environ=environ) as vault:
        [hit] = vault.recall("restic", limit=1).hits
    return hit


def test_what_a_hit_is_hidden_by_and_whom_it_comes_from_stand_in_its_second_line(environ: dict[str, str]) -> None:
    hit = found(environ)
    plain = fragment(1, hit, full=False).splitlines()
    assert plain[0].startswith("1. ") and plain[0].endswith(f" | {hit.title}")
    assert plain[1].endswith(f", score {hit.score:.2f}, #{hit.docid}")
    former = replace(hit, validity=Validity(("superseded", "archived"), "4k2"), trust="external")
    hidden = fragment(1, former, full=False).splitlines()
    told = ", external, NOT CURRENT: superseded by #4k2, archived"
    assert hidden == [plain[0], plain[1] + told, *plain[2:]]
