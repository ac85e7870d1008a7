"""What stands around a setting, and secrets in columns of tables."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from hearth.core.lazy import regex
from hearth.guard.secrets.pair_names import naming
from hearth.guard.secrets.passwords import is_given, is_password, is_typed
from hearth.guard.secrets.randomness import is_random, is_stand_in
from hearth.guard.secrets.rules import Places, Span

_REACH = 300
_LINES = 4
_HEAD = 400
_PARTNER = (
    r"(?:user(?:name|id)?|usr|login|uid|ip_?addr(?:ess)?|host(?:name)?|server|account|identity|machine|ssid|dbname|database"
    r"|data source"
    r"|initial catalog|e-?mail|port)"
)
_PAIRED = regex(
    rf"""{_PARTNER}(?:["'`*]{{0,3}}(?:\])?[ \t]{{0,24}}(?:=>?|:|>|\|)|["'],[ ]|</(?:key|name)>|["'][ ]value=)"""
)
_LISTED = regex(
    r"(?:^|\n)[ \t]{0,8}(?:identity|host(?:name)?|user(?:name)?|account|from|login|machine|server|poll|port|uri"
    r"|auth|tls\w{0,12}|protocol)"
    r"[ \t]{1,8}[^\s:]\S{0,80}[ \t]{0,8}(?:$|[\r\n])"
)
_INDENTED = regex(r"""[ \t]{1,40}(?:- )?["']?[\w.-]{1,60}["']?[ ]?:[ \t]""")
_ENTRY = regex(
    r"""[ \t]{0,40}(?:- )?["']?[\w.-]{1,60}["']?[ ]?:(?:[ \t]{1,4}[^\s]{1,120})?[ \t]{0,4}[,{\[]?\r?(?:\n|$)"""
)
_SECTION = regex(r"(?:^|\n)\[[a-z0-9_. :@/-]{1,40}\]\r?\n[^()\[\]{}]*$")


def has_partner(lowered: str, start: int, end: int, *, listed: bool) -> bool:
    """Does a pair within four lines of the range name a user or a host? ``listed``: pairs of a name and a blank."""
    first, last = _window(lowered, start, end)
    pattern = _LISTED if listed else _PAIRED
    return pattern.search(lowered, first, start) is not None or pattern.search(lowered, end, last) is not None


def in_section(lowered: str, at: int) -> bool:
    """The line is one of a file with sections: no code writes ``[client]``."""
    start = lowered.rfind("\n", max(0, at - _REACH), at) + 1
    return _SECTION.search(lowered[max(0, start - _HEAD) : start]) is not None


def in_block(text: str, start: int, end: int) -> bool:
    """An indented line ``name: value`` with one like it, or one that opens a block, above or below."""
    first = text.rfind("\n", max(0, start - _REACH), start) + 1
    last = text.find("\n", end, end + _REACH)
    if first == 0 or _INDENTED.match(text, first, end) is None:
        return False
    above = text.rfind("\n", max(0, first - 1 - _REACH), first - 1) + 1
    return _ENTRY.match(text, above, first) is not None or (last >= 0 and _ENTRY.match(text, last + 1) is not None)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    first, last = start, end
    for _ in range(_LINES):
        first = text.rfind("\n", max(0, start - _REACH), max(0, first))
        if first < 0:
            first = max(0, start - _REACH)
            break
    for _ in range(_LINES):
        last = text.find("\n", last + 1, end + _REACH)
        if last < 0:
            last = min(len(text), end + _REACH)
            break
    return first, last


_NEXT_LINE = 160
_START = regex(
    r"""[\t >]{0,40}(?:[#;!]{1,2}[ \t]{0,4}|//[ \t]{0,4}|[-*][ \t]{1,3})?"""
    r"""(?:(?:define|export|setx?|setenv|env|arg|my|const|let|var|option|local|declare|\(setq"""
    r"""|\(def[a-z]{3,5}|[a-z]{3,8}_param)[ \t]{1,4}"""
    r"""|[a-z][\w-]{1,16}(?:[ \t][\w./:-]{1,40}){0,6}[ \t]"""
    r"""(?:(?:config:)?set[ \t]|--(?:set|env|from-literal)[ =]|-e[ \t])|set-item[ \t]env:)?"""
    r"""[$@&:({\[<"']{0,3}(?P<name>[\w./:-]{0,64})["'\]]{0,2}"""
)
_SETTING = regex(
    r"""[ \t]{0,40}(?:[#;!]{1,2}(?:[ \t]|$)|//[ \t]|\[[\w.: -]{1,60}\][ \t]*$"""
    r"""|(?:[#;!]{1,2}|//)?["']?[\w.-]{1,64}["']?[ \t]{0,24}(?:[+:]?=>?|:)"""
    r"""[ \t]{0,24}["']?[^()\[\]{}\n]{0,100}["']?[;,]?[ \t]*\r?$)"""
)
_REFERENCE = regex(r"\$[({][^\n)}]{0,60}[)}]")
_CODE = regex(r"[(){}]|\b(?:def|self|import|return|function|class|new|await)\b")


def name_before(lowered: str, start: int) -> str | None:
    """What of the name stands before ``start`` in its line; None where the line begins with anything else."""
    first = lowered.rfind("\n", max(0, start - _NEXT_LINE), start) + 1
    if first == 0 and start > _NEXT_LINE:
        return None
    found = _START.fullmatch(lowered, first, start)
    return found["name"] if found and not found["name"].startswith("redacted:") else None


def is_among_settings(lowered: str, start: int, end: int) -> bool:
    """Is the line above or below a setting, a comment or a section, and none of them code?"""
    near = [line for line in (_line_above(lowered, start), _line_below(lowered, end)) if line.strip()]
    near = [_REFERENCE.sub("", line) for line in near]
    return any(map(_SETTING.match, near)) and not any(map(_CODE.search, near))


def _line_above(text: str, at: int) -> str:
    last = text.rfind("\n", max(0, at - _NEXT_LINE), at)
    while last > 0 and text[last - 1] in "\r\n":
        last -= 1
    return text[text.rfind("\n", max(0, last - _NEXT_LINE), last) + 1 : last] if last > 0 else ""


def _line_below(text: str, at: int) -> str:
    first = text.find("\n", at, at + _NEXT_LINE)
    while 0 <= first < len(text) - 1 and text[first + 1] in "\r\n":
        first += 1
    if first < 0:
        return ""
    last = text.find("\n", first + 1, first + _NEXT_LINE)
    return text[first + 1 : last] if last >= 0 else text[first + 1 : first + _NEXT_LINE]


_NAMED = regex(r"(?:[a-z]{1,16}[ _-])?(?:password|passwd|passphrase|pass|pwd|secret|token|passwort|mot de passe)")
# A cell's end.
_COLUMN_HEAD = regex(r"\w{2,20}[*`_\"' ]{0,40}(?:[|,;\t\r\n^!]|$)")
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
_COLUMN_PARTNER = regex(
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


def find_in_tables(text: str, lowered: str, places: Places) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    end = 0
    for at in sorted(at for stem in _HEADS & places.keys() for at in places[stem]):
        if at >= end and _COLUMN_HEAD.match(lowered, at):
            end = yield from _below(text, lowered, lowered.rfind("\n", 0, at) + 1, _line_end(lowered, at))


def _below(text: str, lowered: str, start: int, end: int) -> Generator[Span, None, int]:
    """What stands below the head that ``lowered[start:end]`` may be; returns where to go on."""
    for delimiter, rows in _DELIMITERS if end - start <= _MOST_LINE else ():
        names = [lowered[first:last].strip(_DECORATION) for first, last in _cells(lowered, start, end, delimiter)]
        if not all(map(_NAME.fullmatch, names)):  # code
            continue
        columns = [at for at, name in enumerate(names) if _names_secret(name)]
        if columns and len(list(filter(None, names))) > 1 and len(names) <= _MOST_CELLS:
            given = any(map(_COLUMN_PARTNER.fullmatch, names))
            return (yield from _rows(text, end + 1, rows, (len(names), columns), given))
    return end


def _names_secret(name: str) -> bool:
    sense = naming(name) if len(name.split()) < 4 else None
    return (
        _NAMED.fullmatch(name) is not None
        or name in _SEEDS
        or (sense is not None and sense.sure and sense.kind in ("password", "secret", "token", "key"))
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
