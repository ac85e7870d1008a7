"""Sessions of agents without a host of their own."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, date
from pathlib import Path
from typing import Any

import pytest

from hearth.app.settings import scrub
from hearth.capture.compaction import parse_sections, summarize_lines
from hearth.config.tree import ContextSettings, ResetSettings
from hearth.context.engine import sessions
from hearth.context.engine.assembly import AssembleRequest, EngineServices
from hearth.context.engine.engine import ContextEngine
from hearth.context.engine.messages import Message, Role
from hearth.context.engine.pruning import Action
from hearth.context.engine.sessions import SessionId
from hearth.context.engine.workspace import FileText
from hearth.core.errors import Unavailable, UsageError
from hearth.disk.session_logs import DiskSessionLogs

NOON = 1_790_000_000_000
MAIN = SessionId("agent:main:main")


class Now:
    def __init__(self) -> None:
        self.at = NOON

    def __call__(self) -> int:
        return self.at


class Desk:
    """An engine on a folder, and what it told the rest of the vault."""

    def __init__(self, folder: Path, settings: ContextSettings | None = None) -> None:
        self.folder, self.now = folder, Now()
        self.settings = settings or ContextSettings()
        self.committed: list[int] = []
        self.ended: list[tuple[str, Sequence[tuple[str, str]]]] = []
        self.files: list[FileText] = []
        self.recall = ""
        self.recalled: list[str] = []
        self.engine = self.open()

    def open(self, redact: Callable[[str], str] | None = None) -> ContextEngine:
        services = EngineServices(
            recall=lambda session, prompt, tokens: (self.recall, lambda: self.recalled.append(prompt)),
            files=lambda agent, budget, private: self.files,
            day_notes=lambda agent, today: [FileText(f"memory/{today}.md", "Ate soup.")],
            summarize=lambda lines, cut, former, focus, by_rules: summarize_lines(lines, cut, former, focus),
            committed=lambda session, end: self.committed.append(end),
            ended=self._end,
            unflushed=lambda session, folder: "",
            has_memory=lambda agent: True,
        )
        logs = DiskSessionLogs(self.folder)
        return ContextEngine(logs, services, self.settings, redact or _redact, self.now, UTC)

    def _end(self, session: SessionId, reason: str, said: Sequence[tuple[str, str]], host: str) -> str:
        self.ended.append((reason, said))
        return f"memory/{date(2026, 9, 21)}-note.md"

    def say(self, key: str, prompt: str, answer: str = "Done.", **more: Any) -> str:
        return self.engine.commit(MAIN, key, [_user(prompt), _reply(answer)], **more)

    def sent(self, budget: int = 100_000, **more: Any) -> list[str]:
        found = self.engine.assemble(MAIN, AssembleRequest(budget, **more))
        return [_text(message) for message in found.messages]

    @property
    def path(self) -> Path:
        return DiskSessionLogs(self.folder).path("main", "agent:main:main")

    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "sessions")


def _redact(text: str) -> str:
    return text.replace("hunter2", "[secret]")


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _reply(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], **more}


def _text(message: Any) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def test_what_was_committed_is_sent_again(desk: Desk) -> None:
    assert desk.say("t1", "Where is the cat?", "On the roof.") == "committed"
    assert desk.sent(prompt="Get it.") == ["Where is the cat?", "On the roof.", "Get it."]
    assert desk.committed == [desk.path.stat().st_size]


def test_another_process_sends_the_same(desk: Desk) -> None:
    desk.say("t1", "Where is the cat?", "On the roof.")
    before = desk.sent()
    desk.engine = desk.open()
    assert desk.sent() == before


def test_a_turn_that_comes_again_is_kept_once(desk: Desk) -> None:
    desk.say("t1", "Hello")
    other = desk.open()
    assert other.commit(MAIN, "t1", [_user("Hello"), _reply("Done.")]) == "duplicate"
    assert desk.say("t1", "Hello") == "duplicate"
    assert desk.sent() == ["Hello", "Done."]


def test_two_processes_in_one_session_keep_every_turn(desk: Desk) -> None:
    engines = [desk.open() for _ in range(4)]

    def work(engine: ContextEngine, own: int) -> None:
        for at in range(10):
            engine.commit(MAIN, f"{own}-{at}", [_user(f"prompt {own}-{at}"), _reply("ok")])
            engine.commit(MAIN, f"shared-{at}", [_user(f"shared {at}"), _reply("ok")])

    workers = [threading.Thread(target=work, args=(one, at)) for at, one in enumerate(engines)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    sent = [text for text in desk.sent(10**6) if text != "ok"]
    assert sorted(sent) == sorted(
        [*(f"prompt {own}-{at}" for own in range(4) for at in range(10)), *(f"shared {at}" for at in range(10))]
    )


@pytest.mark.parametrize("lost", range(2, 400, 23))
def test_a_turn_that_a_crash_tore_counts_nothing(desk: Desk, lost: int) -> None:
    desk.say("t1", "First")
    whole = desk.path.stat().st_size
    desk.say("t2", "Second")
    data = desk.path.read_bytes()
    desk.path.write_bytes(data[: max(whole, len(data) - lost)])
    desk.engine = desk.open()
    assert desk.sent() == ["First", "Done."]
    assert desk.say("t2", "Second") == "committed"
    assert desk.say("t3", "Third") == "committed"
    desk.engine = desk.open()
    assert desk.sent() == ["First", "Done.", "Second", "Done.", "Third", "Done."]


def test_a_full_disk_is_no_turn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.say("t1", "First")
    with monkeypatch.context() as patch:
        patch.setattr("hearth.disk.session_logs._write", _refuse)
        with pytest.raises(Unavailable, match="can't write"):
            desk.say("t2", "Second")
    assert desk.sent() == ["First", "Done."]
    assert desk.say("t2", "Second") == "committed"


def _refuse(handle: int, data: bytes) -> None:
    raise OSError(28, "No space left on device")


def test_damaged_lines_are_passed_over(desk: Desk) -> None:
    desk.say("t1", "First")
    desk.say("t2", "Second")
    lines = desk.path.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"type": "message", "id"\n'
    lines.insert(4, b"\xff\xfe nonsense\n")
    desk.path.write_bytes(b"".join(lines))
    desk.engine = desk.open()
    assert desk.sent() == ["First", "Second", "Done."]
    assert desk.engine.count_unreadable(MAIN) == 2


def test_a_transcript_is_its_owners_and_readers_of_version_3_open_it(desk: Desk) -> None:
    desk.say("t1", "Where is the cat?", cwd="/work")
    assert desk.path.stat().st_mode & 0o777 == 0o600
    header, *entries = desk.entries()
    assert (header["type"], header["version"], header["cwd"]) == ("session", 3, "/work")
    assert [one["parentId"] for one in entries] == [None, *(one["id"] for one in entries[:-1])]
    assert entries[0]["message"] == _user("Where is the cat?")


def test_secrets_stay_in_this_process(desk: Desk) -> None:
    desk.say("t1", "The password is hunter2")
    assert b"hunter2" not in desk.path.read_bytes()
    assert desk.sent()[0] == "The password is hunter2"
    desk.engine = desk.open()
    assert desk.sent()[0] == "The password is [secret]"


def test_arguments_are_secrets_by_their_names_too(desk: Desk) -> None:
    hidden = {
        "DB_PASSWORD": "swordfish-9",
        "password": "correct swordfish\nbattery",
        "DB_PASS": 47114711,
        "PASSWORD": "hunter2 is it",
    }
    given = {"env": {**hidden, "DB_HOST": "db-9"}, "file": "a.sql", "max_tokens": 47114711, "note": 'the "lid"\nfits'}
    calls = [{"type": "toolCall", "id": "c", "name": "run", "arguments": given}]
    desk.engine = desk.open(redact=scrub)
    desk.engine.commit(MAIN, "t1", [_user("Load it."), {"role": "assistant", "content": calls}])
    [_, message] = [one["message"] for one in desk.entries() if one["type"] == "message"]
    kept = message["content"][0]["arguments"]
    shown = str({name: kept["env"][name] for name in hidden})
    assert not any(word in shown for word in ("swordfish", "battery", "4711", "hunter"))
    assert kept["env"]["DB_HOST"] == "db-9" and {name: kept[name] for name in given if name != "env"} == {
        name: given[name] for name in given if name != "env"
    }


def test_names_of_sessions_stay_in_their_folder(desk: Desk) -> None:
    for name in ("../../etc/passwd", ".hidden", "a/b", "x" * 400, "ü:1"):
        desk.engine.commit(SessionId(name, "../up"), "t", [_user("Hello")])
        assert [_text(one) for one in desk.engine.assemble(SessionId(name, "../up"), AssembleRequest(99)).messages]
    inside = [path for path in desk.folder.parent.rglob("*.jsonl") if desk.folder in path.parents]
    assert len(inside) == len(list(desk.folder.parent.rglob("*.jsonl"))) == 5


def test_a_turn_needs_a_key_and_messages(desk: Desk) -> None:
    with pytest.raises(UsageError):
        desk.engine.commit(MAIN, "", [_user("Hello")])
    with pytest.raises(UsageError):
        desk.engine.commit(MAIN, "t", [])


def test_files_notes_and_recall_come_with_a_person_s_first_turn_in_private(desk: Desk) -> None:
    desk.files = [FileText("SOUL.md", "Be kind.")]
    desk.recall = "<vault-context>\nThe cat is called Tom.\n</vault-context>"
    found = desk.engine.assemble(MAIN, AssembleRequest(9_000, "Who is the cat?", private=True))
    assert "Be kind." in found.system
    assert "Ate soup." in found.system
    assert _text(found.messages[-1]) == f"{desk.recall}\n\nWho is the cat?"
    assert desk.recalled == ["Who is the cat?"]
    group = desk.engine.assemble(MAIN, AssembleRequest(9_000, "Who is the cat?"))
    assert "Ate soup." not in group.system
    assert _text(group.messages[-1]) == "Who is the cat?"
    cron = desk.engine.assemble(MAIN, AssembleRequest(9_000, "Tick", private=True, trigger="cron"))
    assert _text(cron.messages[-1]) == "Tick"
    desk.say("t1", "Who is the cat?")
    later = desk.engine.assemble(MAIN, AssembleRequest(9_000, "And the dog?", private=True))
    assert "Ate soup." not in later.system


def test_a_model_that_is_asked_again_gets_the_same_recall(desk: Desk) -> None:
    desk.recall = "<vault-context>\nThe cat is called Tom.\n</vault-context>"
    first = desk.sent(9_000, prompt="Who is the cat?", private=True)
    desk.recall = ""
    assert desk.sent(9_000, prompt="Who is the cat?", private=True) == first
    assert desk.sent(9_000, prompt="Who?", private=True) == ["Who?"]
    desk.say("t1", "Who is the cat?")
    assert desk.sent(9_000, prompt="Who is the cat?", private=True)[-1] == "Who is the cat?"


def test_a_host_s_messages_come_back_as_they_are(desk: Desk) -> None:
    given = [_user("a"), _reply("b"), _user("c")]
    found = desk.engine.assemble(MAIN, AssembleRequest(9_000, messages=given))
    assert all(one is other for one, other in zip(found.messages, given, strict=True))
    assert not desk.path.exists()


def test_compaction_leaves_a_summary_and_the_newest_turns(desk: Desk) -> None:
    desk.say("t1", "Please move the importer to PostgreSQL.", "We decided to use psycopg. " + "x" * 60_000)
    desk.say("t2", "Which port?", "It listens on db.internal:5432. " + "y" * 44_000)
    desk.say("t3", "And the tests?", "z" * 39_000)
    report = desk.engine.compact(MAIN, window=60_000)
    assert report.compacted
    assert report.tokens_after < report.tokens_before
    sections = parse_sections(report.summary)
    assert "PostgreSQL" in sections["Goal"][0]
    assert "db.internal:5432" in sections["Exact identifiers"]
    sent = desk.sent(60_000)
    assert sent[0].startswith("<vault-summary>")
    assert sent[1:] == ["And the tests?", "z" * 39_000]
    desk.engine = desk.open()
    assert desk.sent(60_000) == sent
    entry = next(one for one in desk.entries() if one["type"] == "compaction")
    assert {"summary", "firstKeptEntryId", "tokensBefore", "tokensAfter", "details"} <= set(entry)
    assert len(desk.engine.messages(MAIN)) == 6, "nothing is lost"


def test_a_second_summary_takes_up_the_first(desk: Desk) -> None:
    desk.say("t1", "From now on, always write tests first.", "Understood. " + "x" * 30_000)
    desk.say("t2", "Move the importer to Rust.", "y" * 30_000)
    desk.engine.compact(MAIN, window=16_000)
    desk.say("t3", "Rename the module.", "z" * 30_000)
    desk.say("t4", "Thanks.", "w" * 20_000)
    report = desk.engine.compact(MAIN, window=16_000)
    assert any("always write tests first" in item for item in parse_sections(report.summary)["Constraints"])


def test_there_is_nothing_to_compact_in_a_short_session(desk: Desk) -> None:
    desk.say("t1", "Hello")
    assert not desk.engine.compact(MAIN).compacted
    assert not desk.engine.compact(SessionId("none")).compacted


def test_a_session_is_compacted_when_its_window_is_full(desk: Desk) -> None:
    for at in range(4):
        desk.say(f"t{at}", "Go on.", "x" * 20_000)
    with_room = desk.engine.compact(MAIN, window=60_000, only_due=True)
    assert (with_room.compacted, with_room.reason) == (False, "20,040 tokens leave room")
    assert desk.engine.compact(MAIN, window=20_000, only_due=True).compacted


def test_what_a_compaction_could_not_free_is_not_tried_again_before_it_grew(desk: Desk) -> None:
    desk.say("t1", "Go on.", "x" * 4_000)
    desk.say("t2", "Go on.", "y" * 80_000)
    assert desk.engine.compact(MAIN, window=20_000, only_due=True).compacted
    desk.engine = desk.open()
    assert not desk.engine.compact(MAIN, window=20_000, only_due=True).compacted
    desk.say("t3", "Go on.", "z" * 8_000)
    assert desk.engine.compact(MAIN, window=20_000, only_due=True).compacted


def test_a_flush_is_asked_for_once_in_a_cycle(desk: Desk) -> None:
    desk.say("t1", "Hello", "x" * 120_000)
    below = desk.engine.flush(MAIN, 20_575, window=32_768)
    assert (below.due, below.threshold) == (True, 20_576), "30,000 tokens are in the transcript"
    desk.engine.flushed(MAIN)
    again = desk.engine.flush(MAIN, window=32_768)
    assert (again.due, again.reason) == (False, "this cycle was flushed")
    desk.say("t2", "More", "y" * 120_000)
    assert desk.engine.compact(MAIN, window=32_768).compacted
    assert desk.engine.flush(MAIN, window=32_768).due


def test_a_flush_that_a_crash_interrupted_is_asked_for_once_more(desk: Desk) -> None:
    desk.say("t1", "Hello", "x" * 120_000)
    assert [desk.engine.flush(MAIN, window=32_768).due for _ in range(3)] == [True, True, False]


def test_a_flush_that_failed_three_times_is_over(desk: Desk) -> None:
    desk.say("t1", "Hello", "x" * 120_000)
    for _ in range(3):
        assert desk.engine.flush(MAIN, window=32_768).due
        desk.engine.flushed(MAIN, failed=True)
    assert desk.engine.flush(MAIN, window=32_768).reason == "it failed 3 times in this cycle"


@pytest.mark.parametrize("trigger", ["heartbeat", "cron", "subagent"])
def test_turns_that_nobody_began_are_not_flushed(desk: Desk, trigger: str) -> None:
    desk.say("t1", "Hello", "x" * 120_000)
    assert desk.engine.flush(MAIN, window=32_768, trigger=trigger).reason == f"a {trigger} turn"


def test_a_session_begins_anew_at_four_in_the_morning(desk: Desk) -> None:
    desk.say("t1", "Where is the cat?", "On the roof.")
    desk.now.at += 24 * 3_600_000
    found = desk.engine.assemble(MAIN, AssembleRequest(9_000, "Good morning"))
    assert found.reset == "daily"
    assert [_text(one) for one in found.messages] == ["Good morning"]
    assert desk.ended == [("daily", [("user", "Where is the cat?"), ("assistant", "On the roof.")])]
    assert desk.engine.assemble(MAIN, AssembleRequest(9_000, "Still here")).reset is None
    assert len(desk.engine.messages(MAIN)) == 2


def test_a_heartbeat_does_not_reset(desk: Desk) -> None:
    desk.say("t1", "Hello")
    desk.now.at += 24 * 3_600_000
    assert desk.engine.assemble(MAIN, AssembleRequest(9_000, "tick", trigger="heartbeat")).reset is None


def test_heartbeats_keep_no_session_alive(tmp_path: Path) -> None:
    settings = ContextSettings(reset=ResetSettings(mode="none", by_type={"direct": "idle"}, idle_minutes=30))
    desk = Desk(tmp_path, settings)
    desk.say("t1", "Hello")
    for at in range(6):
        desk.now.at += 10 * 60_000
        desk.say(f"h{at}", "tick", "HEARTBEAT_OK", trigger=("heartbeat", "cron", "subagent")[at % 3])
    assert desk.engine.assemble(MAIN, AssembleRequest(9_000, "Hi", chat_type="group")).reset is None
    assert desk.engine.assemble(MAIN, AssembleRequest(9_000, "Hi", chat_type="dm")).reset == "idle"


def test_a_cleared_result_says_where_its_text_is(desk: Desk) -> None:
    session = SessionId("agent:main:telegram:direct:491701234567")
    for at in range(60):
        call = [{"type": "toolCall", "id": f"c{at}", "name": "read"}]
        result = {"role": "toolResult", "toolCallId": f"c{at}", "content": f"{at:02} " * 1_300}
        desk.engine.commit(session, f"t{at}", [_user("Read."), {"role": "assistant", "content": call}, result])
    desk.now.at += 400_000
    found = desk.engine.assemble(session, AssembleRequest(60_000, window=60_000))
    texts = {one["id"]: _text(one) for one in desk.engine.messages(session)}
    said = [_text(one) for one in found.messages if one["role"] == "toolResult"]
    [start] = {text.partition(" hearth get ")[0] for text in said if "hearth get" in text}
    places = [text.rpartition("#")[2] for text in said if "hearth get" in text]
    assert start == "[Old tool result content cleared]"
    assert [texts[place][:2] for place in places] == [f"{at:02}" for at in range(len(places))]


def test_a_note_tells_nothing_of_heartbeats(desk: Desk) -> None:
    desk.say("t1", "Where is the cat?", "On the roof.")
    for at in range(20):
        desk.say(f"h{at}", "Read HEARTBEAT.md.", "HEARTBEAT_OK", trigger="heartbeat")
    assert desk.engine.reset(MAIN) is not None
    assert desk.ended == [("new", [("user", "Where is the cat?"), ("assistant", "On the roof.")])]
    desk.say("h", "Read HEARTBEAT.md.", "HEARTBEAT_OK", trigger="heartbeat")
    assert desk.engine.reset(MAIN) is None
    assert (len(desk.ended), desk.sent()) == (1, []), "it began anew, and left no note"


def test_new_keeps_what_was_said(desk: Desk) -> None:
    desk.say("t1", "Where is the cat?", "On the roof.")
    assert desk.engine.reset(MAIN) is not None
    assert desk.engine.reset(MAIN) is None, "nothing was said since"
    assert desk.sent() == []
    desk.say("t2", "Hello again")
    assert desk.sent() == ["Hello again", "Done."]


def test_the_provider_s_count_is_believed_within_bounds(desk: Desk) -> None:
    for at in range(3):
        desk.engine.assemble(MAIN, AssembleRequest(90_000, "x" * 4_000))
        usage = {"input": 100_000, "cacheRead": 0}
        desk.engine.commit(MAIN, f"t{at}", [_user("x" * 4_000), _reply("ok", usage=usage)])
    plan = desk.engine.plan(MAIN, AssembleRequest(90_000, "x" * 4_000))
    assert plan.tokens == pytest.approx(2 * (4 * 1_004 + 3 * 5), abs=9)


def test_older_versions_and_foreign_lines_are_read(desk: Desk) -> None:
    desk.path.parent.mkdir(parents=True)
    lines = [
        {"type": "session", "version": 1, "id": "s", "timestamp": "2026-09-21T10:00:00Z", "cwd": "/"},
        {"type": "message", "timestamp": "2026-09-21T10:00:01Z", "message": _user("old")},
        {"type": "message", "timestamp": "2026-09-21T10:00:02Z", "message": _reply("older")},
        {"type": "compaction", "timestamp": "2026-09-21T10:00:03Z", "summary": "It began.", "firstKeptEntryIndex": 1},
        {"type": "future", "timestamp": "2026-09-21T10:00:04Z"},
        {"type": "message", "timestamp": "2026-09-21T10:00:05Z", "message": _user("new")},
    ]
    desk.path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    sent = desk.sent()
    assert "It began." in sent[0]
    assert sent[1:] == ["older", "new"]


def test_entries_in_a_circle_or_without_the_one_before_them_are_read_in_order(desk: Desk) -> None:
    desk.path.parent.mkdir(parents=True)
    links = {"a": "c", "b": "a", "c": "b", "d": "nowhere", "e": "e", "f": "e"}
    lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s", "timestamp": "2026-09-21T10:00:00Z"}]
    lines += [
        {"type": "message", "id": name, "parentId": above, "message": _user(name)} for name, above in links.items()
    ]
    lines.append({"type": "message", "id": "a", "parentId": "f", "message": _user("twice")})
    desk.path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    assert desk.sent() == list(links)
    assert desk.engine.count_unreadable(MAIN) == 1
    desk.say("t1", "More")
    assert desk.sent() == [*links, "More", "Done."]


def test_a_reset_of_version_4_keeps_what_it_names(desk: Desk) -> None:
    desk.path.parent.mkdir(parents=True)
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 4, "id": "s", "timestamp": "2026-09-21T10:00:00Z"},
        {"type": "message", "id": "a", "parentId": None, "message": _user("old")},
        {"type": "message", "id": "b", "parentId": "a", "message": _reply("kept")},
        {"type": "reset", "id": "c", "parentId": "b", "reason": "new", "firstKeptEntryId": "b"},
        {"type": "message", "id": "d", "parentId": "c", "message": _user("new")},
    ]
    desk.path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    assert desk.sent() == ["kept", "new"]


def test_a_plan_counts_recall_without_recording_it(desk: Desk) -> None:
    desk.recall = "<vault-context>\nThe cat is called Tom.\n</vault-context>"
    assert desk.engine.plan(MAIN, AssembleRequest(9_000, "Who is the cat?", private=True)).parts["recall"] > 0
    assert desk.recalled == []
    tight = desk.engine.assemble(MAIN, AssembleRequest(90, "Who is the cat?", private=True, files=False))
    assert (_text(tight.messages[-1]), desk.recalled) == ("Who is the cat?", [])


def test_a_session_in_which_nothing_was_said_is_not_reset(desk: Desk) -> None:
    assert desk.engine.reset(SessionId("never")) is None
    assert not desk.folder.exists()
    desk.say("t1", "Hello")
    desk.engine.reset(MAIN)
    desk.now.at += 24 * 3_600_000
    assert desk.engine.assemble(MAIN, AssembleRequest(9_000, "Good morning")).reset is None


def test_a_turn_without_content_is_not_kept(desk: Desk) -> None:
    silent: dict[str, Any] = {"role": "assistant", "content": []}
    for messages in ([{"role": "user"}], [_user(""), silent]):
        with pytest.raises(UsageError, match="content"):
            desk.engine.commit(MAIN, "t1", messages)
    assert not desk.path.exists()
    assert desk.engine.commit(MAIN, "t1", [_user("Hello"), silent]) == "committed"


def test_a_document_costs_by_its_bytes_and_becomes_a_mark_like_an_image(desk: Desk) -> None:
    data = {"type": "base64", "media_type": "application/pdf", "data": "A" * 400_000}
    desk.engine.commit(
        MAIN, "t0", [{"role": "user", "content": [{"type": "document", "source": data}]}, _reply("Read.")]
    )
    whole = desk.engine.assemble(MAIN, AssembleRequest(100_000))
    assert whole.tokens > 8 * 1_200
    for number in range(4):
        desk.say(f"t{number + 1}", "Next?")
    later = desk.engine.assemble(MAIN, AssembleRequest(100_000))
    assert later.tokens < 1_000
    assert later.cut == {"unillustrate": 1}


def test_messages_of_a_host_are_planned_by_their_sizes(desk: Desk) -> None:
    def result(number: int) -> list[Message]:
        call = f"c{number}"
        return [
            Message(f"u{number}", Role.USER, 10, 30),
            Message(f"a{number}", Role.ASSISTANT, 10, 0, calls=(call,), at=desk.now.at),
            Message(call, Role.RESULT, 10_000, 40_000, answers=(call,), tools=("read",)),
        ]

    messages = [one for number in range(8) for one in result(number)]
    assert desk.engine.fit(messages, 200_000).actions == {}
    found = desk.engine.fit(messages, 60_000, 60_000)
    assert found.tokens <= 60_000 and not found.overflow
    assert {found.actions.get("c0"), found.actions.get("c1")} <= {Action.TRIM, Action.CLEAR}
    assert "c7" not in found.actions
    again = desk.engine.fit(messages, 60_000, 60_000, found.actions)
    assert again.actions == found.actions
    with pytest.raises(UsageError):
        desk.engine.fit(messages, 0)


def test_messages_of_a_host_are_summarized_without_secrets(desk: Desk) -> None:
    messages = [_user("Fix the importer. The password is hunter2."), _reply("We decided to read it line by line.")]
    text = desk.engine.summarize(messages)
    assert "Fix the importer" in text
    assert "hunter2" not in text
    assert "importer" in desk.engine.summarize([_user("And now the exporter.")], text)


def test_a_long_process_forgets_sessions_and_still_sends_all_of_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 3)
    names = [SessionId(f"s{number}") for number in range(12)]
    for name in names:
        desk.engine.commit(name, "t1", [_user(f"I am {name.session}."), _reply("Hello.")])
    held = desk.engine._sessions._held
    assert len(held) == 3
    for name in names:
        assert _text(desk.engine.assemble(name, AssembleRequest(9_000)).messages[0]) == f"I am {name.session}."
        assert desk.engine.commit(name, "t1", [_user("Again.")]) == "duplicate"
    monkeypatch.setattr(sessions, "MOST_BYTES", 1)
    desk.engine.commit(names[0], "t2", [_user("x" * 10_000)])
    desk.engine.commit(names[1], "t2", [_user("y" * 10_000)])
    assert list(held) == [names[1]]


def test_a_session_that_begins_anew_recalls_anew(desk: Desk) -> None:
    asked = AssembleRequest(1_000, "Who is the cat?", private=True)
    desk.say("t1", "Hello")
    desk.recall = "The cat is called Ada."
    assert "Ada" in _text(desk.engine.assemble(MAIN, asked).messages[-1])
    desk.recall = ""
    assert "Ada" in _text(desk.engine.assemble(MAIN, asked).messages[-1])
    desk.engine.reset(MAIN)
    assert "Ada" not in _text(desk.engine.assemble(MAIN, asked).messages[-1])
