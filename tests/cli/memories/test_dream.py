"""hearth dream: what it prints, and how a night is looked at, taken back and let happen again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from hearth import app
from hearth.core.instants import DAY_MS
from hearth.core.session import Shown, Surfacing
from hearth.pages.dream.index_view import fragment_of
from hearth.pages.dream.memory_md import edit
from hearth.pages.dream.scores import document_blocks
from hearth.testing import FixedClock
from hearth.vault.vault import Vault

Run = Callable[..., Any]
BREAD = "Baked bread with rye flour."
NOTE = "my-notes/daily/2026-03-05.md"


PLACES = ("Graz", "Lund", "Oslo", "Pisa")


def stand(vault: Vault, docid: str) -> None:
    """Puts what a memory says onto the page, as a night would."""
    known = vault.dream.pages.read()
    assert known.page is not None
    with vault.store.read() as reader:
        stored = reader.document(docid)
        assert stored is not None
        [block] = document_blocks(reader, stored)
    fragment = fragment_of(stored, block, (), vault.dream.grounds())
    assert vault.dream.pages.write(known, edit(known.page, vault.dream.machine, [fragment], ()))


def use(days: Iterable[int] = (3, 2, 1)) -> None:
    """As answers of so many days ago would have."""
    for back in days:
        with app.compose(app.settings(), FixedClock(int(time.time() * 1000) - back * DAY_MS)) as vault:
            docid = vault.get(NOTE).document.docid
            asked = vault.usage.digest(f"question {back}")
            vault.usage.surfaced(Surfacing(f"s{back}", "t", (Shown(docid, 1, 9),), 40, "context-surfacing", asked))
            vault.usage.feedback(f"s{back}", "t", f"As noted: {BREAD}")


@pytest.mark.usefixtures("vault")
def test_where_nothing_was_used_it_says_what_takes_part(hearth: Run) -> None:
    told = hearth("dream", "--dry-run")
    assert told.code == 0 and "dream: true" in told.err
    assert hearth("dream", "status").out.splitlines()[1:] == [
        "written by nobody yet", "signals   0 signals of 0 fragments", "nights    none in 30 days"
    ]  # fmt: skip
    assert "no eligible fragment" in hearth("dream", "explain", NOTE).err


@pytest.mark.usefixtures("vault")
def test_a_night_is_shown_before_it_is_dreamt_and_named_by_what_takes_it_back(hearth: Run, tmp_path: Path) -> None:
    use()
    dry = hearth("dream", "--dry-run")
    assert BREAD in dry.out and "nothing was changed" in dry.err and not list(tmp_path.rglob("MEMORY.md"))
    done = json.loads(hearth("dream", "--json").out)
    assert [one["text"] for one in done["promoted"]] == [BREAD]
    [page], [diary] = tmp_path.rglob("MEMORY.md"), tmp_path.rglob("DREAMS.md")
    assert BREAD in page.read_text() and f"hearth undo --run {done['run']}`" in diary.read_text()
    status = hearth("dream", "status")
    assert "1 item, 1 promoted" in status.out and f"hearth undo --run {done['run']}" in status.err
    assert "already processed" in hearth("dream").err
    undone = hearth("undo", "--run", done["run"])
    assert undone.code == 0 and "hearth dream allow KEY" in undone.err
    assert f"Taken back on {done['day']}" in diary.read_text() and done["run"] not in diary.read_text()
    assert BREAD not in page.read_text() and "undo" not in hearth("dream", "status").err


@pytest.mark.usefixtures("vault")
def test_what_was_taken_back_is_explained_and_comes_again_once_it_is_allowed(hearth: Run) -> None:
    use()
    done = json.loads(hearth("dream", "--json").out)
    hearth("undo", "--run", done["run"])
    [key] = [one["key"] for one in done["promoted"]]
    explained = hearth("dream", "explain", NOTE).out
    assert f"{key}, undone" in explained and explained.count(" used") == 3
    assert BREAD not in hearth("dream", "--dry-run").out
    assert hearth("dream", "allow", key).out == f"{key} may be promoted again\n"
    assert f"promote {done['promoted'][0]['score']:.2f} {BREAD}" in hearth("dream", "--dry-run").out


@pytest.mark.usefixtures("vault")
def test_lines_that_somebody_had_printed_are_opened(hearth: Run) -> None:
    assert hearth("get", f"{NOTE}:3:1").out == f"- {BREAD}\n"
    [found] = json.loads(hearth("dream", "explain", NOTE, "--json").out)
    assert (found["text"], [one["kind"] for one in found["signals"]]) == (BREAD, ["opened"])
    hearth("get", NOTE)  # who has all of it printed says nothing of its lines
    assert len(json.loads(hearth("dream", "explain", NOTE, "--json").out)) == 1


@pytest.mark.usefixtures("vault")
def test_options_of_a_night_go_with_no_other_and_unknown_keys_are_said(hearth: Run) -> None:
    assert hearth("dream", "--dry-run", "status").code == 2
    assert hearth("dream", "--dry-run", "--approve").code == 2
    told = hearth("dream", "allow", "nobody:0123456789ab")
    assert told.code != 0 and "was ever promoted" in told.err
    assert "no agent 'nobody'" in hearth("dream", "--agent", "nobody").err


@pytest.mark.usefixtures("vault")
def test_what_would_leave_at_once_waits_in_the_review(hearth: Run) -> None:
    docids = [json.loads(hearth("remember", f"The ferry of {place} sails at seven.", "--json").out) for place in PLACES]
    assert hearth("review").err.count("nothing needs a decision") == 1
    with app.compose(app.settings(), FixedClock(int(time.time() * 1000))) as vault:
        for one in docids:
            stand(vault, one["docid"])
            vault.state.forget(one["docid"])
    told = hearth("review")
    assert told.out.count("would leave MEMORY.md: The ferry of") == 4 and "hearth dream --approve" in told.err
    listed = json.loads(hearth("review", "list", "--json").out)["leaving"]
    assert [one["command"] for one in listed] == ["hearth dream --approve"] * 4
