"""Samples of text that holds a secret, built from the public descriptions of token formats; seeded, no real credential.

A template holds ``{a20}``: twenty characters of the alphabet ``a``. So neither this file nor a sample's source is a
leak to a scanner.
"""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from samples.files import FILES
from samples.places import (
    AROUND,
    COMMAND_AROUND,
    HEADER_AROUND,
    KEY_BLOCKS,
    KEY_ENDS,
    NAMED_AROUND,
    PASSWORD_AROUND,
    PROSE_AROUND,
    URL_AROUND,
)

ALPHABETS = {
    "n": string.ascii_letters + string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "c": string.ascii_uppercase + "234567",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "q": string.ascii_lowercase,
    "x": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "y": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
UUID = "{h8}-{h4}-4{h3}-a{h3}-{h12}"
_HOLE = re.compile(r"\{([a-zA-Z])(\d+)\}")

# Kind, then templates; what stands before ``^`` is public.
SHAPED = """
github ghp_{n36} gho_{n36} ghu_{n36} ghs_{n36} ghr_{n36} github_pat_{n22}_{n59}
gitlab glpat-{w20} glpat-{w27}.01.{l9} gldt-{w20} glptt-{h40} glrt-{w20} glcbt-64_{w20} glft-{w20} GR1348941{w20}
gitlab-app gloas-{h64}
atlassian ATATT3xFfGF0{w171}={H8} ATCTT3xFfGN0{w171}={H8} ATBB{n32}
aws-id AKIA{c16} ASIA{c16}
aws-session IQoJb3JpZ2luX2VjE{b300}
aws-bedrock ABSKQmVkcm9ja0FQSUtleS{b109}=
google-key AIza{w35}
google-oauth ya29.a0{w150} GOCSPX-{w28} 1//0{w60}
azure-client {n3}8Q~{w34}
azure-identifiable {n42}AzSeA{n5} {n76}AZDO{n4} {n76}ACDb{n4}== {n42}+ACR{n6} {b76}+ASt{n4}==
digitalocean dop_v1_{h64} doo_v1_{h64} dor_v1_{h64}
cloudflare-origin v1.0-{h24}-{h146}
heroku HRKU-{h8}-{h4}-{h4}-{h4}-{h12} HRKU-AA{w58}
fly fm2_{b400} fo1_{w43}
render rnd_{n32}
netlify nfp_{n36}
vercel vcp_{n56}
supabase sbp_{h40} sb_secret_{w22}_{w8}
planetscale pscale_tkn_{w43} pscale_pw_{w43}
neon napi_{l64}
cockroach CCDB1_{n22}_{n40}
aiven AVNS_{w19}
databricks dapi{h32} dapi{h32}-2
vault hvs.{w90} hvb.{w130} s.{n24}
terraform {n14}.atlasv1.{w67}
pulumi pul-{h40}
doppler dp.pt.{n43} dp.st.prd.{n43}
onepassword ops_eyJ{b300} A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}
docker dckr_pat_{w27} dckr_oat_{w32}
npm npm_{n36}
pypi pypi-AgEIcHlwaS5vcmc{w150} pypi-AgENdGVzdC5weXBpLm9yZw{w150}
rubygems rubygems_{h48}
clojars CLOJARS_{h60}
nuget oy2{l43}
crates cio{n32}
artifactory AKCp{n69} cmVmdGtu{n56}
circleci CCIPAT_{n22}_{h40}
buildkite bkua_{h40}
sonarqube squ_{h40} sqp_{h40} sqa_{h40}
launchdarkly sdk-UUID api-UUID
sentry sntrys_eyJ{b200}_{b43} sntryu_{h64}
harness pat.{w22}.{h24}.{n20}
postman PMAK-{h24}-{h34}
grafana glsa_{n32}_{h8} glc_{b120} eyJrIjoi{b80}
newrelic NRAK-{u27} NRII-{w32} NRJS-{h19} {h36}NRAL
dynatrace dt0c01.{u24}.{u64}
honeycomb hcaik_{l58}
slack xoxb-{d12}-{d13}-{n24} xoxp-{d12}-{d12}-{d13}-{h32} xapp-1-A{u10}-{d13}-{h64}
slack-user xoxe.xoxp-1-{b150} xoxc-{d12}-{d12}-{d13}-{h64}
slack-hook https://hooks.slack.com/services/^T{u10}/B{u10}/{n24}
discord-bot MT{n22}.{w6}.{w38} OD{n24}.{w6}.{w38}
discord-hook https://discord.com/api/webhooks/{d19}/^{w68}
telegram {d10}:^AA{w33} {d9}:^AA{w33}
teams-hook https://{q8}.webhook.office.com/webhookb2/^UUID@UUID/IncomingWebhook/{h32}/UUID
matrix syt_{n12}_{n20}_{n6}
facebook EAACEdEose0cBA{n120} EAAG{n160} EAAB{n150}
twitter AAAAAAAAAAAAAAAAAAAAA{n40}%2B{n40}
linkedin WPL_AP1.{n16}.{n8}==
dropbox sl.{w140} sl.u.{w140}
airtable pat{n14}.{h64}
notion ntn_{n46} secret_{n43}
figma figd_{w40}
linear lin_api_{n40}
asana 1/{d16}:{h32} 2/{d16}/{d16}:{h32}
trello ATTA{h72}
clickup pk_{d8}_{u32}
typeform tfp_{n44}_{n14}
hubspot pat-na1-UUID pat-eu1-UUID
salesforce 00D{n12}!{n96}
shopify shpat_{h32} shpss_{h32} shpca_{h32} shppa_{h32}
mailchimp {h32}-us12
mailgun key-{h32} {h32}-{h8}-{h8}
sendgrid SG.{w22}.{w43}
brevo xkeysib-{h64}-{n16}
resend re_{n8}_{n24}
mandrill md-{w22}
klaviyo pk_{h34}
twilio SK{h32}
telnyx KEY01{H30}_{n22}
stripe sk_live_{n24} sk_test_{n99} rk_live_{n24} whsec_{n32}
square EAAAE{w59} sq0atp-{w22} sq0csp-{w43} EAAAl{w59}
paypal access_token$production${l16}${h32}
adyen AQE{b60}-{b43}=-{w16}
plaid access-production-UUID
razorpay rzp_live_{n14}
flutterwave FLWSECK-{h32}-X FLWSECK_TEST-{h32}-X
mollie live_{n30} test_{n30}
gocardless live_{w40}
paddle pdl_live_apikey_{l26}_{n22}_{n3}
easypost EZAK{n54}
shippo shippo_live_{h40}
duffel duffel_live_{w43}
openai sk-{n20}T3BlbkFJ{n20} sk-proj-{w74}T3BlbkFJ{w74} sk-svcacct-{w74}T3BlbkFJ{w74}
anthropic sk-ant-api03-{w93}AA sk-ant-oat01-{w93}AA sk-ant-admin01-{w93}AA
huggingface hf_{n34}
groq gsk_{n52}
replicate r8_{n37}
perplexity pplx-{n48}
openrouter sk-or-v1-{h64}
fireworks fw_{n24}
xai xai-{n80}
deepseek sk-{h32}
elevenlabs sk_{h48}
pinecone pcsk_{n6}_{n63}
langsmith lsv2_pt_{h32}_{h10}
langfuse sk-lf-UUID
tavily tvly-{n32} tvly-dev-{n32}
firecrawl fc-{h32}
nvidia nvapi-{w64}
cerebras csk-{l48}
jina jina_{h32}{w28}
voyage pa-{w43}
llamacloud llx-{n48}
e2b e2b_{h40}
modal ak-{n22} as-{n22}
sourcegraph sgp_{h16}_{h40}
tailscale tskey-auth-k{n10}CNTRL-{n32}
mapbox sk.eyJ1{n60}.{w22}
contentful CFPAT-{w43}
okta 00{w40}
openshift sha256~{w43}
scalingo tk-us-{w48}
adobe p8e-{n32}
alibaba LTAI{n20}
tencent AKID{n32}
baidu ALTAK{n21}
yandex AQVN{w36} y0_{w55}
octopus API-{u26}
rapidapi {h10}msh{h15}p1{h5}jsn{h12}
maxmind {n6}_{n29}_mmk
inngest signkey-prod-{h64}
trigger tr_prod_{n20}
posthog phx_{n43}
dbt dbtc_{w36} dbtu_{w36}
retool retool_01{c26}
prefect pnu_{n36}
readme rdme_{l70}
stytch secret-live-{w36}=
nostr nsec1{x58}
age AGE-SECRET-KEY-1{y58}
jwt eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwiaWF0Ij{n20}.{w43}
infura https://mainnet.infura.io/v3/^{h32}
alchemy https://eth-mainnet.g.alchemy.com/v2/^{w32}
"""

# kind, the name that people give it, template: nothing but the name shows what it is.
NAMED = """
aws-secret AWS_SECRET_ACCESS_KEY {b40}
azure-storage AZURE_STORAGE_KEY {b86}==
azure-devops AZURE_DEVOPS_TOKEN {l52}
cloudflare CLOUDFLARE_API_TOKEN {w40}
datadog DATADOG_API_KEY {h32}
datadog-app DD_APP_KEY {h40}
algolia ALGOLIA_ADMIN_KEY {h32}
cohere COHERE_API_KEY {n40}
mistral MISTRAL_API_KEY {n32}
wandb WANDB_API_KEY {h40}
linode LINODE_TOKEN {h64}
hetzner HCLOUD_TOKEN {n64}
vultr VULTR_API_KEY {u36}
heroku-uuid HEROKU_API_KEY UUID
postmark POSTMARK_SERVER_TOKEN UUID
snyk SNYK_TOKEN UUID
travis TRAVIS_TOKEN {w22}
jenkins JENKINS_API_TOKEN 11{h32}
twilio-auth TWILIO_AUTH_TOKEN {h32}
spotify SPOTIFY_CLIENT_SECRET {h32}
twitch TWITCH_CLIENT_SECRET {l30}
discord-oauth DISCORD_CLIENT_SECRET {w32}
paypal-secret PAYPAL_CLIENT_SECRET E{w79}
okta-client OKTA_CLIENT_SECRET {w64}
mattermost MATTERMOST_TOKEN {l26}
trello-token TRELLO_TOKEN {h64}
zendesk ZENDESK_API_TOKEN {n40}
django DJANGO_SECRET_KEY {b50}
jwt-secret JWT_SECRET {b32}
rails SECRET_KEY_BASE {h128}
ngrok NGROK_AUTHTOKEN 2{n26}_{n21}
etherscan ETHERSCAN_API_KEY {u34}
ethereum PRIVATE_KEY 0x{h64}
wireguard PRESHARED_KEY {b43}=
encryption ENCRYPTION_KEY {b43}=
ibm IBM_CLOUD_API_KEY {w44}
shodan SHODAN_API_KEY {n32}
telegram-hash TELEGRAM_API_HASH {h32}
sumologic SUMO_ACCESS_KEY {n64}
segment SEGMENT_WRITE_KEY {n32}
"""


@dataclass(frozen=True, slots=True)
class Leak:
    """``secret`` is the part of ``text`` that must not stay; ``kind`` and ``around`` group results."""

    kind: str
    around: str
    text: str
    secret: str


def fill(template: str, rng: random.Random) -> str:
    """The template with each hole filled at random."""
    return _HOLE.sub(
        lambda hole: "".join(rng.choices(ALPHABETS[hole[1]], k=int(hole[2]))), template.replace("UUID", UUID)
    )


def shaped(seed: int = 1, each: int = 1) -> Iterator[Leak]:
    """Tokens with a shape of their own, in every neutral surrounding."""
    rng = random.Random(seed)
    for line in SHAPED.strip().splitlines():
        kind, *templates = line.split()
        for around, text in AROUND.items():
            for template in templates * each:
                public, _, token = fill(template, rng).rpartition("^")
                yield Leak(kind, around, text.format(public + token), token)


def named(seed: int = 1, each: int = 1) -> Iterator[Leak]:
    """Random values that only their name gives away."""
    rng = random.Random(seed)
    for line in NAMED.strip().splitlines():
        kind, name, template = line.split()
        parts = name.lower().split("_")
        names = {
            "upper": name,
            "lower": name.lower(),
            "kebab": "-".join(parts),
            "camel": parts[0] + "".join(map(str.capitalize, parts[1:])),
        }
        for around, text in NAMED_AROUND.items():
            for _ in range(each):
                token = fill(template, rng)
                yield Leak(kind, around, text.format(token, **names), token)


_COMMON = (
    "correct horse battery staple copper lantern orbit velvet marble thunder pickle harbor walnut ribbon cactus "
    "falcon maple tunnel pepper silver rocket meadow violin puzzle"
)
_WORDS = _COMMON.split()
_LISTED = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid "
    "acoustic acquire across act action actor actress actual adapt add addict address adjust admit adult advance"
)
_SEED_WORDS = _LISTED.split()


