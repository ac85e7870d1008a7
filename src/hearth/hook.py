"""One event of a host, answered: parse, pick the vault, let it answer, render.

Whatever goes wrong becomes the host's empty output and a line in the log of the state folder.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hearth import hosts
from hearth.app import Settings, compose, hooks, settings
from hearth.config import Config, vault, vault_for
from hearth.core import paths
from hearth.core.errors import ConfigError, HearthError, Unavailable, UsageError
from hearth.core.files import Log
from hearth.core.hook import Handled, HookEvent, HookReply
from hearth.core.lazy import dataclass
from hearth.core.patterns import CACHE

if TYPE_CHECKING:
    from hearth.context.hook_context import Hooks

AUTO = "auto"
LONE_PROFILE = "speed"
REACHED = "HEARTH_REACHED"
"""Among the variables of an event that comes late: how many bytes its transcript held then."""
# What goes by itself, or when somebody mends the settings.
_PASSING = (Unavailable, ConfigError)


class Vaults(Protocol):
    """Where vaults come from: the daemon has a pool of them, a fallback opens one. ``profile`` is what hooks may spend,
    ``failures`` where what goes wrong is written; ``deadline`` is on the monotonic clock. A vault is used until what
    follows the answer is done."""

    @property
    def failures(self) -> Log: ...

    def config(self, environ: Mapping[str, str]) -> Config: ...

    def profile(self, environ: Mapping[str, str]) -> str: ...

    def use(self, name: str, deadline: float) -> AbstractContextManager[Hooks]: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """``output`` is to be printed; ``after`` is to be called once it is out, ``end`` in the end, also where it never
    got out; neither raises. ``after`` says whether all is written down, ``False`` where that may work later. ``reason``
    says why nothing is printed, ``vault`` which one answered; not ``done`` is what could not be answered now."""

    output: str
    after: Callable[[], bool] = lambda: True
    reason: str | None = None
    vault: str | None = None
    end: Callable[[], None] = lambda: None
    done: bool = True


def answer(name: str, host: str, raw: str, environ: Mapping[str, str], deadline: float, vaults: Vaults) -> Answered:
    """Never raises. ``raw`` is what the host wrote, ``deadline`` is on the monotonic clock."""
    log = vaults.failures
    chosen: str | None = None
    with ExitStack() as use:
        try:
            payload = hosts.payload(raw)
            host = hosts.detect(environ, payload) if host == AUTO else host
            event = _of_then(hosts.dialect(host).read(name, payload, environ), environ.get(REACHED, ""))
            chosen = vault_name(event.cwd or environ.get("PWD"), environ, vaults.config(environ))
            answering = use.enter_context(vaults.use(chosen, deadline))
            handled = _handle(name, event, deadline, answering, vaults.profile(environ))
            output = hosts.dialect(host).render(name, handled.reply)
        except HearthError as error:
            log.failure(f"{host} {name[:40]}", error)
            return Answered(nothing(name, host), reason=str(error), vault=chosen, done=not isinstance(error, _PASSING))
        except Exception as error:  # noqa: BLE001 (the host must never see an error)
            log.failure(f"{host} {name[:40]}: unexpected", error)
            return Answered(nothing(name, host), reason=f"unexpected {type(error).__name__}: {error}", vault=chosen)
        after = _log(handled.after, f"after {host} {name}", log)
        return Answered(output, after, handled.reply.reason, chosen, use.pop_all().close, handled.done)


def _of_then(event: HookEvent, reached: str) -> HookEvent:
    """An event that comes late, as it was when it happened."""
    return replace(event, reached=int(reached)) if reached.isascii() and reached.isdecimal() else event


def _handle(name: str, event: HookEvent, deadline: float, hooks: Hooks, profile: str) -> Handled:
    left = int((deadline - time.monotonic()) * 1000)
    if left <= 0:
        raise Unavailable("no time was left")
    return hooks.answer(name, event, left, profile)


def vault_name(cwd: str | None, environ: Mapping[str, str], config: Config) -> str:
    """The vault that is named, else the one whose root is the longest prefix of the folder ``cwd``."""
    named = environ.get("HEARTH_VAULT")
    return named or vault_for(Path(cwd or "/"), config)


def nothing(name: str, host: str) -> str:
    """The host's empty output; empty for a host that there is not."""
    with suppress(UsageError):
        return hosts.dialect("codex" if host == AUTO else host).render(name, HookReply())
    return ""


def log_of(environ: Mapping[str, str]) -> Log:
    """Where hooks write what went wrong. Raises ``ConfigError`` where a folder is named wrongly."""
    return Log(Path(paths.folders(environ).state, paths.HOOKS_LOG), _scrub)


def _scrub(text: str) -> str:
    from hearth.guard.secrets.redaction import redact

    return redact(text).text


def _log(after: Callable[[], None], doing: str, log: Log) -> Callable[[], bool]:
    def run() -> bool:
        try:
            after()
        except Exception as error:  # noqa: BLE001 (the reply is out; nobody is left to tell)
            log.failure(doing, error)
            return not isinstance(error, _PASSING)
        return True

    return run


# -- without the daemon ----------------------------------------------------------------------------------------------


class Fallback:
    """The vaults of one hook that answers by itself, always in the cheapest profile: with what the others load it would
    take longer than people wait."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._settings: Settings = settings(environ=environ)

    @property
    def failures(self) -> Log:
        return log_of(self._environ)

    @property
    def mode(self) -> str:
        return self._settings.loaded.config.daemon.mode

    def config(self, environ: Mapping[str, str]) -> Config:
        return self._settings.loaded.config

    def profile(self, environ: Mapping[str, str]) -> str:
        return LONE_PROFILE

    @contextmanager
    def use(self, name: str, deadline: float) -> Iterator[Hooks]:
        """Not closed: the process ends with it."""
        loaded, folders = self._settings.loaded, self._settings.folders
        chosen = replace(self._settings, vault=vault(loaded.config, folders, name))
        yield hooks(compose(chosen), loaded.config)


def fall_back(
    name: str, host: str, raw: str, environ: Mapping[str, str], deadline: float, tell: Callable[[str], None]
) -> tuple[str, Callable[[], bool]]:
    """The output and what is to be done after it, by this process itself, as in ``Answered``. ``tell`` gets
    ``daemon.mode`` first."""
    try:
        vaults = Fallback(environ)
    except HearthError as error:
        log_of(environ).failure(f"{host} {name[:40]}", error)
        lost = not isinstance(error, _PASSING)
        return nothing(name, host), lambda: lost
    tell(vaults.mode)
    found = answer(name, host, raw, environ, deadline, vaults)

    def after() -> bool:
        is_done = found.after() if found.done else False
        CACHE.save()  # the process ends without what ``atexit`` would do
        return is_done

    return found.output, after
