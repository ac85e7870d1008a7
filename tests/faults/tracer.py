"""Runs work in a child and kills it at one of its system calls, by ptrace(2): Linux on x86-64 and 64-bit Arm."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass

_TRACEME, _SYSCALL, _SETOPTIONS, _GET_SYSCALL_INFO = 0, 24, 0x4200, 0x420E
# Marks stops at system calls, follows children and threads, and ends all with the tracer.
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100000
_WALL = 0x40000000
_ENTRY = 1
_NUMBER_AT = 24
# The calls by which files change, by the numbers of unistd.h: write…, fsync, fdatasync, truncate, ftruncate, rename…,
# mkdir…, rmdir, link…, unlink…, symlink…, chmod…, utimensat, fallocate. Not pwrite…, of which SQLite alone makes so
# many that hardly any other would be hit. And those that may make a file, each with the place of its flags.
_CHANGING = {
    "x86_64": {1, 20, 74, 75, 76, 77, 82, 264, 316, 83, 258, 84, 86, 265, 87, 263, 88, 266, 90, 91, 268, 280, 285},
    "aarch64": {64, 66, 82, 83, 45, 46, 38, 276, 34, 37, 35, 36, 52, 53, 88, 47},
}
_OPENING = {"x86_64": {2: 1, 257: 2}, "aarch64": {56: 2}}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a traced process ended: ``code`` is ``None`` where it was killed as it was told to be. ``calls`` counts the
    entries and returns of system calls until then, ``changing`` those by which files change but for SQLite's writes."""

    code: int | None
    calls: int
    changing: int


def available() -> bool:
    return sys.platform == "linux" and platform.machine() in _CHANGING


class Tracer:
    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self._libc.ptrace.restype = ctypes.c_long
        self._numbers, self._opening = _CHANGING[platform.machine()], _OPENING[platform.machine()]
        self._entered: dict[int, bool] = {}
        self._info = ctypes.create_string_buffer(96)

    def run(self, work: Callable[[], int], at: int = 0, *, changing: bool = False) -> Ending:
        """``work`` gives the exit code of a child; the ``at``-th stop of those that count kills it and its children."""
        child = os.fork()
        if child == 0:
            code = 70
            try:
                os.setsid()
                self._ptrace(_TRACEME, 0)
                os.kill(os.getpid(), signal.SIGSTOP)
                code = work()
            finally:
                os._exit(code)
        os.waitpid(child, 0)
        self._entered.clear()
        self._ptrace(_SETOPTIONS, child, 0, _OPTIONS)
        self._ptrace(_SYSCALL, child)
        return self._follow(child, at, changing)

    def _follow(self, child: int, at: int, changing: bool) -> Ending:
        calls = changed = 0
        code: int | None = None
        killed = False
        while True:
            try:
                task, status = os.waitpid(-child, _WALL)
            except ChildProcessError:
                return Ending(None if killed else code, calls, changed)
            if not os.WIFSTOPPED(status):
                if task == child:
                    code = os.waitstatus_to_exitcode(status)
                continue
            stop = os.WSTOPSIG(status)
            deliver = 0
            if stop == signal.SIGTRAP | 0x80:
                calls += 1
                changed += self._changes(task)
                if at and (changed if changing else calls) >= at and not killed:
                    killed = True
                    _kill(child)
            elif stop not in (signal.SIGTRAP, signal.SIGSTOP):
                deliver = stop
            try:
                self._ptrace(_SYSCALL, task, 0, deliver)
            except ProcessLookupError:
                continue  # killed meanwhile

    def _changes(self, task: int) -> bool:
        """Whether the entry or return at which a task stands is of such a call. The kernel tells the number at entries
        alone."""
        try:
            self._ptrace(_GET_SYSCALL_INFO, task, len(self._info), ctypes.addressof(self._info))
        except ProcessLookupError:
            return False
        if self._info.raw[0] == _ENTRY:
            number, *given = struct.unpack_from("=7Q", self._info, _NUMBER_AT)
            flags = self._opening.get(number)
            makes = flags is not None and bool(given[flags] & os.O_CREAT)
            self._entered[task] = makes or number in self._numbers
        return self._entered.get(task, False)

    def _ptrace(self, request: int, task: int, address: int = 0, data: int = 0) -> None:
        if self._libc.ptrace(request, task, address, data) < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def _kill(child: int) -> None:
    """With everything that it started."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
