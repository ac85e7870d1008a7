"""The command line that a host runs for a hook, and how an entry in its settings is known as ours."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hearth.model.hook import HOOKS

STUB = "hearth/stub.py"
SCRIPT = "hearth-hook"
# Nothing that the user's environment or site packages hold is read before the stub runs.
FLAGS = ("-I", "-S")
_MODULE = re.compile(r"hearth(?:\.\w+)*")


@dataclass(frozen=True, slots=True)
class Launcher:
    """What starts a hook. Both names are absolute, so that they hold in any folder."""

    python: str
    stub: str


def shell(launcher: Launcher, hook: str, host: str, empty: str) -> str:
    """One line for ``sh``. Codex has people approve its exact bytes, so nothing in it depends on Hearth's version.

    Without Hearth it prints ``empty`` and succeeds. A Python that misses its script ends with 2, by which hosts
    understand that the prompt, the edit or the turn's end is forbidden.
    """
    python, stub = shlex.quote(launcher.python), shlex.quote(launcher.stub)
    otherwise = f"else echo {shlex.quote(empty)}; " if empty else ""
    run = f"exec {python} {' '.join(FLAGS)} {stub} {hook} --host {host}"
    return f"if [ -x {python} ] && [ -f {stub} ]; then {run}; {otherwise}fi"


def is_ours(handler: Any) -> bool:
    """Whether an entry runs a hook of Hearth, from wherever it was or is installed."""
    if not isinstance(handler, Mapping):
        return False
    found = _split(handler.get("command"), handler.get("args"))
    return any(_starts(found[at:]) for at in range(len(found)))


def is_our_server(entry: Any) -> bool:
    """Whether an entry runs ``hearth mcp``, from wherever it was or is installed."""
    if not isinstance(entry, Mapping):
        return False
    found = _split(entry.get("command"), entry.get("args"))
    if not found or "mcp" not in found[1:]:
        return False
    return posixpath.basename(found[0]) == "hearth" or _after(found, "-m") == "hearth"


def _split(command: Any, arguments: Any) -> list[str]:
    """The words of an entry, whether it names a program with arguments or a line for the shell."""
    if not isinstance(command, str):
        return []
    if isinstance(arguments, list) and arguments:
        return [command, *(word for word in arguments if isinstance(word, str))]
    try:
        return shlex.split(command)
    except ValueError:  # an open quote: certainly nothing that we wrote
        return []


def _starts(found: Sequence[str]) -> bool:
    """Whether these words begin with something of ours, followed by the name of a hook."""
    first, *rest = found
    if first == "-m" and len(rest) > 1 and _MODULE.fullmatch(rest[0]):
        return rest[1] in HOOKS or (rest[1] == "hook" and len(rest) > 2 and rest[2] in HOOKS)
    if posixpath.basename(first) == "hearth" and len(rest) > 1:
        return rest[0] == "hook" and rest[1] in HOOKS
    ours = first == STUB or first.endswith(f"/{STUB}") or posixpath.basename(first) == SCRIPT
    return ours and bool(rest) and rest[0] in HOOKS


def _after(found: Sequence[str], flag: str) -> str | None:
    at = found.index(flag) + 1 if flag in found else len(found)
    return found[at] if at < len(found) else None
