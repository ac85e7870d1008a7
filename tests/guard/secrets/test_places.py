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
    "pdftotext -upw ⟦marigold⟧ report.pdf",
    "pdfimages -opw ⟦marigold⟧ report.pdf out",
    "pdftk in.pdf output out.pdf owner_pw ⟦marigold⟧",
    "pdftk in.pdf input_pw ⟦marigold⟧ output out.pdf",
    "qpdf --encrypt '' ⟦marigold⟧ 256 -- in.pdf out.pdf",
    "/snmp community add name=⟦marigold⟧ addresses=10.0.0.0/8",
    "kim:{PLAIN}⟦marigold⟧:1000:1000",
    '"kim" * "⟦pppS3cret⟧"',
    "kim * ⟦pppS3cret⟧ *",
    "host.net kim:⟦relay.pw22⟧",
    "net user kim ⟦x/y7zAbQ⟧",
)


@pytest.mark.parametrize("text", PLACED)
def test_a_password_is_hidden_at_the_place_of_its_program(text: str) -> None:
    before, secret, after = split_marked(text)
    assert redact(before + secret + after).text == f"{before}[redacted:password]{after}"


@pytest.mark.parametrize("above", ["\n", "A line above it.\n"])
@pytest.mark.parametrize("text", PLACED)
def test_a_password_is_hidden_at_its_place_between_other_lines(text: str, above: str) -> None:
    before, secret, after = split_marked(f"{above}{text}\nA line below it.\n")
    assert redact(before + secret + after).text == f"{before}[redacted:password]{after}"


@pytest.mark.parametrize("passwords", ["owner_pw {} user_pw {}", "user_pw {} owner_pw {}"])
def test_both_passwords_of_a_document_are_hidden(passwords: str) -> None:
    command = f"pdftk in.pdf output out.pdf {passwords}"
    hidden = ["[redacted:password]"] * 2
    assert redact(command.format("marigold", "lantern")).text == command.format(*hidden)


def test_both_passwords_of_an_encrypted_document_are_hidden() -> None:
    text = "qpdf --encrypt marigold lantern 256 -- in.pdf out.pdf"
    assert redact(text).text == "qpdf --encrypt [redacted:password] [redacted:password] 256 -- in.pdf out.pdf"


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
        "kim * marigold *",
        'kim * "" *',
        "host.net kim:20251107",
        "host.net kim:relaymeister",
        "the masterauth marigold",
        "a masterauth marigold",
        "no net internet user kim marigold",
        "no net my-net user kim marigold",
        "net user kim 12345678",
        "net user kim -marigold7",
        "net user kim <password>",
    ],
)
def test_variables_gaps_and_other_arguments_stay(text: str) -> None:
    assert redact(text).text == text
