"""Texts that make a careless guard slow: one piece over and over, and noise of one alphabet."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator

from hearth.guard.secrets.rules import Rule
from hearth.text.words import Row

SECRETS = (
    "a", "A", "0", "-", "_", ".", "/", "+", "=", ":", "@", '"', "'", "\\", " ", "\n", "\t", "[", "(", "|", "%", "中",
    "ab ", "aB3", "Ab1-", "0.", "A.", "a:", "a@", "a=", "a/", "://", "://a:b", "://a:b@", "://u:p@h@h@", "@tcp(",
    "a:b@tcp(", "oracle:thin:a/", "-----BEGIN PRIVATE KEY-----", "---- BEGIN SSH2 PRIVATE KEY ----", "password=",
    "password ", "password is ", "password for a b ", "passpass", "<password>", "| password | ", "password: |\n  ",
    "name: X_PASSWORD\n value: ", "env password ", "login a password ", "Pwd=;", "; ", "token: ", "key ", "api_key = ",
    "_auth", "x-key:", "clave ", "contraseña es ", "密码：", "Authorization: Bearer ", "authorization:",
    "authorization: key=token=", "cookie: ", "cookie:a=b;", "bearer ", "bearer a", "-p a", "docker login -p ",
    "docker -p ", " -u a:", "--user a:", " chpasswd", "htpasswd -b a b ", "phrase: abandon ability ",
    "mnemonic is ", "frase ",
    "1. abandon ", "ey" + "J", "ey" + "Jaaaaaaaa.", "sk" + "-", "sk" + "-a1B2-", "Private-Lines: 9\n", '"kty" "d":"',
    "<RSAKeyValue><D>", "[redacted:", "[redacted:token]", "[redacted:token]\n", "QUJD" * 19 + "\n", "İ", "\r\n",
    "key" + "-" + "0f" * 16 + "S" + "K" + "1e" * 16, "AK" + "IA" + "A2" * 8 + " ", "AK" + "IA" + "A2" * 8 + "\n",
    "secret \\", "key: ",
    "door code ", "PIN ", "pin: 44 ", "code of the door ", "Passwort lautet ", "пароль от ", "recovery codes: ",
    "backup code a1b2-", "2fa AAAA ", "login a / ", "snmp-server community ", "set a key ", "key 7 ", "net use \\\\a ",
    "reg add /v password /d ",
    "nmcli a ", "wifi:s:a;p:", "a * b ", "a.b c:d", "echo a | ", "x /p:",
    "A_", "f\"{x}\" password = f\"{", "password:lantern:", "<password>lantern:",
    "aB3+/xY9", "token", "token=", "token:", 'password="', "ghp" + "_", "a.b.", "cookie:a=",
    '{"a":"b","token":"x","n":12345678},',
)  # fmt: skip
"""What secrets begin with and what stands around them."""
FENCED = (
    "<", "< ", "</", "<v", "<vault", "<v a u l t", "&", "&amp;", "&#60;", "&lt;", "&#38;", "[", "[ ", "]", "> ", "#",
    "* ", "1. ", "<|", "<|a", "<system ",
    "<system a=", "x<User>", "<a:", "\u200b", "\u200d", "a\u200d", "\x1b[", "\x1b]", "\x9d", "\x9b1", "\r", "![",
    "](", "[a", "http:", "https://a?", "data:", "data:a,",
    "<a ", "<a src", "ftp:", "ｖ", "＜", "<<", "<< ", "Human", "Human ", "Human*", " ", "\n", "\n ", "｜", "\ue000",
    "[inst", "[r]:", "\ufe0f", "https://", "wss:",
)  # fmt: skip
"""What ends a fence, leads out of it or is taken out of a text in it."""
JUDGED = (
    "ignore ", "ignore previous ", "ignore all the ", "ignore", "forget everything ", "previous instructions ",
    "send ", "send the key ",
    "send the key to ", "read the api key ", "read the api key and ", "when the user asks ", "you are now ",
    "act as ", "do not tell ",
    "do not ", "pretend ", "olvida ", "olvida las ", "envia la clave ", "ignoriere ", "ne dis ", "не ", "игнорируй ",
    "忽略", "忽略之前", "以前", "指示",
    "i g n o r e ", "a ", "a.", "a,b,", "ab ", "0x41 ", "\\x41", "\\u0041", "%41", "&#65;", "QUJD",
    "SWdub3JlIGFsbCBwcmV2aW91cyBp", "ABCDEFGH",
    "vtaber ", "erongi ", "1gn0r3 ", '"', '"ignore ', "<!--", "<!-- ignore ", "![a](https://e/?", "![", "curl ",
    "curl x |", "rm -rf ", "<|im_start|>", "\n", " ",
    "system:", "\u200b", "\U000e0041", "\ufe01", "\u202e", "іg", "é", "中", "\n> system", "color:", "font-size:",
    "ignoreallprevious", "x" * 50 + " ",
)  # fmt: skip
"""What attacks are made of."""
_ALPHABETS = (
    string.ascii_lowercase, string.ascii_uppercase, string.digits, string.ascii_letters + string.digits,
    "0123456789abcdef", string.ascii_letters + string.digits + "+/", string.ascii_letters + string.digits + "-_",
    string.punctuation, string.printable,
)  # fmt: skip
_LINE = 76
_FILLERS = ("a1", "0", "A", "f", "aB3-_", "1/", ".", "=")


def run(piece: str, length: int) -> str:
    return (piece * (length // len(piece) + 1))[:length]


def noise(alphabet: str, length: int) -> str:
    """Random characters, the same ones each time."""
    return "".join(random.Random(11).choices(alphabet, k=length))


def lines_of_noise(alphabet: str, length: int) -> str:
    rng = random.Random(11)
    return "\n".join("".join(rng.choices(alphabet, k=_LINE)) for _ in range(length // (_LINE + 1)))


def secret_makers() -> list[tuple[str, Callable[[str, int], str]]]:
    """What a text is made of, and what makes a text of so many characters of it."""
    noises = [(alphabet, make) for alphabet in _ALPHABETS for make in (noise, lines_of_noise)]
    return [*((piece, run) for piece in SECRETS), *noises]


def secret_texts(length: int) -> Iterator[tuple[str, str]]:
    """Each text with what it is made of."""
    return ((piece, make(piece, length)) for piece, make in secret_makers())


def of_rule(rule: Rule, length: int) -> list[str]:
    """Runs that begin like a match of the rule and end otherwise, or that hold its anchor over and over."""
    repeated = [rule.anchor, *(filler * 40 + rule.anchor for filler in _FILLERS)]
    return [run(piece, length) for piece in repeated] + [rule.anchor + run(filler, length) for filler in _FILLERS]


def of_attack(row: Row, length: int) -> Iterator[tuple[str, str]]:
    """Runs of the words that a row of the injection guard needs, each with its word."""
    for word in row.needs:
        yield word, run(f"{word.strip()} ", length)
