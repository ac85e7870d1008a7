"""Secrets that their surroundings give away: key blocks, addresses, headers; and what names and commands say.

Every scan is linear: patterns start with a literal, repeat single characters only, and look at a bounded neighbourhood.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from functools import cache

from hearth.core.lazy import regex
from hearth.guard.secrets.codes import FACTOR_WORDS, KIND_WORDS, find_codes, recovering
from hearth.guard.secrets.commands import find_configured, find_typed
from hearth.guard.secrets.pair_shapes import access_keys, find_links
from hearth.guard.secrets.pairs import find_calls, find_inserts, find_pairs
from hearth.guard.secrets.passwords import holds_small_words, is_password
from hearth.guard.secrets.program_files import find_columns, find_located, find_placed, program_words
from hearth.guard.secrets.prose import cue_words, find_cued, find_given, scripts_of
from hearth.guard.secrets.randomness import PLACEHOLDER, is_gibberish, is_random, is_stand_in
from hearth.guard.secrets.rules import Places, Span, find_names, matches, places_of
from hearth.guard.secrets.spoken import spoken
from hearth.guard.secrets.surroundings import find_in_tables

_MAX_KEY_BLOCK = 64_000
_KEY_BLOCK = regex(
    r"-----BEGIN (?:(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?"
    r"|(?:[A-Za-z0-9]{1,20} ){0,3}(?:Static|Secret|SECRET) [kK][eE][yY](?: [A-Z0-9]{1,8})?)-----"
    r"(?:(?P<whole>(?:[^-]++|-(?!----(?:BEGIN|END)))*+)-----END [A-Za-z0-9 ]{0,60}-----"
    r"|(?P<torn>[\sA-Za-z0-9+/=\\\"]{64,16000}+))"
)
_SSH2_BLOCK = regex(r"---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----(?P<body>[^-]{24,16000}+)---- END")
_PUTTY = regex(r"Private-Lines: [0-9]{1,3}\r?\n(?P<body>(?:[ \t>]{0,8}[A-Za-z0-9+/=]{1,80}\r?(?:\n|$)){1,80})")
_PUTTY_MAC = regex(r"Private-(?:MAC|Hash): (?P<body>[0-9a-fA-F]{32,64})")
_JWK = regex(r'\\?"(?:d|p|q|dp|dq|qi|k)\\?"\s{0,3}:\s{0,3}\\?"(?P<body>[A-Za-z0-9_=-]{22,2000}+)')
_XML_KEY = regex(r"<(?:D|P|Q|DP|DQ|InverseQ)>\s{0,8}(?P<body>[A-Za-z0-9+/=]{22,2000}+)\s{0,8}</")
_KEY_MATERIAL = regex(r"[A-Za-z0-9+/=]{24}")
# Pattern by the literal without which it can't match.
_KEY_PARTS = (("PRIVATE KEY", _SSH2_BLOCK), ("RSAKeyValue", _XML_KEY))

# Up to the path. A password may itself hold an @ or a #: the host begins after the last @.
_AUTHORITY = regex(r"""://(?P<login>[^\s/"'<>`]{1,384})@(?=/|[\w.\[-]{1,255}(?:[^\w.@-]|$))""")
_URL_TOKEN = regex("[A-Za-z0-9_-]{20,256}")
_DSN = regex(r"""(?<![\w.-])[\w.-]{1,64}+:(?P<secret>[^\s"'`]{1,128})@$""")
_DSN_HOST = regex(r"@(?:tcp|unix)\(")
# user:password@host without a scheme.
_LOGIN_AT = regex(r"@(?=[\w-]{1,64}(?:\.[\w-]{2,64}){1,4}(?:[/:\s]|$))")
_BARE_LOGIN = regex(r"""(?:^|[\s"'=>`(])[\w.+-]{1,64}:(?P<secret>[^\s:@/"'`<>(){}]{6,64})$""")
_SIGNED = regex(r"(?=.*\d)(?=.*[!#$%&*+?~-]).*[A-Z]")
_LOGIN_REACH = 140
_DSN_REACH = 200
_ORACLE = regex(r"""oracle:thin:[\w$.-]{1,64}+/(?P<secret>[^\s@"'`]{1,128}+)@""")
_NO_PASSWORD = frozenset(
    (
        "password",
        "pass",
        "passwd",
        "pwd",
        "secret",
        "token",
        "pw",
        "user",
        "username",
        "key",
        "contraseña",
        "port",
        "anoncvs",
    )
)

