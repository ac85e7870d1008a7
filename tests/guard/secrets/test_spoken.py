"""Passwords that people write down in sentences; ⟦ and ⟧ stand around what has to be hidden."""

from __future__ import annotations

import pytest
from tests.guard.secrets.marked import split_marked

from hearth.guard.secrets.redaction import redact

TOLD = (
    "The wifi at the cabin is Hillside and the password is ⟦bluegoose77⟧.",
    "The password is ⟦Blu3!river⟧ and has expired",
    "App password for the mail program: ⟦qmzv hpla wtxe rkob⟧",
    "my login on the old forum was harald / ⟦Vinter1994!⟧",
    "Told Ben the root password over the phone, it's still ⟦t0ps3cret-gnu⟧",
    "Das WLAN-Passwort im Ferienhaus lautet ⟦Kiefernzapfen2019⟧.",
    "mot de passe de la box : ⟦Tournesol!84⟧",
    "La contraseña del router es ⟦C4mpanario_9⟧",
    "A senha do portal é ⟦Lua7!Verde⟧ agora",
    "Lösenordet till NAS:en är ⟦smultron-1987-Bad⟧",
    "Het wachtwoord van de printer is ⟦Molen#Rood5⟧",
    "Hasło do wifi: ⟦Zubr.w.lesie7⟧",
    "Пароль от роутера: ⟦zimaZima22⟧",
    "Пароль от почты ⟦1290!!!Iva⟧ уже не подходит",
    "Şifre = ⟦Deniz7!Ay⟧ artık geçersiz",
    "Wi-Fiのパスワード：⟦sakura8842tokyo⟧",
)


@pytest.mark.parametrize("text", TOLD)
def test_a_password_is_hidden_in_a_sentence_of_any_language(text: str) -> None:
    before, secret, after = split_marked(text)
    assert redact(before + secret + after).text in (
        f"{before}[redacted:password]{after}",
        f"{before}[redacted:password]{after.removeprefix('.')}",
    )


AROUND = (
    "it asks for a password, type ⟦Meadow2019!⟧",
    "wenn er nach dem Passwort fragt, gib ⟦Tr33h0use9⟧ ein",
    "Use ⟦qP7xLm2Rtw⟧ as the password",
    "⟦qP7xLm2Rtw⟧ is my router password",
    "the router one is ⟦qP7xLm2Rtw⟧ (password)",
    "Password\n⟦Meadow2019⟧",
    "## Password\n\n⟦qP7xLm2Rtw⟧",
    "Kennwort:\n⟦Tr33h0use9⟧",
    "Bob: what's the password?\nAnn: ⟦Meadow2019!⟧",
    "The password is ⟦copper-orchid-violin-falcon⟧",
    "PW ⟦Meadow2019!⟧",
    "비번: ⟦qP7xLm2Rtw⟧",
    "| Root password | `⟦qP7xLm2Rtw⟧` |",
    "| user | value |\n|---|---|\n| maria | ⟦Meadow2019⟧ (password) |",
)


@pytest.mark.parametrize("text", AROUND)
def test_a_password_is_hidden_before_the_word_below_it_and_in_a_row(text: str) -> None:
    before, secret, after = split_marked(text)
    assert redact(before + secret + after).text == f"{before}[redacted:password]{after}"


def test_both_passwords_of_a_change_are_hidden() -> None:
    text = "Password for the nas: the old one was Copper1998!, I changed it yesterday to qP7xLm2Rtw"
    redacted = redact(text).text
    assert "Copper1998" not in redacted
    assert "qP7xLm2Rtw" not in redacted


@pytest.mark.parametrize(
    "text",
    [
        "- [(2) HMAC vs Password Hash Algorithms](#2-hmac-vs-password-hash-algorithms)",
        "MYSQL_PASSWORD\nMYSQL_PORT=3306",
        "## Password\n\n- Use a manager",
        "1Password Access Request – iTerm2 CLI",
        "The mask is S*************3, the password is longer",
        "passwords to infrastructure such as routers",
        "We moved from 1Password to Bitwarden in 2021.",
        "Das Passwort wurde nach 90 Tagen zurückgesetzt.",
        "Salasana vanhenee 90 päivän jälkeen.",
        "La contraseña debe tener 12 caracteres",
        "Пароль должен содержать 12 символов",
        "The passphrase was longer than sixteen words.",
        "certtool: do not ask for a password when exporting to PKCS#8 implicitly",
        "The password reset: ticket INC0012345",
        "wachtwoord ISO 27001",
    ],
)
def test_what_is_only_said_about_passwords_stays(text: str) -> None:
    assert redact(text).text == text
