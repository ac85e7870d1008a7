"""Names and values in every shape; ⟦ and ⟧ stand around the value."""

from __future__ import annotations

import re

import pytest
from tests.guard.secrets.marked import split_marked

from hearth.guard.secrets.redaction import redact

PAIRS = (
    "java -DPasswort=⟦velvet44⟧ -jar a.jar",
    "tool --api-token ⟦velvet44saddle⟧ run",
    '{"Key": "DB_PASS", "Value": "⟦velvet⟧"}',
    "- ParameterKey: AdminPassword\n  ParameterValue: ⟦velvet44⟧",
    '<input type="hidden" name="smtpPassword" value="⟦velvet44⟧">',
    "smtp.password=\\\n    ⟦velvet-44⟧",
    '[{default_user, <<"mq">>}, {default_pass, <<"⟦velvet⟧">>}]',
    '{smtp_password, "⟦velvet⟧"}',
    "${SMTP_PASSWORD}    ⟦velvet44⟧",
    'tokens = ["⟦kF93mzQ0xP27LwTb⟧"]',
    "passwords:\n  - ⟦velvet-44-Saddle⟧",
    "db_password: &main ⟦velvet44⟧",
    "{user: kim, authToken: ⟦Otter548!⟧}",
    '(setq my-api-key "⟦kF93mzQ0xP27LwTb⟧")',
    "fastcgi_param API_KEY ⟦kF93mzQ0xP27LwTb⟧;",
    "SMTP_PASSWORD ?= ⟦velvet⟧",
    "<passphrase>⟦velvet saddle⟧</passphrase>",
    "VPN: user `kim`, password `⟦velvet4⟧`, then reconnect",
    "machine h.test port 587 login kim password ⟦velvet⟧",
    "curl -u kim:⟦velvet⟧ https://h.test/",
    "smbclient //nas/share -U kim%⟦velvet⟧",
    "host,user,api_key\nh1,kim,⟦kF93mzQ0xP27LwTb⟧\n",
    "spring.datasource.hikari.password=⟦Orchid-Basin-44⟧",
    "spring.mail.properties.mail.smtp.pass: ⟦quietlake⟧",
    '<setting name="AdminPsw"><value>⟦harvest22⟧</value></setting>',
    '<property name="hibernate.connection.password">⟦tigerlily⟧</property>',
    "<param-name>ldap.bindPassword</param-name><param-value>⟦Violet_9⟧</param-value>",
    '<bean:property name="password" value="⟦rootbeer⟧"/>',
    'builder.password("⟦silverfox⟧")',
    '  .withPassword("⟦opensesame⟧")',
    "config.setSecretKey('⟦hj3kL9mNp2QrSt5V⟧');",
    'ds.setPwd("⟦ranger88⟧");',
    '(setq smtp-password "⟦lispy-Moon3⟧")',
    '(password . "⟦cons-cell-7⟧")',
    '{:db {:user "app" :password "⟦clojure77⟧"}}',
    ':password => "⟦rubyist-5⟧",',
    'let password = "⟦swifty-88⟧"',
    'var dbPassword string = "⟦gopher!77⟧"',
    'private static final String PASSWORD = "⟦javabean⟧";',
    'private const string ApiSecret = "⟦d41d8cd98f00b204e9800998ecf8427e⟧";',
    '#define MQTT_PASSWORD "⟦mq-tt-pw⟧"',
    'const char* password = "⟦esp8266net⟧";',
    'static const char *wifi_psk = "⟦esp32-home⟧";',
    'String passphrase = "⟦two words here⟧";',
    "PGPASSWORD=⟦zebra⟧ psql -h db",
    "export MYSQL_PWD=⟦oakleaf⟧",
    '$env:SQL_PASSWORD = "⟦pwsh-Pass1⟧"',
    "$password = '⟦perl-camel⟧';",
    "$config['db_pass'] = '⟦codeig9⟧';",
    '$db_passwd = "⟦phpbb-x⟧";',
    "$CFG->dbpass    = '⟦moodle22⟧';",
    "$CFG->passwordsaltmain = '⟦a9kL0s8dFj3kL2l3kj4l5kj6l7kj⟧';",
    "'secret' => '⟦Ji3l2kKj09sdLkj23lKJsdf09lkj⟧',",
    "'passwordsalt' => '⟦Zy8xWv7uTs6rQp5oNm4lKj3iHg2f⟧',",
    "SECRET_KEY = '⟦django-insecure-7k#p0q!x@l3^v&m*d2⟧'",
    "SQLALCHEMY_DATABASE_URI = 'mysql+pymysql://app:⟦flaskpw⟧@db/app'",
    "jwt.secret=⟦mySuperSigningKey⟧",
    "jwtSecret: ⟦hs256-signing-value⟧",
    "session_secret = ⟦keyboard dog⟧",
    "cookie.encryption.key=⟦0123abcd4567ef89⟧",
    "master_key = ⟦a1b2c3d4e5f60718⟧",
    "licenseKey=⟦ABCD-1234-EFGH-5678-IJKL⟧",
    "serial: ⟦NKJFK-GPHP7-G8C3J-P6JXR-HQRJR⟧",
    "Product key: ⟦VK7JG-NPHTM-C97JM-9MPGT-3V66T⟧",
    "hmac_secret=⟦lemon-tree-77⟧",
    "client_secret: ⟦7Fj-kl3~Qr8tYw⟧",
    "consumerSecret: ⟦hJ7gF5dS3aQ1wE9r⟧",
    "access_token_secret = ⟦kL8jH6gF4dS2aP0oI9⟧",
    'bot_token = "⟦987654:QwErTyUiOpAsDf⟧"',
    "x-api-key: ⟦b5d4045c3f466fa91fe2cc6a⟧",
    "Ocp-Apim-Subscription-Key: ⟦4f2e1d0c9b8a7f6e5d4c3b2a19080706⟧",
    "apikey=⟦tr-55aa77bb99⟧",
    "https://maps.host.io/?key=⟦Zx9Cv8Bn7Ml6Kj5H⟧&v=3",
    "https://host.io/login?user=kim&password=⟦paperclip⟧",
    'curl -H "PRIVATE-TOKEN: ⟦yT7uI9oP1aS3dF5g⟧" https://git.host.io',
    "curl -d 'grant_type=password&username=kim&password=⟦tulip99⟧' https://host.io",
    "wget --user=kim --password=⟦garden-gate⟧ https://host.io",
    "wget --http-password=⟦peachtree⟧ https://host.io",
    "redis://:⟦r3d1spw⟧@cache:6379/0",
    "amqp://svc:⟦rabbit⟧@mq:5672/",
    "ftp://kim:⟦kimspw⟧@files.host.io/x",
    "smb://kim:⟦share77⟧@nas/vol",
    "rtsp://admin:⟦cam12345⟧@192.168.1.20/stream",
    "jdbc:mysql://db/app?user=app&password=⟦jdbcpw⟧",
    "jdbc:sqlserver://db;user=sa;password=⟦Str0ng#1⟧;encrypt=true",
    "Data Source=db;User ID=sa;Pwd=⟦Mssql-2022⟧;",
    "postgresql+psycopg2://app:⟦alchemist⟧@db:5432/app",
    "machine git.host.io login kim password ⟦netrcpw⟧",
    '"kim" * "⟦chap-secret⟧" *',
    'psk="⟦wpa-home-net⟧"',
    "wpa_passphrase=⟦guest-house⟧",
    'set imap_pass = "⟦mutt-pass⟧"',
    'poll mail.host.io proto imap user "kim" password "⟦fetchpw⟧"',
    "smtp.host.io:587 kim@host.io:⟦postfixpw1⟧",
    "AuthPass=⟦ssmtp-pw⟧",
    "bindpw ⟦ldapbind⟧",
    "requirepass ⟦redis-plain⟧",
    "masterauth ⟦redis-master⟧",
    "authentication { auth_type PASS auth_pass ⟦vrrp1234⟧ }",
    "stats auth admin:⟦haproxypw⟧",
    "rocommunity ⟦snmpread⟧ 10.0.0.0/8",
    "enable secret 5 ⟦$1$mERr$hx5rVt7rPNoS4wqbXKX7m0⟧",
    "PresharedKey = ⟦FpCyhws9cxwWoV4xELtfJvjJN+zQVRPISllRWgeopVE=⟧",
    ': PSK "⟦ipsec-shared⟧"',
    "SIM-PIN ist ⟦8823⟧",
    "The PIN for my card is ⟦5519⟧",
    "Türcode: ⟦3391#⟧",
    "code du portail : ⟦A4582⟧",
    "guest wifi: HotelNet / ⟦breakfast22⟧",
    "login with kim / ⟦oceanview1⟧",
    "credentials are admin / ⟦Summer2023⟧",
    "pw is ⟦tractor9⟧ btw",
    "Passwort: ⟦Blumenkohl⟧",
    "Das Passwort lautet ⟦Regenbogen7⟧",
    "mdp: ⟦vachequirit⟧",
    "auth-token ⟦Xyzabc12⟧",
    "contraseña: ⟦girasol33⟧",
    "senha: ⟦abacaxi⟧",
    "a senha do wifi é ⟦cachorro7⟧",
    "la password è ⟦gelato99⟧",
    "wachtwoord: ⟦stroopwafel⟧",
    "salasana: ⟦lohikeitto⟧",
    "salasana on ⟦sauna2022⟧",
)


