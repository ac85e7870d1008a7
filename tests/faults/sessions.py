"""Sessions of Claude Code for commands that are killed over them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hearth.app import open_vault


def line(**record: Any) -> str:
    return json.dumps(record) + "\n"


def turn(number: int) -> str:
    """Every second turn of Claude Code ends with a commit."""
    at = f"2026-03-05T12:{number // 60 % 60:02}:{number % 60:02}.000Z"
    said = {"role": "user", "content": f"Turn word{number:05} of the larder, please."}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": f"Done with answer{number:05}."}]
    if number % 2:
        call = {"command": f'git commit -m "Put lid{number:05} on the jar"'}
        blocks.append({"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": call})
    answer = {"id": f"m{number}", "role": "assistant", "model": "x", "content": blocks}
    made = f"[main 0a1b2c3] Put lid{number:05} on the jar\n 1 file changed, 1 insertion(+)"
    result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": made}
    return (
        line(type="user", uuid=f"u{number}", promptId=f"p{number}", timestamp=at, message=said)
        + line(type="assistant", uuid=f"a{number}", timestamp=at, message=answer)
        + line(type="user", uuid=f"r{number}", timestamp=at, message={"role": "user", "content": [result]})
    )


def mark(environ: Mapping[str, str], session: str, transcript: Path) -> None:
    """As the hook of a turn's end does; in this process, which then goes on with one thread."""
    with open_vault(environ=environ) as vault:
        vault.sessions.turn_ended(session, str(transcript), transcript.stat().st_size)
