"""Calls that sign or open: their key goes, whatever it looks like."""

from __future__ import annotations

import pytest
from tests.guard.secrets.marked import split_marked

from hearth.core.session import hashed
from hearth.guard.secrets.redaction import redact


@pytest.mark.parametrize(
    "text",
    [
        "jwt.sign(payload, '⟦velvetotter⟧', { expiresIn: '1h' })",
        "jwt.verify(req.cookies[0], `⟦velvetotter⟧`)",
        'jwt.encode({"sub": "kim"}, "⟦copper-9-saddle⟧", algorithm="HS256")',
        "crypto.createHmac('sha256', '⟦copper-9-saddle⟧')",
        "hash_hmac('sha256', $body, '⟦copper-9-saddle⟧')",
        "fernet = Fernet(b'⟦x8Jq2Lm5Nw9Rt4Vb7Zc1Kd3Fg6Hs0Pa8Ye5Ui2Oo4Qw=⟧')",
        'store.load(in, "⟦velvetotter⟧".toCharArray());',
    ],
)
def test_a_key_in_a_call_that_reads_nothing_else_goes(text: str) -> None:
    before, secret, after = split_marked(text)
    assert redact(before + secret + after).text == f"{before}[redacted:key]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "jwt.sign(payload, process.env.KEY, { expiresIn: '1h' })",
        "jwt.verify(token, 'your-secret')",
        "Fernet(key)",
        '"password".toCharArray()',
        "createHmac('sha256', key).update('velvetotter')",
    ],
)
def test_calls_without_a_key_stay(text: str) -> None:
    assert redact(text).text == text


def test_the_name_that_hearth_gives_a_session_is_no_cookie_and_a_cookie_is_one() -> None:
    name, cookie = hashed("agent:main:whatsapp:direct:+49 170 1234567"), "kZ3vQ9xT7mWb2LrYd8NcHs4JfGaUe6Pq"
    assert redact(f"session: {name}").text == f"session: {name}"
    assert cookie not in redact(f"session: {cookie}").text
    assert name not in redact(f"PHPSESSID={name} csrftoken={name}").text
