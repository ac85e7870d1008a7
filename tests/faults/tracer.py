"""Runs work in a child and kills it at one of its system calls, by ptrace(2): Linux on x86-64 and 64-bit Arm."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

_TRACEME, _SYSCALL, _SETOPTIONS, _GET_SYSCALL_INFO = 0, 24, 0x4200, 0x420E
# Marks stops at system calls, follows children and threads, and ends all with the tracer.
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100000
_WALL = 0x40000000
_ENTRY = 1
# The calls by which files change, by the numbers of unistd.h: write…, pwrite…, fsync, fdatasync, truncate, ftruncate,
# rename…, mkdir…, rmdir, link…, unlink…, symlink…, chmod…, utimensat, fallocate, open…, close, fcntl.
_CHANGING = {
    "x86_64": {1, 18, 20, 296, 74, 75, 76, 77, 82, 264, 316, 83, 258, 84, 86, 265, 87, 263, 88, 266, 90, 91, 268, 280,
               285, 2, 257, 3, 72},
    "aarch64": {64, 68, 66, 70, 82, 83, 45, 46, 38, 276, 34, 37, 35, 36, 52, 53, 88, 47, 56, 57, 25},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ending:
    """How a traced process ended: ``code`` is ``None`` where it was killed as it was told to be. ``calls`` counts the
    entries and returns of system calls until then, ``changing`` those by which files change."""

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
        self._numbers = _CHANGING[platform.machine()]
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
        self._ptrace(_SETOPTIONS, child, 0, _OPTIONS)
        self._ptrace(_SYSCALL, child)
        return self._follow(child, at, changing)

    def _follow(self, child: int, at: int, changing: bool) -> Ending:
        calls = changed = 0
        code: int | None = None
        killed = False
        while True:
            try:
                task, status = os.waitpid(-1, _WALL)
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
        """Entry and return are told apart by the kernel; the number is that of the last entry."""
        try:
            self._ptrace(_GET_SYSCALL_INFO, task, len(self._info), ctypes.addressof(self._info))
        except ProcessLookupError:
            return False
        raw = self._info.raw
        if raw[0] == _ENTRY:
            self._last = int.from_bytes(raw[24:32], sys.byteorder)
        return self._last in self._numbers

    _last = -1

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
