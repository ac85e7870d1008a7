"""Passwords that have a place of their own in a line of a known program's file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache

from hearth.core.lazy import regex
from hearth.guard.secrets.passwords import is_given, is_password, is_setting, is_words
from hearth.guard.secrets.rules import Span, spellings

# Words, blanks between them, of which the text must have one; the pattern over lowered text. ``^``: first in its line.
# @v a value, @q a value in quotes, @o a quote that may stand there, @w a word, @n a name in quotes or without,
# @. the end of the line, @: further words of the command.
_TABLE = (
    # Windows
    ("net net.exe", r"net(?:\.exe)? user @n @v"),
    ("net net.exe", r"net(?:\.exe)? use (?:[a-z*]:? )?@o\\\\@w @v@o /user:"),
    ("net net.exe", r"net(?:\.exe)? use @: /user:@w @v"),
    ("schtasks schtasks.exe", r"schtasks@: /rp @v"),
    ("sc sc.exe", r"sc(?:\.exe)? (?:\\\\@w )?(?:config|create)@: password= ?@v"),
    ("reg reg.exe",
        r"reg(?:\.exe)? add@: /v @o\w{0,24}(?:password|passwd|pwd|secret|passphrase)\w{0,8}@o [^\n]{0,40}?/d @v"),
    ("cmdkey cmdkey.exe", r"cmdkey@: /pass:@v"),
    ("rasdial", r"rasdial @n @w @v"),
    ("netsh", r"netsh wlan@: key(?:material)?=@v"),
    ("setx", r"setx @o\w{0,40}(?:password|passwd|_pw|_pass|secret|token|api_?key)@o @v"),
    # Unix
    ("echo", r"echo (?:-\w )?@v@o ?\| ?(?:sudo -s|[^\n|]{1,100}?(?:--password-stdin|passwd[^\n|]{0,40}--stdin))(?!\w)"),
    ("echo", r"echo (?:-\w )?@o[\w.@-]{1,64}+:@v@o ?\| ?(?:sudo )?(?:chpasswd|smbpasswd)"),
    ("echo", r"--password-file=?[ ]?<\(echo (?:-n )?@v\)"),
    ("printf",
        r"printf (?:@o%s(?:\\n)?@o )?@o(?P<secret>[^\s\"'`|;\\]{4,128}+)(?:\\n)?@o ?\| ?(?:sudo -s|[^\n"
        r"|]{1,100}?(?:--password-stdin|passwd[^\n|]{0,40}--stdin))(?!\w)"),
    ("lftp", r"lftp@: -u [\w.@-]{1,64}+,@v"),
    ("htpasswd mosquitto_passwd", r"(?:htpasswd|mosquitto_passwd)(?: -[a-z]{1,6}){1,4} @w @w @v"),
    ("wpa_passphrase", r"wpa_passphrase @n @v"),
    ("nmcli", r"nmcli@: (?:password|[\w.-]{0,32}psk|[\w.-]{0,32}secrets?\.\w{1,20}) @v"),
    ("iwctl", r"iwctl@: --passphrase[ =]@v"),
    ("dscl", r"dscl@: -passwd @w @v"),
    ("networksetup", r"networksetup -setairportnetwork @w @n @v"),
    ("pass gopass", r"pass (?:insert|add)@: ?<<< ?@v"),
    ("virsh", r"virsh@: ?secret-set-value @w (?:--base64 )?@v"),
    ("x11vnc", r"x11vnc@: -(?:storepasswd|passwd|viewpasswd) @v"),
    ("debconf debconf-set-selections d-i", r"[a-z][\w-]{0,30} [\w-]{1,40}/[\w-]{1,40} password @v@."),
    ("rootpw", r"^rootpw (?:--plaintext )?(?!--)@v@."),
    # Databases and queues
    ("sqlplus expdp impdp sqlldr rman",
        r"(?:sqlplus|expdp|impdp|sqlldr|rman target)(?: -\w{1,2})? @o[\w.]{1,64}+/(?P<secret>[^\s\"'/@]{4,128}+"
        r")(?:@|@o@.)"),
    ("db2", r"db2 @oconnect to @w user @w using @v"),
    ("mysqladmin mariadb-admin", r"admin@: password @v"),
    ("influx", r"influx@: -password @v"),
    ("rabbitmqctl", r"rabbitmqctl@: ?(?:add_user|change_password|authenticate_user) @w @v"),
    ("masterauth", r"^masterauth[ \t]{1,8}@v"),
    ("auth-pass", r"auth-pass[ \t]{1,8}@w[ \t]{1,8}@v"),
    ("setuser user", r"user [\w-]{1,64}(?: [+~&@%*|\w-]{1,40}){1,8} >@v"),
    # Documents, stores, clouds
    ("pdftk", r"pdftk@: input_pw @v"),
    ("pdftk", r"pdftk@: user_pw @v"),
    ("pdftk", r"pdftk@: owner_pw @v"),
    ("qpdf", r"qpdf@: ?--encrypt @v"),
    ("qpdf", r"qpdf@: ?--encrypt (?:@w|''|\"\") @v"),
    ("mc", r"mc (?:alias set|config host add) @w @w @w @v"),
    ("aws", r"aws configure set [\w.-]{0,40}secret_access_key @v"),
    ("rclone", r"rclone (?:config (?:create|update)@: (?:pass|password) |obscure )@v"),
    ("gh", r"gh secret set@: (?:--body|-b)[ =]?@v"),
    ("ngrok", r"ngrok (?:config add-authtoken|authtoken) @v"),
    ("cargo", r"cargo login @v"),
    ("steamcmd", r"\+login @w @v"),
    ("plink plink.exe pscp pscp.exe psftp", r"(?:plink|pscp|psftp)@: -pw @v"),
    ("openssl", r"-pass(?:in|out)? pass:@v"),
    ("keytool jarsigner", r"-(?:(?:src|dest)?storepass|keypass) @v"),
    # Chat
    ("identify ghost regain release", r"(?:nickserv|/ns) :?identify (?:@w )?@v"),
    ("identify ghost regain release", r"(?:nickserv|/ns) :?(?:ghost|release|regain) @w @v"),
    ("/oper", r"^/oper @w @v"),
    # Networks
    ("rocommunity rwcommunity rocommunity6 rwcommunity6", r"^r[ow]community6? @v"),
    ("com2sec com2sec6", r"^com2sec6? @w @w @v"),
    ("createuser", r"createuser (?:-e @w )?@w (?:md5|sha[\d-]{0,8}) @v"),
    ("createuser", r"createuser@: (?:aes|des)[\w-]{0,8} @v"),
    ("trapsink trap2sink informsink", r"^(?:trap2?sink|informsink) @w @v@."),
    ("trapcommunity", r"^trapcommunity @v@."),
    ("snmp-server", r"snmp-server host @w(?: (?:traps|informs|vrf @w))?(?: version (?:1|2c|3 \w{2,6}))? @v@."),
    ("/snmp", r"/snmp community (?:set|add)@: name=@v"),
    (
        "snmpwalk snmpget snmpgetnext snmpset snmpbulkwalk snmpbulkget snmptable snmpstatus snmptrap "
        "snmpinform snmp-check", r"snmp[a-z-]{2,10}@: -c ?@v"),
    ("standby vrrp", r"^(?:standby|vrrp) \d{1,4} authentication (?:text )?(?!md5|text)@v@."),
    ("/ip /ppp /interface /radius /user /system /tool", r"^/(?:ip|ppp|interface|radius|user|system|tool) @:"
        r"(?:secret|password|[\w-]{0,16}-key|passphrase)=@v"),
    ("radtest", r"radtest (?:-\w @w ){0,3}@w @v"),
    ("radtest", r"radtest (?:-\w @w ){0,3}@w @w @w \d{1,6} @v"),
    ("eapol_test", r"eapol_test@: -s ?@v"),
    ("psk", r":[ \t]{1,4}psk @q"),
    ("eap", r":[ \t]{1,4}eap @q"),
    ("xauth", r":[ \t]{1,4}xauth @q"),
    ("ntlm", r":[ \t]{1,4}ntlm @q"),
    ("rsa ecdsa p12 pkcs8", r":[ \t]{1,4}(?:rsa|ecdsa|p12|pkcs8) @w @q"),
    ("cleartext-password", r"cleartext-password[ \t]{0,4}:?==?[ \t]{0,4}@v"),
    ("option", r"^option (?:key|password|psk|sae_password|auth_secret|priv_passwd) @v@o@."),
    ("auth", r"stats auth [\w.-]{1,64}:@v"),
    ("insecure-password", r"insecure-password[ \t]{1,8}@v"),
    ("cache_peer", r"cache_peer@: login=[\w.-]{1,64}:@v"),
    ("ldap_default_authtok", r"ldap_default_authtok[ \t]{0,8}=[ \t]{0,8}@v@."),
)  # fmt: skip
_SIGNS = {
    "@v": r"""["']?(?P<secret>[^\s"'`|;]{4,128}+)""",
    "@q": r'"(?P<secret>[^"\n]{4,128})"',
    "@o": r"""["']?""",
    "@w": r"""[^\s"'`]{1,128}+""",
    "@n": r"""(?:"[^"\n]{1,64}"|'[^'\n]{1,64}'|[^\s"'/#%`|]{1,64}+)""",
    "@.": r"(?=[ \t]{0,8}(?:$|[\r\n#]))",
    "@:": r"[^\n]{0,240}?",
}
_PUBLIC = frozenset(("public", "private", "version", "none", "clear"))


