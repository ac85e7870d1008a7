"""No text makes the guard slow: twice the text takes about twice the time."""

from __future__ import annotations

import random
import string
import time
from collections.abc import Callable

import pytest

from hearth.guard.rules import Rule, token_rules
from hearth.guard.secrets import redact

_PIECES = (
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
    "A_", "f\"{x}\" password = f\"{",
)  # fmt: skip
_RUN = 4_000
_ALPHABETS = (
    string.ascii_lowercase, string.ascii_uppercase, string.digits, string.ascii_letters + string.digits,
    "0123456789abcdef", string.ascii_letters + string.digits + "+/", string.ascii_letters + string.digits + "-_",
    string.punctuation, string.printable,
)  # fmt: skip


def _time(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _assert_linear(work: Callable[[str], object], text: str, what: object) -> None:
    """Twice the text takes at most 2.6 times the time, in one of five tries; tiny times are no measure.

    Both texts repeat ``text``: what its seam makes is in both.
    """
    once, twice = text * 2, text * 4
    single = double = float("inf")
    for _ in range(5):
        single = min(single, _time(lambda: work(once)))
        double = min(double, _time(lambda: work(twice)))
        if double <= max(2.6 * single, 0.004):
            return
    pytest.fail(f"{what!r}: {single * 1000:.1f} ms, twice as much {double * 1000:.1f} ms")


def _texts(length: int) -> list[tuple[str, str]]:
    rng = random.Random(11)
    runs = [(piece, (piece * (length // len(piece) + 1))[:length]) for piece in _PIECES]
    for alphabet in _ALPHABETS:
        runs.append((alphabet, "".join(rng.choices(alphabet, k=length))))
        runs.append((alphabet, "\n".join("".join(rng.choices(alphabet, k=76)) for _ in range(length // 77))))
    return runs


_RUNS = _texts(10_000)


def test_long_runs_of_anything_are_read_in_linear_time() -> None:
    for piece, text in _RUNS:
        _assert_linear(redact, text, piece)


@pytest.mark.torture
@pytest.mark.parametrize("number", range(len(_RUNS)))
def test_a_megabyte_of_anything_is_read_in_linear_time(number: int) -> None:
    piece, text = _texts(500_000)[number]
    _assert_linear(redact, text, piece)


def _hostile(rule: Rule) -> list[str]:
    """Runs that begin like a match of the rule and end otherwise, or that hold its anchor over and over."""
    fillers = ("a1", "0", "A", "f", "aB3-_", "1/", ".", "=")
    repeated = [rule.anchor, *(filler * 40 + rule.anchor for filler in fillers)]
    runs = [piece * (_RUN // len(piece)) for piece in repeated]
    return runs + [rule.anchor + filler * (_RUN // len(filler)) for filler in fillers]


def test_every_rule_scans_hostile_runs_in_linear_time() -> None:
    for rule in token_rules():

        def scan(text: str, rule: Rule = rule) -> list[bool]:
            return [
                rule.accepts(text[found.start() - rule.lead : found.end()]) for found in rule.pattern.finditer(text)
            ]

        for text in _hostile(rule):
            _assert_linear(scan, text, (rule.name, rule.anchor, text[:60]))


def test_a_chain_in_which_each_secret_bares_the_next_ends_and_stays_as_it_is() -> None:
    # Each begins only where a boundary stands before it, and the one before leaves none until it is hidden.
    link = "key" + "-" + "0f9a7c3e" * 4 + "AP" + "I-" + "7QZ4XK2VB9" * 3
    once = redact(link * 400).text
    assert "9a7c3e" not in once
    assert redact(once).text == once
