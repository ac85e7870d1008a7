"""Transcripts of sessions that nobody had, in the form of Claude Code."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np

from samples.synthetic import Vocabulary

_DECIDING = 12


class Sessions:
    """Turn by turn: a prompt, three calls of tools and what they printed, an answer; one in 12 decides something."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary(40_000)
        self.rng = np.random.default_rng(7)

    def text(self, low: int, high: int) -> str:
        words = self.vocabulary.document(self.rng, [int(self.rng.integers(low, high))])[0]
        at = iter(range(len(words)))
        return " ".join(f"{word}." if next(at) % 14 == 13 else word for word in words) + "."

    def turn(self, at: int, number: int) -> Iterator[dict[str, Any]]:
        prompt = self.text(8, 40)
        if number % _DECIDING == 5:
            one, other, third = self.vocabulary.document(self.rng, [3])[0]
            prompt += f" We decided to use {one.title()}{number} instead of {other} for the {third} service."
        yield _line("user", prompt, at)
        for call in range(3):
            name, given = (
                ("Read", {"file_path": f"/w/shop/src/{self.text(1, 2)}py"}),
                ("Edit", {"file_path": f"/w/shop/src/{self.text(1, 2)}py", "old_string": "a", "new_string": "b"}),
                ("Bash", {"command": f"pytest -q tests/{self.text(1, 2)}py"}),
            )[call]
            key = f"t{at}-{call}"
            yield _line("assistant", [{"type": "tool_use", "id": key, "name": name, "input": given}], at + call)
            printed = {"type": "tool_result", "tool_use_id": key, "content": self.text(100, 300)}
            yield _line("user", [printed], at + call)
        yield _line("assistant", [{"type": "text", "text": self.text(60, 160)}], at + 9)


def _line(role: str, content: Any, at: int) -> dict[str, Any]:
    stamp = datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    message = {"role": role, "content": content} | ({"id": f"m{at}"} if role == "assistant" else {})
    return {
        "type": role,
        "uuid": f"{role}-{at}-{id(content)}",
        "sessionId": "s",
        "timestamp": stamp,
        "message": message,
    }
