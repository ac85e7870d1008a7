"""``hearth watch``: the index follows the folders until somebody stops it."""

from __future__ import annotations

import errno
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click

from hearth.cli import changes, moments, output
from hearth.cli.session import Session, pass_session
from hearth.engine.vault import Vault
from hearth.errors import HearthError, NotFound

# However little the system tells, folders are looked at this often: it covers lost events, folders that were not
# there at first, and network mounts, for the price of a stat scan.
RESCAN_SECONDS = 60.0
# The first of these ends when the watch stands, which is when changes made meanwhile can be looked for.
_TICK_MS = 1_000
_RETRY_SECONDS = 5.0
_POLL_MS = 1_000
# Quiet for this long ends a batch before the debounce does.
_STEP_MS = 200


@click.command()
@pass_session
def watch(session: Session) -> None:
    """Keep the index up to date until stopped.

    Prints a line for each change. Settings are read at the start."""
    chosen = session.settings()
    if not chosen.vault.collections:
        raise NotFound("no collections to watch; add one with: hearth bootstrap PATH")
    debounce = int(chosen.loaded.config.daemon.debounce_seconds * 1000)
    with session.vault() as vault:
        roots = [collection.root for collection in vault.parts.collections]
        try:
            _sync(vault, first=True)
            for number, _ in enumerate(_due(roots, debounce)):
                if number == 0:
                    folders = output.plural(len(chosen.vault.collections), "folder")
                    output.note(f"watching {folders} and the memories; stop with Ctrl-C")
                _sync(vault, first=False)
        except KeyboardInterrupt:
            output.note("stopped")


def _sync(vault: Vault, *, first: bool) -> None:
    """What fails now may work at the next look, so it is a warning."""
    try:
        report = vault.sync()
    except (HearthError, OSError) as error:
        output.warn(str(error))
        return
    if report.touched or report.moved or first:
        output.say(f"{moments.stamp(time.time_ns() // 1_000_000)} {changes.summary(report)}")
        changes.warnings(report)
        sys.stdout.flush()


def _due(roots: list[str], debounce: int) -> Iterator[None]:
    """Yields when a scan is due: once the watch stands, after each batch of changes, and every ``RESCAN_SECONDS``.
    A watch that breaks is begun anew; where the system has no watches left it polls."""
    polling = False
    while True:
        present = _present(roots)
        last = -RESCAN_SECONDS
        try:
            for changes in _stream(present, debounce, polling=polling):
                now = time.monotonic()
                if changes or now - last >= RESCAN_SECONDS:
                    last = now
                    yield
                if present != _present(roots):
                    break
        except (OSError, RuntimeError) as error:
            polling = polling or "os error 28" in str(error) or getattr(error, "errno", 0) == errno.ENOSPC
            output.warn(f"watching failed ({error}); looking again{' by polling' if polling else ''}")
            time.sleep(_RETRY_SECONDS)


def _stream(present: list[str], debounce: int, *, polling: bool) -> Iterator[object]:
    """Batches of changes, an empty one each ``_TICK_MS`` without any."""
    import watchfiles

    return watchfiles.watch(
        *present,
        watch_filter=None,
        debounce=debounce,
        step=min(debounce, _STEP_MS),
        rust_timeout=_TICK_MS,
        yield_on_timeout=True,
        force_polling=polling or None,
        poll_delay_ms=_POLL_MS,
        ignore_permission_denied=True,
    )


def _present(roots: list[str]) -> list[str]:
    return [root for root in roots if Path(root).is_dir()]
