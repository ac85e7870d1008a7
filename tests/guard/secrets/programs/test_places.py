"""Passwords at the places that programs have for them; ⟦ and ⟧ stand around what has to be hidden."""

from __future__ import annotations

import pytest
from tests.guard.secrets.marked import split_marked

from hearth.guard.secrets.redaction import redact

PLACED = (
    'reg add "HKLM\\SOFTWARE\\Winlogon" /v DefaultPassword /t REG_SZ /d ⟦Kiosk2020!⟧ /f',
    "net use Z: \\\\nas\\share ⟦Sh4reM3⟧ /user:kim",
    "xfreerdp /v:10.0.0.9 /u:kim /p:⟦RdpPw!77⟧",
    "curl --proxy-user kim:⟦prox!Pw⟧ https://host",
    "rar a -hp⟦arch1veMe⟧ backup.rar docs/",
    "sshpass -p '⟦raspberry⟧' ssh pi@10.0.0.4",
    "nmcli dev wifi connect Hillside password ⟦bluegoose77⟧",
    "wpa_passphrase Hillside ⟦bluegoose77⟧",
    "/usr/sbin/rabbitmqctl add_user app ⟦fruit@123⟧",
    "snmpget -v2c -c ⟦Nordlicht⟧ 10.0.0.1 sysUpTime.0",
    'createUser monitor SHA "⟦hemlock77a⟧"',
    "WIFI:T:WPA;S:Hillside;P:⟦bluegoose77⟧;;",
    ': PSK "⟦v3rySharedK3y⟧"',
    'carol : EAP "⟦4iChxLT3⟧"',
    '"kim" * "⟦pppS3cret⟧" 10.0.0.2',
    "[smtp.host.net]:587 kim@host.net:⟦relay!Pw22⟧",
    "user default on >⟦aclP4ssw0rd⟧ ~* +@all",
    "/ip ipsec identity add peer=A secret=⟦Ibanez_2019⟧",
    "openssl genrsa -aes256 -passout pass:⟦nginx⟧ 2048",
    'nmcli con modify Hotspot wifi-sec.psk "⟦roottoor⟧"',
    "masterauth ⟦r3plica-auth⟧",
    "$db = new PDO('mysql:host=localhost;dbname=shop', 'shop', '⟦sh0pDBpw⟧');",
)


@pytest.mark.parametrize("text", PLACED)
def test_a_password_is_hidden_at_the_place_of_its_program(text: str) -> None:
    before, secret, after = split_marked(text)
    assert redact(before + secret + after).text == f"{before}[redacted:password]{after}"


@pytest.mark.parametrize(
    "text",
    [
        "rabbitmqctl add_user admin <secure-password>",
        'rabbitmqctl add_user "$RABBITMQ_USER" "$RABBITMQ_PASS"',
        'sshpass -p "${PASS}" ssh host',
        "reg query HKLM\\Winlogon /v DefaultPassword",
        "(echo master; echo next) | git bundle create both.bundle --stdin",
        "ssh-keygen -s ca_key -I key_id -n user1,user2 user_key.pub",
        "tar -cpzf backup.tar.gz docs",
        "new PDO('mysql:host=localhost;dbname=task_manager', 'root', '');",
        "value={`WIFI:T:WPA;S:${wifiName};P:${wifiPassword}`}",
        "These observations identify mitotic chromosomes2",
        "* item1 * item2 *",
    ],
)
def test_variables_gaps_and_other_arguments_stay(text: str) -> None:
    assert redact(text).text == text
