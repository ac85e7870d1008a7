"""Passwords that a sentence leads to without a name for them; ⟦ and ⟧ stand around what has to be hidden."""

from __future__ import annotations

import pytest
from tests.guard.secrets.marked import split_marked

from hearth.guard.secrets.redaction import redact

LED_TO = (
    "log in as maria with ⟦Meadow2019!⟧",
    "Melde dich mit jonas und ⟦Tr33h0use9⟧ an.",
    "connecte-toi avec maria et ⟦qP7xLm2Rtw⟧",
    "entra como maria con ⟦Meadow2019⟧",
    "accedi come maria con ⟦Meadow2019⟧",
    "zaloguj się jako maria hasłem ⟦Meadow2019⟧",
    "decrypt it with ⟦qP7xLm2Rtw⟧",
    "key for the zip: ⟦qP7xLm2Rtw⟧",
    "Entpacken mit ⟦Tr33h0use9⟧",
    "pour ouvrir le zip, tape ⟦Meadow2019⟧",
    "the old one was ⟦Copper1998!⟧, please forget it",
    "I changed it yesterday to ⟦qP7xLm2Rtw⟧",
    "unlock the disk with ⟦copper-orchid-violin-falcon⟧",
)


@pytest.mark.parametrize("text", LED_TO)
def test_a_password_is_hidden_where_a_sentence_says_what_it_is_for(text: str) -> None:
    before, secret, after = split_marked(text)
    assert redact(before + secret + after).text == f"{before}[redacted:password]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "log in as maria with your own account",
        "Sign in with GitHub and OAuth2",
        "decrypt it with AES256 or chacha20",
        "unzip the archive with 7zip2024.exe",
        "We changed it yesterday to Python311",
        "the old one was Windows2019",
        "Anmelden mit Konto und Ausweis",
        "encrypted with NetNTLMv2",
        "open the page with Chrome and end-to-end tests",
    ],
)
def test_programs_and_algorithms_are_not_taken_for_passwords(text: str) -> None:
    assert redact(text).text == text
