"""Whose words a folder holds, by where it came from: a clone, a repository of several people, a download."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.core.paths import home
from hearth.disk.commits import Repository, find_repository

_SECONDS = 10.0
# Commits looked at, and files asked where they came from.
_COMMITS, _FILES = 2_000, 40
_NAMED = 3
_BOT = regex(r"\[bot\]|^(?:github|gitlab|noreply@github\.com)$", re.IGNORECASE)
# As browsers and download programs mark files on Linux (freedesktop.org's common extended attributes).
_ORIGINS = ("user.xdg.origin.url", "user.xdg.referrer.url")
_DOWNLOADS = regex(r'^XDG_DOWNLOAD_DIR="\$HOME/(.+)"$', re.MULTILINE)


class Provenance(NamedTuple):
    """``trust`` as a collection's setting has it, and why, for people."""

    trust: str
    why: str = ""


def find_provenance(folder: Path, environ: Mapping[str, str]) -> Provenance:
    """What is neither downloaded nor anybody else's is the person's own."""
    place = Path(os.path.realpath(folder))
    if (downloads := _find_downloads(place, environ)) is not None:
        return Provenance("external", f"it is in {downloads}")
    repository = find_repository(place)
    if repository is not None:
        if repository.is_clone():
            return Provenance("team", "it is a cloned repository")
        if others := _find_others(repository, place):
            more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
            return Provenance("team", f"{', '.join(others[:_NAMED])}{more} commit there")
    elif _is_downloaded(place):
        return Provenance("external", "its files were downloaded")
    return Provenance("mine")


def _find_downloads(place: Path, environ: Mapping[str, str]) -> str | None:
    """The folder of downloads in which it lies, by the desktop's settings, else by its usual name."""
    own = Path(home(environ))
    settings = Path(environ.get("XDG_CONFIG_HOME") or own / ".config", "user-dirs.dirs")
    names = ["Downloads", "Download"]
    with suppress(OSError):
        names += _DOWNLOADS.findall(settings.read_text(encoding="utf-8", errors="replace"))
    for name in names:
        if name.strip("/") and place.is_relative_to(os.path.realpath(own / name)):
            return f"~/{name.strip('/')}"
    return None


def _is_downloaded(place: Path) -> bool:
    """Whether most of its first files say of themselves that they come from the web."""
    ask = getattr(os, "listxattr", None)
    files = [file for file, _ in zip(_list_notes(place), range(_FILES), strict=False)]
    if ask is None or not files:
        return False
    marked = 0
    for file in files:
        try:
            marked += not set(_ORIGINS).isdisjoint(ask(file))
        except OSError:
            return False
    return 2 * marked > len(files)


def _list_notes(place: Path) -> Iterable[Path]:
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(".md"))


def _find_others(repository: Repository, place: Path) -> list[str]:
    """The names of those who committed there beside the person, those of most commits first. Where git does not know
    the person, one author alone is taken for them."""
    authors: dict[tuple[str, str], int] = {}
    for line in _ask_git(repository, place, "log", f"-n{_COMMITS}", "--format=%aN%x00%aE", "HEAD", "--", "."):
        name, _, address = line.partition("\0")
        if not (_BOT.search(name) or _BOT.search(address)):
            authors[name, address] = authors.get((name, address), 0) + 1
    known = {
        line.strip().casefold()
        for key in ("user.name", "user.email")
        for line in _ask_git(repository, place, "config", "--get-all", key)
    }
    ordered = sorted(authors, key=lambda one: (-authors[one], one))
    if not known:
        return [name for name, _ in ordered] if len({name for name, _ in ordered}) > 1 else []
    strangers = [name for name, address in ordered if known.isdisjoint((name.casefold(), address.casefold()))]
    return list(dict.fromkeys(strangers))


def _ask_git(repository: Repository, place: Path, *words: str) -> list[str]:
    said = repository.ask(place, *words, seconds=_SECONDS) or b""
    return said.decode("utf-8", "replace").splitlines()
