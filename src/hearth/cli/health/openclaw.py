"""Doctor: whether the plugin is in OpenClaw's settings, and what reaches a model in a real turn."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from hearth.app import Settings
from hearth.cli.agents import launcher
from hearth.cli.agents import openclaw as setup_openclaw
from hearth.cli.health.machine import FAIL, OK, WARN, Finding
from hearth.core.errors import Unavailable
from hearth.core.paths import NAMES, variable
from hearth.settings_files import openclaw as openclaw_settings
from hearth.settings_files.jsonc import value_at

_SETUP = "run: hearth setup openclaw"
_SECONDS = 240
_SHORT = 60
# The host's prompt and tools take 45,000 tokens; with a smaller window it compacts at once.
_WINDOW = 200_000
_FACT = "The spare key of the greenhouse hangs behind the blue door."
_QUESTION = "Where does the spare key of the greenhouse hang?"
_MARK = "The gate code of the allotment is in this file."
_ANSWER = "Behind the blue door."
_TOKENS = 100
# The search has the second name beside OpenClaw's own memory.
_SEARCHES = ("memory_search", "hearth_search")
# Accounts and channels stay out of the trial.
_COPIED = ("enabled", "allow", "deny", "slots", "load")


def installed(chosen: Settings) -> Iterator[Finding]:
    """The plugin in the settings, and what stands in its way there."""
    file = setup_openclaw.file_of(chosen)
    if not file.exists():
        yield Finding(
            "openclaw", WARN, f"no settings of OpenClaw at {file}", "start it once, or set OPENCLAW_STATE_DIR"
        )
        return
    found = openclaw_settings.read(file)
    plugins, entries = _table(found, "plugins"), _table(found, "plugins", "entries")
    ours = _table(entries, openclaw_settings.ID)
    if not ours:
        yield Finding("openclaw", WARN, f"the plugin is not in {file}", _SETUP)
        return
    problems = {
        "plugins are switched off (plugins.enabled)": plugins.get("enabled") is False,
        "the plugin is switched off": ours.get("enabled") is False,
        "plugins.deny names it": openclaw_settings.ID in _list(plugins, "deny"),
        "plugins.allow leaves it out": "allow" in plugins and openclaw_settings.ID not in _list(plugins, "allow"),
        f"another has {' and '.join(openclaw_settings.lost_slots(found))}": bool(openclaw_settings.lost_slots(found)),
        "memory-core is on, so its tools take the place of ours": openclaw_settings.mode_of(found) != "engine"
        and value_at(entries, ("memory-core", "enabled")) is not False,
        "it may not see what is said (hooks.allowConversationAccess)": value_at(
            ours, ("hooks", "allowConversationAccess")
        )
        is not True,
        "it may not add to prompts (hooks.allowPromptInjection)": value_at(ours, ("hooks", "allowPromptInjection"))
        is False,
        "its folder is not listed, or of another installation (plugins.load.paths)": str(setup_openclaw.plugin_folder())
        not in _list(plugins, "load", "paths"),
    }
    wrong = [what for what, is_so in problems.items() if is_so]
    for what in wrong:
        yield Finding("openclaw", FAIL, what, _SETUP)
    if not wrong:
        yield Finding("openclaw", OK, f"the plugin is in {file}; whether it reaches the model: --turn")


def _table(given: Mapping[str, Any], *path: str) -> dict[str, Any]:
    found = value_at(given, path)
    return dict(found) if isinstance(found, Mapping) else {}


def _list(given: Mapping[str, Any], *path: str) -> list[Any]:
    found = value_at(given, path)
    return found if isinstance(found, list) else []


def try_turn(chosen: Settings, program: str | None) -> Iterator[Finding]:
    """One turn of OpenClaw with a model, a vault and a workspace made for it; nothing of the person's is touched."""
    file = setup_openclaw.file_of(chosen)
    given = openclaw_settings.read(file) if file.exists() else {}
    command = _program(program)
    with tempfile.TemporaryDirectory(prefix="hearth-openclaw-") as folder, serve_model() as (port, requests):
        code, printed, captured = _run(Path(folder), command, given, port)
    if requests:
        yield from judge(requests, openclaw_settings.mode_of(given), captured=captured)
        return
    last = (printed.strip().splitlines() or ["nothing"])[-1]
    yield Finding("turn", FAIL, f"no request reached the model; OpenClaw ended with {code}: {last[:300]}")


