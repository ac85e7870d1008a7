"""Resources: documents by address, and the state of the vaults."""

from __future__ import annotations

from urllib.parse import quote, unquote

from hearth.app.opened import OpenVault
from hearth.app.pool import VaultPool
from hearth.core.errors import NotFound
from hearth.guard.invisible import visible
from hearth.operations import profile, upkeep
from hearth.operations.arguments import Arguments
from hearth.operations.shapes import valid
from hearth.server.mcp.tool import request

SCHEME = "hearth://"
STATUS = "hearth://status"
PROFILE = "hearth://profile"
TEMPLATE = "hearth://{vault}/{collection}/{path}"
MOST_CHARS = 1_000_000
MOST_VALUES = 100

LISTED = (
    {
        "uri": PROFILE,
        "name": "profile",
        "title": "Who the user is",
        "description": "What is known of the person, each statement with its source.",
        "mimeType": "text/plain",
    },
    {
        "uri": STATUS,
        "name": "status",
        "title": "What the memory holds",
        "description": "The vaults, what each holds and whether anything is wrong.",
        "mimeType": "text/plain",
    },
)
TEMPLATES = (
    {
        "uriTemplate": TEMPLATE,
        "name": "document",
        "title": "A document",
        "description": "A document's present text, secrets taken out.",
        "mimeType": "text/markdown",
    },
)


def address(vault: str, collection: str, path: str) -> str:
    """The resource of a document; slashes of the path stay."""
    return f"{SCHEME}{quote(vault, safe='')}/{quote(collection, safe='')}/{quote(path, safe='/')}"


def read(vaults: VaultPool, uri: str) -> tuple[str, str]:
    """Text and media type. Raises ``NotFound`` for everything but an indexed document by its exact place."""
    if uri == STATUS:
        return status(vaults), "text/plain"
    if uri == PROFILE:
        with vaults.use(vaults.default) as opened:
            opened.fresh()
            return visible(profile.render_profile(opened.vault.profile.read(), Arguments())), "text/plain"
    parts = [unquote(part) for part in uri.removeprefix(SCHEME).split("/", 2)]
    if not uri.startswith(SCHEME) or len(parts) != 3 or not all(parts):
        raise NotFound(f"no resource {uri[:200]!r}; documents are {TEMPLATE}")
    name, collection, path = parts
    if name not in vaults.names():
        raise NotFound(f"no resource {uri[:200]!r}: there is no vault {name[:80]!r}; documents are {TEMPLATE}")
    with vaults.use(name) as opened:
        opened.fresh()
        docid = _docid(opened, collection, path)
        if docid is None:
            raise NotFound(f"no resource {uri[:200]!r}: vault {name} has no such document")
        text = opened.vault.get(f"#{docid}").text
    if len(text) > MOST_CHARS:
        text = text[:MOST_CHARS] + f"\n\n(cut at {MOST_CHARS:,} characters; the tool get reads on)"
    return visible(text), "text/markdown"


def _docid(opened: OpenVault, collection: str, path: str) -> str | None:
    """By exact place only: no suffix, no line, nothing outside the index."""
    with opened.vault.store.read() as reader:
        places = reader.look_up("place", [f"{collection}/{path}"])
    return next((one.docid for one in places if one[1:] == (collection, path)), None)


def status(vaults: VaultPool) -> str:
    texts = []
    for name in vaults.names():
        with vaults.use(name) as opened:
            given = Arguments()
            texts.append(upkeep.render_vault_status(upkeep.describe_vault(request(vaults, opened), given), given))
    return "\n\n".join(texts)


def complete(vaults: VaultPool, argument: str, begun: str, known: dict[str, str]) -> tuple[list[str], int]:
    """Values of a template's argument that continue what is typed, and how many there are."""
    if argument == "vault":
        return _fitting(vaults.names(), begun)
    name = known.get("vault", vaults.default)
    if name not in vaults.names():
        return [], 0
    with vaults.use(name) as opened:
        if argument == "collection":
            return _fitting([collection.name for collection in opened.vault.collections], begun)
        if argument != "path":
            return [], 0
        wanted = known.get("collection")
        paths = [
            stored.document.path
            for stored in opened.vault.documents()
            if wanted is None or stored.document.collection == wanted
        ]
    return _fitting(paths, begun)


def _fitting(values: list[str] | tuple[str, ...], begun: str) -> tuple[list[str], int]:
    """Those that begin so first, then those that hold it."""
    typed = begun.casefold()
    starts = sorted(value for value in values if value.casefold().startswith(typed))
    holds = sorted(value for value in values if typed in value.casefold() and not value.casefold().startswith(typed))
    found = [valid(value) for value in starts + holds]
    return found[:MOST_VALUES], len(found)
