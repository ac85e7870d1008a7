"""Export and import: what goes out comes in again, and what is no export does nothing."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth import UsageError, Vault, open_vault
from hearth.core.journal import Event
from hearth.core.session import Sighting
from hearth.operations.shapes import document
from hearth.vault.exchange import checked, from_event, line, to_event

DAY_MS = 86_400_000
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
FILES = {
    "plain.md": b"# Plain\n\nThe lighthouse keeper counts ships.\n",
    "deep/er/\xc3\xbcml\xc3\xa4ut.md": "# Ümläut\n\nDie Möwe schläft. 鷗は眠る。\n".encode(),
    "windows.md": b"\xef\xbb\xbf# Windows\r\n\r\nCarriage returns stay.\r\n",
    "odd.md": b"# Odd\n\nTab\there, \x07 bell, no newline at the end",
}
Open = Callable[[str], Vault]


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    """Opens vaults by name, each with folders of its own and a collection ``notes``; closes them in the end."""
    vaults: list[Vault] = []

    def one(name: str) -> Vault:
        folder = tmp_path / name
        notes = folder / "files" / "notes"
        notes.mkdir(parents=True)
        (folder / "config").mkdir()
        text = f"collections:\n  notes:\n    path: {notes}\n"
        (folder / "config" / "config.yaml").write_text(text, encoding="utf-8")
        named = {f"HEARTH_{kind.upper()}_DIR": str(folder / kind) for kind in ("config", "data", "cache", "state")}
        vault = open_vault(environ={**named, "HOME": str(folder), "PATH": os.environ["PATH"], "TZ": "UTC"})
        vaults.append(vault)
        return vault

    yield one
    for vault in vaults:
        vault.close()


def lived_in(vault: Vault, folder: Path) -> None:
    """A vault with a bit of everything."""
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))
    vault.index.sync()
    vault.memories.remember("Tabs, always tabs.", "preference", subject="indentation")
    vault.memories.remember("Spaces after all.", "preference", subject="indentation")
    old = vault.memories.remember("The door code is green heron.", "fact")
    new = vault.memories.remember("The door has no code any more.", "fact", tags=("door",))
    vault.state.supersede(f"#{old.docid}", f"#{new.docid}")
    vault.memories.note("Bought paint.")
    vault.memories.write_diary("Read the logs first.", topic="habits")
    vault.state.pin("notes/plain.md", reason="asked for every week")
    vault.state.snooze("windows.md", vault.clock() + 90 * DAY_MS)
    vault.state.forget(f"#{vault.memories.remember('Nobody needs to know this.', 'fact').docid}")
    vault.state.forget("odd.md")
    vault.sessions.seen(Sighting("s-1", host="claude-code", project="hearth"))
    vault.sessions.focus.set("the harbour", project="hearth")
    vault.usage.recalled(vault.recall("lighthouse keeper"), "s-1")


def told(vault: Vault) -> dict[str, Any]:
    """What a vault says of itself that must not depend on where it is."""
    with vault.store.read() as reader:
        stored = [one for docid in sorted(reader.docids()) if (one := reader.document(docid)) is not None]
    questions = ("lighthouse keeper", "indentation tabs or spaces", "Möwe", "door code")
    return {
        "documents": [document(one, 2 * 10**12) | {"state": one.state} for one in stored],
        "answers": {
            text: [(hit.docid, hit.start_line, round(hit.score, 3)) for hit in vault.recall(text, at=2 * 10**12).hits]
            for text in questions
        },
        "sessions": [session.to_dict() for session in vault.sessions.recent()],
        "focus": vault.sessions.focus.of(project="hearth"),
    }


def lines_of(vault: Vault) -> list[bytes]:
    """Without the first line, which holds the date."""
    return sorted(list(vault.exchange.export())[1:])


def test_an_import_into_an_empty_vault_gives_an_equal_one(opened: Open, tmp_path: Path) -> None:
    one, two = opened("one"), opened("two")
    lived_in(one, tmp_path / "one" / "files" / "notes")
    whole = b"".join(one.exchange.export())
    done = two.exchange.import_(io.BytesIO(whole), files_to=str(tmp_path / "two" / "files"))
    assert (done.files, done.kept, done.left, done.skipped, done.problems) == (4, 0, 0, 0, [])
    assert done.memories >= 6 and done.events >= 8
    assert told(two) == told(one)
    assert lines_of(two) == lines_of(one)
    for name, data in FILES.items():
        assert (tmp_path / "two" / "files" / "notes" / name).read_bytes() == data


def test_an_import_twice_is_an_import_once(opened: Open, tmp_path: Path) -> None:
    one, two = opened("one"), opened("two")
    lived_in(one, tmp_path / "one" / "files" / "notes")
    whole = b"".join(one.exchange.export())
    two.exchange.import_(io.BytesIO(whole))
    before = lines_of(two)
    again = two.exchange.import_(io.BytesIO(whole))
    assert (again.memories, again.events, again.skipped) == (0, 0, 0)
    assert lines_of(two) == before


def test_many_events_are_spread_over_files(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = opened("one"), opened("two")
    lived_in(one, tmp_path / "one" / "files" / "notes")
    monkeypatch.setattr("hearth.app.imports.ROTATE_BYTES", 600)
    done = two.exchange.import_(io.BytesIO(b"".join(one.exchange.export())), files_to=str(tmp_path / "two" / "files"))
    files = list((tmp_path / "two" / "data" / "default" / "journal").glob("*.jsonl"))
    assert done.events >= 8 and len(files) > 3
    assert told(two) == told(one)


def test_the_state_of_a_file_waits_for_the_file(opened: Open, tmp_path: Path) -> None:
    one, two = opened("one"), opened("two")
    lived_in(one, tmp_path / "one" / "files" / "notes")
    assert two.exchange.import_(io.BytesIO(b"".join(one.exchange.export()))).left == 4
    assert two.status().states["pinned"] == 0
    (tmp_path / "two" / "files" / "notes" / "plain.md").write_bytes(FILES["plain.md"])
    two.index.sync()
    assert [stored.document.path for stored in two.documents() if stored.state.pinned] == ["plain.md"]


def test_a_later_change_goes_over_what_was_taken_in(opened: Open, tmp_path: Path) -> None:
    one, two = opened("one"), opened("two")
    lived_in(one, tmp_path / "one" / "files" / "notes")
    two.exchange.import_(io.BytesIO(b"".join(one.exchange.export())), files_to=str(tmp_path / "two" / "files"))
    assert two.state.unpin("notes/plain.md").action == "unpinned"
    two.exchange.import_(io.BytesIO(b"".join(one.exchange.export())))
    assert two.status().states["pinned"] == 0


def test_what_stands_there_already_is_kept(opened: Open, tmp_path: Path) -> None:
    one, two = opened("one"), opened("two")
    docid = one.memories.remember("The ferry leaves at nine.", "fact").docid
    whole = b"".join(one.exchange.export())
    two.exchange.import_(io.BytesIO(whole))
    path = tmp_path / "two" / "data" / "default" / "memory" / two.get(f"#{docid}").document.path
    path.write_text(path.read_text(encoding="utf-8").replace("nine", "ten"), encoding="utf-8")
    done = two.exchange.import_(io.BytesIO(whole))
    assert (done.memories, done.kept) == (0, 1) and "kept" in done.problems[0]
    assert "ten" in path.read_text(encoding="utf-8")


def test_secrets_neither_go_out_nor_come_in(opened: Open, tmp_path: Path) -> None:
    one, two = opened("one"), opened("two")
    (tmp_path / "one" / "files" / "notes" / "key.md").write_text(f"# Key\n\nIt is {SECRET} here.\n", encoding="utf-8")
    one.index.sync()
    whole = b"".join(one.exchange.export())
    assert SECRET.encode() not in whole and json.loads(whole.splitlines()[-1])["redacted"] == 1
    text = f"---\ntitle: Key\ncontent_type: fact\n---\n\nIt is {SECRET} here.\n"
    event = Event("01HQ0000000000000000000000", 1, 1, "abcdefghjk", "pin", "abcdefghjkmnpqrs", data={"reason": SECRET})
    rows = [line("memory", path="agent/facts/key.md", modified_at=1, text=text), line("event", event=from_event(event))]
    assert two.exchange.import_(io.BytesIO(framed(rows))).redacted == 1
    data = tmp_path / "two" / "data"
    assert all(SECRET.encode() not in file.read_bytes() for file in data.rglob("*") if file.is_file())


def test_a_purged_memory_is_in_no_export(opened: Open) -> None:
    vault = opened("one")
    done = vault.memories.remember("The safe is behind the painting of the otter.", "fact")
    vault.state.purge(f"#{done.docid}", yes=True)
    assert b"otter" not in b"".join(vault.exchange.export())


def test_a_file_that_can_t_be_read_is_named_and_the_rest_goes_out(opened: Open, tmp_path: Path) -> None:
    vault = opened("one")
    lived_in(vault, tmp_path / "one" / "files" / "notes")
    (tmp_path / "one" / "files" / "notes" / "plain.md").unlink()
    rows = [json.loads(one) for one in vault.exchange.export()]
    assert [row["where"] for row in rows if row["kind"] == "problem"] == ["hearth://notes/plain.md"]
    assert rows[-1]["file"] == 3 and rows[-1]["problem"] == 1


def test_an_export_without_files_holds_no_text_of_people(opened: Open, tmp_path: Path) -> None:
    vault = opened("one")
    lived_in(vault, tmp_path / "one" / "files" / "notes")
    kinds = {json.loads(one)["kind"] for one in vault.exchange.export(files=False)}
    assert kinds == {"hearth-export", "collection", "memory", "event", "end"}


# -- what is no export ------------------------------------------------------------------------------------------------


def framed(rows: list[bytes], **counts: int) -> bytes:
    kinds = [row.split(b'"', 4)[3].decode() for row in rows]
    count = {kind: kinds.count(kind) for kind in ("collection", "memory", "file", "event", "problem")} | counts
    return b"".join([line("hearth-export", version=1), *rows, line("end", **count)])


MEMORY = {"path": "agent/facts/a.md", "modified_at": 1, "text": "---\ntitle: A\n---\n\nBody.\n"}
EVENT = from_event(Event("01HQ0000000000000000000000", 1, 1, "abcdefghjk", "pin", "abcdefghjkmnpqrs"))
WRONG = {
    "nothing": b"",
    "no head": line("end", collection=0, memory=0, file=0, event=0, problem=0),
    "newer": line("hearth-export", version=2),
    "cut off": framed([line("memory", **MEMORY)]).rsplit(b"{", 1)[0],
    "cut in a line": framed([line("memory", **MEMORY)])[:-20],
    "lines lost": framed([line("memory", **MEMORY)], memory=2),
    "two in one": framed([]) + framed([]),
    "not JSON": framed([]).replace(b"{", b"<", 1),
    "no object": b"[1]\n",
    "unknown kind": framed([]).replace(b"\n", b"\n" + line("mystery"), 1),
    "text of a wrong type": framed([line("memory", **MEMORY | {"text": 1})]),
    "no path": framed([line("memory", modified_at=1, text="x")]),
    "date out of range": framed([line("memory", **MEMORY | {"modified_at": -1})]),
    "date that is none": framed([line("memory", **MEMORY | {"modified_at": True})]),
    "half a character": framed([b'{"kind":"memory","path":"a.md","modified_at":1,"text":"\\ud800"}\n']),
    "event without an id": framed([line("event", event={**EVENT, "id": None})]),
    "event of no machine": framed([line("event", event={**EVENT, "machine": "../../x"})]),
    "event beyond the clock": framed([line("event", event={**EVENT, "hlc": 2**62})]),
    "event with odd data": framed([line("event", event={**EVENT, "data": []})]),
    "deep": framed([b'{"kind":"event","event":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_whole_export_does_nothing(opened: Open, tmp_path: Path, case: str) -> None:
    vault = opened("one")
    vault.index.sync()
    before = lines_of(vault)
    with pytest.raises(UsageError):
        vault.exchange.import_(io.BytesIO(WRONG[case]))
    assert lines_of(vault) == before
    assert not list((tmp_path / "one" / "data").rglob("*.md"))


def test_events_that_mean_nothing_are_left_out_and_named(opened: Open) -> None:
    vault = opened("one")
    rows = [line("event", event={**EVENT, "kind": "hypnotise"}), line("event", event={**EVENT, "kind": "snooze"})]
    done = vault.exchange.import_(io.BytesIO(framed(rows)))
    assert (done.events, done.skipped) == (0, 2) and len(done.problems) == 2


PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.text('xyzé\n\t"\\')


@given(
    st.builds(
        Event,
        st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=26, max_size=26),
        st.integers(0, 2**62 - 1),
        st.integers(0, 2**53 - 1),
        st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=10, max_size=10),
        st.sampled_from(["pin", "session", "of a later version"]),
        st.none() | st.text("abc", min_size=1),
        st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        st.none() | st.text("0123456789abcdef", min_size=32, max_size=32),
        st.dictionaries(st.text("abc"), PLAIN, max_size=4),
    )
)
def test_an_event_comes_back_as_it_went(event: Event) -> None:
    row = json.loads(line("event", event=from_event(event)))
    assert to_event(row["event"]) == event


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=60), max_size=6))
def test_any_bytes_are_refused_by_name(rows: list[bytes]) -> None:
    with pytest.raises(UsageError):
        list(checked(rows))
