"""Whether the code that a text cites is as it was when the text was written, by git's history of the project."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from hearth.core.instants import DAY_MS, show_exactly
from hearth.core.lazy import regex
from hearth.disk.commits import Repository, find_repository

# So many names of a text are looked at, and git has so many seconds for each question.
_MOST, _SECONDS = 4, 0.4
# What a session writes is committed after the memory of it.
_COMMITTED_WITHIN_MS = DAY_MS
_CODE = "py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs?|h|cc|cpp|hpp|swift|scala|sh|sql|toml|ya?ml|json|tf|proto|vue|svelte"
_PATH = regex(r"(?<![\w/.:-])(?:\./)?((?:[\w.-]+/)+[\w.-]*\w\.[A-Za-z]\w{0,9}" + rf"|[\w-]+\.(?:{_CODE}))" + r"\b(?!/)")
# In backticks, or called: a plain word may be any word.
_SYMBOL = regex(r"`([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)(?:\(\))?`|\b([a-z]\w*_\w+|[A-Za-z_]\w{3,})\(\)")
_TELLING = regex(r"_|[a-z][A-Z]|\.|::")


def check_citations(text: str, at: int, root: str) -> str | None:
    """As "fresh", "changed (billing/ledger.py)" or "gone (Ledger.close)": the worst that befell a path or a symbol of
    the project in ``root`` since ``at`` (ms UTC). ``None`` where the text cites nothing that was in the project then,
    or git can't tell. Never raises."""
    paths = list(dict.fromkeys(found[1] for found in _PATH.finditer(text)))[:_MOST]
    symbols = list(dict.fromkeys(_find_symbols(text)))[:_MOST]
    if not paths and not symbols:
        return None
    try:
        repository = find_repository(Path(root))
        if repository is None:
            return None
        commits = _find_commits(repository, root, at)
    except (OSError, ValueError):
        return None
    found: dict[str, str] = {}
    for commit in commits:
        for name, state in (
            *_judge_paths(repository, root, commit, paths),
            *_judge_symbols(repository, root, commit, symbols),
        ):
            found[name] = "fresh" if found.get(name, state) == "fresh" else state
    found = {name: _as_on_disk(state, Path(root, name), at) for name, state in found.items()}
    for state in ("gone", "changed"):
        if names := [name for name, one in found.items() if one == state]:
            return f"{state} ({', '.join(names)})"
    return "fresh" if found else None


def _find_commits(repository: Repository, root: str, at: int) -> list[str]:
    """The last one before that moment, and the first one soon after it."""
    soon = show_exactly(at + _COMMITTED_WITHIN_MS)
    before = repository.ask(root, "rev-list", "-1", f"--before={show_exactly(at)}", "HEAD", seconds=_SECONDS)
    after = repository.ask(
        root, "rev-list", "--reverse", f"--after={show_exactly(at)}", f"--before={soon}", "HEAD", seconds=_SECONDS
    )
    names = [(said or b"").decode("ascii", "replace").split()[:1] for said in (before, after)]
    return [*names[0], *names[1]]


def _as_on_disk(state: str, file: Path, at: int) -> str:
    """A file that was last written before the text is what the text is about."""
    try:
        return "fresh" if state == "changed" and file.stat().st_mtime * 1000 <= at else state
    except (OSError, ValueError):
        return state


def _find_symbols(text: str) -> Iterator[str]:
    for found in _SYMBOL.finditer(text):
        name = found[1] or found[2]
        if (found[2] or _TELLING.search(name)) and not _PATH.fullmatch(name):
            yield name


def _judge_paths(repository: Repository, root: str, commit: str, paths: list[str]) -> Iterator[tuple[str, str]]:
    """Of a name without folders any file of that name is meant, where there is one."""
    if not paths:
        return
    wanted = [f":(glob){path}" if "/" in path else f":(glob)**/{path}" for path in paths]
    listed = repository.ask(root, "ls-tree", "-r", "-z", "--name-only", commit, seconds=_SECONDS)
    differ = repository.ask(
        root, "diff", "--no-ext-diff", "--no-renames", "--name-status", "-z", commit, "--", *wanted, seconds=_SECONDS
    )
    if listed is None or differ is None:
        return
    then = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    parts = [os.fsdecode(part) for part in differ.split(b"\0") if part]
    status = dict(zip(parts[1::2], parts[::2], strict=False))
    for path in paths:
        meant = [name for name in then if name == path or name.endswith(f"/{path}")]
        if len(meant) == 1:  # else it was not there, or nobody knows which one is meant
            mark = status.get(meant[0], next((s for n, s in status.items() if n.endswith(f"/{meant[0]}")), ""))
            yield path, {"D": "gone", "": "fresh"}.get(mark, "changed")


def _judge_symbols(repository: Repository, root: str, commit: str, symbols: list[str]) -> Iterator[tuple[str, str]]:
    for symbol in symbols:
        last = re.split(r"\.|::", symbol)[-1]
        search = ("grep", "-q", "-w", "-F", "-e", last)
        if repository.ask(root, *search, commit, "--", ".", seconds=_SECONDS) is None:
            continue
        yield symbol, "fresh" if repository.ask(root, *search, "--", ".", seconds=_SECONDS) is not None else "gone"
