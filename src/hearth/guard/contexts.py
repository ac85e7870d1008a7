"""Secrets that their surroundings give away: key blocks, addresses, headers, assignments, sentences.

Every scan is linear: patterns start with a literal, repeat single characters only, and look at a bounded neighbourhood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from hearth.guard.randomness import PLACEHOLDER, is_password, is_random, is_stand_in, is_wordy

Span = tuple[int, int, str]

_MAX_KEY_BLOCK = 64_000
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?P<whole>(?:[^-]++|-(?!----(?:BEGIN|END)))*+)-----END [A-Z0-9 ]{0,60}-----"
    r"|(?P<torn>[\sA-Za-z0-9+/=\\\"]{64,16000}+))"
)
_PUTTY = re.compile(r"Private-Lines: [0-9]{1,3}\r?\n(?P<body>(?:[A-Za-z0-9+/=]{1,80}\r?\n){1,60})")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{24}")

_URL_PASSWORD = re.compile(r"""://[^\s/@:"'<>`]{0,128}+:(?P<secret>[^\s/@"'<>`]{1,256}+)@""")
_URL_TOKEN = re.compile(r"://(?P<secret>[A-Za-z0-9_-]{20,256}+)@")
_NO_PASSWORD = frozenset(
    ("password", "pass", "passwd", "pwd", "secret", "token", "pw", "user", "username", "key", "contraseña")
)

_HEADER = re.compile(
    r"""authorization["'\\]{0,3}[ \t]{0,3}[:=,][ \t]{0,3}["'\\]{0,3}"""
    r"""(?:bearer|basic|token|apikey|digest|bot)[ \t]{1,3}"""
    r"""(?P<secret>[a-z0-9+/=_.~:-]{8,4096}+)"""
)
_BEARER = re.compile(r"bearer[ \t]{1,3}(?P<secret>[a-z0-9+/=_.~-]{16,4096}+)")
_COOKIE = re.compile(r"""cookie["']?[ \t]{0,3}:[ \t]{0,3}["']?(?P<secret>[^\s"'=;]{1,64}+=[^\s"';]{16,4096}+)""")
_USER_OPTION = re.compile(r"""-u(?:(?<=[ \t]-u)|ser(?<=--user))[ =]["']?[\w.@-]{1,64}+:(?P<secret>[^\s"':]{6,128}+)""")

# After a keyword: a harmless suffix, what closes a quoted or marked-up name, the separator, and ahead the value.
_TAIL = r"s?(?:[_-]?(?:value|prod|production|dev|live|test|staging|main|admin|old|new|raw|base64|b64|[0-9]{1,2}))?"
_CLOSE = r"""["'`\\\]*)]{0,4}"""
_TYPE = r"(?::[ \t]{0,4}[a-z][a-z0-9_.|\[\]& ?]{0,24})?"
_SEPARATOR = (
    rf"(?P<separator>[ \t]{{0,8}}(?:{_TYPE}(?:=>|:=|={{1,3}})|:|>|\|)[ \t]{{0,8}}\*{{0,2}}[ \t]{{0,2}}"
    r"|[ \t]{1,4}(?:is|es|was|era|to)[ \t:]{1,3}|(?P<space>[ \t]{1,3}))"
)
_VALUE = (
    r"(?=(?P<prefix>[brfu@]{0,2}\\{0,3})(?:"
    r'"(?P<double>[^"\\\n]{6,256})\\{0,3}"'
    r"|'(?P<single>[^'\\\n]{6,256})\\{0,3}'"
    r"|`(?P<tick>[^`\\\n]{6,256})`"
    r"""|(?P<bare>[^\s"'`,;<>()\[\]{}|&=:\\]{6,128})))"""
)
_REST = _TAIL + _CLOSE + _SEPARATOR + _VALUE
_FORMS = ("double", "single", "tick", "bare")
_KEYWORDS = (
    ("password", r"pass(?:word|wd|phrase|code|wort)?"),
    ("password", r"pwd"),
    ("password", r"contrase(?:ñ|n)a"),
    ("secret", r"secret"),
    ("token", r"token"),
    ("secret", r"credential"),
    ("key", r"key"),
    ("auth", r"auth"),
)
# What makes "key" or "auth" name a secret; "primary key", "cache_key" and "keyboard" must not.
_KEY_OWNER = re.compile(
    r"(?:api|app|application|access|account|auth|client|consumer|encryption|license|licence|master|private|secret|service"
    r"|session|shared|sharedaccess|signing|storage|subscription|deploy|admin|aes|hmac|jwt|webhook|openai|anthropic|write"
    r"|ingest|host|root|function)[_\- .]?$|(?<![a-z])[a-z0-9]{2,24}_(?:api_?)?$"
)
_KEY_HARMLESS = re.compile(r"(?:primary|foreign|public|cache|sort|partition|row|dict|map|index|pub|lookup)[_\- .]?$")
_PREFIX_CHARS = 24
_BARE_CODE = re.compile(r"[A-Za-z_][\w.]*")
_CONTINUES = re.compile(r"[^\s\"'`,;<>()\[\]{}|&\\]*")


