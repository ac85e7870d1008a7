"""Compiled patterns kept between processes, beside the bytecode of this package and for the same reason.

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
from contextlib import suppress
from time import perf_counter
from typing import Any

try:
    import _sre  # type: ignore[import-not-found]
    from re import _compiler, _parser  # type: ignore[attr-defined]
except ImportError:
    _sre = None

_MAX_BYTES = 8 * 2**20
_WORTH = 0.005

Key = tuple[str | bytes, int]


class PatternCache:
    """``file`` holds the patterns of earlier processes; ``None`` keeps none. ``worth`` is how many seconds of compiling
    justify a write. Thread-safe."""

    def __init__(self, file: str | None, worth: float = _WORTH) -> None:
        self.file, self._worth = file, worth
        self._known: dict[Key, bytes] | None = None
        self._new: dict[Key, bytes] = {}
        self._spent = 0.0

    def compile(self, source: Any, flags: int) -> re.Pattern[Any]:
        """As ``re.compile``."""
        if self.file is None:
            return re.compile(source, flags)
        flags = int(flags)
        if self._known is None:
            self._known = self._read()
        kept = self._known.get((source, flags))
        if kept is not None:
            with suppress(Exception):  # the file may come from another program
                return _restore(source, kept)
        began = perf_counter()
        if (code := _dump(source, flags)) is None:
            return re.compile(source, flags)
        if not self._new:
            atexit.register(self.save)
        self._new[source, flags] = code
        self._spent += perf_counter() - began
        return _restore(source, code)

    def save(self) -> None:
        """Adds what this process compiled, if that took long enough. Ignores a file that can't be written."""
        if self.file is None or self._spent < self._worth or sys.dont_write_bytecode:
            return
        self._spent = 0.0
        kept = self._read() | self._new
        data = marshal.dumps((_build(), kept))
        if len(data) > _MAX_BYTES:  # most come from sources that have changed since
            data = marshal.dumps((_build(), self._new))
        aside = f"{self.file}.{os.getpid()}"
        with suppress(OSError):
            try:
                with open(aside, "xb") as file:  # noqa: PTH123 (pathlib is slow to load)
                    file.write(data)
                os.replace(aside, self.file)  # noqa: PTH105 (likewise)
            except OSError:
                os.unlink(aside)  # noqa: PTH108 (likewise)
                raise

    def _read(self) -> dict[Key, bytes]:
        assert self.file is not None
        try:
            with open(self.file, "rb") as file:  # noqa: PTH123 (likewise)
                build, kept = marshal.loads(file.read())
        except (OSError, ValueError, EOFError, TypeError):
            return {}
        return kept if build == _build() and isinstance(kept, dict) else {}


def _build() -> str:
    """The code of a pattern means something only to the build of Python that made it."""
    return sys.version


def _restore(source: Any, kept: bytes) -> re.Pattern[Any]:
    flags, code, groups, names = marshal.loads(kept)
    by_number: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        by_number[number] = name
    found: re.Pattern[Any] = _sre.compile(
        source, flags, memoryview(code).cast("I").tolist(), groups, names, tuple(by_number)
    )
    return found


def _dump(source: Any, flags: int) -> bytes | None:
    """The code of a pattern as ``re.compile`` would make it; ``None`` where this version of ``re`` differs, and for a
    pattern that it refuses."""
    try:
        parsed = _parser.parse(source, flags)
        code = _compiler._code(parsed, flags)
        state = parsed.state
        numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in code)
        return marshal.dumps((flags | int(state.flags), numbers, state.groups - 1, dict(state.groupdict)))
    except Exception:  # noqa: BLE001 (a private part of Python)
        return None


def _place() -> str | None:
    """Beside the bytecode of this module."""
    compiled = __spec__.cached if __spec__ is not None else None
    if _sre is None or not compiled or not compiled.endswith(".pyc"):
        return None
    return compiled.removesuffix(".pyc") + ".bin"


CACHE = PatternCache(_place())
