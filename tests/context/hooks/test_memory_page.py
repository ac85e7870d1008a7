"""The page of memory at the start of a session: whole entries, the person's own first, the rest counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hearth.context import memory_page
from hearth.core.hook import SessionStarted
from hearth.core.query import Hit
from hearth.pages.dream import memory_md as written
from hearth.pages.dream.fragments import DreamFragment
from hearth.pages.dream.memory_md import OWN_TOKENS
from hearth.text.lines import estimate_tokens

MACHINE = "aaaaaaaaaa"


def hit(text: str) -> Hit:
    return Hit(
        docid="d", collection="_hearth", path="MEMORY.md", start_line=1, end_line=9, title="Memory", score=1.0,
        content_type="note", modified_at=0, authored_at=None, fragment="section", snippet="", text=text, trust="human",
    )  # fmt: skip


def fragment(number: int, text: str, project: str = "") -> DreamFragment:
    key = (f"{number:016d}", f"{number:012x}")
    return DreamFragment(key, text, 1, "daily/2026-01-20.md", "fact", (), written="2026-01-20", project=project)


def promoted(text: str, *fragments: DreamFragment) -> str:
    return written.edit(written.read(text), MACHINE, fragments, ())


def test_the_persons_own_words_come_without_our_markers_and_ours_by_score() -> None:
    weak, strong = fragment(1, "The kiln is fired on Tuesdays."), fragment(2, "The glaze holds lead.")
    text = promoted("# Memory\n\n## Mine\n\n- I prefer tabs.\n- And tea,\n  green.\n", weak, strong)
    found = memory_page.read(hit(text), {weak.key: 0.6, strong.key: 0.9}, None)
    assert found.own == "## Mine\n- I prefer tabs.\n- And tea,\n  green."
    assert found.promoted.index("glaze") < found.promoted.index("kiln") and "<!--" not in found.promoted


def test_items_name_their_source_in_a_few_characters() -> None:
    undated = replace(fragment(2, "Glaze holds lead."), written=None, short="Lead in glaze.", place="hearth://n/a b.md")
    text = promoted("", fragment(1, "The kiln is fired on Tuesdays."), undated)
    assert memory_page.read(hit(text), {}, None).promoted.split("\n") == [
        "- The kiln is fired on Tuesdays. (2026-01-20, #00000000:1)",
        "- Lead in glaze. (#00000000:1, shortened)",
    ]


def test_an_item_that_a_person_edited_is_among_their_own_words() -> None:
    text = promoted("", fragment(1, "The kiln is fired on Tuesdays.")).replace("Tuesdays", "Fridays")
    found = memory_page.read(hit(text), {}, None)
    assert "on Fridays" in found.own and found.promoted == ""


def test_items_of_other_projects_stay_out() -> None:
    mine, other = (
        fragment(1, "Pier nine is ours.", "github.com/acme/pier"),
        fragment(2, "Pelicans.", "github.com/a/zoo"),
    )
    text = promoted("", mine, other, fragment(3, "The kiln is hot."))
    found = memory_page.read(hit(text), {}, "github.com/acme/pier").promoted
    assert "Pier nine" in found and "kiln" in found and "Pelicans" not in found
    assert "Pelicans" in memory_page.read(hit(text), {}, None, all_projects=True).promoted


def test_what_does_not_fit_is_left_out_whole_and_counted() -> None:
    rows = [f"- Entry number {number} says something about the boats of the harbour." for number in range(100)]
    found = memory_page.read(hit("# Memory\n\n" + "\n".join(rows)), {}, None)
    *shown, last = found.own.split("\n")
    assert set(shown[1:]) <= set(rows) and last == f"({100 - len(shown) + 1} more on the page)"


def test_broken_markers_leave_all_to_be_read() -> None:
    text = promoted("- I prefer tabs.\n", fragment(1, "The kiln is hot.")) + "\n<!-- hearth:dream:end -->\n"
    found = memory_page.read(hit(text), {}, None)
    assert "prefer tabs" in found.own and "kiln is hot" in found.own and "<!--" not in found.own


TEXT = st.text(alphabet=st.sampled_from("ab .-*#\n!é中<>"), max_size=3_000)


@given(TEXT, st.lists(st.text(alphabet="ab c.", min_size=8, max_size=280), max_size=30))
def test_no_page_takes_more_than_its_room(text: str, said: list[str]) -> None:
    items = [fragment(number, one) for number, one in enumerate(said)]
    found = memory_page.read(hit(promoted(text, *items)), {}, None)
    assert estimate_tokens(found.own) <= OWN_TOKENS
    assert estimate_tokens(found.own) + estimate_tokens(found.promoted) <= memory_page.TOKENS


def test_a_new_session_is_told_both_and_whose_they_are(home: Any) -> None:
    memory = next(Path(c.root) for c in home.vault.collections if c.name == "_hearth")
    memory.mkdir(parents=True, exist_ok=True)
    (memory / "MEMORY.md").write_text(promoted("# Memory\n\n- I prefer tabs.\n", fragment(1, "The kiln is hot.")))
    home.vault.index.sync()
    handled = home.run("session-bootstrap", SessionStarted(host="claude-code", session="s1", **home.place()))
    text = handled.reply.context or ""
    assert text.index("# Memory") < text.index("prefer tabs") < text.index("# Used again") < text.index("kiln is hot")
    own, ours = (row for row in text.split("\n") if "_hearth/MEMORY.md" in row)
    assert "by agent" not in own and "by agent" in ours
    assert "hearth:p" not in text


def test_what_was_promoted_out_of_notes_that_turn_out_to_be_others_is_not_told(home: Any) -> None:
    memory = next(Path(c.root) for c in home.vault.collections if c.name == "_hearth")
    memory.mkdir(parents=True, exist_ok=True)
    home.write("kiln.md", "# Kiln\n\nThe kiln is hot.\n")
    item = replace(fragment(1, "The kiln is hot."), key=(home.docid("kiln.md"), f"{1:012x}"))
    (memory / "MEMORY.md").write_text(promoted("# Memory\n\n- I prefer tabs.\n", item))

    def tell() -> str:
        home.vault.index.sync()
        event = SessionStarted(host="claude-code", session="s1", **home.place())
        return home.run("session-bootstrap", event).reply.context or ""

    assert "kiln is hot" in tell()
    home.write("kiln.md", "---\ntrust: team\n---\n\n# Kiln\n\nThe kiln is hot.\n")
    told = tell()
    assert "prefer tabs" in told and "kiln is hot" not in told
