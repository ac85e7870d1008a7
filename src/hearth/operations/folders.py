"""Folders and collections that a client names: only those that a person set up, wherever links lead."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from hearth.config.kinds import near
from hearth.core.errors import NotFound, UsageError
from hearth.guard.paths import inside, is_private
from hearth.ports import Collection
from hearth.vault.vault import Vault

# Below any root: where systems and programs keep what is theirs.
_SYSTEM = ("/etc", "/proc", "/sys", "/dev", "/boot", "/run", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/var")
_CREDENTIALS = frozenset({"credentials", "secrets", "private", "keychains", "keyrings", "passwords", "certs"})


def collection_of(folder: str, collections: Iterable[Collection]) -> Collection | None:
    """The collection whose root is ``folder`` or above it, symbolic links followed; ``None`` where it is in none.

    ``folder`` is absolute, or a path below a collection that starts with its name. Raises ``UsageError`` for anything
    else, and for system, credential and hidden folders below the root."""
    known = list(collections)
    for collection in sorted(known, key=lambda one: -len(one.root)):
        relative = _below(folder, collection)
        if relative is None:
            continue
        real = inside(collection.root, relative)
        _refuse_kept(Path(os.path.realpath(collection.root)), real)
        if not real.is_dir():
            raise UsageError(f"{folder[:200]!r} is no folder; name a collection's folder, or leave it out")
        return collection
    if Path(folder).is_absolute():
        return None
    names = ", ".join(f"{one.name} ({one.root})" for one in known if one.origin != "engine") or "none"
    raise UsageError(
        f"{folder[:200]!r} is in no collection; there are: {names}; name a new folder by its absolute path"
    )


def allowed(folder: str, roots: Iterable[Path]) -> Path:
    """A folder that may become a collection: it lies below one of the vault's ``roots``, symbolic links followed, and
    is neither hidden nor the system's nor a place of credentials. Raises ``UsageError``."""
    known = list(roots)
    for root in known:
        if os.path.realpath(folder) == os.path.realpath(root):
            relative = "."
        elif not os.path.realpath(folder).startswith(os.path.realpath(root).rstrip("/") + "/"):
            continue
        else:
            relative = os.path.relpath(os.path.realpath(folder), os.path.realpath(root))
        real = inside(str(root), relative)
        _refuse_kept(Path(os.path.realpath(root)), real)
        if not real.is_dir():
            raise UsageError(f"{folder[:200]!r} is no folder; name one that holds notes")
        return real
    names = ", ".join(map(str, known)) or "none"
    raise UsageError(
        f"{folder[:200]!r} is in no collection and below no root of this vault (roots: {names}); a person adds it: "
        "hearth collection add"
    )


def _below(folder: str, collection: Collection) -> str | None:
    """The path below the collection's root, ``.`` for the root itself; ``None`` where it is elsewhere."""
    for start in (collection.root.rstrip("/"), os.path.realpath(collection.root), collection.name):
        if folder.rstrip("/") == start:
            return "."
        if folder.startswith(start + "/"):
            return folder[len(start) + 1 :].rstrip("/") or "."
    return None


def _refuse_kept(base: Path, real: Path) -> None:
    parts = real.relative_to(base).parts
    hidden = any(part.startswith(".") for part in parts)
    kept = hidden or is_private(parts) or any(part.lower() in _CREDENTIALS for part in parts)
    system = any(real == Path(top) or real.is_relative_to(top) for top in _SYSTEM if not base.is_relative_to(top))
    if kept or system or real == Path("/"):
        raise UsageError(f"{str(real)[:200]!r} is hidden, private or the system's; name another folder")


def existing(vault: Vault, named: tuple[str, ...]) -> tuple[str, ...]:
    """These, each of which there is. Raises ``NotFound`` with a near name for one that there is not."""
    there = [collection.name for collection in vault.collections]
    for name in named:
        if name not in there:
            raise NotFound(f"no collection {name!r}{near(name, there)}; there are: {', '.join(there) or 'none'}")
    return named