@pytest.mark.parametrize("text", PAIRS)
def test_a_value_is_hidden_from_its_first_character_to_its_last(text: str) -> None:
    before, secret, after = split_marked(text)
    redacted = redact(before + secret + after).text
    assert re.fullmatch(re.escape(before) + r"\[redacted:[a-z-]+\]" + re.escape(after), redacted), redacted


@pytest.mark.parametrize(
    "text",
    [
        "password_field = forms.CharField()",
        "max_tokens: 4096",
        "tokenizer: cl100k_base",
        "primary_key = id",
        "foreign_key: user_id",
        "keyboard: us-intl",
        "token_type: bearer",
        "key_name: deploy",
        "password_reset_url=/reset",
        "secret_name: app-db",
        "secretKeyRef: app-secret",
        "api_key: ${API_KEY}",
        "password: {{ vault_db_password }}",
        "password: !vault |",
        "password=%DB_PASS%",
        'password = os.environ["DB_PASSWORD"]',
        'token = request.headers["X-Token"]',
        "pass_count: 12",
        "passed: 14",
        "PASS: test_login",
        "passive_mode: yes",
        "author: kim",
        "authority: https://login.host.io",
        "auth: required",
        "auth_type: basic",
        "auth_method = password",
        "credential_helper = osxkeychain",
        "password_encryption = scram-sha-256",
        "password-policy: strong",
        "require_password: true",
        "show_password: false",
        "password: required",
        "password: string",
        "password: str | None = None",
        "password (string): the password of the user",
        "Password: ********",
        "password: <your password>",
        "password: changeme",
        "token: the token to use for requests",
        "key: value",
        "key: ctrl+shift+p",
        "sort_key: created_at",
        'cache_key = f"user:{id}"',
        "keyword: python",
        "keywords: memory, agents",
        "secret santa: Friday at noon",
        "the secret is to keep the dough cold",
        "the password is stored in the keychain",
        "the password must have 12 characters",
        "password is required",
        "pin: the red one on the map",
        "pinned: true",
        "code: 404",
        "exit code 137",
        "error code: 50012",
        "postal code: 00100",
        "country code: 358",
        "QR code: see below",
        "The code is in src/app.py",
        "PIN code must be 4 digits",
        "token count: 1832",
        "tokens: 12,345",
        "csrf_token: true",
        "key points: 1. be brief",
        "Key: A4 = sheet, A3 = poster",
        "salt: 5 g",
        "salt and pepper to taste",
        "1 tsp salt: fine",
        "passport: at the consulate",
        "passphrase-file = /etc/x",
        "keyfile: /etc/ssl/key.pem",
        "ssl_key=/etc/ssl/private/host.key",
        "private_key_path: ~/.ssh/id_ed25519",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhvc3Rob3N0aG9zdGhvc3Rob3N0aG9zdGhvc3Q kim@host",
        "public_key: 3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 33db242f0c5a7f10a2bb7f3a0c1d2e3f4a5b6c7d",
        "Access key: Alt+S",
        "license: MIT",
        "License: Apache-2.0",
        "license-key-header: X-License",
        "community: open source",
        "webhook: https://host.io/hooks/build",
        "signature: kim",
        "signature: q7Rt9Zx2LmP4Vb8K",  # of a request, and short
        "login: kim",
        "login with your Google account / SSO",
        "user/password authentication",
        "credentials: see 1Password",
        "pw: ask kim",
        "Passwort: siehe Tresor",
        "mot de passe : voir coffre",
        "contraseña: (no guardada aquí)",
        "пароль: спросить у Кима",
        "密码：请咨询管理员",
        "the pass opens in May: Stelvio",
        "boarding pass: gate 22",
        "token ring: IEEE 802.5",
        "Bearer of good news",
        "pass: true",
        "--password PASSWORD   the password to use",
        "--token TOKEN         token for the API",
        "-p, --password <pw>   password",
        "-e POSTGRES_PASSWORD=$PG_PASS",
        "password_hash: argon2",
        "hash_algorithm: sha256",
        'ENTRYPOINT ["/bin/auth", "serve"]',
        "encryption: aes-256-gcm",
        "key_size = 4096",
        "key-type: ed25519",
        "keyserver: hkps://keys.openpgp.org",
        "totp_enabled: true",
        "otp_length: 6",
        "session_key_prefix: sess",
        "self.password = password",
        "if (password == confirmPassword)",
        "password: user.password,",
        "const token = await getToken()",
        "token: process.env.TOKEN,",
        "key = lambda x: x.name",
        "secret = secrets.token_hex(16)",
    ],
)
def test_what_names_no_secret_or_holds_none_survives(text: str) -> None:
    assert redact(text).text == text


