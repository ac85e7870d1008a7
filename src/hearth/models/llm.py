"""The language model that is set up, and the person's own agent as one: ``claude -p`` or ``codex exec``, asked once."""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from hearth.config.tree import LlmSettings
from hearth.core import paths
from hearth.core.errors import BadReply, ConfigError, Unavailable
from hearth.core.lazy import dataclass, regex
from hearth.models import served_llm
from hearth.models.http import transport
from hearth.models.http.client import ModelClient
from hearth.models.http.protocol import Pace, Timing, part
from hearth.models.http.transport import Headers, Key, RemoteServer
from hearth.models.served_llm import (
    CLAUDE_INPUT,
    MAX_REPLY_CHARS,
    Completion,
    CompletionProvider,
    CompletionRequest,
    Dialect,
    LlamaProvider,
    ServedProvider,
    count_tokens,
)
from hearth.models.structured import StructuredLlm, UsageLedger

PROGRAMS = ("claude", "codex")
# Room for what the program prints besides the reply: an event for each step.
_MAX_OUTPUT = 16 * MAX_REPLY_CHARS
_MAX_COMPLAINT = 64 * 1024
_CHUNK = 64 * 1024
_SHOWN = 200
_NAME = regex(r"[A-Za-z0-9_-]+")
_SILENT = {"HEARTH_DISABLE": "1"}
# Variables by which a program sees that an agent already runs it, and refuses or joins that session.
_INHERITED = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CODEX_THREAD_ID"})


@dataclass(frozen=True, slots=True)
class _Dialect:
    """``arguments`` takes the request and the folder; ``read`` what was printed, and the folder. ``listing`` has the
    program print what else it would load, and ``without`` makes the options that keep that out."""

    arguments: Callable[[CompletionRequest, Path], Sequence[str]]
    read: Callable[[bytes, Path], Completion]
    listing: Sequence[str] = ()
    without: Callable[[bytes], Sequence[str]] = lambda printed: ()


class AgentProvider:
    """``environ`` is what the program gets, with ``HEARTH_DISABLE=1``, so that hooks of ours in it stay silent."""

    def __init__(self, program: Path, model: str | None, environ: Mapping[str, str]) -> None:
        self.name = f"agent:{_kind(program)}" + (f":{model}" if model else "")
        self._program = program
        self._model = model
        self._without: Sequence[str] | None = None
        self._environ = {name: value for name, value in environ.items() if name not in _INHERITED} | _SILENT

    def __repr__(self) -> str:
        return f"AgentProvider({self._program})"

    def ask(self, request: CompletionRequest) -> Completion:
        dialect = _AGENT_DIALECTS[_kind(self._program)]
        until = time.monotonic() + request.seconds
        with tempfile.TemporaryDirectory(prefix="hearth-agent-") as name:
            folder = Path(name)
            if self._without is None:
                self._without = (
                    dialect.without(self._run(dialect.listing, "", folder, until)) if dialect.listing else ()
                )
            model = () if self._model is None else (f"--model={self._model}",)
            arguments = [*dialect.arguments(request, folder), *model, *self._without]
            return dialect.read(self._run(arguments, request.prompt, folder, until), folder)

    def close(self) -> None:
        """Nothing is held between calls."""

    def _run(self, arguments: Sequence[str], prompt: str, folder: Path, until: float) -> bytes:
        """The program's output. Raises ``Unavailable`` if it fails or takes too long, ``BadReply``."""
        asked = folder / "prompt"
        asked.write_text(prompt, encoding="utf-8", errors="replace")
        with asked.open("rb") as given, tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    [self._program, *arguments],
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=self._environ,
                    cwd=folder,
                    start_new_session=True,
                )
            except OSError as error:
                raise Unavailable(f"{self.name}: {self._program} can't be started ({error.strerror})") from error
            try:
                printed = self._read_output(process, until)
            finally:
                _end(process)
            if process.returncode:
                raise Unavailable(f"{self.name} failed: {_complaint(errors, printed) or f'exit {process.returncode}'}")
            return printed

    def _read_output(self, process: subprocess.Popen[bytes], until: float) -> bytes:
        """All output until the program ends. Raises ``Unavailable`` past the deadline, ``BadReply`` if there is far too
        much."""
        assert process.stdout is not None
        printed = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                left = until - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise Unavailable(f"{self.name} did not answer in time")
                chunk = os.read(process.stdout.fileno(), _CHUNK)
                if not chunk:
                    break
                printed += chunk
                if len(printed) > _MAX_OUTPUT:
                    raise BadReply(f"it printed more than {_MAX_OUTPUT // 2**20} MiB")
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
        return bytes(printed)


def find(program: str | None, environ: Mapping[str, str]) -> Path:
    """The program of the settings, a name or a file, else the first of ``PROGRAMS`` that is on the path.

    Raises ``ConfigError`` for one that is neither, ``Unavailable`` where it is not there."""
    if program is None or "/" not in program:
        names: Sequence[str] = PROGRAMS if program is None else (program,)
    else:
        names = (paths.expand(program, paths.home(environ)) or "",)
    if not all(_kind(Path(name)) for name in names):
        raise ConfigError(
            f"llm.command is {program!r}; name claude or codex, or the whole name of the file of one of them"
        )
    for name in names:
        found = shutil.which(name, path=environ.get("PATH"))
        if found is not None:
            return Path(found)
    raise Unavailable(f"{' and '.join(names)} can't be found; set llm.command to the file of claude or codex")