def judge(requests: list[dict[str, Any]], mode: str, *, captured: bool) -> Iterator[Finding]:
    """What reached the model."""
    first = requests[0]
    system = "\n".join(_text(one) for one in first["messages"] if one.get("role") in ("system", "developer"))
    asked = "\n".join(_text(one) for one in first["messages"] if one.get("role") == "user")
    yield _tools(first, system, setup_openclaw.tool_names(mode))
    memory = _MARK in system
    yield Finding("MEMORY.md", OK if memory else FAIL, f"it is {'' if memory else 'not '}in the prompt")
    recall = "<vault-" in asked and _FACT in asked
    yield Finding("recall", OK if recall else FAIL, f"the memory was {'' if recall else 'not '}brought with the prompt")
    answers = [_text(one) for sent in requests for one in sent["messages"] if one.get("role") == "tool"]
    answered = any(_FACT in text for text in answers)
    if answers:
        yield Finding("search", OK if answered else FAIL, f"the search {'' if answered else 'never '}found it")
    yield Finding("capture", OK if captured else FAIL, f"the turn {'is' if captured else 'is not'} kept")


def _tools(request: Mapping[str, Any], system: str, wanted: list[str]) -> Finding:
    """Ours by their words: a tool of that name may be another plugin's."""
    listed = {one["function"]["name"]: one["function"].get("description") or "" for one in request.get("tools") or ()}
    direct = [name for name in wanted if name in listed]
    if "docid" not in listed.get("memory_search", "docid") and "memory_search" in wanted:
        return Finding("tools", FAIL, "memory_search is another plugin's, not Hearth's", _SETUP)
    if len(direct) == len(wanted):
        return Finding("tools", OK, f"all {len(wanted)} are offered to the model")
    behind = [name for name in wanted if name not in listed and re.search(rf"\b{name}\b", system)]
    if len(direct) + len(behind) == len(wanted):
        return Finding("tools", OK, f"{len(direct)} are offered to the model, {len(behind)} by the host's tool search")
    missing = ", ".join(name for name in wanted if name not in direct and name not in behind)
    return Finding("tools", FAIL, f"missing: {missing}", _SETUP)


def _program(given: str | None) -> list[str]:
    words = shlex.split(given or "openclaw")
    if not words or shutil.which(words[0]) is None:
        raise Unavailable(f"{words[0] if words else 'the program'} is not found; name it with --openclaw PROGRAM")
    return words


def _run(folder: Path, command: list[str], given: Mapping[str, Any], port: int) -> tuple[int, str, bool]:
    """How OpenClaw ended, what it printed, and whether the turn is kept."""
    variables = {variable(name): str(folder / "hearth" / name) for name in NAMES}
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("HEARTH_", "OPENCLAW_"))}
    environ = {**mine, **variables, "OPENCLAW_STATE_DIR": str(folder / "state"), "HOME": str(folder / "home")}
    workspace = folder / "workspace"
    for made in (folder / "state", folder / "home", workspace):
        made.mkdir(mode=0o700)
    (workspace / "MEMORY.md").write_text(f"# Memory\n\n- {_MARK}\n", encoding="utf-8")
    settings = _settings(folder, given, variables, port)
    (folder / "state" / "openclaw.json").write_text(json.dumps(settings), encoding="utf-8")
    hearth = launcher.server()[:-1]
    remember = [*hearth, "remember", "--type", "fact", _FACT]
    try:
        for first in ([*hearth, "init"], remember, [*hearth, "daemon", "start"]):
            _call(first, environ, folder, _SHORT)
        code, output = _call(
            [*command, "agent", "--local", "--agent", "main", "--json", "-m", _QUESTION], environ, folder
        )
        _, log = _call([*hearth, "log", "--json"], environ, folder, _SHORT)
    finally:
        _call([*hearth, "daemon", "stop"], environ, folder, _SHORT)
    return code, output, '"openclaw"' in log and bool(re.search(r'"turns": [1-9]', log))


