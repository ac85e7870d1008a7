"""Is the value of a name that promises a secret really one? One test of values for all shapes."""

from __future__ import annotations

import re

from hearth.core.lazy import regex
from hearth.guard.secrets.pair_names import Sense, is_kind, names_value
from hearth.guard.secrets.pair_shapes import NamedValue, in_link
from hearth.guard.secrets.passwords import (
    count_kinds,
    is_given,
    is_long_word,
    is_passphrase,
    is_password,
    is_setting,
    is_typed,
    is_words,
    speaks_of_passwords,
    stands_out,
)
from hearth.guard.secrets.randomness import (
    is_login,
    is_mashed,
    is_no_value,
    is_noise,
    is_random,
    is_scrambled,
    is_stand_in,
)
from hearth.guard.secrets.surroundings import has_partner, in_block, in_section, is_among_settings

RULES = {
    "password": "password",
    "secret": "secret",
    "token": "token",
    "key": "key",
    "salt": "secret",
    "auth": "auth",
    "session": "cookie",
    "seed": "totp-seed",
    "signature": "secret",
    "license": "key",
    "code": "code",
    "community": "password",
    "hash": "password-hash",
}
# Another option of the command, where a value was left out or is a variable.
_OPTION_NEXT = regex(r"--|[-#][A-Za-z]+$")
_SHORT = 4
_PARTS = regex(r"[^\W_]+")
_PLAIN_NAME = regex(r"[A-Za-z_-]+")
# Of OpenPGP: the end of a fingerprint, or all of it.
_KEY_ID = regex(r"(?:0x)?(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})")
_CALL = regex(r"[A-Z][a-zA-Z]*(?:\.[a-z_]+)+")
_DOMAIN = regex(r"\\[A-Za-z]{3}")
# Where nginx passes requests on.
_UPSTREAMS = frozenset(("proxy", "fastcgi", "uwsgi", "scgi", "grpc", "memcached"))
_LINK_NAMES = frozenset(("key", "sid", "session", "sessionid", "hash", "guestaccesskey"))
_LICENSE = regex(r"(?=.{0,40}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){2,8}")
_SEED = regex(r"[A-Z2-7]{16,64}|[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15}")
_CODE_NAME = regex(r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)*")
_FLAG = regex(
    r"(?:^|[\s\"'`(=])(?:--?|-D|/)[\w.-]{0,40}$"
    r"|\b(?:config|option)(?:[ ](?:set|--?[a-z-]{1,12})){0,3}[ ][\w./:-]{0,40}$"
)
_OPTION = regex(r"[ ]--[\w.-]{0,40}$")
_SETTER = regex(
    r"(?:\bSET\b.*|set|with|put|add|use|encrypt|define|env|const)\w{0,40}$|[.:]$",
)
_KEYWORD = regex(r"(?:[\s({\[]:|\()$")
_CODE = regex(r"\d{4,10}|\d{2,4}(?:-\d{2,4}){1,3}")
_COUNTED = frozenset(("1234", "12345", "123456", "12345678", "0000", "9999"))
_HEX = regex(r"[0-9a-fA-F-]{32,128}")
_LONGEST_HEX = 64
# How Hearth names a session whose host gave it no plain name.
_OWN_SESSION = regex(r"x[0-9a-f]{31}")
_GIVING = ("assigned", "colon", "is", "cell", "nested")
_ELSE = regex(
    r"(?:\d{1,2}:)?v?\d+\.\d[\w.+~:-]*|\d{4}-\d\d-\d\d.*|(?:arn|urn|aws):.*|\d{1,2}:\d\d.*|ssh-.*|pk_(?:live|test)_.*|pk\.eyJ.*|.*:/.*|AAAA[BCE].*"
    r"|HTTP/\d.*|//.*|\w+=\w+,\w+=.*|[A-Z][a-z]+-[A-Z][A-Za-z]+|.*[~:]\$|id_(?:rsa|dsa|ecdsa|ed25519)\w*|[\w.-]+\.(?:pdf|txt|json|ya?ml|png|jpe?g)"
)
_GOES_ON = regex(r"""["']?[ \t]{0,8}(?:$|[\r\n"'`|;&\\)]|[ \t]-{1,2}\w)""")
# After a blank: a word and figures, which no sentence has after such a name.
_TOLD = regex(r"[^\W\d_]{3,20}\d{2,6}[!?]?|[^\W\d_]{3,20}[!$%&#@]\d{1,6}")
_NO_TOLD = regex(
    r"(?:u?int|float|char|sha|md|utf|base|aes"
    r"|rc|des|rsa|pbkdf|http|ipv|tls|ssl|oauth|log|win|latin|iso|rfc|cve|bug|nt|step|page|line|version)\d+"
)
_PROGRAM = regex("[a-z]{1,3}passwd")
_FOREIGN = regex("[\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_OPENED = regex(r"""[({\[][ ]?["']?$""")
_FLOW = regex(r"[{,][ ]?$")
_FLOW_END = regex(r"[ ]?[,}]")
_NETRC = regex(
    r"(?:^|\n|[ \t])(?:machine[ \t]\S{1,80}(?:[ \t]port[ \t]\S{1,12})?|default)\s{1,8}login[ \t]\S{1,64}\s{1,8}$"
)
_STATES = regex(r"\b(?:create|alter|grant|user|username|set|convertto-)[^\n]{0,80}$", re.IGNORECASE)
_GIVEN_END = regex(r"[.!]?[\"'`*)\]}]{0,3}(?:$|\s|[,;])")
_LOGIN_BEFORE = regex(
    r"\b(?:user(?:name)?|login|account|e-?mail|benutzer(?:name)?|usuario|utilisateur|id)[\"'*`]{0,3}[:= ][^\n]{1,60}$",
    re.IGNORECASE,
)
_NO_SET = regex(r"\bpass(?:es|ed)?[ ]$", re.IGNORECASE)
_ROW_END = regex(r"[`*]{0,3}[ \t]{0,40}\|[ \t]{0,8}(?:$|[\r\n])")
# Words that people write where they tell no password, in their languages.
_ANSWERS = (
    "same see ask none vault keychain bitwarden keepass lastpass dashlane required optional hidden secret here "
    "below above tbd todo clear md5 exop crypt unknown unset yes no on off true false null nil disabled enabled "
    "default empty blank changed private public inherit include omit same-origin siehe keine leer tresor gleich "
    "voir aucun coffre ver ninguna "
    "igual nessuna vedi geen zie ingen se ei sama katso "
)
_ELSEWHERE = frozenset(_ANSWERS.split())


def is_secret(sense: Sense, pair: NamedValue) -> bool:
    """Is the value of the pair one, if its name says so?"""
    value = pair.value
    # A chain of pairs without blanks, which would be read to its end once a pair.
    if not pair.quote and (value.rstrip("=").count("=") > 3 or value.count(":") > 5):
        return False
    if pair.shape == "colon" and pair.joint == ":" and pair.name.before[-1:] == ":":
        return False
    if not value or (pair.shape == "by") != (pair.name.own.lower() == "identified"):
        return False
    if _FOREIGN.search(value) or (
        pair.name.own == "PASS" and "=" not in pair.joint and not is_typed(value) and not is_random(value)
    ):
        return False
    if value.startswith("-----BEGIN"):
        return False  # keys have a scan of their own
    if pair.shape == "blank" and not _may_follow_blank(sense, pair):
        return False
    if sense.kind == "signature" and pair.name.own.lower() == "signaturevalue":
        return False
    if pair.shape == "nested" and pair.joint.lstrip(" :")[:1] in "{[" and "efault" not in pair.joint:
        return is_random(value, 16) and not _ELSE.fullmatch(value)
    if pair.quote and is_noise(value):
        return True
    if _ELSE.fullmatch(value) or is_stand_in(value) or value.lower() in pair.name.label.lower():
        return False
    if not pair.quote and pair.shape != "element" and (value[0] in "$%&*@{[<" or _OPTION_NEXT.match(value)):
        return False
    if _is_reference(pair, value) or pair.text.startswith(":....", pair.end):
        return False
    return _accepts(sense, pair, value)


def _is_reference(pair: NamedValue, value: str) -> bool:
    """A variable named after its value, a user of a domain, the name of an attribute, a part of a public link."""
    parts = _PARTS.findall(value)
    if len(parts) > 1 and len(parts[-1]) > _SHORT and names_value(parts[-1]) and _PLAIN_NAME.fullmatch(value):
        return True
    if pair.name.own.lower().endswith("key") and _KEY_ID.fullmatch(value):
        return True
    if not pair.quote and pair.text[pair.end : pair.end + 1] == "(" and "." in value:
        return True
    if not pair.quote and (_DOMAIN.match(pair.text, pair.end) or _CALL.fullmatch(value)):
        return True
    own = pair.name.own.lower()
    if pair.shape == "blank" and own.endswith("_pass") and own.removesuffix("_pass") in _UPSTREAMS:
        return True
    if pair.shape == "blank" and own.startswith("set-"):  # kubectl config set-credentials NAME
        return True
    if pair.shape == "colon" and pair.name.before.endswith(("? '", '? "')):  # a condition
        return True
    if pair.shape == "typed" and pair.name.before.endswith("<"):
        return True
    return pair.name.before[-1:] in ("?", "&") and own in _LINK_NAMES and in_link(pair.text, pair.start)


def is_listed(value: str) -> bool:
    """Lists hold names and messages as well: it must look like a secret by itself."""
    return is_random(value, 12) or is_typed(value) or stands_out(value)


def _may_follow_blank(sense: Sense, pair: NamedValue) -> bool:
    """Prose goes on after the names of keys and tokens; only settings and flags have them before a blank."""
    if pair.name.own.lower() == "pass" and not _LOGIN_BEFORE.search(pair.name.before):
        return _is_place(pair) or is_typed(pair.value)
    if sense.kind in ("password", "code"):
        return True
    return _is_place(pair) or (sense.sure and pair.starts_line and pair.ends_line)


def _accepts(sense: Sense, pair: NamedValue, value: str) -> bool:
    if pair.shape == "listed":
        return sense.kind in ("password", "secret", "token", "key") and is_listed(value)
    if sense.kind == "code":
        return (
            _CODE.fullmatch(value) is not None
            and len(set(value)) > 1
            and value not in _COUNTED
            and (pair.starts_line or bool(pair.quote))
            and (pair.ends_line or bool(pair.quote))
            and pair.shape in ("assigned", "colon")
        )
    if sense.kind == "license":
        return _LICENSE.fullmatch(value) is not None
    if sense.kind == "seed":
        return _SEED.fullmatch(value) is not None
    if sense.kind in ("password", "secret"):
        return _is_chosen(sense, pair, value)
    if sense.kind == "session":
        is_own = pair.name.own.lower() == "session" and _OWN_SESSION.fullmatch(value) is not None
        return is_random(value, 16) and not (is_own or _HEX.fullmatch(value))
    if sense.kind == "auth" and sense.sure and ":" in value:
        user, _, password = value.partition(":")
        if user.isalnum() and is_random(password, 12):
            return True
    if sense.kind == "auth":
        return is_login(value) or (sense.sure and _is_place(pair) and is_random(value, 12))
    if sense.kind == "community":
        return "snmp" in pair.lowered and value.lower() not in ("public", "private") and _is_chosen(sense, pair, value)
    if sense.kind == "signature" and not sense.sure and not is_random(value, 24):
        return False
    return _is_made(sense, pair, value)


def _is_made(sense: Sense, pair: NamedValue, value: str) -> bool:
    """A token or key: made by a machine, if possibly short."""
    if is_random(value, 16) or is_mashed(value) or is_noise(value):
        if sense.sure or not _HEX.fullmatch(value) or (bool(pair.quote) and _has_partner(pair)):
            return True
        return sense.owned and len(value) <= _LONGEST_HEX and (_is_place(pair) or pair.shape in _GIVING)
    place = sense.sure and (_is_place(pair) or _is_whole_line(pair) or _is_in_flow(pair))
    if not place or len(value) < 6 or is_no_value(value):
        return False
    if sense.kind == "key" and pair.shape == "blank" and "-" in value and is_words(value):
        return True
    if value.endswith("=") and len(value) % 4 == 0 and not value.islower():
        return True
    return (
        is_random(value, 8) or is_scrambled(value) or (is_password(value, quoted=True) and any(map(str.isdigit, value)))
    )


def _is_whole_line(pair: NamedValue) -> bool:
    own = pair.name.own
    joined = pair.shape in ("colon", "assigned") or (
        pair.shape == "blank" and bool(pair.quote or not own.isalpha() or not (own.islower() or own.istitle()))
    )
    return joined and pair.starts_line and pair.ends_line


def _is_in_flow(pair: NamedValue) -> bool:
    """``{user: kim, token: …}``"""
    return (
        pair.shape == "colon"
        and _FLOW.search(pair.name.before) is not None
        and _FLOW_END.match(pair.text, pair.end) is not None
    )


def _is_chosen(sense: Sense, pair: NamedValue, value: str) -> bool:
    if pair.shape == "below":
        return is_typed(value) or is_mashed(value) or is_random(value, 12)
    if is_random(value, 10) or is_typed(value) or is_noise(value):
        return sense.sure or not _HEX.fullmatch(value)
    if not sense.sure:
        return False
    if _is_place(pair) and (" " not in value or not any(map(names_value, value.split()))):
        return _is_any(pair, value)
    if " " in value:
        if any(map(names_value, value.split())):
            return False
        if not pair.quote:
            return _is_bare_phrase(pair, value)
        quoted = (pair.quote in ("“", "„", "«", "»", "「") and pair.shape != "cell") or (
            pair.quote and pair.shape == "blank" and pair.ends_line and pair.starts_line
        )
        return bool(quoted) and is_passphrase(value)
    if (
        pair.quote
        and (pair.quote not in ("'", "`") or _LOGIN_BEFORE.search(pair.name.before))
        and pair.shape in ("blank", "is")
        and is_password(value, quoted=True)
    ):
        return True
    if pair.shape == "blank":
        return _is_after_blank(pair, value)
    if pair.shape == "is":
        if pair.joint.rstrip(" :").endswith(("to", "pra", "para")):
            return sense.kind == "password" and is_long_word(value) and _NO_SET.search(pair.name.before) is None
        return is_password(value, quoted=False) or is_long_word(value)
    if pair.shape == "cell":
        return (
            _is_row(pair)
            and (is_password(value, quoted=True) or is_words(value) or _has_partner(pair))
            and _is_any(pair, value)
        )
    if pair.shape == "colon" and _GIVEN_END.match(pair.text, pair.end):
        # A reference: settings.PASSWORD, user.password.
        partner = _LOGIN_BEFORE.search(pair.name.before) and is_setting(value) and value.lower() not in _ELSEWHERE
        code = _CODE_NAME.fullmatch(value) is not None and not value.isalpha() and not any(map(str.isdigit, value))
        if partner or (not code and (is_password(value, quoted=False) or is_long_word(value))):
            return True
    return pair.ends_line and (pair.starts_line or pair.name.starts_bare) and _is_on_line(pair, value)


def _is_after_blank(pair: NamedValue, value: str) -> bool:
    """``bindpw lantern``, ``password "lantern";``, ``login kim password lantern``."""
    if pair.starts_line and pair.ends_line and pair.name.before.strip() not in ("*", "-"):
        own = pair.name.own.lower()
        compound = not is_kind(own) and not _PROGRAM.fullmatch(own)
        if pair.quote or compound:
            return _is_any(pair, value)
        return is_password(value, quoted=False) or (
            pair.name.starts_bare
            and has_partner(pair.lowered, pair.name.first, pair.end, listed=True)
            and _is_any(pair, value)
        )
    if (
        pair.name.own.lower() != "pass"
        and _TOLD.fullmatch(value)
        and _GIVEN_END.match(pair.text, pair.end)
        and not _NO_TOLD.fullmatch(value.lower())
    ):
        return True
    if pair.ends_line and count_kinds(value) > 2 and "-" in value and not set(value) & set("._/") and is_setting(value):
        return True
    if _NETRC.search(pair.text, max(0, pair.name.first - 200), pair.name.first) or (
        pair.quote and _STATES.search(pair.name.before + pair.name.own)
    ):
        return _is_any(pair, value)
    return False


def _is_bare_phrase(pair: NamedValue, value: str) -> bool:
    """Words to the end of a line that is called a passphrase's, or that a file of settings assigns."""
    called = pair.name.own.lower().endswith("phrase") or "wifi" in pair.joint.lower() or "wlan" in pair.joint.lower()
    return pair.starts_line and (called or pair.shape == "assigned") and is_passphrase(value)


def _is_row(pair: NamedValue) -> bool:
    """A row of a table that holds a name and a value, and nothing else."""
    return _ROW_END.match(pair.text, pair.end) is not None and not pair.name.before.strip("|*`_> ")


def _has_partner(pair: NamedValue) -> bool:
    return has_partner(pair.lowered, pair.name.first, pair.end, listed=False)


def _is_any(pair: NamedValue, value: str) -> bool:
    if value.lower() in _ELSEWHERE:
        return False
    if " " in value and (pair.quote or (pair.shape == "element" and pair.name.own.lower().endswith("phrase"))):
        return is_passphrase(value)
    if pair.shape == "colon" and value.isalpha() and speaks_of_passwords(value):
        return False
    if pair.quote and value[0] in "@&*%$" and count_kinds(value) >= 3:
        return True
    return is_setting(value) or is_given(value)


def _is_on_line(pair: NamedValue, value: str) -> bool:
    """A line ``password: word``: of a file of settings any word, elsewhere one that is no answer in prose."""
    if (
        is_password(value, quoted=False)
        or is_words(value)
        or (value.isalnum() and count_kinds(value) == 3 and is_setting(value))
    ):
        return value.lower() not in _ELSEWHERE
    if pair.name.own.lower().endswith("community"):
        return _is_any(pair, value)
    lowered, at = pair.lowered, pair.name.first
    placed = is_among_settings(lowered, at, pair.end) or in_section(lowered, at) or in_block(lowered, at, pair.end)
    return (placed or _has_partner(pair)) and _is_any(pair, value)


def _is_place(pair: NamedValue) -> bool:
    """Does the value stand where a program reads it, and nothing else?"""
    if pair.shape in ("typed", "attribute", "element", "nested", "by", "fallback"):
        return True
    if pair.shape == "cons":
        return bool(pair.quote)
    if pair.shape == "call":
        return (
            pair.text[pair.end + 1 : pair.end + 3].lstrip()[:1] == ")"
            and _SETTER.search(pair.name.before + pair.name.own) is not None
        )
    if pair.shape == "comma":
        if not pair.name.is_quoted:  # {password, "…"}
            return pair.name.before.endswith("{") and pair.quote == '"'
        comma = pair.text[pair.name.last + 1 : pair.name.last + 3].lstrip()[:1] == ","
        ends = pair.text[pair.end + 1 : pair.end + 3].lstrip()[:1] in (")", "]", "}")
        return comma and ends and _OPENED.search(pair.name.before) is not None and not is_kind(pair.value)
    if pair.shape == "blank":
        if pair.text[pair.name.last] not in " \t":
            return False
        if pair.quote and pair.text[pair.end + 1 : pair.end + 2] == ";":
            return True
        flag = _FLAG.search(pair.name.before) and pair.value[0] != "-" and _GOES_ON.match(pair.text, pair.end)
        if _OPTION.search(pair.name.before) and is_password(pair.value, quoted=False):
            return True
        return bool(flag) or (bool(pair.quote) and _KEYWORD.search(pair.name.before) is not None)
    if pair.shape == "colon":
        return bool(pair.quote)
    if pair.shape != "assigned":
        return pair.shape == "escaped"
    if pair.quote:
        return True
    if _CODE_NAME.fullmatch(pair.value) and pair.joint != "=" and not pair.value.islower():
        return False
    if pair.joint.strip() == "?=":
        return pair.starts_line and pair.ends_line
    return pair.joint == "=" and (
        pair.starts_line
        or _FLAG.search(pair.name.before) is not None
        or pair.name.before[-1:] in ("?", "&", ";", " ", ",", "'", '"', "=")
    )
