"""Commands that the daemon runs for callers: the same commands, on a vault of the pool, printing into the reply."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from io import TextIOBase
from pathlib import Path
from typing import Any, TextIO, cast

import click

from hearth.app import Settings
from hearth.app.pool import VaultPool
from hearth.cli import output
from hearth.cli.commands import cli
from hearth.cli.entrypoint import attempt
from hearth.cli.remote import ASKED
from hearth.cli.session import CommandSession
from hearth.config import vault, vault_for
from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.vault.vault import Vault

# At a time; the workers left are for the hooks.
AT_ONCE = 2
# What does not fit into a reply is printed by the caller's own process.
_MOST_CHARS = 2_000_000


class Declined(Exception):
    """This is better done by the caller itself."""


@dataclass
class PooledSession(CommandSession):
    """A caller's session: its folder and the vault that its environment names decide, as in its own process."""

    pool: VaultPool | None = None
    cwd: str = "/"
    named: str | None = None
    deadline: float = 0.0

    def settings(self) -> Settings:
        assert self.pool is not None
        present = self.pool.settings()
        name = self.vault_name or self.named or vault_for(Path(self.cwd), present.loaded.config)
        return replace(present, vault=vault(present.loaded.config, present.folders, name))

    def folder(self) -> str:
        return self.cwd

    @contextmanager
    def vault(self) -> Iterator[Vault]:
        """Stays open after it. Raises ``Declined`` where it is not available soon, or must be rebuilt first."""
        assert self.pool is not None
        name = self.settings().vault.name
        with ExitStack() as stack:
            try:
                opened = stack.enter_context(self.pool.use(name, deadline=self.deadline))
            except Unavailable:
                raise Declined from None
            if opened.vault.index.is_stale():
                raise Declined
            yield opened.vault


class CommandRunner:
    """Fills ``daemon.requests.Commands``."""

    def __init__(self, pool: VaultPool) -> None:
        self._pool = pool
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def prepare(self) -> None:
        """Loads what the commands need, so that no caller waits for it."""
        with click.Context(cli) as context:
            for name in ASKED:
                cli.get_command(context, name)

    def __call__(self, request: Mapping[str, Any], deadline: float) -> dict[str, Any] | None:
        """The reply; ``None`` where the caller is to do it itself."""
        zone = (self._pool.former_settings.environ or {}).get("TZ", "")
        words, cwd = request.get("arguments"), request.get("cwd")
        if not isinstance(words, list) or not cwd or request.get("zone") != zone:
            return None
        if not self._places.acquire(blocking=False):
            return None
        try:
            session = PooledSession(
                pool=self._pool, cwd=str(cwd), named=request.get("vault") or None, deadline=deadline
            )
            return self._run([str(word) for word in words], session, request)
        except Declined:
            return None
        except Exception as error:  # noqa: BLE001 (the caller does it itself, and says what is wrong)
            self._pool.log.failure("a command of another process: unexpected", error)
            return None
        finally:
            self._places.release()

    def _run(self, words: list[str], session: PooledSession, request: Mapping[str, Any]) -> dict[str, Any] | None:
        written: list[list[str]] = []
        encoding = str(request.get("encoding") or "utf-8")
        out = Recorder(written, "out", encoding, terminal=request.get("terminal") == 1)
        err = Recorder(written, "err", encoding, terminal=False)
        given = request.get("env")
        environ = {str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {}
        with output.printing_on(output.Screen(cast(TextIO, out), cast(TextIO, err), environ)):
            code = attempt(cli, words, session)
        # Where nothing was said it was said elsewhere: on the streams of this process.
        return {"code": code, "said": written} if written else None


def begin(pool: VaultPool) -> CommandRunner:
    """Runs commands from a pool, and gets ready for them beside."""
    served = CommandRunner(pool)
    threading.Thread(target=served.prepare, name="hearth-commands", daemon=True).start()
    return served


class Recorder(TextIOBase):
    """A stream of the caller's: its lines go to ``written``, in order with the other stream's. Raises ``Declined`` if
    they become too many."""

    def __init__(self, written: list[list[str]], name: str, encoding: str, *, terminal: bool) -> None:
        self._said = written
        self._name = name
        self._encoding = encoding
        self._terminal = terminal
        self._size = 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._terminal

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._size += len(text)
        if self._size > _MOST_CHARS:
            raise Declined
        if self._said and self._said[-1][0] == self._name:
            self._said[-1][1] += text
        else:
            self._said.append([self._name, text])
        return len(text)
