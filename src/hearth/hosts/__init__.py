"""Hosts: the programs that run agents, each with its dialect of events, answers and settings. Pure.

>>> host("codex").title
'Codex'
>>> detect({"CURSOR_VERSION": "3.20", "CLAUDE_PROJECT_DIR": "/p"}, {})
'cursor'
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hearth.core.errors import UsageError
from hearth.hosts.fields import Dialect, Host, Registration, payload

__all__ = ["HOSTS", "PLUGINS", "Dialect", "Host", "Registration", "detect", "dialect", "host", "payload"]

# A hook needs one of them and pays for no other.
HOSTS = {
    "claude-code": ("hearth.hosts.claude_code", "ClaudeCode"),
    "codex": ("hearth.hosts.codex", "Codex"),
    "gemini": ("hearth.hosts.gemini", "Gemini"),
    "qwen": ("hearth.hosts.gemini", "Qwen"),
    "cursor": ("hearth.hosts.cursor", "Cursor"),
}
# They load a plugin of ours instead of running hooks.
PLUGINS = {
    "openclaw": ("hearth.hosts.plugins", "OpenClaw"),
    "opencode": ("hearth.hosts.plugins", "OpenCode"),
    "hermes": ("hearth.hosts.plugins", "Hermes"),
}


def host(name: str) -> Host:
    """A host with hooks in its settings. Raises ``UsageError`` for any other name."""
    found: Host = _load(name, HOSTS)
    return found


def dialect(name: str) -> Dialect:
    """How any host, or our plugin for it, talks to hooks. Raises ``UsageError`` for an unknown one."""
    found: Dialect = _load(name, HOSTS | PLUGINS)
    return found


def _load(name: str, known: Mapping[str, tuple[str, str]]) -> Any:
    if name not in known:
        raise UsageError(f"no host {name!r}; hosts are: {', '.join(known)}")
    module, attribute = known[name]
    return getattr(import_module(module), attribute)()


def detect(environ: Mapping[str, str], given: Mapping[str, Any]) -> str:
    """The name of the host that runs this hook, for a command line that names none.

    Only what a host sets for its hooks alone counts: ``CLAUDE_PROJECT_DIR`` and ``CLAUDE_PLUGIN_ROOT`` are set by
    others, too, and ``CLAUDECODE`` is inherited by a Codex that Claude Code started.
    """
    if environ.get("CURSOR_VERSION"):
        return "cursor"
    if environ.get("GEMINI_SESSION_ID"):
        return "gemini"
    if environ.get("QWEN_CODE_SESSION_ID"):
        return "qwen"
    transcript = given.get("transcript_path")
    in_codex = isinstance(transcript, str) and _is_codex(transcript, environ.get("CODEX_HOME"))
    return "codex" if "turn_id" in given or in_codex else "claude-code"


def _is_codex(transcript: str, folder: str | None) -> bool:
    return "/.codex/" in transcript or bool(folder and transcript.startswith(folder.rstrip("/") + "/"))
