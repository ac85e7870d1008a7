"""What every host has in common: the protocol that its module fills, and the entry that its settings get for a hook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from hearth.core.hook import HookEvent, HookReply
from hearth.core.lazy import dataclass
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


class Host(Protocol):
    """A program that runs agents. All methods are pure."""

    name: str
    title: str
    registrations: tuple[Registration, ...]
    # Whether handlers stand in groups that carry the matcher, or carry it themselves.
    grouped: bool

    def read(self, hook: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> HookEvent:
        """The event that ``hook`` is to answer. Raises ``UsageError`` where the payload is none for this hook."""
        ...

    def render(self, hook: str, reply: HookReply) -> str:
        """What is printed; without a context, the valid empty output. Never raises for a known hook."""
        ...

    def handler(self, registration: Registration, launcher: Launcher) -> dict[str, Any]:
        """The entry in the settings that runs a hook."""
        ...

    def settings(self, home: str, environ: Mapping[str, str]) -> str:
        """The absolute name of the user's settings file that holds hooks."""
        ...

    def project_settings(self, root: str) -> str:
        """The same for a project whose folder is ``root``."""
        ...
