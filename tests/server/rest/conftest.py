from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest

from hearth import open_vault
from hearth.app.pool import VaultPool
from hearth.server.application import ServerOptions, prepared
from hearth.server.limits import Allowance
from hearth.server.port import Place, listening

NOTES = {
    "decisions/0001-postgres.md": "# PostgreSQL over MongoDB\n\nWe chose PostgreSQL because joins matter more.\n",
    "runbooks/restore.md": "# Restore from backup\n\nFetch the dump with restic.\n\nThen load it with pg_restore.\n",
    "daily/2026-03-05.md": "# Thursday\n\n- Baked bread with rye flour.\n- Walked the dog along the river.\n",
    "ideas/boat.md": "# A boat\n\nA small wooden boat for the lake, painted green.\n",
}
OTHER = {"merger.md": "# The merger\n\nThe merger is called Albatross and closes in May.\n"}
# Tests ask faster than people.
GENEROUS = Allowance(rate=100_000, burst=100_000)


@dataclass(frozen=True)
class Live:
    """A server on loopback, with the folder that holds everything of it."""

    url: str
    port: int
    folder: Path
    environ: dict[str, str]

    def client(self, **given: Any) -> httpx.Client:
        # Nothing is encrypted: certificates are not read each time.
        return httpx.Client(base_url=f"{self.url}/v1", timeout=100, trust_env=False, verify=False, **given)


def write(folder: Path, notes: dict[str, str]) -> None:
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def prepare(folder: Path) -> dict[str, str]:
    """Two vaults, each with its notes; gives the variables that lead to them."""
    write(folder / "notes", NOTES)
    write(folder / "work", OTHER)
    (folder / "config").mkdir()
    (folder / "config" / "config.yaml").write_text(
        f"collections:\n  notes:\n    path: {folder}/notes\n"
        f"vaults:\n  work:\n    collections:\n      files:\n        path: {folder}/work\n",
        encoding="utf-8",
    )
    named = {f"HEARTH_{name.upper()}_DIR": str(folder / name) for name in ("config", "data", "cache", "state")}
    environ = {**named, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PATH": os.environ["PATH"], "TZ": "UTC"}
    for vault in (None, "work"):
        with open_vault(vault, environ=environ) as opened:
            opened.index.sync()
    return environ


@contextmanager
def serving(
    folder: Path, token: str | None = None, allowed: Allowance = GENEROUS, deadline: float = 30
) -> Iterator[Live]:
    """Serves a prepared folder from a thread until the block ends."""
    environ = prepare(folder)
    place = Place("127.0.0.1", 0)
    server = prepared(VaultPool(environ=environ), ServerOptions(place, token, "full", allowed, deadline))
    port = listening(place)
    number = port.getsockname()[1]
    thread = threading.Thread(target=server.run, args=([port],))
    thread.start()
    try:
        yield Live(f"http://127.0.0.1:{number}", number, folder, environ)
    finally:
        server.should_exit = True
        thread.join(20)
        port.close()
    assert not thread.is_alive()


@pytest.fixture(scope="package")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with serving(tmp_path_factory.mktemp("rest")) as found:
        yield found


@pytest.fixture(scope="package")
def described(live: Live) -> Callable[[httpx.Response], None]:
    """Raises for an answer that is not as the OpenAPI document says."""
    document = httpx.get(f"{live.url}/openapi.json").json()

    def validator(schema: dict[str, Any]) -> Any:
        return jsonschema_rs.Draft202012Validator(schema | {"components": document["components"]})

    problem = validator({"$ref": "#/components/schemas/Problem"})
    # Of several that fit the longest is meant, as in the server.
    routes = [
        (method, re.compile("/v1" + re.sub(r"\{\w+\}", ".+", path)), validator(content["application/json"]["schema"]))
        for path, operations in sorted(document["paths"].items(), key=lambda item: -len(item[0]))
        for method, operation in operations.items()
        if "application/json" in (content := operation["responses"]["200"]["content"])
    ]

    def check(answer: httpx.Response) -> None:
        answer.read()
        kind, path = answer.headers.get("content-type"), answer.request.url.path
        if answer.status_code >= 400:
            assert kind == "application/problem+json", answer.text
            problem.validate(answer.json())
        elif kind == "application/json" and not path.endswith("/openapi.json"):
            fits = (v for m, shape, v in routes if m == answer.request.method.lower() and shape.fullmatch(path))
            next(fits).validate(answer.json())

    return check


@pytest.fixture
def rest(live: Live, described: Callable[[httpx.Response], None]) -> Iterator[httpx.Client]:
    """A client whose every answer is held against the OpenAPI document."""
    with live.client(event_hooks={"response": [described]}) as client:
        yield client


@pytest.fixture
def secret(tmp_path: Path) -> Iterator[Live]:
    """A server that wants a token."""
    with serving(tmp_path, "s3cret") as found:
        yield found


Remember = Callable[..., str]


@pytest.fixture
def remember(rest: httpx.Client) -> Remember:
    """Writes a memory; gives its docid."""

    def write_it(text: str, **given: Any) -> str:
        answer = rest.post("/memories", json={"text": text, **given})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["docid"])

    return write_it
