"""``hearth update``, ``embed``, ``reindex`` and ``watch``: keep the index up to date with the folders and their
remotes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, Progress, pass_session
from hearth.config import edit
from hearth.core import instants
from hearth.core.errors import HearthError, NotFound, Unavailable
from hearth.core.files import locked, write_atomically
from hearth.core.paths import Folders
from hearth.daemon.followers import due
from hearth.vault.embedding import EmbedReport
from hearth.vault.indexing.plan import SyncReport, release
from hearth.vault.vault import Vault

SHOWN = 5
_MARKDOWN = "**/*.md"


def tell_other_notes(vault: str, collection: str, found: Mapping[str, int], pattern: str = _MARKDOWN) -> None:
    """One line on files that look like notes and are not read, with the pattern that would take them in."""
    if found:
        counted = ", ".join(f"{count:,} {kind}" for kind, count in found.items())
        wanted = ",".join((pattern, *(f"**/{kind}" for kind in found)))
        key = f"{edit.key_of(vault, collection)}.pattern"
        output.say(f'{collection}: {counted} skipped; to include them: hearth config set {key} "{wanted}"')


def warnings(report: SyncReport) -> None:
    """Names on stderr what was left out and what has faults, and why."""
    for file in report.skipped[:SHOWN]:
        output.warn(f"skipped {file.collection}/{output.name(file.path)}: {file.reason}")
    if len(report.skipped) > SHOWN:
        output.warn(f"and {len(report.skipped) - SHOWN:,} more files skipped; hearth status --all lists them")
    for file in report.new_faults[:SHOWN]:
        output.warn(f"{file.collection}/{output.name(file.path)}: {file.reason}")
    if report.new_faults:
        more = (
            f"and {len(report.new_faults) - SHOWN:,} more; hearth status --all lists them; "
            if report.new_faults[SHOWN:]
            else ""
        )
        output.warn(f"{more}searches find these documents; correct what is named, then run: hearth update")
    for name, why in report.held.items():
        output.warn(f"collection {name!r} kept missing documents: {why}; {release(name, why)}")
    for problem in report.problems[:SHOWN]:
        output.warn(problem)
    if len(report.problems) > SHOWN:
        output.warn(f"and {len(report.problems) - SHOWN:,} more problems; hearth doctor names what still stands")


@click.command()
@click.option("-f", "--force", is_flag=True, help="Recompute all vectors; the present ones answer until then.")
@options.json_flag
@pass_session
def embed(session: CommandSession, force: bool, as_json: bool) -> None:
    """Compute missing vectors.

    It can be interrupted and run again. Until a model's vectors are complete, the former ones answer."""
    with session.vault() as vault:
        report = fill(vault, session, force=force)
    if as_json:
        output.say_json(embed_row(report))
    else:
        output.say(summary(report))
    if report.error is not None:
        raise Unavailable(f"embedding stopped: {report.error}; what was embedded is kept, run it again later")


def fill(vault: Vault, session: CommandSession, *, force: bool = False) -> EmbedReport:
    if (other := vault.index.locks.embedder()) is not None:
        output.warn(f"waiting for {other}, which is embedding this vault")
    status = vault.status()
    total = status.fragments * len(status.wanted) if force else status.missing_vectors
    with Progress(session, "embedding", "fragments") as progress:
        return vault.index.embed(force=force, progress=lambda done: progress(done, total))


def fill_gently(vault: Vault, session: CommandSession) -> EmbedReport:
    """Where embedding is only a part of what was asked: a model that fails is a warning, since the built-in table
    answers."""
    try:
        report = fill(vault, session)
    except HearthError as error:
        report = EmbedReport(error=str(error))
    if report.error is not None:
        output.warn(f"embedding stopped: {report.error}; the previous vectors still answer; run later: hearth embed")
    return report


def summary(report: EmbedReport) -> str:
    text = f"{output.plural(report.embedded, 'fragment')} embedded in {report.seconds:.1f} s"
    text += f", {report.failed:,} failed; hearth status says why" if report.failed else ""
    return "\n".join([text, *report.news])


def embed_row(report: EmbedReport) -> dict[str, object]:
    return {
        "embedded": report.embedded,
        "failed": report.failed,
        "seconds": round(report.seconds, 3),
        "error": report.error,
        "news": report.news,
    }


@click.command()
@click.option("--pull", is_flag=True, help="First run each trusted collection's update command.")
@click.option("--embed", "also_embed", is_flag=True, help="Retry fragments that could not be embedded.")
@click.option("--force", is_flag=True, help="Remove missing documents, however many.")
@options.json_flag
@pass_session
def update(session: CommandSession, pull: bool, also_embed: bool, force: bool, as_json: bool) -> None:
    """Update the index from the folders."""
    failures = _pull(session) if pull else []
    with session.vault() as vault:
        report = sync(vault, session, force=force)
        embedded = fill_gently(vault, session) if also_embed else None
    if as_json:
        row = report.to_dict() | ({"embed": embed_row(embedded)} if embedded is not None else {})
        output.say_json(row | ({"pull_failed": failures} if pull else {}))
    else:
        output.say(report.summarize())
        for one in vault.collections:
            if part := report.collections.get(one.name):
                tell_other_notes(vault.name, one.name, part.other_notes, one.pattern)
        warnings(report)
    if failures:
        raise Unavailable(f"{output.plural(len(failures), 'update command')} did not run: {'; '.join(failures)}")


