"""Whether code that a text cites has changed since the text was written, according to git."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hearth.core.instants import DAY_MS, show_exactly
from hearth.core.lazy import regex
from hearth.disk.commits import find_repository

# At most so many names of a text are looked up.
_MOST = 4
# What a session writes is committed after the memory of it.
_COMMITTED_WITHIN_MS = DAY_MS
_CODE = "py|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs?|h|cc|cpp|hpp|swift|scala|sh|sql|toml|ya?ml|json|tf|proto|vue|svelte"
_PATH = regex(r"(?<![\w/.:-])(?:\./)?((?:[\w.-]+/)+[\w.-]*\w\.[A-Za-z]\w{0,9}" + rf"|[\w-]+\.(?:{_CODE}))" + r"\b(?!/)")
# In backticks, or called: a plain word may be any word.
_SYMBOL = regex(r"`([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)(?:\(\))?`|\b([a-z]\w*_\w+|[A-Za-z_]\w{3,})\(\)")
_TELLING = regex(r"_|[a-z][A-Z]|\.|::")
_Ask = Callable[..., bytes | None]


def check_citations(text: str, at: int, root: str, seconds: float) -> str | None:
    """As "fresh", "changed (billing/ledger.py)" or "gone (Ledger.close)": the worst that befell a path or a symbol of
    the project in ``root`` since ``at`` (ms UTC). ``None`` where the text cites nothing that was in the project then,
    or git can't tell within so many ``seconds``. Never raises."""
    paths = list(dict.fromkeys(found[1] for found in _PATH.finditer(text)))[:_MOST]
    symbols = list(dict.fromkeys(_find_symbols(text)))[:_MOST]
    if not paths and not symbols:
        return None
    try:
        repository = find_repository(Path(root))
        if repository is None:
            return None
    except (OSError, ValueError):
        return None
    until = time.monotonic() + seconds

    def ask(*words: str, allowed: tuple[int, ...] = (0,)) -> bytes | None:
        left = until - time.monotonic()
        return repository.ask(root, *words, seconds=left, allowed=allowed) if left > 0 else None

    found: dict[str, str] = {}
    for commit in _find_commits(ask, at):
        for name, state in (*_judge_paths(ask, commit, paths), *_judge_symbols(ask, commit, symbols)):
            found[name] = "fresh" if found.get(name, state) == "fresh" else state
    found = {name: _as_on_disk(state, Path(root, name), at) for name, state in found.items()}
    for state in ("gone", "changed"):
        if names := [name for name, one in found.items() if one == state]:
            return f"{state} ({', '.join(names)})"
    return "fresh" if found else None


def _find_commits(ask: _Ask, at: int) -> list[str]:
    """The last one before that moment, and the first one soon after it."""
    then, soon = show_exactly(at), show_exactly(at + _COMMITTED_WITHIN_MS)
    before = ask("rev-list", "-1", f"--before={then}", "HEAD")
    after = ask("rev-list", "--reverse", f"--after={then}", f"--before={soon}", "HEAD")
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


def _judge_paths(ask: _Ask, commit: str, paths: list[str]) -> Iterator[tuple[str, str]]:
    """A name without folders means the one file of that name."""
    if not paths:
        return
    wanted = [f":(glob){path}" if "/" in path else f":(glob)**/{path}" for path in paths]
    listed = ask("ls-tree", "-r", "-z", "--name-only", commit)
    differ = ask("diff", "--no-ext-diff", "--no-renames", "--relative", "--name-status", "-z", commit, "--", *wanted)
    if listed is None or differ is None:
        return
    then = [os.fsdecode(name) for name in listed.split(b"\0") if name]
    parts = [os.fsdecode(part) for part in differ.split(b"\0") if part]
    status = dict(zip(parts[1::2], parts[::2], strict=False))
    for path in paths:
        meant = [name for name in then if name == path or name.endswith(f"/{path}")]
        if len(meant) == 1:  # else it was not there, or nobody knows which one is meant
            yield path, {"D": "gone", "": "fresh"}.get(status.get(meant[0], ""), "changed")


def _judge_symbols(ask: _Ask, commit: str, symbols: list[str]) -> Iterator[tuple[str, str]]:
    for symbol in symbols:
        search = ("grep", "-l", "-w", "-F", "-e", re.split(r"\.|::", symbol)[-1])
        if not ask(*search, commit, "--", "."):
            continue
        now = ask(*search, "--", ".", allowed=(0, 1))
        if now is not None:  # else git ran out of time: nobody knows
            yield symbol, "fresh" if now else "gone"
