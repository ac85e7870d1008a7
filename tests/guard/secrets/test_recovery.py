"""Codes that stand in for a phone or a password."""

from __future__ import annotations

import pytest

from hearth.guard.secrets.redaction import redact


def test_recovery_codes_are_hidden_in_their_line_and_below_it() -> None:
    text = "Recovery codes:\n- 3f9a1-c27de\n- b80e4-91fa6\n\nBackup codes for the chat: k3x9-p2mq, 8fhz-w1ra\n"
    hidden = "[redacted:recovery-code]"
    assert redact(text).text == (
        f"Recovery codes:\n- {hidden}\n- {hidden}\n\nBackup codes for the chat: {hidden}, {hidden}\n"
    )


@pytest.mark.parametrize("seed", ["JBSW Y3DP EHPK 3PXP", "QWB5PDKHX6PYGPAN2RLYKEI4IIAANNKK"])
def test_the_seed_of_an_authenticator_is_hidden(seed: str) -> None:
    assert (
        redact(f"Authenticator seed {seed} — on the phone").text
        == "Authenticator seed [redacted:totp-seed] — on the phone"
    )


def test_the_key_of_an_encrypted_disk_is_hidden() -> None:
    key = "-".join(("219384", "509322", "118734", "662101", "400323", "118932", "772013", "550121"))
    assert key not in redact(f"BitLocker recovery key: {key}").text


@pytest.mark.parametrize(
    "text",
    [
        "Recovery codes should be printed and stored in the safe.",
        "Recovery codes: 7 of 10 remaining",
        "Recovery codes: Argon2id-hashed, HMAC-SHA-256 with a server key.",
        "Lost the authenticator seed, so I reset 2FA on 12.03.2022.",
        "The backup key is kept at the office since 2019-04-11",
    ],
)
def test_what_is_only_said_about_them_stays(text: str) -> None:
    assert redact(text).text == text