@cache
def _rows() -> dict[str, list[tuple[bool, re.Pattern[str]]]]:
    rows: dict[str, list[tuple[bool, re.Pattern[str]]]] = {}
    for words, row in _TABLE:
        compiled = (row[0] == "^", _compile(row.removeprefix("^")))
        for word in spellings(words.split()):
            rows.setdefault(word, []).append(compiled)
    return rows


@cache
def program_words() -> frozenset[str]:
    return spellings(word for words, _ in _TABLE for word in words.split())


def _compile(row: str) -> re.Pattern[str]:
    spaced = re.sub(r"(?<!\[) (\??)", lambda blank: r"[ \t]{0,8}" if blank[1] else r"[ \t]{1,8}", row)
    return regex(re.sub("@[a-z.:]", lambda sign: _SIGNS.get(sign[0], sign[0]), spaced))


def find_located(text: str, lowered: str, present: Set[str]) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; ``present`` what it has of ``program_words``."""
    rows = _rows() if present else {}
    for first, pattern in dict.fromkeys(row for word in rows.keys() & present for row in rows[word]):
        for match in pattern.finditer(lowered):
            if _begins(lowered, match.start(), first=first) and _is_secret(text[slice(*match.span("secret"))]):
                yield *match.span("secret"), "password"


def _begins(lowered: str, at: int, *, first: bool) -> bool:
    """Is it a word's beginning there, or the ``first`` of its line?"""
    if first:
        return not lowered[lowered.rfind("\n", max(0, at - 80), at) + 1 : at].strip(" \t>#$")
    return at == 0 or not (lowered[at - 1].isalnum() or lowered[at - 1] in "-_.")


def _is_secret(value: str) -> bool:
    """Any word can be one where nothing else stands; digits alone are a user's number or a port."""
    if value.isdigit() or value[0] in "-/<$%" or value in _PUBLIC:
        return False
    return is_password(value, quoted=True) or is_given(value)


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


def find_columns(text: str, lowered: str) -> Iterator[Span]:
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
_LOGIN_REACH = 120
_INLINE = regex(r"auth-user-pass>\s{1,8}[^\n<]{1,80}\n[ \t]{0,8}(?P<secret>[^\s<]{4,128})")


def find_placed(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; spans may overlap those of other scans."""
    if "'," in text or '",' in text:
        yield from _call(text, lowered)
        yield from _places(text, lowered)
    if ":*:" in text or _PORT.search(text):
        for match in _PGPASS.finditer(text):
            host = _HOST.search(text, max(0, match.start() - _LOGIN_REACH), match.start())
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