_SCHEMES = (
    "bearer|basic|token|apikey|api-key|digest|bot|ssws|geniekey|splunk|dpop|oauth|jwt|negotiate|ntlm|sharedkey|sharedkeylite"
    "|zoho-oauthtoken|pveapitoken|klaviyo-api-key|hmac|key|discogs|api-token|aws"
)
_HEADER = regex(
    r"""authorization(?<![a-z]authorization)["'\\]{0,3}[ \t]{0,3}[:=,][ \t]{0,3}["'\\]{0,3}"""
    rf"""(?:(?P<scheme>{_SCHEMES})(?:[ \t]{{1,3}}|=)|[a-z][a-z0-9-]{{1,24}}+[ \t]{{1,3}})?"""
    r"""(?:(?:token|key|auth|apikey)=["'\\]{0,2})?"""
    r"""(?P<secret>[a-z0-9+/=_.~:%!-]{8,4096}+)"""
)
_HEADER_PART = regex(
    r"""\b(?:response|signature|mac|oauth_signature|oauth_token|nonce_secret)=["'\\]{0,2}(?P<secret>[^\s"'\\,;&]{16,1024}+)"""
)
_HEADER_REACH = 1024
_BEARER = regex(r"bearer[ \t]{1,3}(?P<secret>[a-z0-9+/=_.~-]{16,4096}+)")
# A login in base64 is told by what it says: "name:password".
_BASIC = regex(r"basic[ \t]{1,3}(?P<secret>[a-z0-9+/]{8,1024}+={0,2})")
_COOKIES = regex(r"""cookie["']?[ \t]{0,3}:[ \t]{0,3}["']?(?P<rest>[^\n"']{16,4096}+)""")
_COOKIE = regex(r"""[^\s=;]{1,64}+=(?P<secret>[^\s;&]{16,4096}+)""")

# Recovery phrases of wallets (BIP-39: 12 to 24 words of 3 to 8 small letters), only where the text names one.
_WORD = r"(?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}"
_REST = (
    r"(?:[ ](?:semilla|de[ ]recuperaci[oó]n))?s?"
    r"""["'`*_)\]\\]{0,4}(?:[ \t]{0,3}[:=]|[ \t]{1,2}(?:is|es|are))[\s"'`>*\\]{1,8}"""
    rf"(?P<secret>{_WORD}(?:[ \t]{{1,2}}{_WORD}){{11,23}}+)(?![ \t]?[a-z0-9])"
)
_PHRASES = tuple((word, regex(word + _REST)) for word in ("phrase", "mnemonic", "frase", "seed"))
_COUNTS = (12, 15, 18, 21, 24)


