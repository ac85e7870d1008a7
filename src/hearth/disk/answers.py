"""The last answer of a language model, in a file for its owner alone, gone once what it says is written down."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from hearth.files import make_folder, write_atomically


class DiskAnswers:
    """Implements ``ports.Answers`` in a file of the ``state`` folder for each vault."""

    def __init__(self, state: Path, vault: str) -> None:
        self._file = state / f"answer-{vault}.json"

    def get(self, key: str) -> str | None:
        try:
            found = json.loads(self._file.read_bytes())
            answer = found["answer"] if found["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return answer if isinstance(answer, str) else None

    def put(self, key: str, answer: str) -> None:
        with suppress(OSError):
            make_folder(self._file.parent)
            write_atomically(self._file, json.dumps({"key": key, "answer": answer}).encode("utf-8", "replace"))

    def drop(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
