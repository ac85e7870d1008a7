"""Secrets in files of settings, and what only looks like them. Values are put together from pieces."""

from __future__ import annotations

import base64

import pytest

from hearth.guard.secrets.redaction import redact

TYPED = "Tun" + "nel8363?"
SHORT = "mea" + "dow"
NOISE = "MW1pxMctoyA(>M%0Vl 2(#o0|2$cB+K" + "|.G$hB~4`Juw@]:(5;oVUl<<W3^e_R-fg"
KEY = "4StV8PVvCLC6gkJXgGdk" + "YdlWW0suqjb2sj0QvDHx3Hs="
LOGIN = base64.b64encode(f"admin:{SHORT}".encode()).decode()


@pytest.mark.parametrize("value", [TYPED, SHORT])
@pytest.mark.parametrize(
    "template",
    [
        "define( 'DB_PASSWORD', '{}' );",
        "export RDS_PASSWORD='{}'",
        "MAIL_PASS={}",
        "[Server]\nName=Server\nAdminPassword={}",
        "machine imap.host.io login app password {}",
        "default\nlogin app\npassword {}",
        'identity "a@host.io"\nhostname smtp.host.io:587\npassword "{}"\n',
        "account work\nhost smtp.host.io\nuser app\npassword {}\n",
        "localhost:5432:main:root:{}",
        "*:*:*:root:{}\n",
        "<Host>ftp.host.io</Host>\n<User>app</User>\n<Pass>{}</Pass>",
        "<key>host</key>\n<string>db</string>\n<key>password</key>\n<string>{}</string>",
        '<connection host="db" user="app" password="{}"/>',
        '{{"userName" : "app",\n "userPassword" : "{}"}}',
        "<name>hive.ConnectionPassword</name>\n<value>{}</value>",
        'variable "db_password" {{\n  type = string\n  default = "{}"\n}}',
        "DBPassword:\n  Type: String\n  Default: '{}'",
        "CREATE USER 'app'@'%' IDENTIFIED BY '{}';",
        "ConvertTo-SecureString '{}' -AsPlainText",
        "conn.login('app@host.io', '{}', done)",
        "requirepass {}\n",
        "Server=db;Uid=root;Password={};",
        'def connect(user, password="{}"):',
        "K 8\npassword\nV 9\n{}\nEND",
        "<auth-user-pass>\napp\n{}\n</auth-user-pass>",
    ],
)
def test_what_stands_where_programs_read_passwords_is_hidden_whatever_it_is(template: str, value: str) -> None:
    redacted = redact(template.format(value)).text
    assert value not in redacted
    assert value[:4] not in redacted.replace("[redacted:", "")
    assert redact(redacted).text == redacted


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"define('AUTH_KEY',         '{NOISE}');", NOISE),
        (f"define('SECURE_AUTH_SALT', '{NOISE}');", NOISE),
        (f"APP_KEY=base64:{KEY}", KEY),
        (f"'cookieValidationKey' => '{KEY}',", KEY),
        (f"_auth = {LOGIN}", LOGIN),
        (f'"auths": {{"r.io": {{"auth": "{LOGIN}"}}}}', LOGIN),
        ("https://app@host.io:" + "horse!#@498@git.host.io", "horse!#@498"),
        ("app:$2y$10$" + "N9qo8uLOickgx2ZMRZoMye" * 2 + "IjZAgcfl7", "N9qo8uLOickgx2"),
        ('master_auth:\n  node: a\n  password: "root"\n', '"root"'),
        ('provider "x" {\n  api_key = "' + "C71AAAAE-1D1D-1D1D" * 2 + '"\n}', "C71AAAAE"),
        ("AuthToken: b@d0@u7" + "H70K3n", "H70K3n"),
        (f'<Host>h</Host><User>u</User><Pass encoding="base64">{LOGIN}</Pass>', LOGIN),
        ("curl --user admin:" + "YXNkZmZmZmZmHARDcoded https://host", "YXNkZmZm"),
    ],
)
def test_keys_salts_and_logins_of_files_are_hidden(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_private_key_of_putty_is_hidden_with_its_code(end: str) -> None:
    lines = ["AAABAQCO" + "eW40w29wGn9lPaqHpkrTQW6qiHuTNOYlGiZqhhCmIwYVJsX4QX3NwgC", "V58mWLrNLgl/QKNml8HYHMT3iVxf7HXW"]
    code = "6730c52e494d4aba" + "1191485053ca6f47bb619d2b"
    parts = ["PuTTY-User-Key-File-2: ssh-rsa", "Comment: mine", "Private-Lines: 2", *lines, f"Private-MAC: {code}"]
    redacted = redact(end.join(parts)).text
    assert not any(part in redacted for part in (*lines, code))
    assert redacted.count("\n") == len(parts) - 1
    assert redact("\n".join(f"> {part}" for part in parts)).text.count("[redacted:") >= 2


@pytest.mark.parametrize(
    "text",
    [
        "Password manager: 1Password",
        "| Passwords | 1Password |",
        "  --password salasananvaihtopyyntö kysytään käyttäjältä",
        "  --password kullanicininparolasi komut satirinda verilmez",
        "  --password anslutningsuppgifterna hämtas ur nyckelringen",
        "| パスワード | 半角英数字8文字以上 |",
        "パスワード：英数字を含む8文字以上で入力してください",
        "https://user:<password>@host1.example/path",
        "mysql://root:<password>@host2",
        "Settings > Password > Reset2fa",
        "user: app\npassword: string",
        "username = args.username\npassword = args.password",
        "self.auth_user = auth_user\nself.auth_password = auth_password",
        'connect(host=host, user=user, password=db_password)',
        '{"username": "Benutzername", "password": "Passwort"}',
        '{"email": "Correo", "password": "Contraseña"}',
        "Returns the file identified by `name2` in the user folder",
        "DB_PASSWORD=op://vault/item/password",
        "DB_PASSWORD=$(pass show db)",
        "password=^PASS^",
        'button.connect("clicked", "handler")',
        "src/a.py:1200:5:error:unexpected2",
        "12:30:45 worker:8080:queue:app",
        "max tokens: `max(50000, floor(contextWindow * 0.3))`",
        "see http://localhost:8080/a#b and mail me@host.io",
    ],
)  # fmt: skip
def test_prose_labels_and_code_beside_such_names_survive(text: str) -> None:
    assert redact(text).text == text


RANDOM = "x7Gp2" + "mQ9zk"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"MYSQLUser       app\nMYSQLPassword   {SHORT}\n", SHORT),
        (f'key "dyn" {{\n  algorithm hmac-md5;\n  secret "{RANDOM}";\n}};\n', RANDOM),
        (f'password "{SHORT}";\n', SHORT),
        (f'{{password, "{TYPED}"}}.\n', TYPED),
        (f"token -> {RANDOM * 2}\n", RANDOM),
        (f"git config --global host.token {RANDOM * 2}\n", RANDOM),
        (f"# shared between servers\nsecret = {SHORT}\n", SHORT),
        (f";Password = {SHORT}\n;Name = other\n", SHORT),
        (f"app --auth-secret={SHORT} run", SHORT),
        (f'db = "host=db dbname=shop user=app password={SHORT} connect_timeout=30"', SHORT),
        (f'DBRWPW="{SHORT}"\n', SHORT),
        (f"TOKEN_DEPLOY={RANDOM * 2}\n", RANDOM),
        (f"hash_pepper = '{RANDOM}'\n", RANDOM),
        (f"rocommunity {TYPED}\n", TYPED),
        (f"url = redis://:{SHORT}@/run/redis.sock\n", SHORT),
        ("session_key = 'k;2j=" + "Vq!9x^Z#m8&'\n", "Vq!9x"),
        ("smtp_token = qzkvwx" + "jtyplmrbng\n", "jtyplm"),
        ("app:$6$U+qg0/32F0g2Fh+n$" + "fBPSkq/rfNyEQ/TkEjRgwGTTVBpvNhKSyGShovH9KHewsvJ7" * 2, "fBPSkq"),
    ],
)
def test_a_line_of_a_name_and_a_value_is_read_in_any_syntax(text: str, secret: str) -> None:
    redacted = redact(text).text
    assert secret not in redacted
    assert redact(redacted).text == redacted