def _call(command: list[str], environ: Mapping[str, str], folder: Path, seconds: int = _SECONDS) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command, env=dict(environ), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return -1, f"no end after {seconds} s"
    except OSError as error:
        return -1, f"{command[0]}: {error.strerror}"
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _settings(folder: Path, given: Mapping[str, Any], variables: Mapping[str, str], port: int) -> dict[str, Any]:
    """The person's plugins and tools, with a model, a workspace and a vault of the trial's own."""
    plugins = {name: value for name, value in _table(given, "plugins").items() if name in _COPIED}
    entries = _table(given, "plugins", "entries")
    ours = _table(entries, openclaw_settings.ID)
    if ours:
        config = {**_table(ours, "config"), "env": dict(variables)}
        config.pop("vault", None)
        entries[openclaw_settings.ID] = {**ours, "config": config}
    model = {
        "id": "m", "name": "m", "reasoning": False, "input": ["text"], "contextWindow": _WINDOW, "maxTokens": 2000,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }  # fmt: skip
    provider = {
        "baseUrl": f"http://127.0.0.1:{port}/v1", "apiKey": "none", "api": "openai-completions", "models": [model]
    }  # fmt: skip
    return {
        "logging": {"file": str(folder / "openclaw.log")},
        "gateway": {"mode": "local", "bind": "loopback"},
        "models": {"providers": {"hearth-trial": provider}},
        "agents": {
            "defaults": {
                "model": {"primary": "hearth-trial/m"}, "workspace": str(folder / "workspace"), "skipBootstrap": True
            }
        },
        **({"tools": given["tools"]} if isinstance(given.get("tools"), dict) else {}),
        "plugins": {**plugins, "entries": {name: entries[name] for name in entries if isinstance(entries[name], dict)}},
    }  # fmt: skip


# -- a model of ours ------------------------------------------------------------------------------------------------


Answer = Callable[[Mapping[str, Any]], tuple[dict[str, Any], int]]
"""A request -> the message that answers it, and how many tokens the model says that the prompt had."""


@contextmanager
def serve_model(answer: Answer | None = None) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Its port on this machine, and the requests as they come in."""
    requests: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            self._send(b'{"object": "list", "data": [{"id": "m", "object": "model"}]}', "application/json")

        def do_POST(self) -> None:
            try:
                body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
            except ValueError:
                body = {}
            if isinstance(body.get("messages"), list):
                requests.append(body)
            self._send(*_encode(body, *(answer or search_first)(body)))

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1], requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def search_first(body: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """First a search where that is offered, then an answer."""
    names = [one.get("function", {}).get("name") for one in body.get("tools") or ()]
    messages = body.get("messages") or [{}]
    search = {"query": _QUESTION}
    # Where the host keeps tools behind a search, they are called through one of its own.
    ours = _SEARCHES[1] if _SEARCHES[1] in json.dumps(body) else _SEARCHES[0]
    known = {ours: search, "tool_call": {"id": ours, "args": search}}
    name = next((one for one in known if one in names), None)
    # The host adds a message of its own behind a tool's answer.
    last = max((at for at, one in enumerate(messages) if one.get("role") == "assistant"), default=-1)
    if name is None or any(one.get("role") == "tool" for one in messages[last + 1 :]):
        return {"role": "assistant", "content": _ANSWER}, _TOKENS
    call = {"name": name, "arguments": json.dumps(known[name])}
    calls = [{"id": "c1", "type": "function", "function": call}]
    return {"role": "assistant", "content": None, "tool_calls": calls}, _TOKENS


def _encode(body: Mapping[str, Any], message: Mapping[str, Any], tokens: int) -> tuple[bytes, str]:
    """The answer as the client wants it, streamed or whole, and its type."""
    ends = "tool_calls" if message.get("tool_calls") else "stop"
    usage = {"prompt_tokens": tokens, "completion_tokens": 10, "total_tokens": tokens + 10}
    head = {"id": "trial", "created": 0, "model": "m"}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": ends}
        answer = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return json.dumps(answer).encode(), "application/json"
    calls = [{**one, "index": 0} for one in message.get("tool_calls", ())]
    delta = {**message, **({"tool_calls": calls} if calls else {})}
    parts: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": ends}], "usage": usage},
    ]
    lines = [f"data: {json.dumps({**head, 'object': 'chat.completion.chunk', **part})}\n\n" for part in parts]
    return "".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream"


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
