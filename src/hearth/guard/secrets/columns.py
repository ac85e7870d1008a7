"""Secrets in columns: a table or a list of values whose first row calls one of them a password.

Rows follow each other, so each is looked at once: linear in the text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from hearth.guard.secrets.pairs.names import naming
from hearth.guard.secrets.passwords import is_given, is_password, is_typed
from hearth.guard.secrets.randomness import is_random, is_stand_in
from hearth.guard.secrets.vocabulary import Places, Span
from hearth.lazy import regex

_NAMED = regex(r"(?:[a-z]{1,16}[ _-])?(?:password|passwd|passphrase|pass|pwd|secret|token|passwort|mot de passe)")
# A cell's end.
_HEAD = regex(r"\w{2,20}[*`_\"' ]{0,40}(?:[|,;\t\r\n^!]|$)")
_HEADS = frozenset(
    (
        "pass",
        "secret",
        "token",
        "key",
        "pw",
        "mdp",
        "kennw",
        "contrase",
        "clave",
        "senha",
        "wachtw",
        "salasan",
        "lösen",
        "hasł",
    )
) | {"парол", "parol"}
_NAME = regex(r"(?!\d+[.:])[\w ./-]{0,60}")
_RULE = regex(r"[\s|:+-]+")
_PARTNER = regex(
    r"user(?:name)?|login(?:_username)?|e-?mail|account|host(?:name)?|server|ssid|url|login_uri|service|device|system"
    r"|benutzer(?:name)?|nutzer|dienst|gerät|konto|utilisateur|identifiant|compte|usuario|cuenta|utente|utilizador"
    r"|gebruiker|käyttäjä|tunnus|användare|użytkownik|логин|пользователь"
)
_DECORATION = " \t*`_\"'\r!|"
_MOST_CELLS = 24
_MOST_LINE = 2_000
_QUOTED = regex(r'[ ]?"(?:[^"\n]|""){0,400}"')
_SEEDS = frozenset(["totp", "login_totp", "otpauth", "otp", "otp_secret", "totpsecret", "mfa_seed"])
# Of the head and of the rows.
_DELIMITERS = (("!!", "||"), ("||", "||"), ("^", "|"), ("|", "|"), ("\t", "\t"), (",", ","), (";", ";"))


def tabulated(text: str, lowered: str, places: Places) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    end = 0
    for at in sorted(at for stem in _HEADS & places.keys() for at in places[stem]):
        if at >= end and _HEAD.match(lowered, at):
            end = yield from _below(text, lowered, lowered.rfind("\n", 0, at) + 1, _line_end(lowered, at))


def _below(text: str, lowered: str, start: int, end: int) -> Generator[Span, None, int]:
    """What stands below the head that ``lowered[start:end]`` may be; returns where to go on."""
    for delimiter, rows in _DELIMITERS if end - start <= _MOST_LINE else ():
        names = [lowered[first:last].strip(_DECORATION) for first, last in _cells(lowered, start, end, delimiter)]
        if not all(map(_NAME.fullmatch, names)):  # code
            continue
        columns = [at for at, name in enumerate(names) if _names_secret(name)]
        if columns and len(list(filter(None, names))) > 1 and len(names) <= _MOST_CELLS:
            given = any(map(_PARTNER.fullmatch, names))
            return (yield from _rows(text, end + 1, rows, (len(names), columns), given))
    return end


def _names_secret(name: str) -> bool:
    said = naming(name) if len(name.split()) < 4 else None
    return (
        _NAMED.fullmatch(name) is not None
        or name in _SEEDS
        or (said is not None and said.sure and said.kind in ("password", "secret", "token", "key"))
    )


def _rows(
    text: str, start: int, delimiter: str, place: tuple[int, list[int]], given: bool
) -> Generator[Span, None, int]:
    """``given``: another column names who logs in, or where. Returns the end of the last row."""
    count, columns = place
    while start < len(text):
        end = _line_end(text, start)
        cells = _cells(text, start, min(end, start + _MOST_LINE), delimiter)
        if len(cells) != count:
            return start
        for first, last in [cells[column] for column in columns] if not _RULE.fullmatch(text, start, end) else []:
            value = text[first:last].strip(_DECORATION)
            at = text.index(value, first)
            if value and _is_secret(value, listed="|" not in delimiter and given, given=given):
                yield at, at + len(value), "password"
        start = end + 1
    return len(text)


def _cells(text: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    """Where the cells of a line stand; in quotes a cell may hold the delimiter."""
    cells: list[tuple[int, int]] = []
    at = start
    while True:
        quoted = _QUOTED.match(text, at, end) if delimiter in ",;" else None
        stop = text.find(delimiter, quoted.end() if quoted else at, end)
        cells.append((at, stop if stop >= 0 else end))
        if stop < 0 or len(cells) > _MOST_CELLS:
            return cells
        at = stop + len(delimiter)


def _is_secret(value: str, *, listed: bool, given: bool) -> bool:
    """Cells of tables hold prose as well; lists hold nothing else."""
    if listed:
        if _NAMED.fullmatch(value.lower()):
            return False
        return (not is_stand_in(value) and "://" not in value[:8]) or value.startswith("otpauth:")
    if is_typed(value) or is_random(value, 10):
        return True
    return given and (is_password(value, quoted=True) or is_given(value))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
