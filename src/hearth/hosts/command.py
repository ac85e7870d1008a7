"""The command line that a host runs for a hook, and how an entry in its settings is known as ours."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from hearth.core.hook import HOOKS
from hearth.core.lazy import dataclass, regex

STUB = "hearth/stub.py"
SCRIPT = "hearth-hook"
# Nothing that the user's environment or site packages hold is read before the stub runs.
FLAGS = ("-I", "-S")
_MODULE = regex(r"hearth(?:\.\w+)*")
_PYTHON = regex(r"(?:python|pypy)[0-9.]*t?")
_FLAG = regex(r"-[BEIOPSsu]+")
_VARIABLE = regex(r"HEARTH_[A-Z_]+")
_HOST = regex(r"[a-z][a-z-]*")
_OPTIONS = regex(rf"(?: --host[ =]{_HOST.pattern}| --no-start| --explain)*")
# As the plugin has it.
_PLUGIN = regex(
    rf"if command -v {SCRIPT} >/dev/null 2>&1; then exec {SCRIPT} (?:{'|'.join(sorted(HOOKS))}) --host auto;"
    r"(?: else echo '\{\}';)? fi"
)


@dataclass(frozen=True, slots=True)
class Launcher:
    """What starts a hook. Both names are absolute, so that they hold in any folder; ``variables`` are what the
    environment said of Hearth when it was set up, since a host may start hooks without it."""

    python: str
    stub: str
    variables: Mapping[str, str] = field(default_factory=dict)


def shell(launcher: Launcher, hook: str, host: str, empty: str) -> str:
    """One line for ``sh``. Codex has people approve its exact bytes, so nothing in it depends on Hearth's version.

    Without Hearth it prints ``empty`` and succeeds. A Python that misses its script ends with 2, by which hosts
    understand that the prompt, the edit or the turn's end is forbidden.
    """
    python, stub = shlex.quote(launcher.python), shlex.quote(launcher.stub)
    otherwise = f"else echo {shlex.quote(empty)}; " if empty else ""
    assignments = " ".join(f"{name}={shlex.quote(value)}" for name, value in sorted(launcher.variables.items()))
    export = f"export {assignments}; " if assignments else ""
    run = f"{export}exec {python} {' '.join(FLAGS)} {stub} {hook} --host {host}"
    return f"if [ -x {python} ] && [ -f {stub} ]; then {run}; {otherwise}fi"


def is_ours(handler: Any) -> bool:
    """Whether an entry runs a hook of Hearth and nothing else, from wherever it was or is installed."""
    if not isinstance(handler, Mapping):
        return False
    line, arguments = handler.get("command"), handler.get("args")
    if isinstance(line, str) and not arguments and (_PLUGIN.fullmatch(line.strip()) or _is_shell(line.strip())):
        return True
    return _runs(_split(line, arguments))


def is_our_server(entry: Any) -> bool:
    """Whether an entry runs ``hearth mcp``, from wherever it was or is installed."""
    if not isinstance(entry, Mapping):
        return False
    command, arguments = entry.get("command", entry.get("cmd")), entry.get("args")
    if isinstance(command, list) and command:
        command, arguments = command[0], command[1:]
    found = _split(command, arguments)
    if not found or "mcp" not in found[1:]:
        return False
    return posixpath.basename(found[0]) == "hearth" or _after(found, "-m") == "hearth"


def _split(command: Any, arguments: Any) -> list[str]:
    """The words of an entry, whether it names a program with arguments or a line for the shell; none for a line that
    is more than one command."""
    if not isinstance(command, str):
        return []
    if isinstance(arguments, list) and arguments:
        return [command, *(word if isinstance(word, str) else "" for word in arguments)]
    try:
        found = shlex.split(command)
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        plain = list(lexer) == found and not any(sign in command for sign in "`\n\r")
    except ValueError:  # an open quote: certainly nothing that we wrote
        return []
    return found if plain else []


def _is_shell(line: str) -> bool:
    """Whether ``shell`` made this line, for an installation anywhere."""
    try:
        found = shlex.split(line)
        at = found.index("exec")
        words = found[12:at]
        words[-1:] = [word.removesuffix(";") for word in words[-1:]]
        variables = dict(word.split("=", 1) for word in words)
        python, stub, hook, host = found[3], found[8], found[at + 5], found[at + 7].removesuffix(";")
        empty = found[at + 10].removesuffix(";") if len(found) > at + 9 else ""
    except (ValueError, IndexError):
        return False
    ours = stub.endswith(f"/{STUB}") and hook in HOOKS and _HOST.fullmatch(host) is not None
    ours = ours and all(map(_VARIABLE.fullmatch, variables))
    return ours and shell(Launcher(python, stub, variables), hook, host, empty) == line


def _runs(found: Sequence[str]) -> bool:
    """Whether these words are a program of ours, the name of a hook and its options, and no more."""
    if not found:
        return False
    program, rest = posixpath.basename(found[0]), list(found[1:])
    if _PYTHON.fullmatch(program):
        while rest and _FLAG.fullmatch(rest[0]):
            rest.pop(0)
        if rest[:1] == ["-m"] and len(rest) > 1 and _MODULE.fullmatch(rest[1]):
            rest = rest[3:] if rest[2:3] == ["hook"] else rest[2:]
        elif rest and (rest[0] == STUB or rest[0].endswith(f"/{STUB}")):
            rest = rest[1:]
        else:
            return False
    elif program == "hearth" and rest[:1] == ["hook"]:
        rest = rest[1:]
    elif program != SCRIPT:
        return False
    return bool(rest) and rest[0] in HOOKS and _OPTIONS.fullmatch("".join(f" {word}" for word in rest[1:])) is not None


def _after(found: Sequence[str], flag: str) -> str | None:
    at = found.index(flag) + 1 if flag in found else len(found)
    return found[at] if at < len(found) else None
