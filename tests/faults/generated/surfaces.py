"""What takes input from outside, each with a way to draw an input and to put it in.

``Surface.draw`` gives an input, ``Surface.take`` puts it in and raises for what must not be: anything but an answer or
a planned error. All run in this process.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any
from zlib import crc32

import click
import mcp_types as types
from pydantic import ValidationError
from tests.faults.generated import hostile

from hearth import hook, hosts
from hearth.app.pool import VaultPool
from hearth.cli.commands import cli
from hearth.cli.entrypoint import _reword
from hearth.cli.session import CommandSession
from hearth.core.document import FileState
from hearth.core.errors import HearthError
from hearth.core.hook import HOOKS
from hearth.core.journal import Event, Folded
from hearth.daemon.requests import PooledVaults
from hearth.guard.secrets.redaction import redact
from hearth.journal import BadLine, decode, encode
from hearth.operations.problems import MCP
from hearth.operations.problems import problem as told
from hearth.ports import Collection
from hearth.server.application import application
from hearth.server.mcp.messages import refusal
from hearth.server.mcp.runner import ToolRunner, failed, succeeded
from hearth.server.mcp.tool import tools
from hearth.server.routes import routes
from hearth.vault.history import primitives, problem
from hearth.vault.indexing.analysis import Analyzer, NotText
from hearth.vault.payload import KINDS

NOTES = {
    "river.md": "# The river\n\nThe river runs past the house. See [[coffee]] and [b](b.md).\n",
    "decisions/0001.md": "---\ndate: 2026-03-05\ntags: [db]\n---\n# PostgreSQL\n\nWe chose it: joins matter.\n",
}
FIXTURES = Path(__file__).parents[2] / "hosts" / "fixtures"
# Of what changes a vault or takes it in whole only so many are carried out, so that it stays as small as it was.
_RARELY = 0.02
Input = Any


class Surface:
    """``draw`` is pure but for ``rng``."""

    name = ""

    def draw(self, rng: random.Random) -> Input:
        raise NotImplementedError

    def take(self, given: Input) -> None:
        raise NotImplementedError


# -- the command line --------------------------------------------------------------------------------------------------


class CommandLine(Surface):
    """Parsing alone: down to the command that would run, and the line that tells what is wrong."""

    name = "command line"

    def __init__(self) -> None:
        self._words = [words for _, words in _commands(cli, [])]
        self._options = {tuple(words): _options(command) for command, words in _commands(cli, [])}

    def draw(self, rng: random.Random) -> list[str]:
        words = list(rng.choice(self._words))
        options = self._options[tuple(words)]
        for _ in range(rng.randrange(5)):
            drawn = rng.random()
            words.append(rng.choice(options) if drawn < 0.5 and options else hostile.text(rng, 3))
        if rng.random() < 0.2:
            words[rng.randrange(len(words))] = hostile.text(rng, 3)
        if rng.random() < 0.1:
            words.insert(0, rng.choice(("--vault", "--debug", "--version", "-h", "--", "--nope")))
        return words

    def take(self, given: list[str]) -> None:
        try:
            self._parse(given)
        except click.exceptions.Exit:
            return
        except click.ClickException as error:
            said = _reword(error)
            assert said and said.strip() == said, said
        except HearthError as error:
            assert str(error)

    def _parse(self, given: list[str]) -> None:
        with redirect_stdout(io.StringIO()), ExitStack() as open_:
            context = cli.make_context("hearth", list(given), obj=CommandSession())
            while isinstance(context.command, click.Group):
                open_.enter_context(context)
                left = [*context._protected_args, *context.args]
                if not left:
                    return
                name, command, rest = context.command.resolve_command(context, left)
                if command is None:
                    return
                context = command.make_context(name, rest, parent=context)
            open_.enter_context(context)


def _commands(command: click.Command, words: list[str]) -> Iterator[tuple[click.Command, list[str]]]:
    if not isinstance(command, click.Group):
        yield command, words
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from _commands(found, [*words, name])


def _options(command: click.Command) -> list[str]:
    # What shows help prints it, which is no parsing.
    return [flag for option in command.params for flag in option.opts if flag.startswith("-") and flag != "--help"]


# -- hooks -----------------------------------------------------------------------------------------------------------


class _Hurried:
    """The pool's vaults, of which some hooks may use none for want of time."""

    def __init__(self, vaults: PooledVaults) -> None:
        self._vaults = vaults
        self.failures = vaults.failures
        self.config, self.profile = vaults.config, vaults.profile
        self.patient = True

    @contextmanager
    def use(self, name: str, deadline: float) -> Iterator[Any]:
        with self._vaults.use(name, deadline if self.patient else time.monotonic() + 5) as found:
            yield found