KEYS_OF_UNKNOWN = (
    "ORBIT_KEY={}",
    "export RELAY_KEY={}",
    "lumen-key: {}",
    '"searchKey": "{}"',
    "const mapsKey = '{}'",
    "curl -H 'X-Orbit-Key: {}' https://api.orbit.test/v1",
    "| BILLING_KEY | `{}` |",
)


@pytest.mark.parametrize("form", KEYS_OF_UNKNOWN)
@pytest.mark.parametrize(
    "key", ["9f86d081884c7d659a2feaa0c55ad015", "f74691e1-f919-47a4-bc3d-5298fbc28e11", "9f86d081" * 4 + "3a7c21e0" * 4]
)
def test_a_key_of_something_unknown_is_hidden_though_it_is_hexadecimal(form: str, key: str) -> None:
    assert redact(form.format(key)).text == form.format("[redacted:key]")


@pytest.mark.parametrize(
    "text",
    [
        "cache_key: 9f86d081884c7d659a2feaa0c55ad015",
        "primary_key = 'f74691e1-f919-47a4-bc3d-5298fbc28e11'",
        "commit-key: 9f86d081884c7d659a2feaa0c55ad0159f86d081",
        "gpg --recv-keys 3FA7E0328081BFF6A14DA29AA6A19B38D3D831EF",
        "key id: 0x3FA7E0328081BFF6",
        "key: id_ed25519_sk",
        "jobs:\n  a:\n    uses: ./a.yml\n    secrets: inherit\n",
        "fastcgi_pass php:9000;",
        'It is identified as "libselinux-python" in the error.',
        "$cred = Get-Credential",
        "Add-Computer -Credential practicelabs\\administrator",
        "POST /token HTTP/1.1",
        "x = build(credentials=delegated_credentials)",
        "<secret type='ceph' usage='client'>",
    ],
)
def test_ids_references_and_words_of_programs_survive(text: str) -> None:
    assert redact(text).text == text


