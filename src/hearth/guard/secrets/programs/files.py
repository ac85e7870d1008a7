"""Columns of files without a name for the secret: peers of PPP, maps of mail relays, codes that phones read."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.passwords import is_password, is_setting
from hearth.guard.secrets.vocabulary import Span
from hearth.lazy import regex

_WIFI = regex(r'wifi:(?:[a-z]{1,2}:[^;\n]{0,64};){0,4}p:"?(?P<secret>(?:[^;\n\\"]|\\.){4,128})"?;')
# As mail servers keep passwords that they can read.
_SCHEME = regex(r"\{(?:plain|clear|cleartext)\}(?P<secret>[^\s:\"']{4,128}+)")
_STAR = regex(r"\*(?<=[ \t]\*)(?=[ \t\r\n]|$)")
_NAME = r"""(?:"[\w.@\\-]{1,64}"|[\w.@\\-]{1,64})"""
_SECRET = r"""(?:"(?P<quoted>[^"\n]{4,128})"|(?P<secret>[^\s"'*]{4,128}))"""
_PEER = regex(
    rf"[ \t]{{0,8}}{_NAME}[ \t]{{1,16}}(?:\*|{_NAME})[ \t]{{1,16}}{_SECRET}(?:[ \t]{{1,16}}(?P<to>\*"
    rf"|\d{{1,3}}(?:\.\d{{1,3}}){{3}}))?[ \t]*\r?"
)
_COLON = regex(r":(?<=[\w-]:)(?P<secret>[^\s:/\"'<>(){}\[\]]{4,128}+)(?=[ \t]{0,8}(?:$|[\r\n#]))")
_RELAY = regex(
    r"[ \t]{0,8}(?:[\w./ =]{0,48}static:"
    r"|\[?[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}\]?(?::\w{1,10})?[ \t]{1,16})[\w.+-]{1,60}(?:@[\w.-]{1,60})?"
)
_REACH = 200


def columned(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "{" in text:
        for scheme in _SCHEME.finditer(lowered):
            yield *scheme.span("secret"), "password"
    if "wifi:" in lowered:
        for code in _WIFI.finditer(lowered):
            if is_setting(text[slice(*code.span("secret"))]):
                yield *code.span("secret"), "password"
    for star in _STAR.finditer(text):
        yield from _peer(text, star.start())
    for colon in _COLON.finditer(text):
        value = colon["secret"]
        if not value.isdigit() and is_password(value, quoted=True):
            first = text.rfind("\n", max(0, colon.start() - _REACH), colon.start()) + 1
            if _RELAY.fullmatch(text, first, colon.start()):
                yield *colon.span("secret"), "password"


def _peer(text: str, star: int) -> Iterator[Span]:
    """A line of a client, a server, a secret and an address: a star stands for any."""
    first = text.rfind("\n", max(0, star - _REACH), star) + 1
    last = text.find("\n", star, star + _REACH)
    line = _PEER.fullmatch(text, first, last if last >= 0 else len(text))
    if line is None:
        return
    if line["quoted"] and is_setting(line["quoted"]):
        yield *line.span("quoted"), "password"
    if line["secret"] and line["to"] and is_password(line["secret"], quoted=True):
        yield *line.span("secret"), "password"