@pytest.mark.parametrize(
    "text",
    [
        "PASS: gdb.ada/assign_1.exp: set the language",
        "PASS: addr2line -f option\nPASS: test_login2\nFAIL: strip",
        "(FLAGS_TO_PASS): Rewrote",
        "gpasswd cleanup",
        "cvs://:pserver:anoncvs@host.io:/cvs/src",
        "<SignatureValue>fDKK0so/zFcmmq2X+BaVFmS0t8KB7tyW53YN6n221OArzGCs4OyWsAjj</SignatureValue>",
        "the secret 9f8e7d6c5b4a39281706f5e4d3c2b1a011223344 is a commit",
        "password_charset = UTF-8\nlogin_password_maxlen = 1024",
        "token expired\nsecret santa\nkey points",
    ],
)
def test_results_of_tests_programs_and_signatures_are_no_secrets(text: str) -> None:
    assert redact(text).text == text


# -- syntaxes of settings, and what stands around them ----------------------------------------------------------------


@pytest.mark.parametrize(
    "template",
    [
        "environment:\n  APP_DEFAULT_USER: app\n  APP_DEFAULT_PASS: {}\n",
        "export POSTGRES_PASSWORD={} && \\\nexport POSTGRES_USER=app",
        "host = db\nldap.credentials = {}9\n",
        "client one {{\n  ipaddr          = 10.0.0.1\n  secret          = {}\n}}\n",
        "service_login: app\nservice_secret: {}\nservice_host: db\n",
        "username: {0}\npassword: {0}\n",
        "| username | root |\n| password | {} |\n",
        "- **User**: `app`\n- **Password**: `{}`\n",
        "enable password 0 {}\n",
        '#define WIFI_PSWD "{}"\n',
        'variable "db_password" {{\n  sensitive   = true\n  default     = "{}"\n}}',
        "SECRET_KEY = '{0}_{0}_{0}'\n",
        "name,username,password\nbank,app,{}\nshop,app,{}\n",
    ],
)
def test_a_plain_word_is_hidden_where_the_syntax_of_settings_says_what_it_is(template: str) -> None:
    redacted = redact(template.format(SHORT, SHORT)).text
    assert f"{SHORT}\n" not in redacted.replace(f"username: {SHORT}\n", "") and f'{SHORT}"' not in redacted
    assert "[redacted:" in redacted and redact(redacted).text == redacted


