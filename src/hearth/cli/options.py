"""Options, arguments and instants that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from hearth.core import instants
from hearth.core.document import VEILS
from hearth.core.errors import NotFound, UsageError
from hearth.core.instants import DAY_MS, HOUR_MS
from hearth.core.lazy import regex
from hearth.core.memory import CONTENT_TYPES, MAX_TEXT_BYTES

Command = TypeVar("Command", bound=Callable[..., Any])

json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
limit = click.option(
    "-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="At most this many results."
)
no_auth = click.option("--no-auth", is_flag=True, help="Require no token: every local user has access.")
MAX_STDIN_BYTES = 1_000_000
_STYLE = "hearth.style"


def formats(command: Command) -> Command:
    """``--json``, ``--md``, ``--csv`` and ``--files``, of which one may be given; ``style`` tells which."""
    for name, text in (
        ("files", "Print docid,score,collection/path:line."),
        ("csv", "Print CSV."),
        ("md", "Print Markdown."),
        ("json", "Print JSON."),
    ):
        command = click.option(f"--{name}", is_flag=True, expose_value=False, help=text, callback=_choose)(command)
    return command


def _choose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value:
        return
    before = ctx.meta.setdefault(_STYLE, param.name)
    if before != param.name:
        raise click.UsageError(f"choose one of --{before} and --{param.name}", ctx)


def style() -> str | None:
    """The format that was asked for; ``None`` means for people."""
    chosen: str | None = click.get_current_context().meta.get(_STYLE)
    return chosen


def text_or_stdin(words: tuple[str, ...]) -> str:
    """The words as one text; a lone ``-`` stands for standard input."""
    if words != ("-",):
        return " ".join(words)
    data = sys.stdin.buffer.read(MAX_STDIN_BYTES)
    return data.decode("utf-8", errors="replace").strip()


def read_text(words: tuple[str, ...]) -> str:
    """The words as one text; a lone ``-`` stands for standard input, which is never cut short.

    Raises ``UsageError`` where it holds more than a memory may, or nothing was given."""
    if not words:
        raise UsageError("no text; give some, or - to read standard input")
    if words != ("-",):
        return " ".join(words)
    data = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"standard input holds over {MAX_TEXT_BYTES:,} bytes, the limit of a memory; shorten it")
    return data.decode("utf-8", errors="replace")


def check_names(names: Iterable[str], there_are: Iterable[str], what: str) -> tuple[str, ...]:
    """The names as given; raises ``NotFound`` for one that there is not."""
    from hearth.config.kinds import near

    options = tuple(there_are)
    chosen = tuple(names)
    for name in chosen:
        if name not in options:
            raise NotFound(f"no {what} {name!r}{near(name, options)}; there are: {', '.join(options) or 'none'}")
    return chosen


def content_types(names: Iterable[str]) -> tuple[str, ...]:
    """Raises ``UsageError`` for a type that is not in the registry."""
    try:
        return check_names(names, CONTENT_TYPES, "content type")
    except NotFound as error:
        raise UsageError(str(error)) from None


def _veils(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    chosen = tuple(name.strip().lower() for name in (value or "").split(",") if name.strip())
    try:
        return check_names(chosen, VEILS[1:], "state")
    except NotFound as error:
        raise UsageError(f"--include: {error}") from None


include = click.option(
    "--include", callback=_veils, metavar="STATES", help="Include superseded, archived, invalidated and expired ones."
)


_AGO = regex(r"(\d{1,6})([hdwy])")
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_SPANS = {"h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS, "y": 365 * DAY_MS}


def parse_instant(text: str, option: str, now: int, zone: str, *, end: bool = False) -> int:
    """``YYYY-MM-DD`` (a UTC day, as ``before:`` and ``after:`` read it; ``end``: that day included), ``yesterday``,
    ``today`` or ``tomorrow`` of ``zone``, ``7d`` for that long ago (h, d, w, y), or an ISO instant, in ``zone`` where
    it names none. Raises ``UsageError``."""
    text = text.strip()
    if ago := _AGO.fullmatch(text):
        return max(0, now - int(ago[1]) * _SPANS[ago[2]])
    if (days := _DAYS.get(text.lower())) is not None:
        text = instants.show_date(now + days * DAY_MS, instants.zone_of(zone))
    found = instants.parse(text, zone, hour=24 if end else 0)
    if found is None:
        raise UsageError(
            f"{option} {text!r} is not a date; write YYYY-MM-DD, today, 7d, 2w or an instant as 2026-03-05T14:00+01:00"
        )
    return found
