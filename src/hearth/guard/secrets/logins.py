"""Passwords that have no name of their own and stand at a place beside a user: ``.pgpass``, calls, files of clients.

Each pattern begins with a literal and looks at a bounded neighbourhood: linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.passwords import is_password, is_setting, is_words
from hearth.guard.secrets.vocabulary import Span
from hearth.lazy import regex

_QUOTED = r"""["'](?P<user>[^"'\n]{1,80})["'],[ ]{0,4}["'](?P<secret>[^"'\n]{4,128})["']"""
_CALLS = tuple(
    (literal, regex(rf"{literal}[a-z_]{{0,16}}[ ]?[=(:][ ]?[\[(]?[ ]?{first}{_QUOTED}"))
    for literal, first in (
        *((name, "") for name in ("login", "auth", "credential", "connect", "password", ".basic")),
        ("mysql", r"""["'][^"'\n]{1,80}["'],[ ]{0,4}"""),
    )
)
_USERS = frozenset(("root", "admin", "administrator", "sa", "postgres", "user", "username", "guest", "test", "app"))
_PGPASS = regex(
    r":(?:[0-9]{4,5}|\*):(?P<database>[\w.*-]{1,64}):[\w.*@-]{1,64}:(?P<secret>[^\s]{4,128}+)(?=[ \t]{0,8}(?:$|[\r\n]))"
)
# A call that says where, who and with what: new PDO("mysql:host=…", "shop", "…").
_WHERE = regex(
    r"""\([ ]{0,2}[rbf]?["'][^"'\n]{0,120}(?:(?:host|server|dbname|dsn)=|jdbc:|localhost|:[\w+]{2,12}:"""
    r"""|[a-z0-9]\.[a-z]{2,10}|\d\.\d)[^"'\n]{0,120}["'],[ ]?""" + _QUOTED
)
_WHERE_ABOVE = regex(r"(?:pdo|connect\w{0,12}|login|getconnection|open|bind)\([ ]?[$&]?\w{1,32},[ ]?" + _QUOTED)
_PORT = regex(":[0-9]{4,5}:[A-Za-z_*]")
_HOST = regex(r"(?:^|\n)[ \t]{0,8}[\w.*-]{1,100}$")
_REACH = 120
_INLINE = regex(r"auth-user-pass>\s{1,8}[^\n<]{1,80}\n[ \t]{0,8}(?P<secret>[^\s<]{4,128})")


def placed(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; spans may overlap those of other scans."""
    if "'," in text or '",' in text:
        yield from _call(text, lowered)
        yield from _places(text, lowered)
    if ":*:" in text or _PORT.search(text):
        for match in _PGPASS.finditer(text):
            host = _HOST.search(text, max(0, match.start() - _REACH), match.start())
            if host and not match["database"].isdigit() and is_setting(match["secret"]):
                yield *match.span("secret"), "password"
    if "auth-user-pass>" in lowered:
        for match in _INLINE.finditer(lowered):
            yield *match.span("secret"), "password"


def _call(text: str, lowered: str) -> Iterator[Span]:
    for literal, call in _CALLS:
        at = lowered.find(literal)
        for match in call.finditer(lowered, at) if at >= 0 else ():
            if _is_login(literal, match["user"], text[slice(*match.span("secret"))]):
                yield *match.span("secret"), "password"


def _places(text: str, lowered: str) -> Iterator[Span]:
    for call in (_WHERE, _WHERE_ABOVE):
        for match in call.finditer(lowered):
            secret = text[slice(*match.span("secret"))]
            if (
                match["user"][0].isalnum()
                and " " not in match["user"]
                and (
                    is_password(secret, quoted=True)
                    or ((match["user"] in _USERS or "jdbc:" in match[0]) and is_setting(secret))
                )
            ):
                yield *match.span("secret"), "password"


def _is_login(call: str, user: str, secret: str) -> bool:
    """Handlers are connected and forms named in the same way, so an ordinary word needs a user before it."""
    if is_password(secret, quoted=True):
        return not any(char in user + secret for char in "/ ")
    known = user in _USERS or "@" in user or (call in ("login", "credential") and is_words(secret))
    return known and is_setting(secret) and secret != "password"
