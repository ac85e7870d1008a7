"""Names of settings that say that their value is a secret, and what beside them says that it isn't."""

from __future__ import annotations

from hearth.lazy import regex

# Rule, literal that must occur, keyword.
_KEYWORDS = (
    ("password", "pass", "pass(?:word|wd|phrase|code|wort|e)?"),
    ("password", "pw", "pwd?"),
    ("password", "contrase", "contrase(?:ñ|n)a"),
    ("password", "senha", "senha"),
    ("password", "clave", "clave"),
    ("password", "psk", "psk"),
    ("password", "pswd", "pswd"),
    ("password", "identified", "identified(?:[ ]with[ ][a-z0-9_']{1,40})?[ ](?:by|as)"),
    ("password", "securestring", "securestring"),
    ("secret", "secret", "secret"),
    ("token", "token", "token"),
    ("secret", "credential", "credential"),
    ("key", "key", "key"),
    ("salt", "salt", "salt"),
    ("auth", "auth", "auth"),
    ("secret", "pepper", "pepper"),
    ("secret", "signature", "signature(?!value)"),
    ("password", "wep_key", "wep_key"),
)
# Looked for only where text has the word: one search of a text instead of three.
COMMUNITY = "community"
_COMMUNITIES = (
    ("password", "ocommunity", "ocommunity"),
    ("password", "wcommunity", "wcommunity"),
    ("password", "snmp", "snmp[_a-z. -]{0,12}community"),
)
# Looked for only where text has more than ASCII.
_FOREIGN = tuple(("password", word, word) for word in ("密码", "密碼", "口令", "パスワード", "비밀번호", "пароль"))

# What makes "key" name a secret; "primary key", "cache_key" and "keyboard" must not.
_KEY_OWNER = regex(
    r"(?:api|app|application|access|account|auth|client|consumer|encryption|encrypt|decryption|validation|crypt|cipher"
    r"|license|licence|master|private|preshared|secret|service|session|cookie|shared|sharedaccess|signing|signature|storage"
    r"|subscription|deploy|admin|aes|hmac|jwt|webhook|openai|anthropic|write|ingest|host|root|server|oauth|functions?|github|gitlab|slack|google|stripe"
    r"|twilio|sendgrid|mailgun|datadog|azure|aws|gcp|maps|firebase|discord|telegram|heroku|npm|sentry|pagerduty)"
    r"""(?:[_\- .]?|["']?[ ]?[:=]?[ ]?\{\s{1,12}["']?)$"""
    r"|(?<![a-z])[a-z0-9]{2,24}_(?:api_?)?$|(?<![a-z])x-[a-z-]{2,20}-$"
)
_KEY_HARMLESS = regex(r"(?:primary|foreign|public|cache|sort|partition|row|dict|map|index|pub|lookup)[_\- .]?$")
# A token that marks a place or an attempt.
_TOKEN_HARMLESS = regex(
    r"(?:next|page|lock|change|continuation|idempotency|pagination|sync|cursor|client-?request|update|delete)[_\- ]?$"
)
_TYPE_NAME = regex(r"::[a-z0-9]*$")
_AUTH_OWNER = regex(r"(?<![a-z0-9])_?$|(?:basic|registry|docker|proxy|\nmaster)[_-]?$")
_PW_OWNER = regex(r"(?:bind|root|admin|user|db|ldap|my|smtp|mail|login|ssh|dbuser)$|[^a-z]$|^$")
_PASS_VERB = regex(r"(?<![a-z])to[_ ]$")
_NOT_CLAVE = regex(r"(?:[a-z]|palabras?[ -])$")
BEFORE = 80
_OWNER = 24
# Where a blank separates name and value: a flag, a line of a Dockerfile or a shell, .netrc, settings of servers.
_SPACED = regex(
    r"(?:^|[\s\"'`=(])--?[a-z0-9_-]{0,24}$"
    r"|(?:^|\n)[ \t]{0,8}(?:env|arg|setx?|setenv|#define|set -g?x)[ \t]{1,4}[a-z0-9_]{0,32}$"
    r"|\bconfig(?:[ \t]{1,2}(?:set|--?[a-z-]{1,12})){0,3}[ \t]{1,2}[\w./:-]{1,40}$|\([ \t]{0,4}[\w:*-]{0,40}$"
    r"|\blogin[ \t]{1,4}\S{1,64}\s{1,8}$|(?:^|\n)[ \t]{0,8}(?:require|bind|root|admin|master)_?$"
)


def keywords(ascii_only: bool, community: bool) -> tuple[tuple[str, str, str], ...]:
    """Rule, literal without which the keyword can't match, keyword: a pattern over lower-cased text; of a text that is
    ``ascii_only``, and whether it has the word ``COMMUNITY``."""
    return (*_KEYWORDS, *(_COMMUNITIES if community else ()), *(() if ascii_only else _FOREIGN))


def spaced(before: str) -> bool:
    """Is a blank what separates the name, whose beginning ends ``before``, from its value?"""
    return _SPACED.search(before) is not None


def names_secret(rule: str, literal: str, before: str) -> bool:
    """Does the keyword name a secret after ``before``, up to ``BEFORE`` characters of lower-cased text?"""
    near = before[-_OWNER:]
    if rule == "key":
        harmless = _KEY_HARMLESS.search(near) or _TYPE_NAME.search(near)
        return _KEY_OWNER.search(near) is not None and harmless is None
    if rule in ("token", "secret"):
        return _TOKEN_HARMLESS.search(near) is None and _TYPE_NAME.search(near) is None
    if rule == "auth":
        return _AUTH_OWNER.search(near) is not None
    if literal in ("pw", "psk"):
        return _PW_OWNER.search(near) is not None
    if literal.endswith("community"):
        return near.endswith("r")
    if literal == "pass" and _PASS_VERB.search(near):
        return False
    return literal != "clave" or _NOT_CLAVE.search(near) is None
