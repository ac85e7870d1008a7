"""Threads and topics: made anew of what the index holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.capture.handoff import TurnText
from hearth.core.errors import NotFound
from hearth.core.session import Sighting
from hearth.pages.questions import spoken_lines
from hearth.ports import Filter

SAID = """---
content_type: conversation
session: s1
project: larder
machine: {machine}
---

## User · 10:00

The parser loses the last line of Parquet archives.

## Assistant · 10:01

I looked at the parser: Parquet archives end without a mark.

## User · 10:20

Then write the mark, please.

## User · 11:05

Now the invoices: the VAT of the greenhouse is wrong.

## Assistant · 2026-03-02 00:10

Greenhouse VAT is mended.
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def converse(home: Home) -> Path:
    writer = home.vault.memories.writer
    file = Path(writer.memories.root) / "agent/conversations/2026-03-01-parser-abc123.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(SAID.format(machine=writer.machine))
    home.vault.index.sync()
    return file


def test_a_pause_of_more_than_thirty_minutes_begins_another_thread(home: Home) -> None:
    converse(home)
    found = home.vault.knowledge.overview.threads()
    assert [(one.turns, one.session, one.project) for one in found] == [
        (0, "s1", "larder"),
        (1, "s1", "larder"),
        (2, "s1", "larder"),
    ]
    began = [one.began for one in found]
    assert began == sorted(began, reverse=True) and None not in began
    assert [one.title for one in found] == [
        "Now the invoices: the VAT of the greenhouse is wrong (continued)",
        "Now the invoices: the VAT of the greenhouse is wrong",
        "The parser loses the last line of Parquet archives",
    ]
    text = home.vault.get(f"#{found[1].docid}:{found[1].start_line}:{found[1].end_line - found[1].start_line + 1}").text
    assert "invoices" in text and "mark" not in text
    before = found
    home.rebuilt()
    assert home.vault.knowledge.overview.threads() == before


def test_a_memory_leads_to_its_thread_and_the_thread_to_its_memories(home: Home) -> None:
    vault = home.vault
    said = ("We decided to keep the dumps in restic.", "From now on answer in Dutch.")
    for text in said:
        now = home.clock()
        vault.capture(Sighting("talk-1"), [TurnText("user", text, now), TurnText("assistant", "Done.", now)], end=True)
        vault.capture.run(everything=True)
        home.clock.advance(seconds=3_600)
    restic, dutch = (home.found(text, types=("decision", "principle", "preference"))[0] for text in said)
    found = vault.knowledge.overview.thread_of(restic)
    assert found.thread.title == "We decided to keep the dumps in restic"
    assert [one.docid for one in found.memories] == [restic]
    later = vault.knowledge.overview.thread_of(dutch)
    assert later.thread.start_line > found.thread.end_line
    assert [one.docid for one in later.memories] == [dutch]
    conversation = found.thread.docid
    assert vault.knowledge.overview.thread_of(conversation, found.thread.start_line) == found
    assert vault.knowledge.overview.thread_of(conversation) == later
    vault.state.forget(restic)
    assert vault.knowledge.overview.thread_of(conversation, found.thread.start_line).memories == ()
    note = home.remember("The kiln burns at noon.", "fact")
    with pytest.raises(NotFound, match="no conversation, and was captured from none"):
        vault.knowledge.overview.thread_of(note)


def test_a_conversation_that_is_forgotten_has_no_threads(home: Home) -> None:
    converse(home)
    overview = home.vault.knowledge.overview
    docid = overview.threads(session="s1")[0].docid
    home.vault.state.forget(docid)
    assert overview.threads() == []
    with pytest.raises(NotFound, match="no conversation"):
        overview.threads(session="s1")


def test_topics_leave_out_what_came_from_elsewhere_and_what_is_forgotten(home: Home) -> None:
    subjects = ["oak", "elm", "ash", "yew", "fir", "pine", "birch", "beech", "larch", "cedar", "maple", "willow"]
    for tree in subjects:
        home.remember(f"The {tree}{tree} tree stands by the wall.", "fact")
    zinc = [home.remember(f"On floor {n} it leaks from the zinc gutter.", "problem") for n in range(3)]
    for n in range(4):
        home.remember(f"Offer {n}: take the tungsten lamp now.", "note", trust="external")
    report = home.vault.knowledge.overview.topics()
    found = {one.term.lower() for one in report.topics}
    assert "zinc gutter" in found and "tungsten lamp" not in found
    assert (report.documents, report.left_out) == (15, 0)
    home.vault.state.forget(zinc[0])
    assert "zinc gutter" not in {one.term.lower() for one in home.vault.knowledge.overview.topics().topics}


def test_topics_and_titles_are_of_what_people_say_not_of_code_or_answers(home: Home) -> None:
    writer = home.vault.memories.writer
    folder = Path(writer.memories.root) / "agent/conversations"
    folder.mkdir(parents=True)
    for number in range(4):
        said = (
            f"---\ncontent_type: conversation\nsession: s{number}\nmachine: {writer.machine}\n"
            f"title: Turn quern {number} with the bronze pivot\n---\n\n"
            f"## User · 10:00\n\nTurn quern {number} with the bronze pivot, now.\n\n```js\nconst pemmican = 1;\n```\n\n"
            f"## Assistant · 10:01\n\nCertainly: fondue.\n\n{'A long answer on cheese. ' * 200}"
        )
        (folder / f"2026-03-0{number + 1}-talk-abc12{number}.md").write_text(said)
    for number in range(20):
        home.write(f"n{number}.md", f"Leek number {number} grows.")
    home.vault.index.sync()
    overview = home.vault.knowledge.overview
    assert [one.term for one in overview.topics().topics] == ["bronze pivot"]
    assert {one.title for one in overview.threads()} == {
        f"Turn quern {number} with the bronze pivot, now" for number in range(4)
    }


def test_each_line_of_a_conversation_counts_once_though_windows_repeat_it(home: Home) -> None:
    said = "\n\n".join(f"The mason lays row {number} of the bastion, and the mortar dries." for number in range(120))
    writer = home.vault.memories.writer
    file = Path(writer.memories.root) / "agent/conversations/2026-03-01-wall-abc123.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\ncontent_type: conversation\nmachine: {writer.machine}\n---\n\n## User · 10:00\n\n{said}\n")
    home.vault.index.sync()
    with home.vault.store.read() as reader:
        stored = reader.find_documents(Filter(types=("conversation",)), 1)[0]
        assert len(reader.fragments_of(stored.id)) > 1
        lines = list(spoken_lines(reader, stored))
    assert "\n".join(one.text for one in lines if one.head is None).strip() == said
    assert {one.role for one in lines if one.text.strip()} == {"User"}


def test_the_headings_that_many_notes_share_are_no_topics(home: Home) -> None:
    for number in range(20):
        template = "## Postmortem\n\n" if number < 4 else ""
        home.write(
            f"{number}.md",
            f"# {'The zinc gutter' if number == 0 else f'Note{chr(97 + number) * 4}'}\n\n{template}"
            f"{f'{number}: Rust in the zinc gutter.' if number < 4 else 'Rain.'}\n",
        )
    home.vault.index.sync()
    found = {one.term.lower() for one in home.vault.knowledge.overview.topics().topics}
    assert "zinc gutter" in found and "postmortem" not in found
