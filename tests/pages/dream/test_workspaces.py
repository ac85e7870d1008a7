"""An assistant with a folder of its own has a page of its own there; neither page tells of the other's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pages.dream.test_dreamer import PORT, QUESTIONS, page, use
from tests.truth.home import Home

from hearth import app
from hearth.core.errors import NotFound, UsageError
from hearth.core.hook import SessionStarted

KILN = "The kiln of the pottery is fired on Tuesdays with beech."
FIRED = ("when is the kiln fired", "which wood does the kiln take", "kiln of the pottery on tuesdays")


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("home") / "home")
    (home.home / "clawd").mkdir()
    home.configure(
        f"agents:\n  work:\n    workspace: {home.home / 'clawd'}\n", f"  work:\n    path: {workspace(home)}\n"
    )
    (workspace(home) / "memory").mkdir()
    (workspace(home) / "memory" / "2026-02-27.md").write_text(f"# Friday\n\n- {KILN}\n")
    return home


def workspace(home: Home) -> Path:
    return home.home / "clawd"


def used(home: Home) -> tuple[str, str]:
    """A memory of everyone's and a line of the assistant's day, both used on three days."""
    docid = home.remember(PORT, "fact")
    home.vault.index.sync()
    stored = [one.document for one in home.vault.as_agent("work").documents()]
    [other] = [one.docid for one in stored if one.path.startswith("memory/")]
    for question, fired in zip(QUESTIONS, FIRED, strict=True):
        use(home, docid, question, f"As noted: {PORT}")
        use(home, other, fired, f"As noted: {KILN}")
    return docid, other


def test_each_page_gets_what_is_its_own_and_names_what_lies_beside_it_by_its_path(home: Home) -> None:
    used(home)
    assert [one.fragment.text for one in home.vault.dream.dream().put] == [PORT]
    done = home.vault.dream.of("work").dream()
    assert [one.fragment.text for one in done.put] == [KILN] and done.run is not None
    text = (workspace(home) / "MEMORY.md").read_text()
    assert "[source](memory/2026-02-27.md#L3)" in text and PORT not in text
    assert home.vault.dream.of("work").status().fragments == 1
    assert KILN not in page(home).read_text()
    assert KILN in (workspace(home) / "DREAMS.md").read_text()
    assert home.vault.truth.undo_run(done.run).undone == 1
    assert KILN not in (workspace(home) / "MEMORY.md").read_text() and PORT in page(home).read_text()


def test_what_a_person_wrote_in_the_folder_stays_and_a_deleted_line_never_returns(home: Home) -> None:
    own = "# Memory\n\nThe owner is called Ada.\n"
    (workspace(home) / "MEMORY.md").write_text(own)
    used(home)
    dreamer = home.vault.dream.of("work")
    [promoted] = dreamer.dream().put
    file = workspace(home) / "MEMORY.md"
    assert file.read_text().startswith(own)
    file.write_text(own)
    home.clock.advance(days=1)
    assert dreamer.dream().put == () and file.read_text() == own
    home.vault.dream.allow(":".join(promoted.fragment.key))
    home.clock.advance(days=1)
    assert [one.fragment.text for one in dreamer.dream().put] == [KILN]


def test_an_item_and_its_source_are_one_hit_and_the_account_of_nights_is_none(home: Home) -> None:
    used(home)
    home.vault.dream.of("work").dream()
    home.vault.index.sync()
    found = home.vault.as_agent("work").recall("when is the kiln of the pottery fired").hits
    assert [hit.path for hit in found if KILN in hit.text] == ["memory/2026-02-27.md"]


def test_a_session_in_the_folder_begins_with_its_page_and_others_with_theirs(home: Home) -> None:
    used(home)
    (workspace(home) / "MEMORY.md").write_text("# Memory\n\nThe owner is called Ada.\n")
    home.vault.dream.dream()
    home.vault.dream.of("work").dream()
    home.vault.index.sync()
    hooks = app.hooks(home.vault, app.settings(environ=home.environ).loaded.config)

    def told(cwd: Path) -> str:
        started = SessionStarted(host="claude-code", session="new", cwd=str(cwd), source="startup")
        return hooks.answer("session-bootstrap", started, 60_000).reply.context

    inside, outside = told(workspace(home) / "memory"), told(home.notes)
    assert KILN in inside and "Ada" in inside and f"- {PORT}" not in inside
    assert PORT in outside and "Ada" not in outside and f"- {KILN}" not in outside


def test_nights_of_all_pages_are_due_by_themselves_and_once(home: Home) -> None:
    used(home)
    dreamer = home.vault.dream
    for _ in range(2):
        for one in dreamer.every():
            if one.is_due():
                one.dream_leased()
    assert not dreamer.due()
    assert KILN in (workspace(home) / "MEMORY.md").read_text() and PORT in page(home).read_text()


def test_what_is_purged_leaves_the_page_in_the_folder(home: Home) -> None:
    _, other = used(home)
    home.vault.dream.of("work").dream()
    home.vault.as_agent("work").state.purge(other, yes=True)
    assert KILN not in (workspace(home) / "MEMORY.md").read_text()
    assert KILN not in (workspace(home) / "DREAMS.md").read_text()


def test_an_index_built_anew_knows_which_page_a_promotion_was_for(home: Home) -> None:
    used(home)
    home.vault.dream.of("work").dream()
    home.close()
    for file in Path(home.environ["HEARTH_CACHE_DIR"]).rglob("index.sqlite*"):
        file.unlink()
    home.clock.advance(days=1)
    dreamer = home.vault.dream
    assert dreamer.of("work").status().promoted == 1 and dreamer.status().promoted == 0


def test_an_assistant_that_nobody_named_and_a_folder_that_no_collection_holds_are_told(home: Home) -> None:
    with pytest.raises(NotFound, match="no agent 'home'; there are: work"):
        home.vault.dream.of("home")
    home.configure(f"agents:\n  work:\n    workspace: {home.home / 'nowhere'}\n")
    with pytest.raises(UsageError, match=r"no collection holds .*nowhere.*hearth collection add"):
        home.vault.dream.of("work")
    assert home.vault.dream.every() == [home.vault.dream]