def contextual(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; spans are half-open and may overlap."""
    if "PRIVATE KEY" in text or "Private-Lines" in text:
        yield from _key_blocks(text)
    if "://" in text and "@" in text:
        yield from _addresses(text)
    yield from _headers(text, lowered)
    for rule, literal, pattern in _assignments():
        if literal in lowered:
            yield from _assigned(rule, pattern, text, lowered)


def _key_blocks(text: str) -> Iterator[Span]:
    for match in _KEY_BLOCK.finditer(text):
        body = match["whole"] if match["whole"] is not None else match["torn"]
        if len(body) <= _MAX_KEY_BLOCK and _KEY_MATERIAL.search(body) and not PLACEHOLDER.search(body):
            yield match.start(), match.end(), "private-key"
    for match in _PUTTY.finditer(text):
        yield *match.span("body"), "private-key"


def _addresses(text: str) -> Iterator[Span]:
    for match in _URL_PASSWORD.finditer(text):
        secret = match["secret"]
        if secret.lower() not in _NO_PASSWORD and not is_stand_in(secret) and secret[0] not in "$%{[*":
            yield *match.span("secret"), "url-password"
    for match in _URL_TOKEN.finditer(text):
        if is_random(match["secret"]):
            yield *match.span("secret"), "url-password"


def _headers(text: str, lowered: str) -> Iterator[Span]:
    if "authorization" in lowered:
        for match in _HEADER.finditer(lowered):
            start, end = match.span("secret")
            secret = text[start:end]
            plain = secret.islower() or secret.isupper() or is_wordy(secret)
            if not is_stand_in(secret) and (any(map(str.isdigit, secret)) or not plain):
                yield start, end, "authorization"
    for anchor, rule, pattern in (("bearer", "authorization", _BEARER), ("cookie", "cookie", _COOKIE)):
        if anchor in lowered:
            for match in pattern.finditer(lowered):
                start, end = match.span("secret")
                if is_random(text[start:end].partition("=")[2] if rule == "cookie" else text[start:end]):
                    yield start, end, rule
    if " -u" in text or "--user" in text:
        for match in _USER_OPTION.finditer(text):
            if is_password(match["secret"], quoted=True):
                yield *match.span("secret"), "password"


@cache
def _assignments() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    literals = (re.match(r"[a-z]+", keyword) for _, keyword in _KEYWORDS)
    return tuple(
        (rule, literal[0], re.compile(keyword + _REST))
        for (rule, keyword), literal in zip(_KEYWORDS, literals, strict=True)
        if literal
    )


def _assigned(rule: str, pattern: re.Pattern[str], text: str, lowered: str) -> Iterator[Span]:
    done = 0
    for match in pattern.finditer(lowered):
        if match.start() < done or not _applies(rule, match, lowered):
            continue
        group = next(form for form in _FORMS if match[form] is not None)
        start, end = match.span(group)
        if group == "bare":
            end = _bare_end(text, start, end)
        if end - start >= 6 and _is_secret(rule, match, text[start:end], group):
            if group == "bare":
                end = _CONTINUES.match(text, end).end()  # type: ignore[union-attr]
            done = end
            yield start, end, rule


def _bare_end(text: str, start: int, end: int) -> int:
    """Without the sentence's own punctuation; 0 for calls and subscripts."""
    if text[end : end + 1] in ("(", "["):
        return 0
    while end > start and text[end - 1] in ".:!?*_":
        end -= 1
    return end


def _applies(rule: str, match: re.Match[str], lowered: str) -> bool:
    before = lowered[max(0, match.start() - _PREFIX_CHARS) : match.start()]
    if match["space"] is not None and "-" not in before[-16:].rpartition(" ")[2][:2]:
        return False
    if rule == "key":
        return _KEY_OWNER.search(before) is not None and _KEY_HARMLESS.search(before) is None
    if rule == "auth":
        return before[-1:] in ("_", "-")
    return True


def _is_secret(rule: str, match: re.Match[str], value: str, group: str) -> bool:
    quoted = group != "bare"
    separator = match["separator"]
    if match["prefix"].startswith("f") and quoted and "{" in value:
        return False
    if rule != "password":
        return is_random(value, 12 if quoted else 16)
    if quoted or "=" not in separator or separator.strip() == separator:
        return is_password(value, quoted=quoted)
    return is_random(value) or (_BARE_CODE.fullmatch(value) is None and is_password(value, quoted=False))
