"""Compiled patterns, initialisers of dataclasses and parsed tables of words, kept between processes beside the bytecode
of this package and for the same reason.

Compiling the patterns that one question uses takes longer than reading its vault: ``re`` parses and compiles them in
Python. The result is a list of numbers, which this module keeps as Python keeps bytecode: for one build of Python, only
where Python may write bytecode, and compiled again whenever the file looks wrong.
"""

from __future__ import annotations

import atexit
import marshal
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from time import perf_counter
from typing import Any

try:
    import _sre  # type: ignore[import-not-found]
    from re import _compiler, _parser  # type: ignore[attr-defined]
except ImportError:
    _sre = None

_MAX_BYTES = 8 * 2**20
_WORTH = 0.005

# Of a pattern its source and flags, of a table or class its name.
Key = tuple[str | bytes, int] | str
# From an abbreviated key to where its entry begins and ends in the file.
_Index = dict[tuple[object, ...], tuple[int, int]]
_ENDS = 24
_LENGTH = 8
_LAYOUT = 2


class PatternCache:
    """``file`` holds the patterns of earlier processes; ``None`` keeps none. ``worth`` is how many seconds of compiling
    justify a write. Thread-safe."""

    def __init__(self, file: str | None, worth: float = _WORTH) -> None:
        self.file, self._worth = file, worth
        self._kept: tuple[_Index, mmap | bytes] | None = None
        self._new: dict[Key, bytes] = {}
        self._spent = 0.0

    def compile(self, source: Any, flags: int) -> re.Pattern[Any]:
        """As ``re.compile``."""
        if self.file is None:
            return re.compile(source, flags)
        flags = int(flags)
        if (kept := self._find((source, flags))) is not None:
            with suppress(Exception):  # the file may come from another program
                return _restore(source, kept)
        began = perf_counter()
        if (code := _dump(source, flags)) is None:
            return re.compile(source, flags)
        self._add((source, flags), code, began)
        return _restore(source, code)

    def keep(self, name: str, version: object, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, which is of plain values or code; made again where the ``version`` is another one."""
        if self.file is None:
            return make()
        if (kept := self._find(name)) is not None:
            known, value = kept
            if known == version:
                return value
        began = perf_counter()
        value = make()
        self._add(name, (version, value), began)
        return value

    def save(self) -> None:
        """Adds what this process compiled, if that took long enough. Ignores a file that can't be written."""
        if self.file is None or self._spent < self._worth or sys.dont_write_bytecode:
            return
        self._spent = 0.0
        index, data = self._read()  # again: others may have added to it
        new = {_short(key): marshal.dumps((key, value)) for key, value in list(self._new.items())}
        kept = {short: data[start:end] for short, (start, end) in index.items() if short not in new}
        if sum(map(len, kept.values())) > _MAX_BYTES:  # most come from sources that have changed since
            kept = {}
        aside = f"{self.file}.{os.getpid()}"
        with suppress(OSError):
            try:
                with open(aside, "xb") as file:  # noqa: PTH123 (pathlib is slow to load)
                    file.writelines(_lay_out(kept | new))
                os.replace(aside, self.file)  # noqa: PTH105 (likewise)
            except OSError:
                os.unlink(aside)  # noqa: PTH108 (likewise)
                raise

    def _find(self, key: Key) -> Any:
        """What was kept for it."""
        if self._kept is None:
            self._kept = self._read()
        index, data = self._kept
        if (place := index.get(_short(key))) is not None:
            with suppress(ValueError, EOFError, TypeError):  # the file may come from another program
                known, value = marshal.loads(data[place[0] : place[1]])
                return value if known == key else None
        return None

    def _add(self, key: Key, value: Any, began: float) -> None:
        if not self._new:
            atexit.register(self.save)
        self._new[key] = value
        self._spent += perf_counter() - began

    def _read(self) -> tuple[_Index, mmap | bytes]:
        """The index and the file, mapped: one process needs a tenth of the entries."""
        assert self.file is not None
        try:
            with open(self.file, "rb") as file:  # noqa: PTH123 (likewise)
                data = mmap(file.fileno(), 0, access=ACCESS_READ)
            end = len(data) - _LENGTH
            build, index = marshal.loads(data[end - int.from_bytes(data[end:], "big") : end])
        except (OSError, ValueError, EOFError, TypeError):
            return {}, b""
        return (index, data) if build == _build() else ({}, b"")


def _short(key: Key) -> tuple[object, ...]:
    if isinstance(key, str):
        return (key,)
    source, flags = key
    return (len(source), flags, source[:_ENDS], source[-_ENDS:])


def _lay_out(entries: dict[tuple[object, ...], bytes]) -> Iterator[bytes]:
    """The entries one after the other, the index, and its length."""
    places: _Index = {}
    end = 0
    for short, entry in entries.items():
        places[short] = (end, end + len(entry))
        end += len(entry)
        yield entry
    index = marshal.dumps((_build(), places))
    yield index
    yield len(index).to_bytes(_LENGTH, "big")


def _build() -> str:
    """The code of a pattern means something only to the build of Python that made it."""
    return f"{sys.version} {_LAYOUT}"


def _restore(source: Any, kept: tuple[int, bytes, int, dict[str, int]]) -> re.Pattern[Any]:
    flags, code, groups, names = kept
    by_number: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        by_number[number] = name
    found: re.Pattern[Any] = _sre.compile(
        source, flags, memoryview(code).cast("I").tolist(), groups, names, tuple(by_number)
    )
    return found


def _dump(source: Any, flags: int) -> tuple[int, bytes, int, dict[str, int]] | None:
    """The code of a pattern as ``re.compile`` would make it; ``None`` where this version of ``re`` differs, and for a
    pattern that it refuses."""
    try:
        parsed = _parser.parse(source, flags)
        code = _compiler._code(parsed, flags)
        state = parsed.state
        numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in code)
        return flags | int(state.flags), numbers, state.groups - 1, dict(state.groupdict)
    except Exception:  # noqa: BLE001 (a private part of Python)
        return None


def _place() -> str | None:
    """Beside the bytecode of this module."""
    compiled = __spec__.cached if __spec__ is not None else None
    if _sre is None or not compiled or not compiled.endswith(".pyc"):
        return None
    return compiled.removesuffix(".pyc") + ".bin"


CACHE = PatternCache(_place())