def test_a_signature_by_itself_is_one_of_a_key_only_where_it_is_long() -> None:
    assert redact("signature: q7Rt9Zx2LmP4Vb8KwE3yU6iO").text == "signature: [redacted:secret]"
    assert redact("webhook_signature: q7Rt9Zx2LmP4Vb8K").text == "webhook_signature: [redacted:secret]"


def test_a_password_that_a_text_speaks_of_again_is_hidden_there_too() -> None:
    text = "root pw: " + "b4nana-Split" + "\n\nI tried " + "b4nana-Split" + " on the router, and it works."
    assert "b4nana" not in redact(text).text


@pytest.mark.parametrize("text", ["9f8e7d6c5b4a39281706f5e4d3c2b1a0" + "\n", "x7Gp2mQ9zk" * 3 + "\n"])
def test_a_file_that_holds_nothing_but_a_key_is_hidden(text: str) -> None:
    assert redact(text).text.strip() == "[redacted:key]"


@pytest.mark.parametrize(
    "text", ["33db242f0c5a7f10a2bb7f3a0c1d2e3f4a5b6c7d\n", "VGhpcyBpcyBqdXN0IHRleHQsIGVuY29kZWQu\n"]
)
def test_a_file_of_a_commit_or_of_encoded_text_survives(text: str) -> None:
    assert redact(text).text == text


def test_all_keys_of_a_list_are_hidden() -> None:
    keys = ["CLe2K2ul4ghgZqNCbpzKRQ==", "EWNtSVn/Jr2q279ENKTI9g==", "IPLq5Iic4hncgmX5r9B6Cw=="]
    redacted = redact(f"APP_KEYS={','.join(keys)}\n").text
    assert not any(key in redacted for key in keys)
