"""Keys in the configuration of network devices; ⟦ and ⟧ stand around what has to be hidden."""

from __future__ import annotations

import pytest
from tests.guard.secrets.marked import split_marked

from hearth.guard.secrets.redaction import redact

STATEMENTS = (
    "snmp-server community ⟦Nordlicht⟧ RO 10",
    "tacacs-server key ⟦B1gT4cKey⟧",
    "tacacs-server host 192.168.1.1 key 7 ⟦04560A1F0849⟧",
    "radius-server host 10.1.1.5 auth-port 1812 acct-port 1813 key ⟦rad1us-shared⟧",
    "radius-server host 10.1.1.1 key ciphertext ⟦AQBapBLOB⟧",
    "R1(config)#crypto isakmp key ⟦cisco⟧ address 100.0.0.2",
    " neighbor 192.0.2.1 password ⟦bgpPeer01⟧",
    " ip ospf message-digest-key 1 md5 ⟦ospfK3y9⟧",
    "ntp authentication-key 1 md5 ⟦k3yMaterial⟧",
    "username kim password 0 ⟦adminpass⟧",
    "enable password ⟦marigold⟧",
    "enable password level 15 ⟦marigold⟧",
    "enable secret level 7 0 ⟦marigold⟧",
    "failover key ⟦failoverkey⟧",
    " standby 1 authentication ⟦cisco⟧",
    " wpa-psk ascii 0 ⟦GuestNet2022⟧",
    'set security ike policy P1 pre-shared-key ascii-text "⟦$9$kq.5Tz39Ap⟧"',
    "    set psksecret ENC ⟦q8W2e7R4t1Y6u3I9o5P0a8S2q8W2e7R4⟧",
)


@pytest.mark.parametrize("text", STATEMENTS)
def test_the_key_of_a_statement_is_hidden(text: str) -> None:
    before, secret, after = split_marked(text)
    redacted = redact(before + secret + after).text
    assert secret not in redacted
    assert redacted.startswith(before)
    assert redacted.endswith(after)


def test_both_keys_of_a_user_of_snmp_are_hidden() -> None:
    text = "snmp-server user mon GRP v3 auth sha AuthPass12 priv aes 128 PrivPass34"
    assert (
        redact(text).text == "snmp-server user mon GRP v3 auth sha [redacted:password] priv aes 128 [redacted:password]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "snmp-server community public RO",
        "snmp-server community YOUR_COMMUNITY_STRING RO",
        "snmp-server location Building 7",
        "service password-encryption",
        "aaa authentication login default group tacacs+ local",
        "set pre-shared-key ascii-text ********",
        "Encryption key settings",
        "Edit passwd database\\&.",
        "encryption key whose name is long",
        "The community of RO users grew to 10,000.",
        "enable password recovery on the console",
    ],
)
def test_other_statements_and_prose_stay(text: str) -> None:
    assert redact(text).text == text
