"""Sessions as hosts write them: Claude Code's transcripts and Codex's."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Turn:
    """What the person typed, and what the agent answered. ``options`` makes it the choice of ``chosen`` in a dialog of
    the host, which asked ``prompt``."""

    prompt: str
    answer: str = "OK."
    options: tuple[str, ...] = ()
    chosen: str = ""


def _stamps(date: str) -> Iterator[str]:
    at = datetime.fromisoformat(date.removesuffix("Z"))
    while True:
        at += timedelta(seconds=9)
        yield at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _write(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def write_claude_code(home: Path, session: str, folder: Path, date: str, turns: list[Turn]) -> Path:
    rows: list[dict[str, Any]] = []
    stamps = _stamps(date)

    def line(kind: str, message: dict[str, Any], **more: Any) -> None:
        rows.append(
            {
                "parentUuid": rows[-1]["uuid"] if rows else None,
                "isSidechain": False,
                "userType": "external",
                "cwd": str(folder),
                "sessionId": session,
                "version": "2.1.0",
                "gitBranch": "main",
                "type": kind,
                "message": message,
                "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{session}/{len(rows)}")),
                "timestamp": next(stamps),
                **more,
            }
        )

    def answer(content: list[dict[str, Any]], stop: str = "end_turn") -> None:
        name = f"msg_{session[:8]}{len(rows)}"
        line("assistant", {"id": name, "type": "message", "role": "assistant", "content": content, "stop_reason": stop})

    for number, turn in enumerate(turns):
        if turn.options:
            line("user", {"role": "user", "content": "Go on with the next step, please."}, promptId=str(uuid.uuid4()))
            _choose(turn, f"toolu_{session[:8]}{number}", line, answer)
            answer([{"type": "text", "text": turn.answer}])
            continue
        line("user", {"role": "user", "content": turn.prompt}, promptId=str(uuid.uuid4()))
        answer([{"type": "text", "text": turn.answer}])
    return _write(home / ".claude" / "projects" / folder.name / f"{session}.jsonl", rows)


def _choose(turn: Turn, call: str, line: Any, answer: Any) -> None:
    """``AskUserQuestion``, and what the host records of the choice."""
    choices = [{"label": option, "description": ""} for option in turn.options]
    asked = {"question": turn.prompt, "header": "Choice", "multiSelect": False, "options": choices}
    given = {"type": "tool_use", "id": call, "name": "AskUserQuestion", "input": {"questions": [asked]}}
    answer([given], "tool_use")
    said = f'User has answered your questions: "{turn.prompt}"="{turn.chosen}".'
    line(
        "user",
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": said}]},
        toolUseResult={"questions": [asked], "answers": {turn.prompt: turn.chosen}},
    )


def write_codex(home: Path, session: str, folder: Path, date: str, turns: list[Turn]) -> Path:
    stamps = _stamps(date)
    rows: list[dict[str, Any]] = []

    def line(kind: str, payload: dict[str, Any]) -> None:
        rows.append({"timestamp": next(stamps), "type": kind, "payload": payload})

    def message(role: str, text: str) -> None:
        kind = "input_text" if role == "user" else "output_text"
        line("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    meta = {"id": session, "cwd": str(folder), "originator": "codex_cli_rs", "cli_version": "0.60.0", "source": "cli"}
    line("session_meta", meta | {"timestamp": date, "instructions": None})
    for turn in turns:
        line("turn_context", {"cwd": str(folder), "approval_policy": "on-request", "model": "gpt-5-codex"})
        message("user", turn.prompt)
        line("event_msg", {"type": "user_message", "message": turn.prompt, "images": []})
        line("event_msg", {"type": "agent_message", "message": turn.answer})
        message("assistant", turn.answer)
    day = date[:10].replace("-", "/")
    name = f"rollout-{date[:19].replace(':', '-')}-{session}.jsonl"
    return _write(home / ".codex" / "sessions" / day / name, rows)
