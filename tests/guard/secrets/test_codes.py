"""PINs and codes that open something; ⟦ and ⟧ stand around what has to be hidden."""

from __future__ import annotations

import pytest

from hearth.guard.secrets.redaction import redact

OPENING = (
    "The PIN for the garage keypad is ⟦4471⟧, press # afterwards.",
    "New door code since March: ⟦7729#⟧",
    "alarm code ⟦90215⟧ — the duress code is one higher",
    "SIM PIN: ⟦0884⟧, PUK: ⟦83920174⟧",
    "Türcode Büro: ⟦5580*⟧",
    "Ovikoodi on ⟦2846⟧, muista lukita takaovi.",
    "Le code du portail est ⟦A4518⟧.",
    "El PIN de la tarjeta es ⟦3307⟧",
    "Portkoden är ⟦1974⟧ efter klockan 20",
    "код домофона ⟦38к2201⟧",
    "门禁密码是⟦258013⟧",
    "La combinazione della cassaforte è ⟦24-07-81⟧",
)


@pytest.mark.parametrize("text", OPENING)
def test_a_code_is_hidden_beside_what_it_opens(text: str) -> None:
    secrets = [part.partition("⟧")[0] for part in text.split("⟦")[1:]]
    redacted = redact(text.replace("⟦", "").replace("⟧", ""))
    assert [secret.rule for secret in redacted.secrets] == ["code"] * len(secrets)
    assert not any(secret in redacted.text for secret in secrets)


@pytest.mark.parametrize(
    "text",
    [
        "The door code changes every month; ask reception.",
        "The PIN pad at gate 12 was broken on 2023-04-11.",
        "PIN 12 of the header is ground, pin 13 drives the LED.",
        "error code 404, exit code 137, country code 358",
        "The access code is 2400 lines long.",
        "The default PIN is 1234.",
        "Bangalore, PIN: 560001",
        "Pin-Priority: 1001",
        "<code>port</code> defaults to 1500",
        "the door code was written in 2019",
    ],
)
def test_other_codes_and_pins_stay(text: str) -> None:
    assert redact(text).text == text
