"""Passwords on command lines whose flag says nothing but whose program does: ``mysql -pS3cret``, ``redis-cli -a …``.

Each match looks back over a bounded part of its line: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.guard.secrets.passwords import is_long_word, is_password, is_setting
from hearth.guard.secrets.vocabulary import Span
from hearth.lazy import regex

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


def typed(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    for flag in _FLAG.finditer(lowered):
        yield from _flagged(text, lowered, flag)
    if " /p" in lowered:
        for match in _SLASHED.finditer(lowered):
            if not match[0].lstrip().startswith("/p:") or _SLASHED_P.search(_line_before(lowered, match.start())):
                yield from _choose(match, text)


def _flagged(text: str, lowered: str, flag: re.Match[str]) -> Iterator[Span]:
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