def contextual(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; spans are half-open and may overlap."""
    words_here = frozenset(lowered.split())
    places = places_of(lowered, words_here)
    if "key" in places:
        yield from _key_blocks(text)
    if "Private-Lines" in text:
        yield from _bodies(_PUTTY, text)
        yield from _bodies(_PUTTY_MAC, text)
    if '"kty' in text or '\\"kty' in text:
        yield from _bodies(_JWK, text)
    if "@" in text:
        yield from _addresses(text)
    yield from _authorizations(text, lowered, places)
    yield from _bearers_and_cookies(text, lowered, places)
    yield from _basics(text, lowered, places)
    yield from find_typed(text, lowered)
    words = _telling_words() & words_here
    yield from find_located(text, lowered, words)
    yield from find_configured(text, lowered, places)
    yield from find_columns(text, lowered)
    scripts = scripts_of(lowered)
    yield from spoken(text, lowered, places)
    yield from find_cued(text, lowered, words)
    yield from find_codes(lowered, places)
    yield from recovering(text, lowered, scripts, words)
    yield from find_placed(text, lowered)
    yield from find_in_tables(text, lowered, places)
    yield from _phrases(lowered, places)
    yield from find_given(text, lowered)
    yield from find_links(text, lowered)
    yield from find_inserts(text, lowered)
    yield from find_calls(text, lowered)
    yield from find_pairs(text, lowered, places)
    yield from access_keys(text, lowered, places)


@cache
def _telling_words() -> frozenset[str]:
    return program_words() | KIND_WORDS | FACTOR_WORDS | cue_words()


def _key_blocks(text: str) -> Iterator[Span]:
    if "-----BEGIN" in text:
        for match in _KEY_BLOCK.finditer(text):
            body = match["whole"] if match["whole"] is not None else match["torn"]
            if len(body) <= _MAX_KEY_BLOCK and _KEY_MATERIAL.search(body) and not PLACEHOLDER.search(body):
                yield match.start(), match.end(), "private-key"
    for literal, pattern in _KEY_PARTS:
        if literal in text:
            yield from _bodies(pattern, text)


def _bodies(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for match in pattern.finditer(text):
        if _KEY_MATERIAL.search(match["body"]) and not PLACEHOLDER.search(match["body"]):
            yield *match.span("body"), "private-key"


def _addresses(text: str) -> Iterator[Span]:
    for match in _AUTHORITY.finditer(text):
        user, colon, secret = match["login"].partition(":")
        if not colon:
            if _URL_TOKEN.fullmatch(user) and is_random(user) and not text.endswith("message", 0, match.start()):
                yield *match.span("login"), "url-password"
        elif secret and _is_url_password(secret):
            yield match.end("login") - len(secret), match.end("login"), "url-password"
    for login in _LOGIN_AT.finditer(text):
        found = _BARE_LOGIN.search(text, max(0, login.start() - _LOGIN_REACH), login.start())
        if (
            found
            and is_password(found["secret"], quoted=True)
            and (is_random(found["secret"], 8) or _SIGNED.search(found["secret"]))
        ):
            yield *found.span("secret"), "url-password"
    for host in _DSN_HOST.finditer(text):
        found = _DSN.search(text, max(0, host.start() - _DSN_REACH), host.start() + 1)
        if found and _is_url_password(found["secret"]):
            yield *found.span("secret"), "url-password"
    if "oracle:thin:" in text:
        for match in _ORACLE.finditer(text):
            if _is_url_password(match["secret"]):
                yield *match.span("secret"), "url-password"


def _is_url_password(secret: str) -> bool:
    return (
        secret.lower().rpartition(":")[2] not in _NO_PASSWORD and not is_stand_in(secret) and secret[0] not in "$%{[*("
    )


def _authorizations(text: str, lowered: str, places: Places) -> Iterator[Span]:
    for match in matches(_HEADER, "auth", lowered, places):
        start, end = match.span("secret")
        if _is_header_value(text[start:end], match["scheme"]):
            yield start, end, "authorization"
        for part in _HEADER_PART.finditer(lowered, start, min(len(text), start + _HEADER_REACH)):
            if is_random(text[slice(*part.span("secret"))]):
                yield *part.span("secret"), "authorization"


def _basics(text: str, lowered: str, places: Places) -> Iterator[Span]:
    for match in matches(_BASIC, "basic", lowered, places):
        start, end = match.span("secret")
        with suppress(ValueError):
            decoded = b64decode(text[start:end], validate=True)
            if b":" in decoded[1:-1] and decoded.isascii() and decoded.decode().isprintable():
                yield start, end, "authorization"


def _bearers_and_cookies(text: str, lowered: str, places: Places) -> Iterator[Span]:
    for match in matches(_BEARER, "bearer", lowered, places):
        start, end = match.span("secret")
        if is_random(text[start:end]):
            yield start, end, "authorization"
    for match in matches(_COOKIES, "cookie", lowered, places):
        for part in _COOKIE.finditer(lowered, *match.span("rest")):
            if is_random(text[slice(*part.span("secret"))]):
                yield *part.span("secret"), "cookie"


def _is_header_value(secret: str, scheme: str | None) -> bool:
    if is_stand_in(secret):
        return False
    if scheme is None:
        return is_random(secret)
    plain = secret.islower() or secret.isupper() or not is_gibberish(secret)
    return any(map(str.isdigit, secret)) or not plain


def _phrases(lowered: str, places: Places) -> Iterator[Span]:
    for _, match in find_names(_PHRASES, lowered, places):
        words = re.findall("[a-z]+", match["secret"])
        if len(words) in _COUNTS and not holds_small_words(words):
            yield *match.span("secret"), "seed-phrase"