def _typed(rng: random.Random) -> str:
    return rng.choice(_WORDS).capitalize() + str(rng.randint(10, 9999)) + rng.choice("!#?*%")


def _letters(rng: random.Random) -> str:
    return "".join(rng.sample(_WORDS, 3))


def _kebab(rng: random.Random) -> str:
    return "-".join(rng.sample(_WORDS, 4))


def _mixed(rng: random.Random) -> str:
    return "aB7" + "".join(rng.choices(ALPHABETS["n"] + "!#%^*_+", k=13))


PASSWORDS: dict[str, Callable[[random.Random], str]] = {
    "typed": _typed,
    "letters": _letters,
    "kebab": _kebab,
    "mixed": _mixed,
}


def passwords(seed: int = 1, each: int = 2) -> Iterator[Leak]:
    """Passwords of four makes in files, commands, addresses and sentences."""
    rng = random.Random(seed)
    groups = (
        ("password", PASSWORD_AROUND, PASSWORDS),
        ("prose-password", PROSE_AROUND, {"typed": _typed, "mixed": _mixed, "letters": _letters}),
        ("url", URL_AROUND, {"typed": _typed_in_url, "letters": _letters, "mixed": _mixed_in_url}),
        ("url", {name: URL_AROUND[name] for name in ("postgres", "mongodb", "amqp")}, {"at": _with_at}),
        ("command", COMMAND_AROUND, {"typed": _typed, "mixed": _mixed}),
    )
    for group, arounds, makes in groups:
        for around, text in arounds.items():
            for make, build in makes.items():
                for _ in range(each):
                    value = build(rng)
                    yield Leak(f"{group}-{make}", around, text.format(value), value)


