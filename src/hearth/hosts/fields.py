"""A host's dialect: its fields, read leniently, and its answers."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypedDict

from hearth.core.errors import Remedy, UsageError
from hearth.core.hook import HOOKS, HookEvent, HookReply, Occasion
from hearth.core.lazy import dataclass, regex
from hearth.core.session import is_group, is_of_group
from hearth.hosts.command import Launcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One hook in a host's settings. ``event`` and ``matcher`` are the host's words; ``seconds`` is when the host gives
    up, far above the hook's own budget; ``bootstrap`` marks what people have to ask for."""

    hook: str
    event: str
    seconds: int
    matcher: str | None = None
    bootstrap: bool = False


class Dialect(Protocol):
    """How a program that runs agents talks to a hook. All methods are pure."""

    name: str
    title: str

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        """The event that ``hook`` is to answer. Raises ``UsageError`` where the payload is none for this hook."""
        ...

    def render(self, hook: str, reply: HookReply) -> str:
        """What is printed; without a context, the valid empty output. Never raises for a known hook."""
        ...

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        """The absolute name of the user's settings file that holds hooks, or our plugin."""
        ...


class Host(Dialect, Protocol):
    """A program whose settings hold a command for each hook."""

    registrations: tuple[Registration, ...]
    # Whether handlers stand in groups that carry the matcher, or carry it themselves.
    grouped: bool

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        """The entry in the settings that runs a hook."""
        ...

    def project_settings(self, root: str) -> str:
        """The same for a project whose folder is ``root``."""
        ...


Source = Literal["startup", "clear", "resume", "fork", "compact"]
_SOURCES: tuple[Source, ...] = ("startup", "clear", "resume", "fork", "compact")
_PATCHED = regex(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_FILE_FIELDS = ("file_path", "notebook_path", "path", "target_file", "absolute_path")
# More files than this in one call are a generated change, about which no note has to say anything.
MAX_FILES = 50


class Common(TypedDict):
    """The fields of an ``Occasion``."""

    host: str
    session: str
    cwd: str | None
    transcript: str | None
    turn: str | None
    agent: str | None
    unattended: bool
    shared: bool


def payload(data: str | bytes) -> Mapping[str, Any]:
    """The object that a host wrote on standard input. Raises ``UsageError`` for anything else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise UsageError(
            "standard input is not JSON; a hook is run by an agent, which writes its event to standard input"
        ) from None
    if not isinstance(found, dict):
        raise UsageError(
            "standard input is not a JSON object; a hook is run by an agent, which writes its event to standard input"
        )
    return found


def field(given: Mapping[str, Any], name: str) -> Any:
    """A value by its name in snake_case or camelCase; ``None`` where there is none."""
    if name in given:
        return given[name]
    first, *rest = name.split("_")
    return given.get(first + "".join(part.capitalize() for part in rest))


def text(given: Mapping[str, Any], *names: str) -> str | None:
    """The first of these fields that holds a text which is not empty; lone surrogates become U+FFFD."""
    for name in names:
        value = field(given, name)
        if isinstance(value, str) and value:
            return sound(value)
    return None


def sound(value: str) -> str:
    """JSON can hold half a surrogate pair, which no file and no database takes."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def check(host: str, hook: str, event: str | None, given: Mapping[str, Any]) -> type[Occasion]:
    """The kind of event that ``hook`` answers. Raises ``UsageError`` for an unknown hook, one that this host has no
    event for (``event`` is ``None``), and an event that belongs to another hook."""
    if hook not in HOOKS:
        raise UsageError(f"no hook {hook!r}; hooks are: {', '.join(HOOKS)}")
    if event is None:
        raise UsageError(f"{host} has no event for the hook {hook}", Remedy(f"setup {host}"))
    named = text(given, "hook_event_name")
    if named is not None and named != event:
        raise UsageError(f"the hook {hook} answers {event} of {host}, not {named[:40]!r}", Remedy(f"setup {host}"))
    return HOOKS[hook]


def is_shared(given: Mapping[str, Any]) -> bool:
    """Whether others read the session: as the host says, or by its key ("agent:main:telegram:group:-100")."""
    if is_group(text(given, "chat_type", "conversation_type") or ""):
        return True
    return any(is_of_group(text(given, name) or "") for name in ("session_key", "session_id"))


def session(host: str, found: str | None) -> str:
    """Raises ``UsageError`` for an event of no session."""
    if found is None:
        raise UsageError(f"the event of {host} names no session, so it can't be recorded")
    return found


def absolute(value: str | None) -> str | None:
    """A name only if it is absolute: what is relative to the host's folder means nothing here."""
    return value if value is not None and value.startswith("/") and "\0" not in value else None


def agent(given: Mapping[str, Any]) -> str | None:
    """The subagent whose event this is. A type alone is what ``--agent`` names, the main session; an empty type is the
    host's own summariser."""
    return text(given, "agent_id") or ("summariser" if field(given, "agent_type") == "" else None)


def source(given: Mapping[str, Any]) -> Source:
    """Why a session starts. What is unknown counts as ``resume``, which injects nothing."""
    value = field(given, "source")
    if value is None:
        return "startup"
    return next((known for known in _SOURCES if known == value), "resume")


def trigger(given: Mapping[str, Any]) -> Literal["manual", "auto"]:
    return "manual" if field(given, "trigger") == "manual" else "auto"


def files(given: Mapping[str, Any], cwd: str | None) -> tuple[str, ...]:
    """The absolute names of the files that a tool is about to change, from its arguments or the patch among them."""
    arguments = field(given, "tool_input")
    if isinstance(arguments, str):
        arguments = {"command": arguments}
    if not isinstance(arguments, Mapping):
        return ()
    named = text(arguments, *_FILE_FIELDS)
    found = [named] if named else _patch(arguments)
    placed = (posixpath.normpath(posixpath.join(cwd or "", name)) for name in found if "\0" not in name)
    return tuple(dict.fromkeys(name for name in placed if name.startswith("/")))[:MAX_FILES]


def command(given: Mapping[str, Any]) -> str:
    """The line that a shell is to run; empty for other tools, and for a patch."""
    arguments = field(given, "tool_input")
    value = field(arguments, "command") if isinstance(arguments, Mapping) else None
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else [value]
    line = " ".join(word for word in words if isinstance(word, str))
    return "" if "*** Begin Patch" in line else sound(line)


def _patch(arguments: Mapping[str, Any]) -> list[str]:
    for name in ("command", "input", "patch"):
        value = field(arguments, name)
        words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else [value]
        for word in words:
            if isinstance(word, str) and "*** Begin Patch" in word:
                return _PATCHED.findall(sound(word))
    return []
