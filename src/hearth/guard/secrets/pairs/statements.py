"""Secrets in statements of code: keys of calls that sign or open something, rows of SQL with a column of passwords."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.pairs.names import naming
from hearth.guard.secrets.passwords import is_password, is_setting
from hearth.guard.secrets.vocabulary import Span
from hearth.lazy import regex

_SECRET = r"""[bNE]?(?P<quote>["'`])(?P<secret>[^"'`\n\\]{6,256})(?P=quote)"""
_FIRST = r"[\w.\[\]$]{1,60}(?:\([^()\n]{0,60}\))?"
_CALLS = tuple(
    (literal, regex(pattern))
    for literal, pattern in (
        ("jwt.", rf"jwt\.(?:sign|verify|encode|decode)\([ ]?(?:{_FIRST}|\{{[^{{}}\n]{{0,120}}\}}),[ ]?{_SECRET}"),
        ("createhmac(", rf"createhmac\([ ]?[\"'][\w-]{{2,12}}[\"'],[ ]?{_SECRET}"),
        ("hash_hmac(", rf"hash_hmac\([ ]?[\"'][\w-]{{2,12}}[\"'],[ ]?{_FIRST},[ ]?{_SECRET}"),
        ("hmac.new(", rf"hmac\.new\([ ]?{_SECRET}"),
        ("fernet(", rf"fernet\([ ]?{_SECRET}"),
        ("tochararray()", r"""(?P<quote>")(?P<secret>[^"\n\\]{6,128})"\.tochararray\(\)"""),
        ("secretkeyspec(", rf"secretkeyspec\([ ]?{_SECRET}"),
        ("cipheriv(", rf"cipheriv\([ ]?[\"'][\w-]{{2,24}}[\"'],[ ]?{_SECRET}"),
    )
)


def called(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "(" not in text:
        return
    for literal, call in _CALLS:
        if literal in lowered:
            for match in call.finditer(lowered):
                secret = text[slice(*match.span("secret"))]
                if is_password(secret, quoted=True) or is_setting(secret):
                    yield *match.span("secret"), "key"


_INSERT = regex(
    r"(?:insert|replace)\s{1,4}(?:ignore\s{1,4})?into\s[^\n(;]{1,80}\((?P<names>[^()]{1,600})\)\s{0,8}values\s{0,8}"
)
_CELL = regex(
    r"""\s{0,40}(?:[NEne]?'(?P<quoted>(?:[^'\n\\]|''|\\.){0,512})'|"(?P<double>[^"\n]{0,512})"|[^\s,()'"]{1,64})\s{0,8}(?P<end>[,)])"""
)
_OPEN = regex(r"\s{0,8},?\s{0,8}\(")
_MOST = 2_000


def inserted(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "into " not in lowered or "values" not in lowered:
        return
    for statement in _INSERT.finditer(lowered):
        names = [name.strip(" \t\r\n`\"[]'") for name in text[slice(*statement.span("names"))].split(",")]
        columns = {at for at, name in enumerate(names) if _names_password(name)}
        if columns:
            yield from _rows(text, statement.end(), columns)


def _names_password(name: str) -> bool:
    said = naming(name)
    return said is not None and said.kind in ("password", "secret", "token", "key") and said.sure


def _rows(text: str, at: int, columns: set[int]) -> Iterator[Span]:
    for _ in range(_MOST):
        opened = _OPEN.match(text, at)
        if opened is None:
            return
        at, column, more = opened.end(), 0, True
        while more:
            cell = _CELL.match(text, at)
            if cell is None:
                return
            kind = "quoted" if cell["quoted"] is not None else "double"
            value = cell[kind]
            if column in columns and value and (is_password(value, quoted=True) or is_setting(value)):
                yield *cell.span(kind), "password"
            at, column, more = cell.end(), column + 1, cell["end"] == ","
