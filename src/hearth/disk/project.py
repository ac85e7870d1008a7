"""Which project a folder belongs to, the same from every clone and machine, and whose words it holds."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from hearth.core.lazy import dataclass, regex
from hearth.core.paths import home
from hearth.disk.commits import Repository, find_repository

_POINTER_BYTES = 8_192
_CONFIG_BYTES = 262_144
_MAX_KEY = 512
_SECTION = regex(r'\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)')
_SETTING = regex(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")
_URL = regex(r"(?:[a-z][a-z0-9+.-]*)://(?:[^/@]*@)?(\[[0-9a-f:.]+\]|[^/:@]+)(?::\d*)?/+(.+)", re.IGNORECASE)
_SCP = regex(r"(?:[^/@:]*@)?(\[[0-9a-f:.]+\]|[^/:@]+):(?!//)/*(.+)", re.IGNORECASE)
_HOST = regex(r"[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]+\]")


@dataclass(frozen=True, slots=True)
class Project:
    """``key`` identifies it, ``root`` is its folder here, ``by`` says what the key was taken from."""

    key: str
    root: str
    by: Literal["given", "origin", "repository", "folder"]


def project_of(folder: str, home: str, given: str | None = None) -> Project | None:
    """The project of a folder: the one ``given``, else the origin's host and path, else the repository that all
    worktrees share, else the folder itself.

    ``None`` for the home folder, what lies above it, and what is no folder. Never raises."""
    try:
        root, base = os.path.realpath(folder), os.path.realpath(home)
        if not folder.startswith("/") or not Path(root).is_dir():
            return None
    except (OSError, ValueError):
        return None
    if given:
        return Project(_key(given), root, "given")
    found = _repository(root, base)
    if found is not None:
        top, common = found
        origin = _origin(common)
        return Project(_key(origin or common), top, "origin" if origin else "repository")
    return None if _above(root, base) else Project(_key(root), root, "folder")


def normal_origin(url: str) -> str | None:
    """``host/path`` of a remote's address without user, port and ``.git``, the host in lower case; ``None`` for a
    folder of this machine, which says nothing elsewhere."""
    url = url.strip()
    found = _URL.fullmatch(url)
    if found is None and "://" not in url and not url.startswith(("/", ".", "~")):
        found = _SCP.fullmatch(url)
    if found is None or url.lower().startswith("file:") or _HOST.fullmatch(found[1]) is None:
        return None
    path = re.split(r"[?#]", found[2], maxsplit=1)[0].strip("/")
    path = path.removesuffix(".git").rstrip("/")
    parts = [part for part in path.split("/") if part]
    if not parts or any(part in (".", "..") for part in parts) or any(ord(char) < 33 for char in path):
        return None
    return f"{found[1].lower()}/{'/'.join(parts)}"


# -- git's files ----------------------------------------------------------------------------------------------------


def _repository(root: str, home: str) -> tuple[str, str] | None:
    """The top folder of the work tree and its git folder; a repository in or above the home folder is none."""
    place = root
    submodules: list[tuple[str, str]] = []
    while not _above(place, home):
        common = _common(place, submodules)
        if common is not None:
            # The git folder of a submodule lies in that of the repository around it.
            inner = (item for item in submodules if item[1].startswith(f"{common}/") and _is_git(item[1]))
            return next(inner, (place, common))
        place = str(Path(place).parent)
    return None


def _above(place: str, home: str) -> bool:
    return place == home or place == "/" or home.startswith(place + "/")


def _common(top: str, submodules: list[tuple[str, str]]) -> str | None:
    """The common git folder of the work tree ``top``, which may be no work tree. What may be the git folder of a
    submodule is noted with it: whether it is, the repository around it tells."""
    marker = f"{top}/.git"
    try:
        kind = os.lstat(marker).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(kind):
        return marker if _is_git(marker) else None
    text = _text(marker, _POINTER_BYTES) if stat.S_ISREG(kind) else None
    if text is None or not text.startswith("gitdir:"):
        return None
    folder = _join(top, text.removeprefix("gitdir:").split("\n", 1)[0].strip())
    if folder is None:
        return None
    pointer = _text(f"{folder}/commondir", _POINTER_BYTES)
    if pointer is not None:
        return _find_common(marker, folder, pointer.strip())
    submodules.append((top, folder))
    return None


def _find_common(marker: str, folder: str, pointer: str) -> str | None:
    """The common folder of a worktree's own git folder, which names the worktree's marker in turn."""
    common, back = _join(folder, pointer), _text(f"{folder}/gitdir", _POINTER_BYTES)
    known = None if back is None else _join(folder, back.strip())
    if common is None or known != marker or str(Path(folder).parent) != f"{common}/worktrees":
        return None
    return common if _is_git(common) else None


def _is_git(folder: str) -> bool:
    return _text(f"{folder}/HEAD", _POINTER_BYTES) is not None and Path(folder, "objects").is_dir()


def _join(base: str, name: str) -> str | None:
    if not name or "\0" in name:
        return None
    try:
        return os.path.realpath(Path(base, name))
    except (OSError, ValueError):
        return None


def _text(path: str, limit: int) -> str | None:
    """The text of a plain file of at most ``limit`` bytes; anything else, a pipe among them, counts as none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        return os.read(handle, limit).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    finally:
        os.close(handle)


def _origin(common: str) -> str | None:
    """The last ``url`` of the remote ``origin`` in the repository's own configuration."""
    text = _text(f"{common}/config", _CONFIG_BYTES)
    section: tuple[str, str | None] = ("", None)
    found = None
    for line in (text or "").splitlines():
        rest = line
        if header := _SECTION.match(line):
            section, rest = (header[1].lower(), header[2]), header[3]
        if section == ("remote", "origin") and (setting := _SETTING.match(rest)) and setting[1].lower() == "url":
            found = normal_origin(_value(setting[2])) or found
    return found


def _value(text: str) -> str:
    """Without quotes and without a comment."""
    if text.startswith('"'):
        return text[1:].split('"', 1)[0]
    return re.split(r"\s[#;]", text, maxsplit=1)[0].strip()


def _key(text: str) -> str:
    """As text that can be stored: names on disk need not be."""
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    plain = "".join(char if char.isprintable() else "\ufffd" for char in plain)
    if len(plain) <= _MAX_KEY:
        return plain
    return plain[: _MAX_KEY - 33] + "~" + hashlib.sha256(plain.encode()).hexdigest()[:32]


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
    files = [file for file, _ in zip(list_notes(place), range(_FILES), strict=False)]
    if ask is None or not files:
        return False
    marked = 0
    for file in files:
        try:
            marked += not set(_ORIGINS).isdisjoint(ask(file))
        except OSError:
            return False
    return 2 * marked > len(files)


def list_notes(place: Path) -> Iterable[Path]:
    """Markdown below a folder, in order of names, without hidden folders."""
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
