"""Secrets that a name beside them gives away: assignments, settings, flags, tables, sentences.

Patterns run over lower-cased text, start with a literal and look at a bounded neighbourhood: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

from hearth.guard.passwords import is_long_word, is_password, is_phrase, is_typed, is_words
from hearth.guard.randomness import is_random

Span = tuple[int, int, str]
"""Half-open range of the text, and the name of the rule."""

# After a keyword: a harmless suffix, what closes a quoted or marked-up name, the separator, and ahead the value.
_TAIL = (
    r"s?(?P<tail>[_-]?(?:value|prod|production|dev|live|test|staging|main|admin|root|user|app|db|bd|wifi|old|new|raw"
    r"|base64|b64|base|[0-9]{1,2}))?"
)
_CLOSE = r"""["'`\\\]*)]{0,4}"""
_TYPE = r"(?::[ \t]{0,4}[a-z][a-z0-9_.|\[\]& ?]{0,24})?"
_ABOUT = r"(?:[ ](?:for|of|to|on|at|de|del|para|en|für)(?:[ ][^\s:=\"'`]{1,20}){1,3})?"
_SEPARATOR = (
    rf"(?P<separator>[ \t]{{0,8}}(?:{_TYPE}(?:=>|:=|={{1,3}})|[:：]|>|\||%3[ad])[ \t]{{0,8}}\*{{0,2}}[ \t]{{0,2}}"
    r"(?:[|>][-+]?[ \t]{0,4}\n[ \t]{1,40})?"
    rf"|{_ABOUT}(?P<said>[ \t]{{1,4}}(?:is|es|was|era|ist|to)[ \t:]{{1,3}}|:[ \t]{{1,4}})"
    r"""|,?\s{1,40}["']?value["']?[ \t]{0,3}[:=][ \t]{0,3}"""
    r"|(?P<space>[ \t]{1,3}))"
)
_VALUE = (
    r"(?=(?P<prefix>(?:[brfu@]{1,2}(?=[\"'`\\]))?\\{0,3})(?:"
    r'"(?P<double>[^"\\\n]{6,256})\\{0,3}"'
    r"|'(?P<single>[^'\\\n]{6,256})\\{0,3}'"
    r"|`(?P<tick>[^`\\\n]{6,256})`"
    r"""|(?P<bare>[^\s"'`,;<>()\[\]{}|&=:\\]{6,128})))"""
)
_REST = _TAIL + _CLOSE + _SEPARATOR + _VALUE
_FORMS = ("double", "single", "tick", "bare")
# Rule, literal that must occur, keyword.
_KEYWORDS = (
    ("password", "pass", "pass(?:word|wd|phrase|code|wort|e)?"),
    ("password", "pw", "pwd?"),
    ("password", "contrase", "contrase(?:ñ|n)a"),
    ("password", "senha", "senha"),
    ("password", "clave", "clave"),
    ("secret", "secret", "secret"),
    ("token", "token", "token"),
    ("secret", "credential", "credential"),
    ("key", "key", "key"),
    ("auth", "_auth", "_auth"),
)
# Looked for only where text has more than ASCII.
_FOREIGN = tuple(("password", word, word) for word in ("密码", "密碼", "口令", "パスワード", "비밀번호", "пароль"))

# What makes "key" name a secret; "primary key", "cache_key" and "keyboard" must not.
_KEY_OWNER = re.compile(
    r"(?:api|app|application|access|account|auth|client|consumer|encryption|license|licence|master|private|preshared"
    r"|secret|service|session|shared|sharedaccess|signing|storage|subscription|deploy|admin|aes|hmac|jwt|webhook|openai"
    r"|anthropic|write|ingest|host|root|functions?)[_\- .]?$|(?<![a-z])[a-z0-9]{2,24}_(?:api_?)?$"
    r"|(?<![a-z])x-[a-z-]{2,20}-$"
)
_KEY_HARMLESS = re.compile(r"(?:primary|foreign|public|cache|sort|partition|row|dict|map|index|pub|lookup)[_\- .]?$")
# A token that marks a place or an attempt.
_TOKEN_HARMLESS = re.compile(
    r"(?:next|page|lock|change|continuation|idempotency|pagination|sync|cursor|client-?request|update|delete)[_\- ]?$"
)
_TYPE_NAME = re.compile(r"::[a-z0-9]*$")
_BEFORE = 80
_OWNER = 24
# Where a blank separates name and value: a flag, a line of a Dockerfile or a shell, .netrc.
_SPACED = re.compile(
    r"(?:^|[\s\"'`=(])--?[a-z0-9_-]{0,24}$"
    r"|(?:^|\n)[ \t]{0,8}(?:env|arg|setx?|setenv|set -g?x)[ \t]{1,4}[a-z0-9_]{0,32}$"
    r"|\blogin[ \t]{1,4}\S{1,64}\s{1,8}$"
)
_NOT_CLAVE = re.compile(r"(?:[a-z]|palabras?[ -])$")
_PASS_TO = re.compile("pass(?:es|code|e)?[^a-z]")
_BARE_CODE = re.compile(r"[A-Za-z_][\w.]*")
_CONTINUES = re.compile(r"[^\s\"'`,;<>()\[\]{}|&\\]*")
_LINE_END = re.compile(r"[ \t]{0,8}(?:$|[\r\n]|#|//|<!--)")


def assigned(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; spans may overlap those of other scans."""
    for rule, literal, pattern in _patterns(lowered.isascii()):
        at = lowered.find(literal)
        if at >= 0:
            yield from _values(rule, literal, pattern.finditer(lowered, at), text, lowered)


@cache
def _patterns(ascii_only: bool) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    words = _KEYWORDS if ascii_only else chain(_KEYWORDS, _FOREIGN)
    return tuple((rule, literal, re.compile(keyword + _REST)) for rule, literal, keyword in words)


def _values(
    rule: str, literal: str, matches: Iterator[re.Match[str]], text: str, lowered: str
) -> Iterator[Span]:  # fmt: skip
    done = 0
    for match in matches:
        if match.start() < done or not _applies(rule, literal, match, lowered):
            continue
        form = next(form for form in _FORMS if match[form] is not None)
        start, end = match.span(form)
        if form == "bare":
            end = _bare_end(text, start, end)
        if end - start >= 6 and _is_secret(rule, literal, match, text, (start, end), form):
            if form == "bare":
                end = _CONTINUES.match(text, end).end()  # type: ignore[union-attr]
            done = end
            yield start, end, rule


def _bare_end(text: str, start: int, end: int) -> int:
    """Without the sentence's own punctuation; 0 for calls and subscripts."""
    if text[end : end + 1] in ("(", "["):
        return 0
    while end > start and text[end - 1] in ".:!?*_":
        end -= 1
    # "Winter2024!" keeps its sign.
    whole = _CONTINUES.match(text, end, end + 8).end()  # type: ignore[union-attr]
    return whole if end < whole and is_typed(text[start:whole]) else end


def _applies(rule: str, literal: str, match: re.Match[str], lowered: str) -> bool:
    before = lowered[max(0, match.start() - _BEFORE) : match.start()]
    if match["space"] is not None and rule != "password" and not _SPACED.search(before):
        return False
    near = before[-_OWNER:]
    if rule == "key":
        harmless = _KEY_HARMLESS.search(near) or _TYPE_NAME.search(near)
        return _KEY_OWNER.search(near) is not None and harmless is None
    if rule in ("token", "secret"):
        return _TOKEN_HARMLESS.search(near) is None and _TYPE_NAME.search(near) is None
    if literal == "pw":
        return not near[-1:].isalpha()
    return literal != "clave" or _NOT_CLAVE.search(near) is None


def _is_secret(
    rule: str, literal: str, match: re.Match[str], text: str, span: tuple[int, int], form: str
) -> bool:  # fmt: skip
    value = text[span[0] : span[1]]
    quoted = form != "bare"
    if match["prefix"].startswith("f") and quoted and "{" in value:
        return False
    if rule != "password":
        return is_random(value, 12 if quoted else 16)
    if match["said"] is not None and " to" in match["said"] and _PASS_TO.match(match.string, match.start()):
        return False
    if literal == "clave" and not (match["tail"] or is_random(value) or _is_clave(value)):
        return False
    if match["space"] is not None:
        before = match.string[max(0, match.start() - _BEFORE) : match.start()]
        if not _SPACED.search(before):
            return is_typed(value) or (any(map(str.isdigit, value)) and is_random(value, 14))
        return is_password(value, quoted=quoted) or (len(value) >= 10 and is_long_word(value))
    return _is_named_password(match, text, span, quoted)


def _is_clave(value: str) -> bool:
    """The word is also Spanish for the key of a table or of a question."""
    return (len(value) >= 8 and re.fullmatch(r"[^\W\d]+\d{0,2}", value) is None) or is_long_word(value)


def _is_named_password(match: re.Match[str], text: str, span: tuple[int, int], quoted: bool) -> bool:
    value, separator = text[span[0] : span[1]], match["separator"]
    if quoted:
        return is_password(value, quoted=True) or is_words(value) or is_phrase(value)
    if "=" in separator and separator.strip() != separator:
        # An assignment in code, or a line of an .ini file.
        if is_random(value):
            return True
        ends = _LINE_END.match(text, span[1]) is not None
        plain = _BARE_CODE.fullmatch(value) is not None
        if plain and not (ends and _is_ini(match.string, match.start()) and value.islower()):
            return False
        return is_password(value, quoted=False) or (ends and is_words(value))
    if is_password(value, quoted=False):
        return True
    if match["said"] is not None and ":" not in match["said"]:
        return is_long_word(value)
    return _stands_alone(separator, text, span) and is_words(value)


def _is_ini(lowered: str, at: int) -> bool:
    """The line begins with the name and a section or a file of settings is near: no code writes ``[client]``."""
    start = lowered.rfind("\n", max(0, at - _BEFORE), at) + 1
    head = lowered[max(0, start - 400) : start]
    return re.search(r"(?:^|\n)\[[a-z0-9_. :-]{1,40}\]\r?\n[^()\[\]{}]*$", head) is not None


def _stands_alone(separator: str, text: str, span: tuple[int, int]) -> bool:
    """Is a bare word all that was assigned? Code goes on with a call, an operator or a comma."""
    after = text[span[1] : span[1] + 1]
    if separator.strip() == "=" or "%3" in separator:
        before = text[max(0, span[0] - _BEFORE) : span[0]]
        return after in ("", "\n", "\r", "&", '"', "'", "\\", "%", " ", "\t") or (after == ";" and ";" in before)
    if ">" in separator or "|" in separator:
        closed = after == "<" or "|" in text[span[1] : span[1] + 4]
        return after in ("<", " ", "\n", "\r") and ("\n" in separator or closed)
    return text[span[0] : span[1]].islower() and _LINE_END.match(text, span[1]) is not None