@pytest.mark.parametrize(
    "template",
    [
        "### Current secret\n```\n{}\n```\n",
        "**API key**\n\n```\n{}\n```\n",
        'public static string JwtKey {{ get; set; }} = "{}";',
        '"Jwt": {{\n    "Key": "{}",\n    "Issuer": "x"\n',
        "| Service | User | Password |\n|---|---|---|\n| NAS | admin | {} |\n",
    ],
)
def test_a_random_value_is_hidden_below_what_names_it(template: str) -> None:
    value = "kLPvk3g7bRuN" + "WqnBHoRsxQ4v"
    assert value not in redact(template.format(value)).text


@pytest.mark.parametrize(
    "text",
    [
        "| Service | User | Password |\n|---|---|---|\n| NAS | admin | SSH key first |\n| Mail | app | in the safe |\n",
        "| Option | Secret |\n|---|---|\n| a | yes |\n| ttl | 3600 |\n",
        "| user | string | the name |\n| password | string | the word |\n",
        '#define PASSWORD_LENGTH 12\n#define PASSWORD_FIELD "password"\n',
        "PASS: test_login2\nPASS: three\n",
        "The password\n\n```\nhearth config set x\n```\n",
        "self.password = password\nusername: password\n",
        "password,reason\nis too short,choose another\n",
    ],
)
def test_tables_and_code_that_speak_of_passwords_stay(text: str) -> None:
    assert redact(text).text == text


def test_a_table_of_heads_is_looked_at_once() -> None:
    text = "user,password\n" * 20_000
    assert redact(text).text == text
