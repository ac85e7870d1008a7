"""A curation names what the vault needs, does what can be undone as one run, and reminds once a day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.truth.home import Home

from hearth.core.errors import NotFound
from hearth.core.session import Shown, Surfacing
from hearth.memory.reviews import draft_review
from hearth.pages.curation_log import KINDS, Curation, CurationAction
from hearth.pages.curator import Curator

PORT = "The staging database listens on port 6543 behind the bastion."


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home") / "home")


def curator(home: Home) -> Curator:
    return home.vault.knowledge.curator()


def found(home: Home, **given: Any) -> dict[str, CurationAction]:
    return {one.kind: one for one in curator(home).curate(**given).actions}


def unused(home: Home) -> str:
    """A problem that nobody came back to for a year."""
    docid = home.remember("The oven door squeaks since the repair.", "problem")
    home.clock.advance(days=365)
    return docid


def brought_up_in_vain(home: Home, text: str = PORT) -> str:
    docid = home.remember(text, "fact")
    for turn in range(6):
        home.vault.usage.surfaced(Surfacing("s1", f"t{turn}", (Shown(docid, 1, 50),), 40, "context-surfacing", None))
    return docid


def doubled(home: Home) -> tuple[str, str]:
    """Two memories that say the same, a day apart; problems are never merged when they are written."""
    first = home.remember("The importer fails when the network is slow.", "problem")
    home.clock.advance(days=1)
    return first, home.remember("When the network is slow, the importer fails.", "problem")


def test_a_vault_that_needs_nothing_says_so(home: Home) -> None:
    home.remember(PORT)
    assert curator(home).curate().actions == ()


def test_captured_memories_that_wait_are_counted_and_not_quoted(home: Home) -> None:
    home.remember(PORT, "fact", pending=True)
    action = found(home)["review"]
    assert (action.said, action.commands) == ("1 captured memory not yet approved", ("hearth review",))
    assert action.details == ()


def test_each_kind_comes_at_most_once_with_a_command_and_in_order(home: Home) -> None:
    unused(home)
    brought_up_in_vain(home)
    home.write("a.md", "---\nreview_by: 2026-01-01\n---\n# Lease\n\nCheck the lease.\n")
    home.vault.index.sync()
    actions = curator(home).curate().actions
    kinds = [one.kind for one in actions]
    assert kinds == sorted(set(kinds), key=KINDS.index) and {"overdue", "sweep", "snooze"} <= set(kinds)
    assert all(one.said and one.commands and len(one.details) <= 5 for one in actions) and len(actions) <= 10


def test_without_apply_nothing_is_changed(home: Home) -> None:
    unused(home)
    brought_up_in_vain(home)
    before, states = [one.id for one in home.events()], home.states()
    assert curator(home).curate().run is None
    assert ([one.id for one in home.events()], home.states()) == (before, states)


def test_what_can_be_undone_is_done_as_one_run_and_one_undo_takes_it_back(home: Home) -> None:
    old = unused(home)
    first, second = doubled(home)
    vain = brought_up_in_vain(home)
    before = home.states()
    done = curator(home).curate(apply=True)
    assert home.state(old).archived and home.state(vain).snoozed_until == home.clock() + 30 * 86_400_000
    assert (home.state(first).superseded_by is None) != (home.state(second).superseded_by is None)
    assert len(done.done) == 3 and done.run is not None
    assert not {"duplicates", "sweep", "snooze"} & {one.kind for one in done.actions}
    undone = home.vault.truth.undo_run(done.run)
    assert undone.left == () and home.states() == before
    with pytest.raises(NotFound):
        home.vault.truth.undo_run(done.run)


def test_what_is_used_on_many_days_is_pinned(home: Home) -> None:
    docid = home.remember(PORT)
    for number, asked in enumerate(("which port does staging use", "staging database port", "port behind the bastion")):
        home.clock.advance(days=3 * number + 1)
        home.vault.usage.recalled(home.vault.recall(asked), f"session {number}")
    assert found(home)["pin"].commands == (f"hearth pin {docid}",)
    curator(home).curate(apply=True)
    assert home.state(docid).pinned


def test_a_note_about_a_session_is_no_page_to_pin(home: Home) -> None:
    file = Path(home.vault.dream.pages.path).parent / "agent" / "conversations" / "2026-03-01-0a0a0a0a0a0a0a0a.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\ntitle: Talk\ncontent_type: conversation\nid: 0a0a0a0a0a0a0a0a\n---\n\n## User\n\n{PORT}\n")
    home.vault.index.sync()
    for _ in range(4):
        home.clock.advance(days=2)
        home.vault.usage.recalled(home.vault.recall("staging database port"), f"s{home.clock()}")
    assert "pin" not in found(home)


def test_applying_never_purges(home: Home) -> None:
    home.configure("lifecycle: {purge_after_days: 1}\n")
    docid = unused(home)
    curator(home).curate(apply=True)
    home.clock.advance(days=30)
    curator(home).curate(apply=True)
    assert home.state(docid).archived


def test_pairs_that_may_not_both_be_true_wait_for_a_person(home: Home) -> None:
    old = home.remember("The kettle stands on the left shelf.", "problem")
    new = home.remember("The toaster stands on the right shelf.", "problem")
    with home.vault.store.read() as reader:
        newer = reader.document(new)
    assert newer is not None
    home.vault.truth.history.record([draft_review(newer.document, old, "update", why="another shelf", confidence=0.7)])
    action = found(home, apply=True)["review"]
    assert action.commands == ("hearth review",) and not action.reversible and "1 pair" in action.said


def test_a_page_that_outgrew_its_room_is_named_with_the_file(home: Home) -> None:
    page = Path(home.vault.dream.pages.path)
    page.write_text("# Memory\n\n" + "- The baker of the house likes long walks by the river.\n" * 40)
    home.vault.index.sync()
    assert str(page) in found(home)["page"].commands[0]


def test_broken_markers_and_unreadable_files_are_failed_checks(home: Home) -> None:
    Path(home.vault.dream.pages.path).write_text("# Memory\n\n<!-- hearth:dream machine=abc -->\n")
    home.write("bad.md", "---\ntitle: [unclosed\n---\n# Bad\n\nText.\n")
    home.vault.index.sync()
    checks = found(home)["checks"]
    assert checks.said == "1 check failed, 1 file to be fixed"
    assert checks.commands == ("hearth doctor", "hearth status --all")
    assert any("MEMORY.md" in one for one in checks.details) and any("notes/bad.md" in one for one in checks.details)


def test_a_line_of_the_page_whose_source_is_gone_is_a_lost_source(home: Home) -> None:
    page = Path(home.vault.dream.pages.path)
    item = "- The oven is blue. ([source](daily/2026-01-01.md#L1))"
    home.remember(PORT)
    from hearth.pages.dream import memory_md as pages
    from hearth.pages.dream.fragments import DreamFragment

    fragment = DreamFragment(("gone", "0" * 12), "The oven is blue.", 1, "daily/2026-01-01.md", "fact", ())
    page.write_text(pages.edit(pages.read(""), "abc", [fragment], ()))
    assert item.split(" (")[0][2:] in found(home)["sources"].details[0]


def test_a_page_full_of_what_was_promoted_says_that_the_weakest_leave(home: Home) -> None:
    page = Path(home.vault.dream.pages.path)
    home.remember(PORT)
    from hearth.pages.dream import memory_md as pages
    from hearth.pages.dream.fragments import DreamFragment

    said = [f"Rule {number}: a batch of dough rests {number} hours before it is baked." for number in range(90)]
    full = [DreamFragment((f"d{n}", f"{n:012}"), text, 1, "a.md", "fact", ()) for n, text in enumerate(said)]
    page.write_text(pages.edit(pages.read(""), "abc", full, ()))
    action = found(home)["page"]
    assert action.commands == ("hearth dream status",) and "is full" in action.said


def test_a_folder_that_cannot_be_found_is_moved_and_one_that_was_emptied_may_be_forced(home: Home) -> None:
    file = home.write("a.md", "# Lease\n\nThe lease ends in June.\n")
    home.vault.index.sync()
    file.unlink()
    home.vault.index.sync()
    assert found(home)["sources"].commands == ("hearth update --force",)
    home.notes.rename(home.home / "elsewhere")
    home.vault.index.sync()
    assert found(home)["sources"].commands == ("hearth collection move notes PATH",)


def test_the_page_of_an_assistant_is_looked_at_like_that_of_everyone(home: Home) -> None:
    folder = home.home / "clawd"
    folder.mkdir()
    home.configure(f"agents:\n  work:\n    workspace: {folder}\n", f"  work:\n    path: {folder}\n")
    home.remember(PORT)
    from hearth.pages.dream import memory_md as pages
    from hearth.pages.dream.fragments import DreamFragment

    fragment = DreamFragment(("gone", "0" * 12), "The oven is blue.", 1, "daily/2026-01-01.md", "fact", ())
    text = "# Mine\n\n" + "- The baker of the house likes long walks by the river.\n" * 40
    (folder / "MEMORY.md").write_text(pages.edit(pages.read(text), "abc", [fragment], ()))
    home.vault.index.sync()
    told = found(home)
    assert str(folder / "MEMORY.md") in told["page"].commands[0] and "your own" in told["page"].said
    assert "The oven is blue." in told["sources"].details[0]
    assert str(folder / "MEMORY.md") in told["sources"].commands[0]


def test_the_report_keeps_nothing_that_documents_say(home: Home) -> None:
    doubled(home)
    home.write("a.md", "---\nreview_by: 2026-01-01\n---\n# Tamarack\n\nCheck Tamarack.\n")
    home.vault.index.sync()
    shown = curator(home).curate()
    assert any("a.md" in detail for one in shown.actions for detail in one.details)
    kept = next(home.cache.rglob("curation.json")).read_text()
    assert "a.md" not in kept and "importer" not in kept and json.loads(kept)["actions"]


def test_a_session_is_reminded_of_three_once_a_day(home: Home) -> None:
    assert curator(home).log.nudge() is None
    unused(home)
    brought_up_in_vain(home)
    doubled(home)
    home.write("a.md", "---\nreview_by: 2026-01-01\n---\n# Lease\n\nCheck the lease.\n")
    home.vault.index.sync()
    curator(home).curate()
    nudge = curator(home).log.nudge()
    assert nudge is not None and len(nudge.actions) == 3 and nudge.more == 1 and not nudge.overdue
    curator(home).log.remember_nudge()
    assert curator(home).log.nudge() is None
    home.clock.advance(days=8)
    late = curator(home).log.nudge()
    assert late is not None and late.overdue and late.days == 8


def test_a_curation_is_due_weekly_and_not_of_an_empty_vault(home: Home) -> None:
    assert not curator(home).due()
    home.remember(PORT)
    assert curator(home).due()
    curator(home).curate()
    assert not curator(home).due()
    home.clock.advance(days=7)
    assert curator(home).due()


@pytest.mark.parametrize(
    "data",
    [b"", b"null", b"[]", b"{", b'{"at": 1, "actions": [{"kind": "rm"}]}', b"\xff", b'{"at": null, "actions": []}'],
)
def test_a_damaged_report_counts_as_none(home: Home, data: bytes) -> None:
    home.remember(PORT)
    curator(home).log.file.write(data)
    assert curator(home).log.nudge() is None and curator(home).due()
    curator(home).log.remember_nudge()
    assert isinstance(curator(home).curate(), Curation)


def test_looking_again_reminds_nobody_again_that_day(home: Home) -> None:
    unused(home)
    curator(home).curate()
    curator(home).log.remember_nudge()
    curator(home).curate()
    assert curator(home).log.nudge() is None
