"""Passwords on command lines and in the configuration of network devices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.core.lazy import regex
from hearth.guard.secrets.passwords import is_given, is_long_word, is_password, is_setting
from hearth.guard.secrets.rules import Places, Span, find_names

_WORD = r"""["']?(?P<secret>[^\s"'`|;]{4,128}+)"""
_USER = r"""["']?[\w.@\\+-]{1,64}+(?:(?<!/)%|:)(?P<secret>[^\s"'`|;]{4,128}+)"""
_LOOK_BACK = 200
_FLAG = regex(r" (?P<flag>--?[a-z]{1,4}(?=[ \t=\"'])|-h?p(?=\S)|--[a-z-]{3,20}(?=[ =]))")

# Programs by the flag that is followed by a password; the flag, in small letters, as they are found in lowered text.
_LOGINS = (
    r"(?:docker|podman|az|oc|helm|skopeo|buildah|nerdctl|crane|cf|argocd|ibmcloud|oras|regctl|snyk|tabcmd"
    r"|heroku)\s[^\n]*?\blogin"
)
_PROGRAMS = {
    "-p": "sshpass|unzip|mongo[a-z]*|sqlcmd|bcp|isql|tsql|cqlsh|psexec(?:64)?|ipmi[a-z]+|mosquitto_[a-z]+|zip|zipcloak"
    "|twine|p4|winrs|evil-winrm|nxc|netexec"
    r"|crackmapexec|cme|smbmap|rdesktop|beeline|useradd|usermod|ssh-keygen|govc|esxcli|vim-cmd|ncftp[a-z]*"
    r"|security unlock-keychain|superset"
    r"|airflow users create|snowsql|ktutil|medusa|hydra|patator|vncdo(?:tool)?|wfuzz|x3270|xfreerdp|net rpc"
    r"|fab|mount_smbfs|bw|certutil|pfexec|mutt|tdbtool"
    rf"|racadm|perccli|snmp[a-z]+|{_LOGINS}",
    "-a": r"redis-cli|valkey-cli|keydb-cli|snmp[a-z]+",
    "-x": "snmp[a-z]+",
    "-w": r"ldap[a-z]+|vsql|kadmin|security add-[a-z]+-password|sshuttle|wbadmin|ntlm_auth|gammu",
    "-k": r"openssl\s+enc|dotnet nuget push|nuget push|gem push",
    "-n": "ssh-keygen",
    "--pw": "[a-z_]+",
    "-pw": r"plink|pscp|psftp|putty|klink|kitty|vmrun",
    "-gp": "vmrun",
    "-xp": "sendemail",
    "-ap": "swaks",
    "-upw": "pdf[a-z]+",
    "-opw": "pdf[a-z]+",
    "-pas": "gbak|gfix|gsec",
}
# What the flag is joined to.
_JOINED = {
    "-p": r"mysql[a-z]*|mariadb[a-z-]*|7z[az]?|7zr|(?:un)?rar|sshpass|sqlcmd|bcp|zip|smbmap|cqlsh",
    "-hp": "(?:un)?rar",
}
# Followed by a user, a colon and a password, whatever the program.
_BASIC = frozenset(
    ("-u", "-auth", "--user", "--proxy-user", "--auth", "--basic-auth", "--http-auth", "--creds",
     "--src-creds", "--dest-creds")
)  # fmt: skip
# Where -u is followed by nothing else.
_LOGGING_IN = regex(r"(?<![\w-])(?:curl|smbclient|rpcclient|smbmap)(?:\s|$)")
_HTTPIE = regex(r"(?<![\w-])(?:https?|xhs?|httpie)\s")
_VALUE = regex(rf"[ =]{_WORD}")
_TOGETHER = regex(_WORD)
_LOGIN = regex(rf"[ =]?{_USER}")
# A command that names a user gives the password beside it, but for programs to which -p says something else.
_NAMED_USER = regex(r"[ \t](?:-u|-l|--?user(?:name)?|--?login)[ =]\S+[^\n|;]*$")
_OTHERS = regex(
    r"(?<![\w-])(?:sudo|su|mkdir|cp|install|ssh|scp|sftp|rsync|tar|nmap|ps|psql|pg_[a-z]+|mysql[a-z]*"
    r"|mariadb[a-z-]*|git|docker run|docker create|podman run"
    r"|docker exec|perl|nc|netstat|ss|unzip|kill[a-z]*|crontab|systemd-run|runuser|chroot|journalctl"
    r"|python3?|pip3?|top|htop|strace|iptables|useradd|telnet"
    r"|kubectl|createdb|vacuumdb|mysqldump)(?![\w-])"
)
# A user's number, a port, or where one leads.
_PORTS = regex(r"\d+|[\d.]*:?\d+(?::\w+)?(?:/(?:tcp|udp))?|[rwv]:\S{1,40}:[a-z]|[\w./-]+\.(?:txt|lst|list|csv|gz|dic)")
_SLASHED = regex(r"[ \t]/(?:pass(?:word)?|passwordd|passwordo|p):[\"']?(?P<secret>[^\s\"'`|;]{4,128}+)")
_SLASHED_P = regex(r"(?<![\w-])(?:[xw]l?freerdp3?|sdl-freerdp|rdp|mstsc|freerdp|wlfreerdp)(?![\w-])")
_PROGRAM = {flag: regex(rf"(?<![a-z0-9-])(?:{programs})(?![a-z0-9])") for flag, programs in _PROGRAMS.items()}
_JOINER = {flag: regex(rf"(?<![a-z0-9-])(?:{programs})(?![a-z0-9])") for flag, programs in _JOINED.items()}


def find_typed(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    for flag in _FLAG.finditer(lowered):
        yield from _find_flag_values(text, lowered, flag)
    if " /p" in lowered:
        for match in _SLASHED.finditer(lowered):
            if not match[0].lstrip().startswith("/p:") or _SLASHED_P.search(_line_before(lowered, match.start())):
                yield from _choose(match, text)


def _find_flag_values(text: str, lowered: str, flag: re.Match[str]) -> Iterator[Span]:
    name, end = flag["flag"], flag.end()
    if name in _BASIC or (name == "-a" and _HTTPIE.search(_line_before(lowered, flag.start()))):
        if match := _LOGIN.match(lowered, end):
            sure = _LOGGING_IN.search(_line_before(lowered, flag.start())) is not None
            yield from _choose(match, text, sure=sure)
        return
    spaced = lowered[end : end + 1] in (" ", "=")
    match = (_VALUE if spaced else _TOGETHER).match(lowered, end) if end < len(lowered) else None
    if match is None:
        return
    before = _line_before(lowered, flag.start()) + " "
    programs = (_PROGRAM if spaced else _JOINER).get(name)
    if name == "-n" and text[end - 1] != "N":
        return
    found = programs.search(before) if programs else None
    if found and found[0] == "unzip" and text[end - 1] != "P":
        return
    if found:
        yield from _choose(match, text)
    elif spaced and name == "-p" and _NAMED_USER.search(before) and not _OTHERS.search(before):
        yield from _choose(match, text, sure=False)


def _line_before(text: str, at: int) -> str:
    start = max(0, at - _LOOK_BACK)
    return text[max(start, text.rfind("\n", start, at) + 1) : at]


def _choose(match: re.Match[str], text: str, *, sure: bool = True) -> Iterator[Span]:
    """``sure``: nothing but a password stands there, so any word may be one."""
    start, end = match.span("secret")
    value = text[start:end]
    if _PORTS.fullmatch(value) or value[0] in "-/<$%" or value.endswith("]"):
        return
    if is_password(value, quoted=True) or is_long_word(value) or (sure and is_setting(value)):
        yield start, end, "password"


_SECRET = r"""["']?(?P<secret>[^\s"']{3,256}+)["']?"""
# How the key is written.
_FORM = (
    r"(?P<form>(?:(?:[0-9]|enc|encrypted|cipher|irreversible-cipher|ciphertext|simple|plain|plaintext"
    r"|localized|hex|ascii|ascii-text|hexadecimal|sha256|sha512|scrypt|md5"
    r"|hash|key|clear|cleartext|unencrypted|[0-9] [0-9])[ \t]{1,2}){0,3})"
)
# What a statement begins with; what follows is of the same kind: small words, numbers, addresses, names.
_FIRST = (
    r"enable|username|user|snmp-server|snmp-agent|snmp|snmpd|tacacs-server|tacacs|radius-server|radius"
    r"|hwtacacs|crypto|neighbor|ip|ipv6|isis|ntp|ntp-service"
    r"|key|key-string|key chain|standby|vrrp|glbp|ppp|set|wpa-psk|wpa|aaa|area|tunnel-group|ikev1|ikev2"
    r"|isakmp|pre-shared-key|local-user|line|password"
    r"|passwd|message-digest-key|server-private|authentication|authentication-key|server-key|dot11|wlan"
    r"|security|passphrase|peer|bgp|mpls|ospf|rip|md5"
    r"|secret|community|config|no|l2tp|pppoe|tunnel|vpdn|ldap-server|server|host|hostname|usm|add|psk"
    r"|auth-key|shared-secret|shared-key|encryption"
    r"|authentication-mode|super|login|banner|domain|client|interface|snmpv3|dot1x|wireless|ssid|group|pki"
    r"|cluster|ssl|vpn|xauth|hsrp|msdp|ldp|rsvp|lacp|mka|macsec|failover|cable|/\w[\w/ -]{2,40}"
)
_STATEMENT = regex(
    rf"[ \t>]{{0,12}}(?:(?://|[#!]|rem)[ \t]{{0,4}})?(?:[\w.()-]{{1,40}}[#>][ ]?)?(?:no |\+ ?"
    rf"|- ?)?(?:{_FIRST})(?:[ \t]{{1,4}}(?:\[[^\]\n]{{0,40}}\]|[\w./:@*+=-]{{1,48}})){{0,14}}[ \t]{{1,4}}$"
)
# From the literal on; a name that ends with it may begin with other words: ``pre-shared-key``.
_NAMES = (
    ("key", r"key(?:-string)?(?: \d{1,5} md5)?"),
    ("passw", r"passw(?:or)?d(?: level \d{1,2})?"),
    ("secret", r"secret(?:-key| level \d{1,2})?"),
    ("psk", "psk(?:-key|secret)?"),
    ("community", r"community(?: (?:read|write|read-write|read-only|ro|rw)(?![\w-]))?"),
    ("passphrase", "passphrase"),
    ("auth ", r"auth (?:md5|sha(?:-?\d{1,3}){0,2})"),
    ("authentication ", r"authentication (?:text|md5)"),
    ("priv", r"priv (?:aes[ -]?\d{0,3}|3?des(?: 56)?|aes)"),
)
_NAMED = tuple((literal, regex(name + r"[ \t]{1,3}" + _FORM + _SECRET)) for literal, name in _NAMES)
# Where a word may be a key: prose has "encryption key settings".
_SURE = regex(r"[ \t]*(?:\S*[#>] ?)?(?:enable|username|crypto|isis|failover|cable|ntp|(?:\S+ ){3}|[^\n]*[\d-])")
# Where nothing but a key can stand, though it speaks of one: ``username kim password 0 adminpass``.
_STRICT = regex(
    r"[ \t]*(?:\S*[#>] ?)?(?:enable|username|neighbor|(?:tacacs|radius|snmp)-server|isis|failover|cable"
    r"|crypto isakmp|ip ospf)\b"
)
_GAP = regex(r"[<\[{%$(*]|.*_.*|.*your.*|.*example.*|x+$", re.IGNORECASE)
# As Juniper writes keys that it can read again, and Unix those it can't.
_ENCODED = regex(r"\$\d\$.{4}")
_PREFIX = regex(r"(?:[a-z0-9]{1,16}-){0,4}$")
# What may follow: access, a view, an address, a number; prose and tables don't go on like this.
_AFTER = regex(
    r"[ \t]*(?:$|[\r\n;!]|(?:ro|rw|view|address|priv|timeout|auth-port|acct-port|authorization|hostname"
    r"|host|role|service|profile|level|ipv6|group|access|name"
    r"|retransmit|single-connection|trusted|no-xauth|md5|encrypted|pbkdf2|privilege|nas-prompt|tracking"
    r"|default|ikev1|snmp|version|[\w-]+=|[\d.]+(?:/\d+)?|\d+)(?![\w-])"
    r"|# ?secret-data|[ ]##)"
)
_WORDS = (
    "chain encryption encrypted password passwords secret key keys generate zeroize md5 sha required recovery input "
    "prompt pubkey-chain rsa config-key algorithm management policy min-length strength-check lifetime any default "
    "text new old size exchange read-only read-write read write none ro rw mode config value type server client "
    "group internal additive delete local set no-advertise no-export local-as map in out both extended standard "
    "list trap traps inform informs version"
)
_TERMS = frozenset(_WORDS.split())
_GRAMMAR = (
    "the a an and or of for to is are your you with this that in on from be will can must should if then not it as by"
)
_SMALL = frozenset(_GRAMMAR.split())
_PUBLIC = frozenset(("public", "private"))
_REACH = 240


def find_configured(text: str, lowered: str, places: Places) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    for _, match in find_names(_NAMED, lowered, places):
        if _is_key(match, text):
            yield *match.span("secret"), "password"


def _is_key(match: re.Match[str], text: str) -> bool:
    """Is all before it a statement, and nothing behind it prose?"""
    lowered, start = match.string, match.start()
    first = lowered.rfind("\n", max(0, start - _REACH), start) + 1
    if first == 0 and start > _REACH:
        return False
    if match["secret"] in _TERMS or match["secret"] in _PUBLIC or _AFTER.match(lowered, match.end()) is None:
        return False
    before = lowered[first:start]
    if before and before[-1] not in " \t":
        if before[-1] != "-":
            return False
        before = _PREFIX.sub("", before)
    if before.strip(" \t>") and _STATEMENT.fullmatch(before) is None:
        return False
    value = text[slice(*match.span("secret"))].rstrip(";")
    if value.endswith("."):
        return False
    if not before.strip(" \t>"):
        compound = match["form"] or before != lowered[first:start] or match[0].startswith("key-string")
        return bool(compound) and is_password(value, quoted=True) and is_given(value)
    if value.isalpha() and not match["form"] and (before.lstrip()[:2] in ("- ", "* ") or not _SURE.match(before)):
        return False
    strict = _STRICT.match(before) is not None and _GAP.match(value) is None
    return (strict or is_given(value) or _ENCODED.match(value) is not None) and not _is_sentence(before)


def _is_sentence(before: str) -> bool:
    return not _SMALL.isdisjoint(before.split())
