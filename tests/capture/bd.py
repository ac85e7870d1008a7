"""A stand-in for ``bd``, made from its documented output: it keeps its state in a JSON file beside it, and notes each
call. The real program was never driven."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROGRAM = """#!{python} -IS
import json, os, sys, time
from pathlib import Path
state = Path({state!r})
found = json.loads(state.read_text())
with open({calls!r}, "a") as file:
    ours = {{name: value for name, value in os.environ.items() if name.startswith(("BD_", "HEARTH_"))}}
    file.write(json.dumps([sys.argv[1:], os.getcwd(), ours]) + "\\n")
if found["locked"] > 0:
    found["locked"] -= 1
    state.write_text(json.dumps(found))
    print(json.dumps({{"schema_version": 1, "error": "database is locked", "code": "locked"}}), file=sys.stderr)
    sys.exit(1)
if found["hangs"]:
    time.sleep(600)
if found["fails"]:
    print("no beads database found", file=sys.stderr)
    sys.exit(1)
rows = [{{"_type": "issue", **one}} for one in found["issues"].values()]
rows += [{{"_type": "memory", "key": k, "value": v}} for k, v in found["memories"].items()]
if found["envelope"]:
    print(json.dumps({{"schema_version": 1, "data": rows}}))
else:
    for row in rows:
        print(json.dumps(row))
"""


class Bd:
    """The stand-in in a folder that belongs on the path."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.state, self.calls = folder, folder / "state.json", folder / "calls.jsonl"
        self.found: dict[str, Any] = {
            "issues": {}, "memories": {}, "locked": 0, "hangs": False, "fails": False, "envelope": False,
        }  # fmt: skip
        self.save()
        program = folder / "bd"
        program.write_text(
            PROGRAM.format(python=sys.executable, state=str(self.state), calls=str(self.calls)), encoding="utf-8"
        )
        program.chmod(0o755)

    def issue(self, name: str, title: str, **more: Any) -> None:
        """A new issue, or what changed of one."""
        known: Mapping[str, Any] = self.found["issues"].get(
            name, {"status": "open", "issue_type": "task", "priority": 2}
        )
        self.found["issues"][name] = {**known, "id": name, "title": title, **more}
        self.save()

    def set(self, **more: Any) -> None:
        self.found |= more
        self.save()

    def save(self) -> None:
        self.state.write_text(json.dumps(self.found), encoding="utf-8")

    def was_called(self) -> list[Any]:
        return [json.loads(row) for row in self.calls.read_text().splitlines()] if self.calls.exists() else []


def edge(issue: str, on: str, kind: str = "blocks") -> dict[str, str]:
    return {"issue_id": issue, "depends_on_id": on, "type": kind}
