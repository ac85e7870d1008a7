"""Looks at each place of a text where a word tells of a secret: settings, statements of code."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hearth.core.lazy import regex
from hearth.guard.secrets.pair_names import naming
from hearth.guard.secrets.pair_shapes import bounds_of, name_at, pair_of, phrase_of
from hearth.guard.secrets.passwords import is_password, is_setting
from hearth.guard.secrets.randomness import find_encoded_text, is_random
from hearth.guard.secrets.rules import Places, Span
from hearth.guard.secrets.value_classifier import RULES, is_listed, is_secret

_TELLING = (
    "pass pw psw psk secret token key salt auth cred kennw wachtw senha contrase clave salasan parol heslo hasł"
    " haslo şifre"
    " sifre jelsz kodeord gangskode lösen losen mdp geheimnis secreto segred signature licen serial activation"
    " pepper cookie"
    " session sid= csrf xsrf community identified securestring seed bearer hmac hash mnemonic schlüs chiave"
    " klucz avain nyckel nøgl nøkk sleutel chave clé ключ 密钥 密鑰 キー 키 cod pin puk otp парол 密码 密碼 口令"
    " パスワード"
    " 暗証番号 비밀번호 암호"
)
_STEMS = frozenset(_TELLING.split())

# Kinds that the words before a name decide, too: ``api key``, ``public key``.
_QUALIFIED = ("key", "token", "license", "code")
_LONGEST = 200
# Hashes of commits and files have 40 and 64 digits.
_LONE = regex(r"(?!(?:[0-9a-f]{40}|[0-9a-f]{64})$)[A-Za-z0-9+/=_-]{20,200}")
_NEXT = regex(r"""["']?[ ]?(?:,|\n(?=[ \t]{0,24}-))\s{0,24}(?:-[ ])?["']?(?P<value>[^\s"'`,;()\[\]{}<>]{6,256})""")
_TOKEN = regex(r"[A-Za-z0-9+/=_-]+")


def find_pairs(text: str, lowered: str, places: Places) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; spans may overlap."""
    done = 0
    for at in sorted(at for stem in _STEMS & places.keys() for at in places[stem]):
        if at < done:
            continue
        first, done = bounds_of(text, at)
        if text.startswith("-D", first - 1) and first + 1 < done:  # java -Dname=value
            first += 1
        own = naming(text[first:done])
        if own is None:
            continue
        name = name_at(text, first, done)
        if name.before.endswith(("::", "[redacted:")):
            continue
        qualified = own.kind in _QUALIFIED or name.own.lower().startswith("clave")
        sense = naming(name.label) if qualified else own
        pair = pair_of(text, lowered, name) if sense else None
        if pair and sense and not is_secret(sense, pair):
            pair = phrase_of(pair)
            pair = pair if pair and is_secret(sense, pair) else None
        if pair and sense:
            yield pair.start, pair.end, RULES[sense.kind]
            for start, end in _further(text, pair.end, is_listed if pair.shape == "listed" else _is_token):
                yield start, end, RULES[sense.kind]


def alone(text: str) -> Iterator[Span]:
    """A file that holds nothing but a key; names and identifiers, which no line ends, are none."""
    key = text[: _LONGEST + 1].strip()
    lone = text.endswith("\n") and len(text) <= _LONGEST and not key.isalpha() and _LONE.fullmatch(key) is not None
    if lone and is_random(key, 20) and not any(find_encoded_text(key)):
        yield text.index(key), text.index(key) + len(key), "key"


def _further(text: str, end: int, accepts: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The other values of a list that begins with one."""
    while (found := _NEXT.match(text, end)) and accepts(found["value"]):
        yield found.span("value")
        end = found.end("value")


def _is_token(value: str) -> bool:
    return is_random(value, 16) and _TOKEN.fullmatch(value) is not None


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


def find_calls(text: str, lowered: str) -> Iterator[Span]:
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


def find_inserts(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "into " not in lowered or "values" not in lowered:
        return
    for statement in _INSERT.finditer(lowered):
        names = [name.strip(" \t\r\n`\"[]'") for name in text[slice(*statement.span("names"))].split(",")]
        columns = {at for at, name in enumerate(names) if _names_password(name)}
        if columns:
            yield from _rows(text, statement.end(), columns)


def _names_password(name: str) -> bool:
    sense = naming(name)
    return sense is not None and sense.kind in ("password", "secret", "token", "key") and sense.sure


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