def sync(vault: Vault, session: CommandSession, *, force: bool = False) -> SyncReport:
    if (other := vault.index.scanning()) is not None:
        output.warn(f"waiting for {other}, which is scanning this vault")
    with Progress(session, "updating") as progress:
        return vault.index.sync(force=force, progress=progress)


def _pull(session: CommandSession) -> list[str]:
    """Runs the update commands; returns why some did not run or failed."""

    chosen = session.settings()
    trust = Trust(chosen.folders)
    failures = []
    for name, collection in chosen.vault.collections.items():
        if collection.update is None:
            continue
        if not trust.holds(collection.path, collection.update):
            failures.append(f"{name} is not trusted (run: hearth collection trust {name})")
        elif (problem := execute(collection.path, collection.update)) is not None:
            failures.append(f"{name}: {problem}")
    return failures


@click.command()
@click.option("--force", is_flag=True, help="Even if folders are missing or the old index can't be read.")
@options.json_flag
@pass_session
def reindex(session: CommandSession, force: bool, as_json: bool) -> None:
    """Rebuild the index from the files and the journal.

    The old index answers until the new one is complete."""
    session.kept = "the old index is unchanged"
    with session.vault() as vault, Progress(session, "reindexing") as progress:
        report = vault.index.reindex(force=force, progress=progress)
    if as_json:
        output.say_json(report.to_dict())
        return
    output.say(report.summarize())
    warnings(report)


@click.command()
@pass_session
def watch(session: CommandSession) -> None:
    """Update the index on every change until stopped.

    Prints a line for each change."""
    chosen = session.settings()
    if not chosen.vault.collections:
        raise NotFound("no collections to watch; add one with: hearth bootstrap PATH")
    debounce = int(chosen.loaded.config.daemon.debounce_seconds * 1000)
    with session.vault() as vault:
        roots = [root for collection in vault.collections for root in collection.folders]
        try:
            _sync(vault, first=True)
            for number, _ in enumerate(due(roots, debounce, output.warn)):
                if number == 0:
                    folders = output.plural(len(chosen.vault.collections), "folder")
                    output.note(f"watching {folders} and the memories; stop with Ctrl-C")
                _sync(vault, first=False)
        except KeyboardInterrupt:
            output.note("stopped")


def _sync(vault: Vault, *, first: bool) -> None:
    """What fails now may work at the next look, so it is a warning."""
    try:
        report = vault.index.sync()
    except (HearthError, OSError) as error:
        output.warn(str(error))
        return
    if report.touched or report.moved or first:
        output.say(f"{instants.show(time.time_ns() // 1_000_000)} {report.summarize()}")
        warnings(report)
        sys.stdout.flush()


TIMEOUT_SECONDS = 120.0
_SHOWN_CHARS = 200


class Trust:
    """The trusted pairs of folder and command, as hashes in the state folder, which is never synced.

    A different real path or argument is a different hash, so any change takes the trust away.
    """

    def __init__(self, folders: Folders) -> None:
        self._file = Path(folders.state, "trusted-commands.json")
        self._lock = Path(folders.state, "trusted-commands.lock")

    def holds(self, folder: Path, command: Sequence[str]) -> bool:
        return _key(folder, command) in self._read_trusted()

    def grant(self, folder: Path, command: Sequence[str]) -> None:
        with locked(self._lock):
            self._write(self._read_trusted() | {_key(folder, command)})

    def revoke(self, folder: Path, command: Sequence[str]) -> None:
        with locked(self._lock):
            self._write(self._read_trusted() - {_key(folder, command)})

    def _read_trusted(self) -> set[str]:
        """A damaged file trusts nothing."""
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise Unavailable(f"can't read {self._file}: {error.strerror}; check its permissions") from error
        except ValueError:
            return set()
        return {item for item in found if isinstance(item, str)} if isinstance(found, list) else set()

    def _write(self, keys: set[str]) -> None:
        write_atomically(self._file, json.dumps(sorted(keys)).encode("ascii"))


def _key(folder: Path, command: Sequence[str]) -> str:
    text = json.dumps([str(folder.resolve()), *command])
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def execute(folder: Path, command: Sequence[str], timeout: float = TIMEOUT_SECONDS) -> str | None:
    """Runs in ``folder`` in a session of its own, without input; says what went wrong, or ``None``."""
    try:
        process = subprocess.Popen(
            list(command),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return f"{command[0]} can't be started: {error.strerror}"
    try:
        printed, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _end(process)
        return f"{command[0]} was stopped after {timeout:g} s"
    except BaseException:
        _end(process)
        raise
    if process.returncode == 0:
        return None
    last = " ".join(printed.decode("utf-8", "replace").split())[-_SHOWN_CHARS:]
    return f"{command[0]} failed with exit code {process.returncode}" + (f" ({last})" if last else "")


def _end(process: subprocess.Popen[bytes]) -> None:
    """The whole group: what the command started must not go on without it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
