"""Passwords on command lines whose flag says nothing but whose program does: ``mysql -pS3cret``, ``redis-cli -a …``.

Each match looks back over a bounded part of its line: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.guard.secrets.assignments import Span
from hearth.guard.secrets.passwords import is_long_word, is_password
from hearth.lazy import regex

_WORD = r"""["']?(?P<secret>[^\s"'`|;]{6,128}+)"""
_LOOK_BACK = 200
_FLAG = regex(r" --?[pawukx]")
_USER = r"[\"']?[\w.@\\/-]{1,64}+(?:(?<!/)%|:)(?P<secret>[^\s\"']{6,128}+)"
# What goes on from a flag, and the program that must stand before it.
_FLAGS = {
    letter: (regex(rest), regex(rf"(?<![a-z0-9-])(?:{programs})(?![a-z0-9])"))
    for letter, rest, programs in (
        (
            " -p",
            "[ =]?" + _WORD,
            "mysql[a-z]*|mariadb[a-z-]*|sshpass|mongo[a-z]*|sqlcmd|bcp|cqlsh|xfreerdp|psexec(?:64)?|ipmitool|mosquitto_[a-z]+"
            r"|zip|7z[az]?|(?:un)?rar|(?:docker|podman|az|oc|helm|skopeo"
            r"|buildah|nerdctl|crane|cf|argocd)\s[^\n]*?\blogin",
        ),
        (" -a", "[ ]" + _WORD, "redis-cli|valkey-cli|keydb-cli|snmp[a-z]+"),
        (" -x", "[ ]" + _WORD, "snmp[a-z]+"),
        (" -w", "[ ]" + _WORD, "ldap[a-z]+"),
        (" -k", "[ ]" + _WORD, r"openssl\s+enc"),
        (" -u", "[ =]?" + _USER, ".*"),
        (" --u", "ser[ =]" + _USER, ".*"),
    )
}
_HTPASSWD = regex(r"htpasswd(?: -[a-z]{1,6}){1,4} [^\s]{1,128}+ [^\s]{1,64}+ " + _WORD)
_COMMUNITY = regex(r"snmp-server community (?P<secret>[^\s\"']{6,64}+) r[ow]\b")
_CHPASSWD = regex(r"""["' ][\w.-]{1,32}+:(?P<secret>[^\s"']{6,128}+)["']?\s{0,3}\|\s{0,3}(?:sudo\s)?$""")
# Commands of Windows and of Unix where a password has a place of its own, each by a literal that must occur.
_PLACES = (
    ("net user ", regex(r"(?<![\w-])net user [\"']?[\w.-]{1,64}+[\"']? " + _WORD)),
    ("net use ", regex(r"(?<![\w-])net use (?:[a-z*]:? )?\\\\[^\s]{1,128}+ " + _WORD + r"[\"']? /user:")),
    ("schtasks", regex(r"(?<!\w)schtasks\b[^\n]{1,200}? /rp " + _WORD)),
    ("/pass", regex(r" /pass(?:word)?:" + _WORD)),
    ("sudo -s", regex(r"(?<!\w)echo (?:-n )?" + _WORD + r"[\"']? ?\| ?sudo -s\b")),
    ("-stdin", regex(r"(?<!\w)echo (?:-n )?" + _WORD + r"[\"']? ?\| ?[^\n|]{1,100}?(?:--stdin|--password-stdin)\b")),
    ("lftp", regex(r"(?<!\w)lftp -u [\w.@-]{1,64}+," + _WORD)),
    ("sqlplus", regex(r"(?<!\w)sqlplus (?:-\w{1,2} )?[\w.]{1,64}+/(?P<secret>[^\s\"'/@]{6,128}+)@")),
)


def typed(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    for flag in _FLAG.finditer(lowered):
        if flag[0] in _FLAGS:
            pattern, program = _FLAGS[flag[0]]
            match = pattern.match(lowered, flag.end())
            for span in _choose(match, text, 0) if match else ():
                if program.search(_line_before(lowered, flag.start())):
                    yield span
    for literal, pattern in _PLACES:
        if literal in lowered:
            for match in pattern.finditer(lowered):
                yield from _choose(match, text, 0)
    if "community" in lowered:
        for match in _COMMUNITY.finditer(lowered):
            yield from _choose(match, text, 0)
    if "passwd" in lowered:
        for match in _HTPASSWD.finditer(lowered):
            yield from _choose(match, text, 0)
        for end in re.finditer("chpasswd", lowered):
            line = _line_before(text, end.start())
            if found := _CHPASSWD.search(line):
                yield from _choose(found, text, end.start() - len(line))


def _line_before(text: str, at: int) -> str:
    start = max(0, at - _LOOK_BACK)
    return text[max(start, text.rfind("\n", start, at) + 1) : at]


def _choose(match: re.Match[str], text: str, shift: int) -> Iterator[Span]:
    start, end = match.start("secret") + shift, match.end("secret") + shift
    # Digits alone are a user's number or a port.
    value = text[start:end]
    if not value.isdigit() and (is_password(value, quoted=True) or is_long_word(value)):
        yield start, end, "password"
