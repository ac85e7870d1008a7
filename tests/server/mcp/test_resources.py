"""Resources, completion and prompts, through the official client."""

from __future__ import annotations

from typing import Any

import anyio
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from hearth.server.mcp import resources
from hearth.server.mcp.protocol import HearthServer

TEMPLATE = ResourceTemplateReference(uri=resources.TEMPLATE)


def talk(server: HearthServer, method: str, *arguments: Any, **more: Any) -> Any:
    async def call() -> Any:
        async with Client(server) as client:
            try:
                return await getattr(client, method)(*arguments, **more)
            except MCPError as error:
                return error

    return anyio.run(call)


def values(server: HearthServer, argument: str, begun: str, **known: str) -> list[str]:
    done = talk(server, "complete", TEMPLATE, {"name": argument, "value": begun}, context_arguments=known or None)
    assert done.completion.total == len(done.completion.values)
    found: list[str] = done.completion.values
    return found


def test_a_document_is_read_by_its_address_with_or_without_escapes(server: HearthServer) -> None:
    for path in ("runbooks/restore.md", "runbooks%2Frestore.md", "runbooks%2frestore%2Emd"):
        [content] = talk(server, "read_resource", f"hearth://default/notes/{path}").contents
        assert content.text.startswith("# Restore from backup")
        assert content.mime_type == "text/markdown"
    assert resources.address("default", "notes", "a b/ü?.md") == "hearth://default/notes/a%20b/%C3%BC%3F.md"


def test_the_state_of_all_vaults_is_a_resource(server: HearthServer) -> None:
    [profile, listed] = talk(server, "list_resources").resources
    [content] = talk(server, "read_resource", listed.uri).contents
    assert "Vault default: 4 documents" in content.text
    assert "Vault work: 1 document" in content.text
    [content] = talk(server, "read_resource", profile.uri).contents
    assert content.text.startswith("There is no profile yet")


def test_the_template_completes_vault_collection_and_path(server: HearthServer) -> None:
    assert values(server, "vault", "") == ["default", "work"]
    assert values(server, "vault", "W") == ["work"]
    assert values(server, "collection", "n") == ["notes"]
    assert values(server, "collection", "", vault="work")[:1] == ["_hearth"] or values(
        server, "collection", "d", vault="work"
    ) == ["docs"]
    assert values(server, "path", "rest", collection="notes") == ["runbooks/restore.md"]
    assert values(server, "path", "", vault="work", collection="docs") == ["payroll.md"]
    assert values(server, "path", "", vault="nowhere") == []
    assert values(server, "shoe", "") == []


def test_prompts_say_which_tools_to_call(server: HearthServer) -> None:
    [message] = talk(server, "get_prompt", "recall", {"topic": "the {vault} database", "vault": "work"}).messages
    assert "Answer from memory: the {vault} database" in message.content.text
    assert "memory_retrieve (vault: 'work')" in message.content.text
    for name, arguments in (("remember", {}), ("remember", {"what": "tabs"}), ("handoff", {})):
        [message] = talk(server, "get_prompt", name, arguments).messages
        assert "memory_store" in message.content.text
        assert "{" not in message.content.text


def test_wrong_prompts_are_refused(server: HearthServer) -> None:
    for arguments in ({}, {"topic": " "}, {"topic": "x" * 4_001}, {"topic": "x", "y": "z"}):
        assert talk(server, "get_prompt", "recall", arguments).code == -32602
    assert talk(server, "get_prompt", "sing", {}).code == -32602
    unknown = talk(server, "get_prompt", "handoff", {"vault": "nope"})
    assert (unknown.code, "no vault 'nope'" in str(unknown)) == (-32602, True)


def test_only_what_there_is_is_completed(server: HearthServer) -> None:
    assert talk(server, "complete", PromptReference(name="recall"), {"name": "vault", "value": "w"}).completion.values
    for reference in (PromptReference(name="sing"), ResourceTemplateReference(uri="file:///{path}")):
        assert talk(server, "complete", reference, {"name": "vault", "value": ""}).code == -32602


def test_lists_are_one_page(server: HearthServer) -> None:
    for method in ("list_tools", "list_resources", "list_resource_templates", "list_prompts"):
        assert talk(server, method, cursor="2").code == -32602