class HookEvents(Surface):
    name = "hooks"

    def __init__(self, pool: VaultPool) -> None:
        self._vaults = _Hurried(PooledVaults(pool))
        found = [json.loads(file.read_text("utf-8")) for file in sorted(FIXTURES.glob("*.json"))]
        self._known = [(one["hook"], one["payload"]) for one in found]

    def draw(self, rng: random.Random) -> tuple[str, str, str, bool]:
        name, payload = rng.choice(self._known)
        if rng.random() < 0.1:
            name = rng.choice((*HOOKS, hostile.text(rng, 2)))
        host = rng.choice((*hosts.HOSTS, hook.AUTO, "claude-code", "codex"))
        raw = hostile.dumped(rng, hostile.changed(rng, payload))
        return name, host if rng.random() < 0.98 else hostile.text(rng, 1), raw, rng.random() < _RARELY

    def take(self, given: tuple[str, str, str, bool]) -> None:
        name, host, raw, patient = given
        self._vaults.patient = patient
        deadline = time.monotonic() + (5 if patient else 0)
        found = hook.answer(name, host, raw, {}, deadline, self._vaults)  # type: ignore[arg-type]
        try:
            assert "unexpected" not in (found.reason or ""), found.reason
            found.output.encode("utf-8")
            if found.output:
                json.loads(found.output)
        finally:
            found.end()


# -- MCP -------------------------------------------------------------------------------------------------------------


class McpLines(Surface):
    """Lines as a client writes them: every one that names an id gets an answer."""

    name = "MCP"

    def __init__(self, pool: VaultPool) -> None:
        self._tools = tools()
        self._runner = ToolRunner(pool)
        self._takes = {name: tool.takes for name, tool in self._tools.items()}

    def draw(self, rng: random.Random) -> tuple[str, bool]:
        name = rng.choice(list(self._tools))
        given = hostile.dumped(rng, hostile.changed(rng, _fitting(rng, self._takes[name])))
        called = json.dumps(name) if rng.random() < 0.97 else hostile.dumped(rng, hostile.text(rng, 2))
        line = f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":{called},"arguments":{given}}}}}'
        line = line if rng.random() < 0.9 else hostile.spoilt(rng, line)
        # As the SDK reads standard input.
        return line.encode("utf-8", "surrogatepass").decode("utf-8", "replace"), rng.random() < _RARELY

    def take(self, given: tuple[str, bool]) -> None:
        line, carried_out = given
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as error:
            answer = refusal(error)
            if line.startswith('{"jsonrpc":"2.0","id":7,'):
                assert answer is not None and answer.id == 7, line
            return
        except Exception as error:
            raise AssertionError(f"no answer: {error}") from error
        parameters = getattr(message, "params", None) or {}
        tool = self._tools.get(parameters.get("name")) if isinstance(parameters.get("name"), str) else None
        arguments = parameters.get("arguments")
        if tool is not None and isinstance(arguments, dict):
            self._call(tool, arguments, carried_out)

    def _call(self, tool: Any, arguments: dict[str, Any], carried_out: bool) -> None:
        try:
            read = tool.read(arguments)
            if not carried_out:
                return
            result = succeeded(self._runner.answer(tool, read))
        except Exception as error:
            found = told(error, tool.name, MCP)
            if found.code == "internal":
                raise
            result = failed(found)
        json.dumps(result, ensure_ascii=False).encode("utf-8")


