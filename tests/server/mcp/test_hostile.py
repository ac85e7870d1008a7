"""Hostile input: every call ends in an answer or an error that names the fault, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult
from tests.server.answers import Ask, data, refused

from hearth.app.pool import VaultPool
from hearth.core.errors import UsageError
from hearth.core.files import inside
from hearth.operations.arguments import Arguments, View, allowed, collection_of
from hearth.operations.operation import Operation, Request, Row, Tool
from hearth.operations.shapes import obj
from hearth.ports import Collection
from hearth.server.mcp.protocol import HearthServer
from hearth.server.mcp.tool import McpTool, tools

TRAVERSALS = [
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "/etc/passwd",
    "notes/../../outside.md",
    "notes/runbooks/../../../outside.md",
    "restore.md\0.txt",
    "\\\\server\\share\\x.md",
    "//server/share/x.md",
    "C:\\Windows\\win.ini",
    "~/.ssh/id_rsa",
    "file:///etc/passwd",
    "hearth://notes/../../../etc/passwd",
    "notes/link/secret.md",
    ".",
    "..",
    "notes/runbooks\u2215..\u2215secret.md",
]
PATHS = [("get", "reference"), ("multi_get", "pattern"), ("find_similar", "reference"), ("timeline", "reference"),
         ("memory_pin", "reference"), ("memory_forget", "reference"), ("memory_snooze", "reference"),
         ("lifecycle_restore", "reference"), ("vault_sync", "content_root"), ("vault_sync", "collection"),
         ("search", "collection"), ("memory_get", "path")]  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "memory_snooze": {"days": 1},
    "search": {"query": "x"},
    "memory_forget": {"confirm": True},
}
TOKEN = "ghp_" + "a8Fk2Lq9" * 4 + "Zx3v"
SECRET = "the outside secret of the aardvark"


@pytest.fixture(autouse=True)
def outside(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "outside.md").write_text(SECRET)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.md").write_text(SECRET)
    (tmp_path / "notes" / "link").symlink_to(tmp_path / "elsewhere")


def test_no_path_leads_out_of_the_collections(server: HearthServer) -> None:
    async def call() -> list[tuple[str, str, Any]]:
        async with Client(server) as client:
            await client.call_tool("reindex", {})
            return [
                (tool, path, await client.call_tool(tool, {argument: path, **MORE.get(tool, {})}))
                for tool, argument in PATHS
                for path in TRAVERSALS
            ]

    for tool, path, result in anyio.run(call):
        said = result.model_dump_json()
        assert SECRET not in said, (tool, path)
        assert "root:" not in said, (tool, path)
        assert (result.meta or {}).get("hearth/error", {}).get("code") != "internal", (tool, path)
        if tool == "multi_get":
            assert result.is_error or not result.structured_content["documents"], path
        elif tool == "memory_get" and not result.is_error:
            assert result.structured_content["status"] == "not_found", path
        else:
            assert result.is_error, (tool, path)


def test_resources_lead_nowhere_else_either(server: HearthServer) -> None:
    paths = [*TRAVERSALS, "restore.md", "runbooks/restore.md:2", "runbooks/restore.md#L1"]
    starts = ("", "hearth://default/notes/", "hearth://default/", "hearth://work/notes/", "hearth://")

    async def read() -> list[MCPError]:
        errors = []
        async with Client(server) as client:
            for uri in [start + path for path in paths for start in starts]:
                try:
                    found = await client.read_resource(uri)
                except MCPError as error:
                    errors.append(error)
                else:
                    pytest.fail(f"{uri}: {found}")
        return errors

    errors = anyio.run(read)
    assert len(errors) == len(paths) * len(starts)
    assert {error.code for error in errors} == {-32602}
    assert not any(SECRET in str(error) or "root:" in str(error) for error in errors)


def test_folders_of_links_hidden_folders_and_systems_are_no_content_roots(tmp_path: Path) -> None:
    for folder in (".git", "_PRIVATE", "Secrets", "plain"):
        (tmp_path / "notes" / folder).mkdir()
    notes = Collection("notes", str(tmp_path / "notes"))
    assert collection_of(str(tmp_path / "notes" / "plain"), [notes]) == notes
    assert collection_of("notes", [notes]) == notes
    for folder in (".git", "_PRIVATE", "Secrets", "link", "missing", "../docs", "plain/../../docs", "plain\0"):
        with pytest.raises(UsageError):
            collection_of(f"{tmp_path}/notes/{folder}", [notes])
    for folder in ("/", "/etc", "/root", str(tmp_path), str(tmp_path / "notes2"), "", "notes/..", "~"):
        with pytest.raises(UsageError):
            # In no collection: it may become one only below a root of the vault.
            if collection_of(folder, [notes]) is None:
                allowed(folder, [tmp_path / "notes"])
    top = Collection("all", "/")
    for folder in ("/", "/etc", "/proc/self", "/dev"):
        with pytest.raises(UsageError, match="the system's"):
            collection_of(folder, [top])
    assert inside(notes.root, "plain").is_dir()


def test_vault_sync_adds_no_collection(ask: Ask, tmp_path: Path) -> None:
    before = (tmp_path / "config" / "config.yaml").read_bytes()
    said = refused(ask("vault_sync", content_root=str(tmp_path / "elsewhere")), "usage")
    assert "hearth collection add" in said
    assert (tmp_path / "config" / "config.yaml").read_bytes() == before
    assert data(ask("search", query="aardvark"))["results"] == []


WRONG = [
    ("search", {}, "query is missing"),
    ("search", {"query": None}, "query is missing"),
    ("search", {"query": ""}, "it takes 1 to"),
    ("search", {"query": True}, "query is to be text"),
    ("search", {"query": ["a"]}, "query is to be text, not a list"),
    ("search", {"query": "a", "limit": 0}, "it takes 1 to 100"),
    ("search", {"query": "a", "limit": 10**30}, "it takes 1 to 100"),
    ("search", {"query": "a", "limit": 10**400}, "it takes 1 to 100"),
    ("search", {"query": "a", "min_score": -(10**400)}, "it takes 0 to 1"),
    ("search", {"query": "a", "limit": True}, "a whole number, not True"),
    ("search", {"query": "a", "limit": 1.5}, "a whole number, not 1.5"),
    ("search", {"query": "a", "min_score": 2}, "it takes 0 to 1"),
    ("search", {"query": "a", "types": ["novel"]}, "choose one of"),
    ("search", {"query": "a", "types": {"note": 1}}, "a list of texts"),
    ("search", {"query": "a", "since": "yesterday"}, "is not a date"),
    ("search", {"query": "a", "since": "9999999-01-01"}, "is not a date"),
    ("search", {"query": "a", "colour": "red"}, "unknown argument 'colour'"),
    ("memory_retrieve", {"query": "a", "mode": "psychic"}, "choose one of auto"),
    ("memory_snooze", {"reference": "restore.md"}, "say one of until, days"),
    ("memory_snooze", {"reference": "restore.md", "until": "2001-01-01"}, "later date"),
    ("memory_pin", {"reference": "restore.md", "reason": "x" * 201}, "it takes 1 to 200"),
    ("memory_store", {"content": "x", "type": "hub"}, "choose one of"),
    ("lifecycle_restore", {}, "give reference"),
    ("status", {"vault": {"a": 1}}, "vault is to be text, not an object"),
]


def test_wrong_arguments_are_named(ask: Ask) -> None:
    for tool, arguments, said in WRONG:
        assert said in refused(ask(tool, arguments), "usage")


def test_ten_megabytes_are_refused_without_an_echo(ask: Ask) -> None:
    for arguments in ({"query": "x" * 10_000_000}, {"y" * 10_000_000: 1, "query": "a"}, {"query": ["z"] * 1_000_000}):
        result = ask("search", arguments)
        assert result.is_error
        assert len(result.model_dump_json()) < 5_000


def test_an_unknown_name_is_answered_with_the_nearest(ask: Ask) -> None:
    said = refused(ask("serch"), "not_found")
    assert "no operation 'serch'; did you mean search?" in said
    assert "use a name that is given here" in said


def test_an_unknown_vault_is_named(ask: Ask) -> None:
    assert "vaults are default, work" in refused(ask("status", vault="nowhere"), "not_found")
    for name in ("../work", "default/../work", "\0", "..", "wörk"):
        refused(ask("status", vault=name), "not_found")


def test_what_nobody_expected_is_told_without_details_and_logged_without_secrets(
    vaults: VaultPool, caplog: pytest.LogCaptureFixture
) -> None:
    def run(call: Request, given: Arguments) -> Row:
        raise KeyError(f"/home/me/notes {TOKEN}")

    broken = McpTool(Operation("broken", "Broken", "Fails.", Arguments, obj({}), run), Tool("broken"))

    async def call() -> CallToolResult:
        async with Client(HearthServer(vaults, {"broken": broken})) as client:
            return await client.call_tool("broken", {})

    said = refused(anyio.run(call), "internal")
    assert "KeyError" not in said
    assert "/home/me" not in said
    assert "KeyError" in caplog.text
    assert TOKEN not in caplog.text


def test_secrets_in_arguments_do_not_come_back(ask: Ask) -> None:
    assert TOKEN not in ask("get", reference=TOKEN).model_dump_json()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_check_of_arguments_agrees_with_json_schema(drawn: st.DataObject) -> None:
    tool = drawn.draw(st.sampled_from(list(tools().values())))
    view = View(tool.tool.takes or tool.operation.takes, tool.tool.names, vault=True)
    names = st.sampled_from([*view.schema["properties"], "unknown"])
    values = _JSON | st.sampled_from(["auto", "note", "decision", 1, 5, 0.5, True])
    arguments = drawn.draw(st.dictionaries(names, values, max_size=4))
    # Left-out arguments may be null, which a schema of one type a property can't say.
    plain = {
        name: value for name, value in arguments.items() if value is not None or name not in view.schema["properties"]
    }
    try:
        jsonschema.validate(plain, view.schema)
        fits = not any(value != value or value in (float("inf"), float("-inf")) for value in plain.values()
                       if isinstance(value, float))  # fmt: skip
    except jsonschema.ValidationError:
        fits = False
    try:
        found = vars(view.read(arguments))
    except UsageError as error:
        assert not fits, str(error)
        assert len(str(error)) < 1_500
    else:
        assert fits
        named = {name: found[field] for name, field in view.names.items() if field in found}
        jsonschema.validate(json.loads(json.dumps(named)), view.schema)
