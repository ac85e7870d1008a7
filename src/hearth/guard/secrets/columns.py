"""Secrets in columns: a table or a list of values whose first row calls one of them a password.

Rows follow each other, so each is looked at once: linear in the text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from hearth.guard.secrets.assignments import Span
from hearth.guard.secrets.passwords import is_password, is_setting, is_typed
from hearth.guard.secrets.randomness import is_random
from hearth.lazy import regex

_NAMED = regex(r"(?:[a-z]{1,16}[ _-])?(?:password|passwd|passphrase|pass|pwd|secret|token|passwort|mot de passe)")
# A cell's end.
_HEAD = {
    "pass": regex(r"pass(?:word|wd|phrase|wort|e)?[*`_\"' ]{0,40}(?:[|,;\t\r\n]|$)"),
    "secret": regex(r"secret[*`_\"' ]{0,40}(?:[|,;\t\r\n]|$)"),
}
_NAME = regex(r"[\w ./-]{0,60}")
_RULE = regex(r"[\s|:+-]+")
_PARTNER = regex(r"user(?:name)?|login(?:_username)?|e-?mail|account|host(?:name)?|server|ssid|url|login_uri")
_DECORATION = " \t*`_\"'\r"
_MOST_CELLS = 24
_MOST_LINE = 2_000
_DELIMITERS = ("|", "\t", ",", ";")


def tabulated(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    for literal, head in _HEAD.items():
        at = lowered.find(literal)
        while at >= 0:
            end = at + 1
            if head.match(lowered, at):
                end = yield from _below(text, lowered, lowered.rfind("\n", 0, at) + 1, _line_end(lowered, at))
            at = lowered.find(literal, end)


def _below(text: str, lowered: str, start: int, end: int) -> Generator[Span, None, int]:
    """What stands below the head that ``lowered[start:end]`` may be; returns where to go on."""
    for delimiter in _DELIMITERS if end - start <= _MOST_LINE else ():
        names = [cell.strip(_DECORATION) for cell in lowered[start:end].split(delimiter)]
        if not all(map(_NAME.fullmatch, names)):  # code
            continue
        column = next((at for at, name in enumerate(names) if _NAMED.fullmatch(name)), None)
        if column is not None and len(list(filter(None, names))) > 1 and len(names) <= _MOST_CELLS:
            given = any(map(_PARTNER.fullmatch, names))
            return (yield from _rows(text, end + 1, delimiter, (len(names), column), given))
    return end


def _rows(text: str, start: int, delimiter: str, place: tuple[int, int], given: bool) -> Generator[Span, None, int]:
    """``given``: another column names who logs in, or where. Returns the end of the last row."""
    count, column = place
    while start < len(text):
        end = _line_end(text, start)
        cells = text[start : min(end, start + _MOST_LINE)].split(delimiter)
        if len(cells) != count:
            return start
        if not _RULE.fullmatch(text, start, end):
            first = start + sum(len(cell) + 1 for cell in cells[:column])
            value = cells[column].strip(_DECORATION)
            at = first + cells[column].find(value)
            if value and _is_secret(value, listed=delimiter != "|" and given, given=given):
                yield at, at + len(value), "password"
        start = end + 1
    return len(text)


def _is_secret(value: str, *, listed: bool, given: bool) -> bool:
    """Cells of tables hold prose as well."""
    if is_typed(value) or is_random(value, 10):
        return True
    return (listed and is_setting(value)) or (given and is_password(value, quoted=True))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