def _typed_in_url(rng: random.Random) -> str:
    return _typed(rng).rstrip("!#?*%") + rng.choice(("!", "%21", "*", "$"))


def _mixed_in_url(rng: random.Random) -> str:
    return fill("{n4}7{n12}", rng) + rng.choice(("", "%40", "!", "$"))


def _with_at(rng: random.Random) -> str:
    return fill("{n4}7{n6}@{n5}", rng)


def headers(seed: int = 1, each: int = 2) -> Iterator[Leak]:
    """Values of authentication headers."""
    rng = random.Random(seed)
    for around, text in HEADER_AROUND.items():
        for template in ("{n32}", "{h40}", "{b42}=="):
            for _ in range(each):
                token = fill(template, rng)
                yield Leak("header", around, text.format(token), token)


def key_blocks(seed: int = 1) -> Iterator[Leak]:
    """Private keys, as files and as they end up in JSON, YAML, diffs, mails and source."""
    rng = random.Random(seed)
    for kind in KEY_BLOCKS:
        for around, end in KEY_ENDS.items():
            lines = [fill("{b64}", rng) for _ in range(6)]
            block = end.join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"))
            yield Leak("private-key", around, f"before\n{block}\nafter", lines[3])
    for around, text in (
        ("wireguard", "[Interface]\nPrivateKey = {}\nAddress = 10.0.0.2/32"),
        ("jwk", '{{"kty": "EC", "crv": "P-256", "d": "{}", "x": "abc"}}'),
        ("putty", "Private-Lines: 1\n{}\nPrivate-MAC: 00"),
        ("xml", "<RSAKeyValue><D>{}</D></RSAKeyValue>"),
        ("ssh2", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"),
    ):
        token = fill("{w43}" if around == "jwk" else "{b43}=", rng)
        yield Leak("private-key", around, text.format(token), token)


def wrapped(seed: int = 1) -> Iterator[Leak]:
    """Base64 of text that itself holds a secret."""
    rng = random.Random(seed)
    for template in (
        "api_key: {n32}",
        '{"auths": {"r.io": {"auth": "x"}}, "token": "ghp_{n36}"}',
        "export T=sk_live_{n24}",
        "postgres://app:{n16}@db.host.io/x",
        "password={n3}7{n9}\nuser=app\n",
        "sk-ant-api03-{w93}AA",
    ):
        for around, text in (
            ("yaml", "data:\n  config: {}\n"),
            ("prose", "Decode {} first."),
            ("json", '{{"blob": "{}"}}'),
            ("code", "load(b64decode('{}'))"),
        ):
            blob = base64.b64encode(fill(template, rng).encode()).decode()
            yield Leak("base64", around, text.format(blob), blob)
    for end, around in (("\n", "folded"), ("\n  ", "folded-indented")):
        block = f"-----BEGIN RSA PRIVATE KEY-----\n{fill('{b300}', rng)}\n-----END RSA PRIVATE KEY-----\n"
        blob = base64.b64encode(block.encode()).decode()
        lines = [blob[i : i + 76] for i in range(0, len(blob), 76)]
        yield Leak("base64", around, f"key: |\n  {end.join(lines)}\nnext: 1", lines[2])
    secret = base64.b64encode(f"{rng.choice(_WORDS)}{rng.randint(100, 999)}".encode()).decode()
    yield Leak("base64", "kubernetes", f"kind: Secret\ndata:\n  password: {secret}\n", secret)


_TO_FILL = re.compile(r"\{([a-zA-Z])(\d*)\}")
_BRACES = str.maketrans("\1\2", "{}")


def settings(seed: int = 1, each: int = 4) -> Iterator[Leak]:
    """Files of settings, one sample for every secret of theirs."""
    rng = random.Random(seed)
    for kind, template in FILES.items():
        template = template.replace("{{", "\1").replace("}}", "\2")
        for _ in range(each):
            secrets: list[str] = []
            parts: list[str] = []
            at = 0
            for hole in _TO_FILL.finditer(template):
                secrets.append(_chosen(hole, rng))
                parts += (template[at : hole.start()].translate(_BRACES), secrets[-1])
                at = hole.end()
            text = "".join(parts) + template[at:].translate(_BRACES)
            for secret in secrets:
                yield Leak(f"settings-{kind}", kind, text, secret)


def _chosen(hole: re.Match[str], rng: random.Random) -> str:
    kind = hole[1]
    if kind in "pea":
        password = rng.choice((_typed, _plain, _mixed, _short, _pair))(rng)
        return password if kind == "p" else base64.b64encode(("app:" * (kind == "a") + password).encode()).decode()
    alphabet = ALPHABETS["n"] + "!@#$%^&*()-_ []{}<>~`+=,.;:/?|" if kind == "s" else ALPHABETS[kind]
    return "".join(rng.choices(alphabet, k=int(hole[2])))


def _plain(rng: random.Random) -> str:
    return rng.choice(_WORDS) + str(rng.randint(1, 999))


def _short(rng: random.Random) -> str:
    return rng.choice([word for word in _WORDS if len(word) > 5])


def _pair(rng: random.Random) -> str:
    return "".join(rng.sample(_WORDS, 2))


def seeds(seed: int = 1) -> Iterator[Leak]:
    """Recovery phrases of wallets, where the text says so."""
    rng = random.Random(seed)
    for around, text in (
        ("colon", "Seed phrase: {}"),
        ("prose", "my recovery phrase is {}"),
        ("env", 'MNEMONIC="{}"'),
        ("next-line", "Recovery phrase:\n\n{}\n"),
        ("spanish", "Frase semilla: {}"),
    ):
        for count in (12, 24):
            phrase = " ".join(rng.sample(_SEED_WORDS, count))
            yield Leak("seed-phrase", around, text.format(phrase), phrase)


def leaks(seed: int = 1, each: int = 1) -> Iterator[Leak]:
    """All kinds; ``each`` multiplies the samples of random tokens."""
    yield from shaped(seed, each)
    yield from named(seed, each)
    yield from passwords(seed, each)
    yield from settings(seed, 4 * each)
    yield from headers(seed, each)
    yield from key_blocks(seed)
    yield from wrapped(seed)
    yield from seeds(seed)


def leaked(leak: Leak, redacted: str, window: int = 8) -> bool:
    """Are any ``window`` characters in a row of the secret left? Issuers' fixed prefixes count as secret too."""
    secret, redacted = leak.secret, re.sub(r"\[redacted:[a-z0-9-]+\]", "\0", redacted)
    if len(secret) <= window:
        return secret in redacted
    parts = {secret[at : at + window] for at in range(len(secret) - window + 1)}
    return any(part in redacted for part in parts)
