"""Logs of chats become conversations, dated by their messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.importers import foreign

Run = Callable[..., Any]


def take(hearth: Run, *arguments: str) -> dict[str, Any]:
    result = hearth("import", *arguments, "--json")
    assert result.code == 0, result.err
    found: dict[str, Any] = json.loads(result.out)
    return found


def written(root: Path) -> list[str]:
    folder = root / "data/default/memory/imported/chat/conversations"
    return [file.read_text("utf-8") for file in sorted(folder.glob("*.md"))]


def test_a_silence_ends_a_conversation_and_notices_are_left_out(hearth: Run, tmp_path: Path) -> None:
    told = take(hearth, str(foreign.whatsapp(tmp_path)))
    assert told["by_source"] == {"conversation": {"taken": 2}}
    assert told["skipped"] == {"a notice of the program, or a file that is not in the export": 1}
    first, second = written(tmp_path)
    assert "participants: [Hanna, Ben]" in first and "trust: external" in first
    assert "## Ben · 18:04\n\nOn Thursday at nine.\nBring the trolley." in first
    assert 'started: "2026-11-26T09:00:00Z"' in second


def test_a_chat_that_has_grown_is_continued(hearth: Run, tmp_path: Path) -> None:
    source = foreign.whatsapp(tmp_path)
    take(hearth, str(source))
    source.write_text(source.read_text("utf-8") + "\n[26.11.26, 09:02:00] Ben: It fits.\n", encoding="utf-8")
    told = take(hearth, str(source))
    assert (told["taken"], told["merged"], told["known"]) == (0, 1, 1)
    assert "It fits." in written(tmp_path)[1]
    assert hearth("undo", "--run", told["run"]).code == 0 and "It fits." not in written(tmp_path)[1]


def test_telegrams_export_is_read(hearth: Run, tmp_path: Path) -> None:
    told = take(hearth, str(foreign.telegram(tmp_path)))
    assert (told["taken"], told["skipped"]) == (1, {"a notice of the program, or a file that is not in the export": 1})
    assert "Yes, see https://example.org" in written(tmp_path)[0]


def test_of_a_long_chat_without_times_every_part_is_taken(hearth: Run, tmp_path: Path) -> None:
    texts = [f"Jar {number} stands on the shelf." for number in range(4_100)]
    rows = [{"type": "message", "from": "Ana", "text": text, "date_unixtime": ""} for text in texts]
    place = tmp_path / "result.json"
    place.write_text(json.dumps({"name": "Larder", "id": 7, "messages": rows}), encoding="utf-8")
    assert take(hearth, str(place))["taken"] == 3
    assert all(text in "".join(written(tmp_path)) for text in (texts[0], texts[2_050], texts[-1]))
    assert take(hearth, str(place))["known"] == 3


def test_telegrams_whole_export_is_known_by_what_stands_before_the_chats(hearth: Run, tmp_path: Path) -> None:
    contacts = {"list": [{"first_name": "Ana", "phone_number": "0" * 100} for _ in range(12_000)]}
    message = {"type": "message", "from": "Ana", "text": "The jars are labelled.", "date_unixtime": "1764000000"}
    chats = {"list": [{"name": "Larder", "id": 7, "messages": [message] * 4}]}
    found = {"about": "Everything", "personal_information": {}, "contacts": contacts, "chats": chats}
    (tmp_path / "result.json").write_text(json.dumps(found), encoding="utf-8")
    assert take(hearth, str(tmp_path / "result.json"))["taken"] == 1


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("24/11/2026, 18:03 - Ana: {}", "2026-11-24T18:03:00Z"),
        ("11/24/26, 6:03\u202fPM - Ana: {}", "2026-11-24T18:03:00Z"),
        ("2026-11-24 18:03 Ana: {}", "2026-11-24T18:03:00Z"),
        ("[24.11.2026 18:03:05] <Ana>: {}", "2026-11-24T18:03:05Z"),
    ],
)
def test_times_are_read_as_they_are_written(hearth: Run, tmp_path: Path, line: str, at: str) -> None:
    source = tmp_path / "log.txt"
    rows = [line.format(f"word {number}").replace("Ana", name) for number, name in enumerate(["Ana", "Ben"] * 3)]
    source.write_text("\n".join(rows), encoding="utf-8")
    assert take(hearth, str(source))["kind"] == "chat"
    assert f'started: "{at}"' in written(tmp_path)[0] or f"started: {at}" in written(tmp_path)[0]


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-24 18:03:12 INFO: started\n2026-11-24 18:03:13 ERROR: failed\n" * 4,
        "To do\n\n- bread\n- milk\n",
        "Ana: hello\nBen: hello\n" * 4,
        "",
    ],
)
def test_what_is_no_chat_is_not_taken_for_one(hearth: Run, tmp_path: Path, text: str) -> None:
    source = tmp_path / "log.txt"
    source.write_text(text, encoding="utf-8")
    assert hearth("import", str(source)).code != 0
