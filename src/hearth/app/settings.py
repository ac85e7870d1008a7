"""What composing a vault reads from outside, once: settings, folders, locks; and how secrets are taken out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.config import Config, Loaded, VaultConfig, load, vault, vault_for
from hearth.config.tree import DEFAULT_VAULT
from hearth.core import paths
from hearth.core.document import Redacted
from hearth.core.errors import Unavailable
from hearth.core.files import LockHeld, holder, locked
from hearth.core.lazy import dataclass
from hearth.core.paths import home
from hearth.disk.incognito import find_project_files
from hearth.disk.state_files import Places

if TYPE_CHECKING:
    from hearth.capture.work import CaptureChoices
    from hearth.config.tree import CaptureSettings

_OS_MACHINE_ID = Path("/etc/machine-id")


@dataclass(frozen=True)
class Settings:
    """``environ`` holds the keys of models' servers; it is never shown."""

    folders: paths.Folders
    loaded: Loaded
    vault: VaultConfig
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def key(self, variable: str | None) -> str | None:
        """The key in a variable that a setting names; ``None`` where none is named or it is empty."""
        return (self.environ.get(variable) or None) if variable else None


def settings(
    name: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Settings:
    """Reads configuration; ``name`` defaults to ``HEARTH_VAULT``, else to the vault whose root the working folder lies
    below, else to ``default``."""
    environ = os.environ if environ is None else environ
    folders = paths.folders(environ)
    loaded = load(folders, environ, flags)
    chosen = name or environ.get("HEARTH_VAULT") or _here(loaded.config)
    return Settings(folders, loaded, vault(loaded.config, folders, chosen), environ)


def _here(config: Config) -> str:
    try:
        return vault_for(Path.cwd(), config)
    except OSError:  # a folder that was removed
        return DEFAULT_VAULT


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def os_machine_id() -> str | None:
    try:
        return _OS_MACHINE_ID.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


# Seconds that a search waits for a scan under way: most end sooner, and a long one must not hold up an answer.
_SCAN_WAIT = 1.0
_FIRST_SCAN_WAIT = 30.0
# Seconds that a writer waits for others' writes, of some hundredths each.
_WRITERS_WAIT = 60.0


def former(data: Path) -> Path:
    """What the folder of a vault is called once the vault was moved out of it."""
    return data.with_name(f"{data.name}.moved")


@dataclass(frozen=True, slots=True)
class VaultLocks:
    """``cache`` is the folder of the index, ``data`` that of memories and journal. The kernel releases what a process
    held when it ends."""

    cache: Path
    data: Path

    def scan(self) -> AbstractContextManager[None]:
        return locked(self.cache / "sync.lock")

    @contextmanager
    def write(self) -> Iterator[None]:
        """One writer of memories at a time. Raises ``Unavailable`` where the vault was moved meanwhile: nobody would
        look for what is written where it was."""
        with locked(self.cache / "memory.lock", wait=_WRITERS_WAIT):
            if former(self.data).exists() and not self.data.exists():
                raise Unavailable(f"the vault was just moved away from {self.data}; run the command again")
            yield

    def embed(self, wait: float | None) -> AbstractContextManager[None]:
        return locked(self.cache / "embed.lock", wait=wait)

    def jobs(self, wait: float = 0) -> AbstractContextManager[None]:
        """Work in the background: one process at a time, which gives way to none. ``wait`` seconds for it to end."""
        return locked(self.cache / "jobs.lock", wait=wait)

    def wait_for_scan(self, *, first: bool = False) -> bool:
        """Whether another process has been scanning for longer than a search should wait: longer if it is the
        ``first`` scan."""
        try:
            with locked(self.cache / "sync.lock", wait=_FIRST_SCAN_WAIT if first else _SCAN_WAIT):
                return False
        except LockHeld:
            return True
        except Unavailable:  # whoever needs the lock says what is wrong with it
            return False

    def scanner(self) -> str | None:
        return holder(self.cache / "sync.lock")

    def embedder(self) -> str | None:
        """Who embeds by a model at this moment."""
        lock = self.cache / "embed.lock"
        try:
            with locked(lock, wait=0):
                return None
        except LockHeld:
            return holder(lock) or "another process"
        except Unavailable:
            return None


def private_places(chosen: Settings) -> Places:
    """Those of the vault and of this machine's state; never a collection that people made, of whatever vault."""
    config, folders = chosen.loaded.config, chosen.folders
    given = [config.collections, *(vault.collections for vault in config.vaults.values())]
    people = {str(item.path) for collections in given for item in collections.values()}
    data = str(chosen.vault.data)
    # Where somebody made a folder of notes the data folder, too, what Hearth writes there is still Hearth's.
    trees = [data] if data not in people else [f"{data}/memory", f"{data}/journal"]
    return Places(
        trees=[*trees, str(chosen.vault.cache)],
        flat=[folders.state],
        # What is in the folder of settings may be people's, and keeps its mode behind the closed door.
        tops=[folders.data, folders.cache, folders.config],
        people=sorted(people),
        home=home(chosen.environ),
    )


def own_folders(chosen: Settings) -> list[Path]:
    """Where only Hearth writes, and a killed process may have left a text half written."""
    return [chosen.vault.data, chosen.vault.cache, Path(chosen.folders.state), Path(chosen.folders.config)]


def remnant_folders(chosen: Settings) -> list[Path]:
    """These, and the collections, into which an import writes."""
    return [*own_folders(chosen), *(Path(item.path) for item in chosen.vault.collections.values())]


def capture_choices(chosen: CaptureSettings) -> CaptureChoices:
    """What the settings say of capture, and what folders say themselves."""
    from hearth.capture.work import CaptureChoices, CaptureRules

    return CaptureChoices(
        CaptureRules(chosen.mode, chosen.turns, chosen.minutes),
        chosen.conversations,
        chosen.keep_days,
        chosen.exclude,
        chosen.patterns,
        lambda folder: not all(file.capture for file in find_project_files(folder)),
    )


def redact(text: str) -> Redacted:
    from hearth.guard.secrets.redaction import redact as take_out

    return take_out(text)


def scrub(text: str) -> str:
    return redact(text).text
