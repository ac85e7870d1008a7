"""Samples are put together from pieces, so that no scanner takes this file for a leak."""

from __future__ import annotations

import base64
import random
import string
from base64 import b64encode

import pytest

from hearth.guard.secrets.redaction import redact

_RANDOM = random.Random(20240501)
B62 = string.ascii_letters + string.digits
DASH = B62 + "-_"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def _some(alphabet: str, length: int) -> str:
    """Random characters that begin and end with a letter or digit and hold a digit."""
    ends = [letter for letter in alphabet if letter.isalnum()]
    inner = "".join(_RANDOM.choices(alphabet, k=length - 3))
    return _RANDOM.choice(ends) + "7" + inner + _RANDOM.choice(ends)


SHAPES: dict[str, tuple[str, str, int]] = {
    "github-token": ("ghp" + "_", B62, 36),
    "github-fine": ("github" + "_pat_", B62 + "_", 82),
    "gitlab-token": ("glpat" + "-", DASH, 20),
    "npm-token": ("npm" + "_", B62, 36),
    "pypi-token": ("pypi-" + "AgEIcHlwaS5vcmc", DASH, 80),
    "slack-bot": ("xoxb" + "-1234567890-", B62, 24),
    "slack-hook": ("https://hooks.slack" + ".com/services/", B62 + "/", 44),
    "discord-hook": ("https://discord" + ".com/api/webhooks/123456789012345678/", DASH, 68),
    "telegram": ("1234567890" + ":AA", DASH, 33),
    "stripe": ("sk_" + "live_", B62, 24),
    "google-key": ("AI" + "za", DASH, 35),
    "google-oauth": ("GOC" + "SPX-", DASH, 28),
    "openai-old": ("sk" + "-", B62, 48),
    "openai-project": ("sk-" + "proj-", DASH, 64),
    "anthropic": ("sk-" + "ant-api03-", DASH, 93),
    "huggingface": ("h" + "f_", B62, 34),
    "groq": ("gs" + "k_", B62, 52),
    "sendgrid": ("S" + "G." + "q1W2e3R4t5Y6u7I8o9P0aB.", DASH, 43),
    "digitalocean": ("dop" + "_v1_", HEX, 64),
    "shopify": ("shp" + "at_", HEX, 32),
    "databricks": ("da" + "pi", HEX, 32),
    "vault": ("hv" + "s.", DASH, 90),
    "twilio": ("S" + "K", HEX, 32),
    "atlassian": ("ATA" + "TT3", B62, 180),
    "grafana": ("gl" + "sa_", B62, 41),
    "newrelic": ("NR" + "AK-", UPPER, 27),
    "jwt": ("ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxMjM0NSJ9.", DASH, 43),
    "azure-client": ("abc8" + "Q~", DASH, 34),
    "azure-sas": ("sv=2022-11-02&si" + "g=", B62, 44),
    "aws-id": ("AK" + "IA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
}
CONTEXTS = (
    "{}",
    "see {}.",
    "export X={}",
    '{{"value": "{}"}}',
    "+ key: {}",
    "2024-05-01T10:00:00 INFO sent {} ok",
    "a\\n{}\\nb",
)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("context", CONTEXTS)
def test_an_issuers_token_is_hidden_in_every_context(name: str, context: str) -> None:
    prefix, alphabet, length = SHAPES[name]
    value = _some(alphabet, length)
    assert value[:12] not in redact(context.format(prefix + value)).text


def test_four_equal_letters_inside_a_token_do_not_make_it_a_stand_in() -> None:
    token = "github_pat_h7GMUuIqXXXXRHjAEVBlEs_bgZB4VWOxnEGk9hzeueFwTAA3CqadJnU5l9VwBtPx4A0DtlfnDRLclcXU2R"
    assert "XXXXRHj" not in redact(f"+ key: {token}").text


def test_a_token_whose_mark_stands_in_its_middle_is_hidden_from_its_start() -> None:
    for value in (f"{_some(HEX, 32)}-us12", f"{_some(DASH, 23)}.{_some(DASH, 6)}.{_some(DASH, 30)}"):
        assert value[:8] not in redact(f"key {value} here").text


def _block(kind: str, end: str = "\n") -> str:
    lines = end.join(_some(B62 + "+/", 64) for _ in range(6))
    return f"-----BEGIN {kind}-----{end}{lines}{end}-----END {kind}-----"


@pytest.mark.parametrize(
    "kind", [k + "PRIVATE KEY" for k in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")] + ["PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", "\n+", "\n    "])
def test_a_key_block_is_hidden_whole_and_keeps_its_lines(kind: str, end: str) -> None:
    text = f"before\n{_block(kind, end)}\nafter"
    redacted = redact(text)
    assert [secret.rule for secret in redacted.secrets] == ["private-key"]
    assert redacted.text.count("\n") == text.count("\n")
    assert redacted.text.endswith("\nafter")


def test_a_torn_key_block_is_hidden_as_far_as_it_goes() -> None:
    torn = _block("RSA PRIVATE KEY").rpartition("\n")[0]
    assert "BEGIN" not in redact(f"{torn}\n\nThen, we talked; about it.").text


STRONG = _some(B62, 24)
PHRASE = "Tr0ub" + "4dor&3"
SPOKEN = "hun" + "ter2x"


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ('password = "{}"', SPOKEN),
        ("PASSWORD={}", SPOKEN),
        ("DB_PASSWORD: '{}'", PHRASE),
        ("the password is {}.", SPOKEN),
        ("la contraseña es {}", SPOKEN),
        ("**Password:** {}", SPOKEN),
        ("| password | {} |", SPOKEN),
        ("<password>{}</password>", SPOKEN),
        ("--password={}", SPOKEN),
        ("mysql --password {}", SPOKEN),
        ("Server=db;User Id=sa;Password={};Encrypt=yes", SPOKEN),
        ("passphrase: {}", SPOKEN),
        ('{{"api_key": "{}"}}', STRONG),
        ('{{\\"clientSecret\\": \\"{}\\"}}', STRONG),
        ("API_TOKEN={}", STRONG),
        ("api-key: {}", STRONG),
        ("secret: {}", STRONG),
        ("--token {}", STRONG),
        ("const accessKey: string = '{}'", STRONG),
        ("config['token'] = '{}'", STRONG),
        ("https://api.host/v1?access_token={}&page=2", STRONG),
        ("//registry.host/:_authToken={}", STRONG),
        ("AccountKey={}==;EndpointSuffix=x", _some(B62, 86)),
        ("aws_secret_access_key = {}", _some(B62 + "+/", 40)),
        ("HEROKU_API_KEY=12345678-9abc-4def-8123-{}", _some(HEX, 12)),
        ("Authorization: Bearer {}", STRONG),
        ('-H "authorization: basic {}"', STRONG),
        ('"Authorization": "token {}"', STRONG),
        ("Cookie: session={}", STRONG),
        ("postgres://app:{}@db.host:5432/x", SPOKEN),
        ("https://{}@git.host/a/b.git", STRONG),
        ("curl -u admin:{} https://host", SPOKEN),
        ("openssl enc -aes-256-cbc -k {} -in a", SPOKEN),
        ("zip -P {} out.zip a.txt", SPOKEN),
        ("7z a -p{} out.7z notes", SPOKEN),
        ("ipmitool -H 10.0.0.9 -U root -P {} power on", SPOKEN),
        ("snmpwalk -v3 -u ops -X {} host", SPOKEN),
        ("net user backup {} /add", SPOKEN),
        ("net use Z: \\\\nas\\share {} /user:corp\\kim", SPOKEN),
        ("schtasks /create /tn nightly /ru job /rp {}", SPOKEN),
        ("wmic /node:h3 /user:adm /password:{} process list", SPOKEN),
        ("echo '{}' | sudo -S apt update", SPOKEN),
        ("echo {} | docker login -u ci --password-stdin", SPOKEN),
        ("lftp -u kim,{} sftp://host", SPOKEN),
        ("sqlplus app/{}@DB1", SPOKEN),
        ("snmp-server community {} RO", SPOKEN),
        ("kubectl create secret generic db --from-literal=password={}", SPOKEN),
        ("fly secrets set API_KEY={}", STRONG),
        ('passphrase="{}"', "river stone 1984 blue"),
        ("auth: Basic {}", b64encode(f"app:{SPOKEN}".encode()).decode()),
    ],
)
def test_a_value_is_hidden_where_its_surroundings_name_it(template: str, value: str) -> None:
    text = template.format(value)
    redacted = redact(text)
    assert value not in redacted.text
    assert len(redacted.secrets) == 1


def test_only_the_password_of_an_address_is_hidden() -> None:
    assert redact(f"amqp://app:{SPOKEN}@mq:5672/v").text == "amqp://app:[redacted:url-password]@mq:5672/v"


SHA = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"


@pytest.mark.parametrize(
    "text",
    [
        f"commit {SHA}11223344",
        f'"integrity": "sha512-{STRONG * 4}=="',
        f"sha256:{SHA}{SHA}",
        "id 123e4567-e89b-42d3-a456-426614174000",
        f"![x](data:image/png;base64,{STRONG * 9})",
        f"https://host/{STRONG}/a?page=2#{SHA}",
        "password: ${DB_PASSWORD}",
        "password = $DB_PASSWORD",
        "api_key=<your-api-key>",
        "token: xxxxxxxxxxxxxxxxxxxxxxxx",
        "secret: ************",
        "password: changeme123",
        "token = get_token(user_id)",
        "token = os.environ['GITHUB_TOKEN']",
        "token = self.tokens[index]",
        "def login(token: str, password: Optional[str] = None) -> str:",
        "password = user.password_2",
        "the password is required and the secret is out",
        "Authorization: Bearer YOUR_TOKEN",
        "Authorization: Bearer token",
        "api_key: /etc/keys/main_v2.pem",
        "password: https://wiki.host/page1",
        "primary_key: user_account_identifier_v2",
        "key: value1234567890abcdefgh",
        "cache_key = 'user:1234:profile:5678'",
        "max_tokens: 4096",
        "tokens: 12345678901234567890",
        "task-based-risk-assessment-for-projects-2024",
        "class sk-estimator-doc-link-2024-rendered-block",
        "The token budget is 9000, see tokenizer: bert-base-uncased-v2",
        "postgres://user:password@localhost/db",
        "http://host:8080/path/@user",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
        "A file starts with -----BEGIN PRIVATE KEY----- and ends otherwise.",
        "AKIA" + "IOSFODNN7" + "EXAMPLE",
    ],
)
def test_ordinary_prose_and_code_survive(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "password: string",
        "password: required",
        "PASSWORD=changeme",
        '"password": "Mandatory"',
        "password: SecretStr",
        "the password is case-insensitive and misconfigured",
        "The password for the database is stored in the vault",
        "pass the timeout to httplib2.",
        "la palabra clave: temperatura2024",
        "clave: usuario_1",
        "La clave es practicar cada día.",
        '"nextPageToken": "abCDeFGhiJKlmnOPqrSTuvwxYZ1aBCdEFghijK7LM51"',
        '"AWS::IAM::AccessKey": "62d91b17309e76c8"',
        "docker run -p 127.0.0.1:8080:8080 -u 100000:100000 image",
        "mkdir -p build/output1",
        "mysql -h db -P 33060",
        "unzip -p archive-2024.zip notes2.txt",
        "net user kim2 /domain",
        "net use Z: \\\\nas\\share2 /persistent:yes",
        "echo version-2.1 | tee -a log",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCV0xUEwx96amPERH7K1bVT1tTFl9OmNk6o7m5YVHk9xlOd",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHx5Jf0m1yZ8c8b0r3v8w2k1m0n9o8p7q6r5s4t3u2v1 me@host",
        "VGhpcyBpcyBqdXN0IGEgc2VudGVuY2UgdGhhdCBzb21lYm9keSBlbmNvZGVkLg==",
        "the seed phrase: write the words down on paper and keep them in a safe place far from home",
        "Authorization: Required for every call except health checks",
        "2 Corinthians 3:16, tel. +49 30 901820",
    ],
)
def test_what_only_speaks_of_secrets_survives(text: str) -> None:
    assert redact(text).text == text


def test_base64_of_a_secret_is_hidden_and_base64_of_anything_else_is_not() -> None:
    hidden = base64.b64encode(f"user=app\npassword={STRONG}\n".encode()).decode()
    plain = base64.b64encode(b"user=app\ncolour=green and blue\nsize=12\n").decode()
    assert redact(f"data: {hidden}\nnext: {plain}\n").text == f"data: [redacted:base64]\nnext: {plain}\n"


def test_a_second_secret_that_the_first_one_covered_is_found_far_from_others() -> None:
    text = f"token={STRONG}\n" + "word " * 40_000 + f"\npassword: {SPOKEN}\n"
    redacted = redact(text)
    assert [secret.rule for secret in redacted.secrets] == ["token", "password"]
    assert redact(redacted.text).text == redacted.text
