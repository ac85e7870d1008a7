"""What is pasted into a message, not said in it: fenced code, JSON, tracebacks, lines of errors and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.lazy import regex

_FENCED = regex(r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# Brackets that begin data: a quoted key, or a list of lists, objects or quoted texts.
_DATA = regex(
    r"""\{\s*(?="[^"\n]{1,200}"\s*:|'[^'\n]{1,200}'\s*:)|\[\s*(?=[\[{]|"[^"\n]{0,200}"\s*[,\]]|'[^'\n]{0,200}'\s*[,\]])"""
)
# A part of data. A name without quotes is a key or a value only right before a sign.
_PART = regex(
    r"""\s*(?:("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([{\[])|([}\]])|[,:]|[-+]?\d[\w.+-]*|[A-Za-z_$][\w$]*(?=\s*[,:}\]])|\.{3}|…)"""
)
_ERROR_NAME = r"[A-Za-z_][\w.$]*(?:Error|Exception|Warning|Fault|Interrupt)"
# What a program says of what went wrong, at the start of a line or of a sentence; it goes to the line's end.
_ERROR = regex(
    r"(?:^|(?<=[.!?…。？！][ \t]))[ \t]*(?:"
    r"(?:(?i:uncaught|unhandled|caused by:?|exception in thread \S+)[ \t]+)?"
    rf"{_ERROR_NAME}(?:[ \t]*\[\w+\])?(?::[ \t].*|:?[ \t]*)|"
    r"(?i:(?:error|fatal|panic|warning|fail(?:ed|ure)?)(?:\[\w+\])?(?::|[ \t]-)[ \t]|npm err!).*)$"
)
_TRACE = regex(
    r"Traceback \(most recent call last\):?|"
    r"[ \t]*File \"[^\"\n]+\", line \d+.*|"
    r"[ \t]+at (?:[^\n(]*\((?:[^\n()]*:\d+|Native Method|<anonymous>)\)|\S+:\d+:\d+)[ \t]*"
)
# A message of a compiler or a linter with its place, of a test runner, and a line of a log.
_REPORT = regex(
    r"[ \t]*[\w./\\-]*\.\w{1,5}:\d+(?::\d+)?:[ \t].*|"
    r"E {3,}\S.*|"
    r"[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*[ \t].*?\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|"
    r"FATAL|CRITICAL)\b.*"
)
# What ends a trace: the class of what was raised, whatever that is called.
_RAISED = regex(r"[A-Za-z_][\w.$]*(?::[ \t].*|[ \t]*)")


def split_pasted(message: str) -> tuple[str, list[str]]:
    """What is said, and the pasted parts. Takes time linear in the length of the message."""
    pasted = [found[2] for found in _FENCED.finditer(message)]
    said, data = _split_data(_FENCED.sub("\n", message))
    said, lines = _split_lines(said)
    return said, [*pasted, *data, *(["\n".join(lines)] if lines else ())]


def _split_data(text: str) -> tuple[str, list[str]]:
    said: list[str] = []
    data: list[str] = []
    at = 0
    while start := _DATA.search(text, at):
        end, quotes = _find_end(text, start.start())
        said.append(text[at : start.start()])
        (data if quotes else said).append(text[start.start() : end])
        said.append(" " if quotes else "")
        at = end
    return "".join((*said, text[at:])), data


def _find_end(text: str, at: int) -> tuple[int, bool]:
    """Where the brackets that open here are closed, or what cannot be data begins; and whether anything in them is
    quoted."""
    depth, quotes = 0, False
    while part := _PART.match(text, at):
        at = part.end()
        quotes = quotes or part[1] is not None
        depth += (part[2] is not None) - (part[3] is not None)
        if depth == 0:
            break
    return at, quotes


def _split_lines(text: str) -> tuple[str, list[str]]:
    said: list[str] = []
    pasted: list[str] = []
    for line, is_pasted in _tell_lines(text):
        error = None if is_pasted or line.rstrip().endswith(("?", "？")) else _ERROR.search(line)
        if error:
            said.append(line[: error.start()])
            pasted.append(line[error.start() :])
        else:
            (pasted if is_pasted else said).append(line)
    return "\n".join(said), pasted


def _tell_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is one of a trace or report."""
    inside = False
    for line in text.split("\n"):
        trace = _TRACE.fullmatch(line) is not None
        below = inside and (line[:1] in ("\t", " ") or _RAISED.fullmatch(line) is not None) and line.strip() != ""
        yield line, trace or below or _REPORT.fullmatch(line) is not None
        inside = trace or (below and line[:1] in ("\t", " "))
