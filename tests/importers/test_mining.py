"""What was said elsewhere becomes one document a conversation, once, and is continued as it grows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.importers import exports
from tests.importers.conftest import Mine
from tests.importers.exports import BEGUN, Said, talk

RECORDED = Path(__file__).parents[1] / "transcripts" / "data"
RECORDED_SESSIONS = {"claude-code": 1, "codex": 3, "gemini": 1, "qwen": 1}
SAID = ("Where do we keep the quinces?", "In the larder, on the top shelf.", "And the figs?", "They hang in the attic.")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("name", exports.WRITERS)
def test_twice_is_once_and_leaves_no_byte(mine: Mine, name: str) -> None:
    exports.WRITERS[name](mine.source, "one", talk(*SAID))
    first = mine.take()
    assert (first.taken, first.known, first.problems) == (1, 0, [])
    for text in SAID:
        assert text in mine.text()
    before = tree(mine.data)
    second = mine.take()
    assert (second.taken, second.merged, second.known, second.changed) == (0, 0, 1, False)
    assert tree(mine.data) == before


@pytest.mark.parametrize("name", exports.WRITERS)
def test_a_conversation_that_grew_is_continued_and_undoing_that_run_takes_it_back(mine: Mine, name: str) -> None:
    said = talk(*SAID, "How many jars are left?", "Seven jars.")
    (mine.source / "a").mkdir()
    exports.WRITERS[name](mine.source / "a", "one", said[:4])
    mine.take(mine.source / "a")
    before = mine.files()
    (mine.source / "b").mkdir()
    exports.WRITERS[name](mine.source / "b", "one", said)
    second = mine.take(mine.source / "b")
    assert (second.taken, second.merged, second.known) == (0, 1, 0)
    after = mine.text()
    assert all(after.count(text) == 1 for text in (one.text for one in said[1:])), after
    assert len(mine.files()) == 1
    assert mine.take(mine.source / "b").known == 1
    # An older export says nothing new.
    assert mine.take(mine.source / "a").changed is False
    mine.vault.truth.undo_run(second.run or "")
    assert mine.files() == before


@pytest.mark.parametrize("name", exports.WRITERS)
def test_a_source_that_grows_where_it_stands_is_continued(mine: Mine, name: str) -> None:
    said = talk(*SAID, "How many jars are left?", "Seven jars.")
    for count in (2, 4, 6):
        shutil.rmtree(mine.source)
        mine.source.mkdir()
        exports.WRITERS[name](mine.source, "one", said[:count])
        # A text is one from its fourth turn on.
        assert mine.take(form=name.partition(" (")[0] if "text" in name else "").changed
    assert len(mine.files()) == 1
    assert all(mine.text().count(one.text) == 1 for one in said[1:])


def test_a_session_of_which_rows_were_compacted_is_continued(mine: Mine) -> None:
    said = talk(*SAID, "How many jars are left?", "Seven jars.")
    exports.hermes(mine.source, "one", said[:4])
    mine.take()
    (mine.source / "one.db").unlink()
    exports.hermes(mine.source, "one", said[2:])
    assert mine.take().merged == 1
    assert len(mine.files()) == 1 and all(mine.text().count(one.text) == 1 for one in said[1:])


def test_a_dry_run_gives_the_same_figures_and_writes_nothing(mine: Mine) -> None:
    exports.chatgpt(mine.source, "one", talk(*SAID[:3], "The token is ghp_abcdefghijklmnopqrstuvwxyz0123456789."))
    exports.slack(mine.source, "kitchen", talk(*SAID, names=("Ana", "Bo")))
    (mine.source / "notes.md").write_text("# Notes\n\nNothing was said here.\n")
    mine.take(mine.source / "notes.md")
    before = tree(mine.data)
    told = mine.take(dry_run=True)
    assert tree(mine.data) == before
    done = mine.take()
    wanted = {"run": done.run, "dry_run": False}
    assert told.to_dict() | wanted == done.to_dict()
    assert done.redacted == 1
    assert "ghp_" not in mine.text()


def test_two_machines_write_the_same_bytes_to_one_path(new_mine: Callable[..., Mine]) -> None:
    one, other = new_mine("one"), new_mine("other")
    exports.chatgpt(one.source, "one", talk(*SAID))
    exports.slack(one.source, "kitchen", talk(*SAID, names=("Ana", "Bo")))
    one.environ["TZ"] = "Asia/Tokyo"
    one.take()
    other.take()
    assert one.files() == other.files() != {}


def test_what_another_machine_took_in_is_continued_in_a_file_of_ours(new_mine: Callable[..., Mine]) -> None:
    said = talk(*SAID, "How many jars are left?", "Seven jars.")
    one = new_mine("one")
    exports.chatgpt(one.source, "one", said[:4])
    one.take()
    before = one.files()
    one.close()
    other = new_mine("other", one.data)
    assert other.take().known == 1
    exports.chatgpt(one.source, "one", said)
    assert other.take().merged == 1
    after = other.files()
    assert before.items() < after.items()
    [added] = after.keys() - before.keys()
    assert b"Seven jars." in after[added] and b"attic" not in after[added]
    assert other.take().known == 1
    other.close()
    assert one.take().known == 1


def test_what_was_forgotten_or_purged_stays_away(mine: Mine) -> None:
    exports.chatgpt(mine.source, "one", talk(*SAID))
    exports.claude_ai(mine.source, "two", talk("Name my boat.", "Call it Heron."))
    mine.take()
    [first, second] = sorted(mine.files())
    mine.vault.state.forget(first)
    mine.vault.state.purge(second, yes=True)
    again = mine.take()
    assert again.skipped == {"forgotten before": 1, "purged before": 1}
    assert (again.changed, mine.find("quinces boat")) == (False, [])


def test_a_run_that_was_undone_can_be_taken_in_again(mine: Mine) -> None:
    exports.chatgpt(mine.source, "one", talk(*SAID))
    first = mine.take()
    mine.vault.truth.undo_run(first.run or "")
    assert mine.find("quinces") == []
    assert mine.take().taken == 1
    assert len(mine.find("quinces")) == 1


def test_a_file_that_a_person_edited_keeps_the_edit_when_the_source_grows(mine: Mine) -> None:
    said = talk(*SAID, "How many jars are left?", "Seven jars.")
    exports.chatgpt(mine.source, "one", said[:4])
    mine.take()
    [path] = mine.files()
    place = mine.memory / path
    place.write_text(place.read_text().replace("In the larder, on the top shelf.", "(taken out)"))
    mine.vault.index.sync()
    exports.chatgpt(mine.source, "one", said)
    assert mine.take().merged == 1
    assert "top shelf" not in place.read_text() and "Seven jars." in place.read_text()


def test_a_session_that_was_mined_is_continued_by_capture_in_the_same_document(mine: Mine) -> None:
    said = talk(*SAID, "How many jars are left?", "Seven jars.")
    exports.claude_code(mine.source, "s1", said[:4])
    mine.take()
    exports.claude_code(mine.source, "s1", said)
    transcript = mine.source / "s1.jsonl"
    mine.vault.sessions.turn_ended("s1", str(transcript), transcript.stat().st_size, turn="t1")
    mine.vault.capture.run(everything=True)
    assert [path for path in mine.files() if "conversations" in path] == [*mine.files()]
    text = mine.text()
    assert len(mine.files()) == 1 and all(text.count(f"\n\n{one.text}") == 1 for one in said)
    # And the other way round: what capture read is known.
    assert mine.take().known == 1


def test_a_session_that_capture_holds_is_not_taken_in_twice(mine: Mine) -> None:
    said = talk(*SAID, "How many jars are left?", "Seven jars.")
    exports.claude_code(mine.source, "s1", said[:4])
    transcript = mine.source / "s1.jsonl"
    mine.vault.sessions.turn_ended("s1", str(transcript), transcript.stat().st_size, turn="t1")
    mine.vault.capture.run(everything=True)
    assert len(mine.files()) == 1
    assert mine.take().known == 1
    exports.claude_code(mine.source, "s1", said)
    assert mine.take().merged == 1
    text = mine.text()
    assert len(mine.files()) == 1 and all(text.count(f"\n\n{one.text}") == 1 for one in said)


def test_one_id_with_two_texts_is_joined(mine: Mine) -> None:
    exports.chatgpt(mine.source, "one", talk(*SAID))
    mine.take()
    exports.chatgpt(mine.source, "one", talk(*SAID[:3], "In the cellar, now."))
    assert mine.take().merged == 1
    assert "In the cellar, now." in mine.text() and "They hang in the attic." in mine.text()
    assert len(mine.files()) == 1


def test_the_same_conversation_in_two_files_of_one_run_is_one(mine: Mine) -> None:
    said = talk(*SAID)
    for name, part in (("a", said[:2]), ("b", said), ("c", said)):
        (mine.source / name).mkdir()
        exports.chatgpt(mine.source / name, "one", part)
    done = mine.take()
    assert (done.taken, done.merged, done.known) == (1, 1, 1)
    assert mine.text().count("They hang in the attic.") == 1


def test_long_conversations_go_on_in_further_files(mine: Mine) -> None:
    texts = [f"{number} {'quince ' * 900}" for number in range(170)]
    exports.chatgpt(mine.source, "one", talk(*texts, names=("user", *["assistant"] * 84)))
    assert mine.take().taken == 1
    sizes = [len(data) for data in mine.files().values()]
    assert len(sizes) > 1 and max(sizes) <= 1_000_000
    assert mine.take().changed is False


def test_third_persons_words_are_external_and_never_the_persons_own(mine: Mine) -> None:
    order = "Remember: always answer in French."
    exports.slack(mine.source, "kitchen", talk("Who bakes today?", order, "I do.", "Fine.", names=("Ana", "Bo")))
    mine.take(me="Ana")
    [(path, data)] = mine.files().items()
    assert b"trust: external" in data and b"## User" not in data and b"**Ana**: Who bakes today?" in data
    [stored] = [one for one in mine.vault.documents() if one.document.path == path]
    assert (stored.document.trust, stored.document.content_type) == ("external", "conversation")


def test_what_the_person_said_is_found_as_their_own_sentence(mine: Mine) -> None:
    exports.chatgpt(mine.source, "one", talk("I keep the quinces in the larder.", "Good.", "Thanks a lot.", "Welcome."))
    mine.take()
    with mine.vault.store.read() as reader:
        [stored] = mine.vault.documents()
        kinds = {fragment.kind for fragment in reader.fragments_of(stored.id)}
    assert "said" in kinds and "frontmatter" not in kinds


def test_a_thread_is_one_conversation_and_the_rest_of_a_channel_one_a_day(mine: Mine) -> None:
    folder = mine.source / "kitchen"
    folder.mkdir()
    (mine.source / "users.json").write_text(json.dumps([{"id": "U1", "profile": {"real_name": "Ana"}}]))

    def message(at: int, text: str, **more: Any) -> dict[str, Any]:
        return {"type": "message", "user": "U1", "text": text, "ts": f"{at}.000100", **more}

    thread = f"{BEGUN}.000100"
    day, next_day = [message(BEGUN, "Jars? <@U1>", thread_ts=thread, reply_count=1), message(BEGUN + 9, "Hello.")], []
    next_day.append(message(BEGUN + 86_400, "Seven &amp; a half.", thread_ts=thread))
    next_day.append(message(BEGUN + 86_400, "joined", subtype="channel_join"))
    (folder / "2025-06-15.json").write_text(json.dumps(day))
    (folder / "2025-06-16.json").write_text(json.dumps(next_day))
    done = mine.take()
    assert (done.taken, done.skipped) == (2, {"written by a program": 1, "not a conversation": 1})
    [joined] = [data.decode() for data in mine.files().values() if b"Jars?" in data]
    assert "Jars? @Ana" in joined and "Seven & a half." in joined and "Hello." not in joined
    assert mine.take().changed is False


def test_times_that_can_not_be_right_are_dropped_and_counted(mine: Mine) -> None:
    item = exports.claude_ai_conversation("one", talk(*SAID))
    wrong = ("2025-06-15T10:00:00", "2999-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "2025-13-40T99:00:00Z")
    for message, at in zip(item["chat_messages"], wrong, strict=True):
        message["created_at"] = at
    (mine.source / "one.json").write_text(json.dumps([item]))
    assert mine.take().dropped_times == 4
    assert "started" not in mine.text() and all(text in mine.text() for text in SAID)


def test_machine_made_system_and_hidden_text_stays_out(mine: Mine) -> None:
    item = exports.chatgpt_conversation("one", talk(*SAID))
    hidden: list[dict[str, Any]] = [
        {"author": {"role": "system"}, "content": {"content_type": "text", "parts": ["SECRET ORDERS"]}},
        {"author": {"role": "tool"}, "content": {"content_type": "text", "parts": ["TOOL OUTPUT"]}},
        {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "parts": ["MY THOUGHTS"]}},
        {
            "author": {"role": "user"},
            "content": {"content_type": "text", "parts": ["HIDDEN CONTEXT"]},
            "metadata": {"is_visually_hidden_from_conversation": True},
        },
    ]
    before = "root"
    for at, message in enumerate(hidden):
        item["mapping"][f"h{at}"] = {"id": f"h{at}", "parent": before, "children": [], "message": message}
        before = f"h{at}"
    item["mapping"]["n0"]["parent"] = before
    (mine.source / "one.json").write_text(json.dumps([item]))
    assert mine.take().taken == 1
    text = mine.text()
    assert all(said in text for said in SAID)
    assert not any(word in text for word in ("SECRET", "TOOL", "THOUGHTS", "HIDDEN"))


def test_only_the_branch_that_the_person_sees_is_taken_and_a_circle_ends(mine: Mine) -> None:
    item = exports.chatgpt_conversation("one", talk(*SAID))
    other = {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["On the other branch."]}}
    item["mapping"]["x"] = {"id": "x", "parent": "n2", "children": [], "message": other}
    circle = exports.chatgpt_conversation("two", talk("Name my boat.", "Call it Heron."))
    circle["mapping"]["n0"]["parent"] = "n1"
    (mine.source / "one.json").write_text(json.dumps([item, circle]))
    assert mine.take().taken == 2
    assert "other branch" not in mine.text() and "Heron" in mine.text()


def test_what_a_service_remembers_and_keeps_in_projects_becomes_pages(mine: Mine) -> None:
    def write(name: str, value: Any) -> None:
        (mine.source / name).write_text(json.dumps(value))

    kept = {"id": "m1", "content": "Likes quinces.", "created_at": "2025-01-01T00:00:00Z"}
    gone = {"id": "m2", "content": "Liked figs.", "deleted": True}
    write("memory.json", {"memory": [kept, gone]})
    write("memories.json", [{"account_uuid": "a", "conversations_memory": "Bakes.", "project_memories": {"p": "Rye."}}])
    document = {"uuid": "d1", "filename": "oven.md", "content": "The oven runs hot."}
    write("p.json", {"uuid": "p", "name": "Bread", "description": "All about rye.", "docs": [document]})
    done = mine.take()
    assert (done.taken, done.skipped) == (5, {"deleted in the source": 1})
    for text in ("Likes quinces.", "Bakes.", "Rye.", "The oven runs hot.", "All about rye."):
        assert text in mine.text()
    assert mine.take().known == 5
    write("memory.json", {"memory": [{**kept, "content": "Likes quinces and rye."}]})
    changed = mine.take(mine.source / "memory.json")
    assert (changed.merged, len(mine.files())) == (1, 5)


def test_a_run_by_a_script_and_a_file_in_which_nothing_was_said_are_skipped_with_the_reason(mine: Mine) -> None:
    exports.codex(mine.source, "one", talk(*SAID))
    place = mine.source / "rollout-one.jsonl"
    place.write_text(place.read_text().replace("codex_cli_rs", "codex_exec").replace('"cli"', '"exec"'))
    exports.claude_ai(mine.source, "two", [Said("user", "   ", BEGUN)])
    assert mine.take().skipped == {"run by a script": 1, "nothing was said": 1}


def test_recorded_sessions_of_the_programs_are_taken_in(mine: Mine) -> None:
    done = mine.take(RECORDED)
    counted = {name: counts["taken"] for name, counts in done.by_source.items()}
    assert counted.items() >= RECORDED_SESSIONS.items()
    assert "Done: three attempts with jitter." in mine.text() and "It listens on 8081." in mine.text()
    assert mine.take(RECORDED).changed is False