def _fitting(rng: random.Random, schema: Any) -> Any:
    """Arguments that a JSON schema asks for, more or less."""
    given: dict[str, Any] = {}
    for name, described in schema.get("properties", {}).items():
        if name in schema.get("required", ()) or rng.random() < 0.3:
            given[name] = _one(rng, described)
    return given


def _one(rng: random.Random, described: Any) -> Any:
    if "enum" in described:
        return rng.choice(described["enum"])
    kinds = {"integer": 3, "number": 0.5, "boolean": rng.random() < 0.5, "array": ["river"], "object": {}}
    words = ("river", "river.md", "notes/river.md", "2026-03-05", "the larder", "default")
    return kinds.get(described.get("type"), rng.choice(words))


# -- REST ------------------------------------------------------------------------------------------------------------


class RestRequests(Surface):
    """Through the application, without a socket."""

    name = "REST"
    _CHANGING = frozenset({"/import", "/update", "/reindex", "/export"})

    def __init__(self, pool: VaultPool) -> None:
        self._app = application(pool)
        self._loop = asyncio.new_event_loop()
        self._often = [route for route in routes() if route.path not in self._CHANGING]

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def draw(self, rng: random.Random) -> tuple[str, str, bytes, bytes, bytes]:
        route = rng.choice(routes() if rng.random() < _RARELY else self._often)
        path = route.path
        for name in ("{docid}", "{session}"):
            path = path.replace(name, rng.choice(("river.md", "zzzzzz", hostile.text(rng, 3))))
        query = "&".join(f"{rng.choice(('limit', 'cursor', 'vault', 'q', 'pattern'))}={hostile.text(rng, 2)}"
                         for _ in range(rng.randrange(3)))  # fmt: skip
        query = query if route.method == "GET" or rng.random() < 0.1 else ""
        body = b""
        if route.method == "POST":
            names = (
                "query",
                "text",
                "limit",
                "reference",
                "dry_run",
                "path",
                "message",
                "until",
                "by",
                "reason",
                "mode",
            )
            plain = {name: hostile.value(rng) for name in rng.sample(names, rng.randrange(3))}
            wanted = {name: rng.choice(("river", 3, True, hostile.text(rng, 3))) for name in rng.sample(names, 1)}
            body = hostile.encoded(rng, hostile.dumped(rng, wanted | plain))
        media = rng.choice((b"application/json",) * 12 + (b"text/plain", b"application/x-ndjson", b"", b"\xff"))
        method = route.method if rng.random() < 0.97 else rng.choice(("PUT", "DELETE", "HEAD", "NOPE"))
        return method, path, query.encode("utf-8", "surrogatepass"), body, media

    def take(self, given: tuple[str, str, bytes, bytes, bytes]) -> None:
        status, headers, body = self._loop.run_until_complete(self._asked(*given))
        assert status < 500, (status, body[:300])
        body.decode("utf-8")
        if status >= 400 and given[0] != "HEAD":
            assert headers[b"content-type"] == b"application/problem+json"
            assert json.loads(body)["code"] != "internal"

    async def _asked(self, method: str, path: str, query: bytes, body: bytes, media: bytes) -> tuple[int, Any, bytes]:
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode("utf-8", "surrogatepass"), "query_string": query, "root_path": "",
            "headers": [(b"host", b"localhost"), (b"content-type", media)], "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
        }  # fmt: skip
        waiting = [{"type": "http.request", "body": body, "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if waiting:
                return waiting.pop()
            await asyncio.sleep(3_600)
            raise AssertionError("nobody reads so long")

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)  # type: ignore[arg-type]
        content = b"".join(message.get("body", b"") for message in sent)
        return sent[0]["status"], dict(sent[0]["headers"]), content


# -- the journal -----------------------------------------------------------------------------------------------------


class JournalLines(Surface):
    """Lines of other machines; half bear the checksum of what they are."""

    name = "journal"

    def draw(self, rng: random.Random) -> bytes:
        fields = json.loads(encode(_event(rng)))
        fields.pop("sum")
        raw = hostile.encoded(rng, hostile.dumped(rng, hostile.changed(rng, fields)))
        if rng.random() < 0.5 and raw.endswith(b"}"):
            return raw[:-1] + b',"sum":"%08x"}' % crc32(raw)
        return raw

    def take(self, given: bytes) -> None:
        try:
            event = decode(given)
        except BadLine as error:
            assert str(error)
            return
        assert event.kind not in KINDS or (problem(event) is None) == bool(primitives(event))
        folded = Folded()
        folded.apply(primitives(event))
        assert decode(encode(event)) == event


def _event(rng: random.Random) -> Event:
    data = {"until": rng.randrange(10**13), "by": "doc1", "at": None, "tags": ["x"], "target": "doc2", "docs": ["doc1"],
            "session": "s", "turn": "t", "weight": 0.5, "type": "causes", "from": "doc3", "value": 0.5}  # fmt: skip
    return Event(
        id=f"{rng.randrange(10**9):026d}",
        hlc=rng.randrange(10**12),
        at=rng.randrange(10**12),
        machine="aaaaaaaaaa",
        kind=rng.choice(sorted(KINDS)),
        doc=rng.choice(("doc1", "doc2", None)),
        path=rng.choice(("a.md", None)),
        body_hash=rng.choice(("00", None)),
        data={key: item for key, item in data.items() if rng.random() < 0.6},
    )


# -- markdown --------------------------------------------------------------------------------------------------------


class MarkdownFiles(Surface):
    name = "markdown"

    def __init__(self) -> None:
        self._analyzer = Analyzer(redact)
        self._collection = Collection("notes", "/notes")

    def draw(self, rng: random.Random) -> bytes:
        parts = [rng.choice(list(NOTES.values()))] if rng.random() < 0.3 else []
        parts += [hostile.text(rng, 12) for _ in range(rng.randint(1, 4))]
        rng.shuffle(parts)
        if rng.random() < 0.25:
            parts.insert(0, f"---\n{hostile.text(rng, 5)}\n---\n")
        return hostile.encoded(rng, rng.choice(("\n", "\n\n", "")).join(parts))

    def take(self, given: bytes) -> None:
        state = FileState(0, len(given), 1, b"deep/2026-03-05.md")
        try:
            record = self._analyzer.record(given, self._collection, "deep/2026-03-05.md", state, "doc1", 1)
        except NotText:
            return
        record.document.title.encode("utf-8")
        for part in record.fragments:
            part.fragment.text.encode("utf-8")
            assert 1 <= part.fragment.start_line <= part.fragment.end_line
            assert 0 <= part.start_byte <= part.end_byte <= len(given)


# -- all of them -----------------------------------------------------------------------------------------------------


@contextmanager
def surfaces(home: Path) -> Iterator[dict[Surface, int]]:
    """Each with its share of a hundred inputs, over a vault in this folder."""
    for path, text in NOTES.items():
        (home / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
        (home / "notes" / path).write_text(text, "utf-8")
    environ = {f"HEARTH_{name.upper()}_DIR": str(home / name) for name in ("config", "data", "cache", "state")}
    (home / "config").mkdir()
    (home / "config" / "config.yaml").write_text(f"collections: {{notes: {{path: {home / 'notes'}}}}}\n", "utf-8")
    pool = VaultPool(environ=environ | {"HOME": str(home)})
    rest = RestRequests(pool)
    try:
        yield {
            CommandLine(): 15,
            HookEvents(pool): 15,
            McpLines(pool): 15,
            rest: 10,
            JournalLines(): 25,
            MarkdownFiles(): 20,
        }
    finally:
        rest.close()
        pool.close()
