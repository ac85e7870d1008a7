"""What is known of a batch under way, in a small file that survives a restart. It holds no texts and no key."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from hearth.errors import Unavailable
from hearth.files import write_atomically
from hearth.lazy import dataclass

_VERSION = 1


@dataclass(frozen=True, slots=True)
class RecordedBatch:
    """``name`` marks the batch at the provider. The job is written with its ``file`` before the batch is asked for, so
    that a crash in between is found out; then with the ``batch``. Both are the provider's ids."""

    name: str
    fingerprint: str
    texts: int
    file: str
    batch: str | None = None


class Ledger:
    """One job at a time, in ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> RecordedBatch | None:
        """Raises ``Unavailable`` for a file that can't be understood: starting anew might pay twice."""
        try:
            data = json.loads(self.path.read_bytes())
            if data.pop("version") != _VERSION:
                raise ValueError
            return RecordedBatch(**data)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or "it can't be read"
        except (ValueError, TypeError, KeyError, AttributeError):
            reason = "it is damaged or of another version"
        raise Unavailable(
            f"{self.path} tells of a batch under way, but {reason}; delete it to start (and pay for) a new one"
        )

    def write(self, job: RecordedBatch) -> None:
        data = {"version": _VERSION, **asdict(job)}
        write_atomically(self.path, json.dumps(data, indent=1).encode())

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)