def _kind(program: Path) -> str:
    return next((kind for kind in PROGRAMS if program.name.startswith(kind)), "")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the program, if it still runs, with all that it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _complaint(errors_file: IO[bytes], printed: bytes) -> str:
    errors_file.seek(max(0, errors_file.seek(0, os.SEEK_END) - _MAX_COMPLAINT))
    text = errors_file.read(_MAX_COMPLAINT).decode("utf-8", "replace") or printed[-_MAX_COMPLAINT:].decode(
        "utf-8", "replace"
    )
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line[-_SHOWN:]


def _claude_arguments(request: CompletionRequest, folder: Path) -> Sequence[str]:
    return (
        "-p",
        "--output-format=json",
        f"--json-schema={json.dumps(request.schema, ensure_ascii=True)}",
        "--tools=",
        "--strict-mcp-config",
        "--disable-slash-commands",
        "--no-session-persistence",
        '--settings={"disableAllHooks":true}',
    )


def _read_claude(printed: bytes, folder: Path) -> Completion:
    result = _object(printed)
    if result.get("is_error"):
        raise Unavailable(f"claude failed: {' '.join(str(result.get('result'))[:_SHOWN].split())}")
    usage = result.get("usage")
    given = result.get("structured_output")
    text = json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else part(result, "result", str)
    return Completion(text, count_tokens(usage, *CLAUDE_INPUT), count_tokens(usage, "output_tokens"))


def _codex_arguments(request: CompletionRequest, folder: Path) -> Sequence[str]:
    schema = folder / "schema.json"
    schema.write_text(json.dumps(request.schema), encoding="utf-8")
    return (
        "exec",
        "--skip-git-repo-check",
        "--ephemeral",
        "--sandbox=read-only",
        f"--output-schema={schema}",
        f"--output-last-message={folder / 'reply'}",
        "--json",
        "--config=features.shell_tool=false",
        "--config=features.unified_exec=false",
        "--config=features.hooks=false",
        '--config=web_search="disabled"',
    )


def _without_servers(printed: bytes) -> Sequence[str]:
    """Options that keep codex from starting the person's MCP servers. Raises ``Unavailable`` where it does not say
    which there are: with their tools, what is only to be read could act."""
    try:
        found = json.loads(printed)
        names = [str(server["name"]) for server in found] if isinstance(found, list) else [""]
    except (ValueError, TypeError, KeyError, RecursionError):
        names = [""]
    if not all(map(_NAME.fullmatch, names)):
        raise Unavailable("codex does not say which MCP servers it would start, and is not asked with them")
    return tuple(f"--config=mcp_servers.{name}.enabled=false" for name in names)


def _read_codex(printed: bytes, folder: Path) -> Completion:
    try:
        with (folder / "reply").open("rb") as file:
            text = file.read(MAX_REPLY_CHARS * 4 + 1).decode("utf-8", "replace")
    except OSError:
        raise BadReply("codex left no reply") from None
    usage = None
    for line in printed.splitlines():
        with suppress(BadReply):
            usage = _object(line).get("usage") or usage
    return Completion(text, count_tokens(usage, "input_tokens"), count_tokens(usage, "output_tokens"))


def _object(text: bytes) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadReply("it printed something that is not a JSON object")
    return found


_AGENT_DIALECTS = {
    "claude": _Dialect(_claude_arguments, _read_claude),
    "codex": _Dialect(_codex_arguments, _read_codex, ("mcp", "list", "--json"), _without_servers),
}


_DIALECTS = {dialect.name: dialect for dialect in (served_llm.OPENAI, served_llm.ANTHROPIC)}


def open_llm(
    config: LlmSettings,
    key: str | None,
    usage: UsageLedger,
    environ: Mapping[str, str],
    *,
    timing: Timing | None = None,
) -> StructuredLlm:
    """The model of the settings; ``key`` is what ``config.api_key_env`` holds, ``environ`` what an agent runs in.

    Raises ``ConfigError`` for settings that can't work, ``Unavailable`` for an agent that is not there."""
    timing = timing or Timing()
    provider = _provider(config, key, environ, timing)
    return StructuredLlm(provider, usage, seconds=config.timeout_seconds, no_think=config.no_think, now=timing.now)


def _provider(config: LlmSettings, key: str | None, environ: Mapping[str, str], timing: Timing) -> CompletionProvider:
    if config.provider == "agent":
        return AgentProvider(find(config.command, environ), config.model, environ)
    if config.provider == "llama":
        file = paths.expand(config.model or "", paths.home(environ))
        if file is None:
            raise ConfigError("llm.model must name a GGUF file for llm.provider llama: absolute, or from ~/ on")
        return LlamaProvider(Path(file))
    return _open_served(config, _DIALECTS[config.provider], key, timing)


def _open_served(config: LlmSettings, dialect: Dialect, key: str | None, timing: Timing) -> ServedProvider:
    if config.model is None and (config.url is None or dialect is served_llm.ANTHROPIC):
        raise ConfigError(f"llm.model is not set, and {dialect.name} needs one")
    place = transport.resolve(config.url or dialect.base, dialect.version, dialect.route)
    server = RemoteServer(
        "llm",
        place.shown,
        Key(key, config.api_key_env),
        Headers({**dialect.headers, **config.headers}, "llm.headers"),
        dialect.key_header,
        place.loopback,
    )
    return ServedProvider(dialect, config.model, place, ModelClient(server, Pace(None, timing), timing))
