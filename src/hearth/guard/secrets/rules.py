"""Secrets that show themselves by the shape that their issuer gave them: one table, one row a format.

Shapes come from the issuers' public documentation of their token formats. Every pattern starts with a literal, so that
scanning is a substring search, and repeats only single characters, so that it is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain

from hearth.guard.secrets.randomness import entropy, is_random, is_varied
from hearth.lazy import dataclass, regex

LONG_WORD = 18
"""Each match lies in a word of so many characters, or more."""

# No shape has a shorter run of letters and digits, and none of small letters only.
_RUN = regex(r"[A-Za-z0-9_-]{14}")
_DIGIT = regex("[0-9]")
_MIX = regex(r"[0-9]|[a-z][A-Z]|[A-Z]{16}")


@dataclass(frozen=True, slots=True)
class Rule:
    """``anchor`` must occur for ``pattern`` to match; ``accepts`` judges what is hidden.

    That is the match and ``lead`` characters before it. ``rank`` is the place in the table: the first of several that
    match the same names it.
    """

    name: str
    anchor: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool]
    lead: int
    rank: int


@dataclass(frozen=True, slots=True)
class Format:
    """A row of the table.

    ``anchors`` are the literals (blanks between them) one of which a token holds, ``body`` what follows, ``floor`` the
    least entropy of the token in bits per character. ``sure`` anchors may follow anything (``\\nghp_…`` in JSON,
    ``%3Dghp_…`` in a URL); the others occur in ordinary words, so a boundary must stand before them and the body must
    look random. ``lead`` is what stands before the anchor, ``width`` its number of characters.
    """

    name: str
    anchors: str
    body: str
    floor: float = 3.0
    sure: bool = True
    lead: str = ""
    width: int = 0


_CLASSES = {
    "@n": "[A-Za-z0-9]",
    "@w": "[A-Za-z0-9_-]",
    "@d": "[A-Za-z0-9_.-]",
    "@b": "[A-Za-z0-9+/=_-]",
    "@h": "[a-f0-9]",
    "@H": "[A-Fa-f0-9]",
    "@l": "[a-z0-9]",
    "@u": "[A-Z0-9]",
}
# A boundary, or an escape that ends in a letter or digit: of JSON, of an address, of a colour on a terminal.
_EDGES = (
    "![A-Za-z0-9_-]", r"=\\[nrt]", "=%[0-9A-Fa-f]{2}", r"=\\u00[0-9A-Fa-f]{2}", r"=\\x[0-9A-Fa-f]{2}",
    r"=\[[0-9]m", r"=\[[0-9]{2}m",
)  # fmt: skip
_UUID = "@h{8}-@h{4}-@h{4}-@h{4}-@h{12}"

FORMATS = (
    # Code hosts, registries, builds
    Format("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"@n{30,}|[0-9]{1,20}_eyJ[\w.-]{40,}"),
    Format("github-token", "github_pat_", r"\w{22,}"),
    Format("gitlab-token", "glpat- glptt- gldt- glrt- glft- glsoat- glagent- glimt- gloas- glffct-", "@d{20,}"),
    Format("gitlab-token", "glcbt- GR1348941", "@w{20,}"),
    Format("bitbucket-token", "BBDC-", "@b{36,}"),
    Format("atlassian-token", "ATATT3 ATCTT3 ATBB ATSTT3", "@b{24,}"),
    Format("npm-token", "npm_", "@n{36,}"),
    Format("pypi-token", "pypi-AgE", "@w{50,}"),
    Format("rubygems-token", "rubygems_", "@h{48,}"),
    Format("crates-token", "cio", "@n{32}(?!@n)", sure=False),
    Format("clojars-token", "CLOJARS_", "@n{58,}"),
    Format("nuget-key", "oy2", "@l{43}(?!@n)", sure=False),
    Format("docker-token", "dckr_pat_ dckr_oat_", "@w{20,}"),
    Format("artifactory-token", "AKCp", "@n{60,}"),
    Format("artifactory-token", "cmVmdGtu", "@n{50,}"),
    Format("circleci-token", "CCIPAT_ CCIPRJ_", "@w{40,}"),
    Format("buildkite-token", "bkua_", "@h{40,}"),
    Format("sonarqube-token", "squ_ sqp_ sqa_", "@h{40,}"),
    Format("launchdarkly-key", "sdk- api- mob-", _UUID, sure=False),
    Format("sourcegraph-token", "sgp_ sgp_local_ sgd_", "[a-f0-9_]{40,}"),
    Format("octopus-key", "API-", "@u{26,}", sure=False),
    Format("prefect-token", "pnu_ pnb_", "@n{36,}"),
    Format("dbt-token", "dbtc_ dbtu_ dbts_", "@w{30,}"),
    Format("retool-token", "retool_01", "@u{20,}"),
    Format("postman-key", "PMAK-", "[a-f0-9-]{50,}"),
    Format("postman-key", "PMAT-", "@u{24,}"),
    Format("readme-token", "rdme_", "@n{60,}"),
    Format("infracost-key", "ico-", "@n{32,}", sure=False),
    Format("localstack-key", "ls-", "@n{8}-@h{4}-[0-9a-f-]{20,}", sure=False),
    Format("harness-token", "pat. sat.", r"@w{22}\.@h{24}\.@w{20,}"),
    # Clouds and hosting
    Format("aws-key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}(?!@n)", floor=2.8),
    Format("aws-session-token", "IQoJb3JpZ2lu", "@b{80,}"),
    Format("aws-bedrock-key", "ABSKQmVkcm9ja0FQSUtleS", "@b{80,}"),
    Format("aws-bedrock-key", "bedrock-api-key-", "@b{40,}"),
    Format("aws-appsync-key", "da2-", "@l{26}(?!@n)", sure=False),
    Format("aws-mws-key", "amzn.mws.", _UUID),
    Format("google-key", "AIza", "@w{35,}"),
    Format("google-token", "ya29. GOCSPX-", "@w{20,}"),
    Format("google-token", "1//0", "@w{40,}"),
    Format("google-token", ":APA91b", "@w{100,}", lead="@w{11}", width=11),
    Format("azure-client-secret", "Q~", r"[\w~.-]{31,}", lead=r"[\w~.-]{3}[0-9]", width=4),
    Format("azure-sas", "sig=", "[A-Za-z0-9%+/]{40,}=*"),
    Format("azure-key", "AzSe", "[A-D]@n{5}(?!@n)", lead="@n{42}", width=42),
    Format("azure-key", "AzFu", r"[\w=-]{6,}", lead="@w{44}", width=44),
    Format("azure-key", "AZDO", "@n{4}(?!@n)", lead="@n{76}", width=76),
    Format("azure-key", "ACDb", "@n{4,}=*", lead="@n{76}", width=76),
    Format("azure-key", "+ASt", "@n{4,}=*", lead="[A-Za-z0-9+/]{76}", width=76),
    Format("azure-key", "+ACR", "@n{6}(?!@n)", lead="[A-Za-z0-9+/]{42}", width=42),
    Format("azure-key", "JQQJ99", "@n{20,}", lead="@n{52}", width=52),
    Format("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_ dos_v1_", "@h{40,}"),
    Format("cloudflare-key", "v1.0-", "@h{20,40}-@h{100,}"),
    Format("cloudflare-key", "cfut_ cfat_ cfk_", "@w{40,}"),
    Format("akamai-key", "akab-", "@l{16}-@l{16}"),
    Format("swarm-token", "SWMTKN-1- SWMKEY-1-", "[A-Za-z0-9+/-]{40,}"),
    Format("defined-key", "dnkey-", "@w{50,}"),
    Format("heroku-key", "HRKU-", "@w{36,}"),
    Format("fly-token", "fm1a_ fm1r_ fm2_", "@b{80,}"),
    Format("fly-token", "fo1_", "@w{40,}"),
    Format("render-key", "rnd_", "@n{28,}", sure=False),
    Format("netlify-token", "nfp_", "@n{36,}"),
    Format("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", "@n{24,}"),
    Format("vercel-token", "vercel_blob_rw_", r"\w{30,}"),
    Format("scaleway-token", "tk-us-", "@w{40,}"),
    Format("alibaba-key", "LTAI", "@n{16,}"),
    Format("tencent-key", "AKID", "@n{32,}"),
    Format("baidu-key", "ALTAK", "@n{21,}"),
    Format("yandex-key", "AQVN", "@w{35,}"),
    Format("yandex-token", "y0_", "@w{50,}", sure=False),
    Format("openshift-token", "sha256~", "@w{40,}"),
    Format("pulumi-token", "pul-", "@h{40,}"),
    Format("terraform-token", ".atlasv1.", "@b{50,}", lead="@n{14}", width=14),
    Format("vault-token", "hvs. hvb. hvr.", "@w{24,}"),
    Format("vault-token", "s.", "@n{24}(?!@w)", sure=False),
    Format("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "@d{32,}"),
    Format("onepassword-token", "ops_eyJ", "@b{80,}"),
    Format("onepassword-key", "A3-", "@u{6}-[A-Z0-9-]{20,}"),
    Format("tailscale-key", "tskey-", "@w{20,}"),
    # Databases and data
    Format("supabase-token", "sbp_ sb_secret_", "@w{24,}"),
    Format("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "@d{32,}"),
    Format("neon-key", "napi_", "@l{40,}"),
    Format("cockroach-key", "CCDB1_", r"\w{40,}"),
    Format("aiven-password", "AVNS_", "@w{17,}"),
    Format("databricks-token", "dapi", "@h{32}(?:-[0-9])?"),
    Format("maxmind-key", "_mmk", "(?!@n)", lead="@n{6}_@n{29}", width=36),
    # Watching
    Format("sentry-token", "sntrys_ sntryu_", "@b{40,}"),
    Format("grafana-token", "glsa_ glc_", "@b{32,}"),
    Format("grafana-token", "eyJrIjoi", "@b{60,}"),
    Format("newrelic-key", "NRAK- NRJS- NRII- NRAA-", "@w{19,}"),
    Format("newrelic-key", "NRAL", "(?!@n)", lead="@n{36}", width=36),
    Format("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16.", r"@u{20,30}\.@u{50,}"),
    Format("honeycomb-key", "hcaik_ hcbik_ hcaic_", "@l{40,}"),
    Format("posthog-key", "phx_ phs_ phr_", "@w{40,}"),
    # Chat and mail
    Format("slack-token", "xoxa- xoxb- xoxe- xoxe.xox xoxo- xoxp- xoxr- xoxs- xoxd- xoxc- xwfp-", "@b{16,}"),
    Format("slack-token", "xapp-", "@w{20,}"),
    Format(
        "slack-webhook",
        "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
        r"[\w/+-]{30,}",
    ),
    Format("discord-token", ".", r"@w{6}\.@w{27,}", floor=3.8, lead="@w{23}", width=23),
    Format("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "[0-9]{15,21}/@w{50,}"),
    Format("telegram-token", ":AA", "@w{32,}", lead="[0-9]{8}", width=8),
    Format("teams-webhook", "webhook.office.com/", r"[\w@/-]{60,}"),
    Format("zapier-webhook", "hooks.zapier.com/hooks/catch/", "[0-9]{4,12}/[a-z0-9]{6,}", floor=2.5),
    Format("matrix-token", "syt_", "@n{4,}_@n{16,}_@n{6}"),
    Format("sendgrid-key", "SG.", r"@w{16,32}\.@w{16,}", sure=False),
    Format("mailgun-key", "key-", "@l{32,}", sure=False),
    Format("mailgun-key", "-", "@h{8}-@h{8}(?![0-9A-Za-z-])", lead="@h{32}", width=32),
    Format("mailchimp-key", "-us", r"[0-9]{1,2}\b", lead="@h{32}", width=32),
    Format("mandrill-key", "md-", "@w{22}(?!@w)", sure=False),
    Format("brevo-key", "xkeysib- xsmtpsib-", "@w{64,}"),
    Format("resend-key", "re_", "@n{6,10}_@n{20,}", sure=False),
    Format("klaviyo-key", "pk_", "@h{34}(?!@n)", sure=False),
    Format("intercom-token", "dG9rO", "@b{40,}", sure=False),
    Format("twilio-key", "SK", "@h{32}(?!@n)", sure=False),
    Format("telnyx-key", "KEY01", "@H{30}_@n{20,}"),
    # Money
    Format("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", "@n{16,}"),
    Format("webhook-secret", "whsec_", "[A-Za-z0-9+/=]{24,}"),
    Format("square-token", "sq0atp- sq0csp- sq0acp-", "@w{22,}"),
    Format("square-token", "EAAA", "[El]@w{55,}", sure=False),
    Format("braintree-token", "access_token$production$ access_token$sandbox$", r"@l{12,}\$@h{32,}"),
    Format("adyen-key", "AQE", "[A-Za-z0-9+/]{30,200}+-@b{30,}", sure=False),
    Format("plaid-token", "access-sandbox- access-production- access-development-", "[a-f0-9-]{36,}"),
    Format("razorpay-key", "rzp_live_ rzp_test_", "@n{14,}"),
    Format("flutterwave-key", "FLWSECK- FLWSECK_TEST-", "@w{12,}"),
    Format("payment-key", "live_ test_", "@w{30,}", sure=False),
    Format("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", r"\w{40,}"),
    Format("easypost-key", "EZAK EZTK", "@n{54,}"),
    Format("shippo-token", "shippo_live_ shippo_test_", "@h{40,}"),
    Format("duffel-token", "duffel_live_ duffel_test_", "@b{40,}"),
    # Language models
    Format("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- pk-lf-", "@w{20,}"),
    Format("anthropic-key", "sk-ant-", "@w{20,}"),
    Format("llm-key", "sk-", "@w{20,}", sure=False),
    Format("huggingface-token", "hf_ api_org_", "@n{34,}"),
    Format("llm-key", "gsk_ nvapi- lsv2_pt_ lsv2_sk_ csk- pplx- llx- tgp_v1_", "@w{28,}"),
    Format("llm-key", "xai- tvly- jina_", "@w{24,}"),
    Format("replicate-token", "r8_", "@n{37,}", sure=False),
    Format("fireworks-key", "fw_", "@n{22,}", sure=False),
    Format("elevenlabs-key", "sk_", "@h{48}(?!@n)", sure=False),
    Format("pinecone-key", "pcsk_", r"\w{40,}"),
    Format("firecrawl-key", "fc-", "@h{32}(?!@n)", sure=False),
    Format("voyage-key", "pa-", "@w{43}(?!@w)", sure=False),
    Format("e2b-key", "e2b_", "@h{40,}"),
    Format("modal-token", "ak- as-", "@n{22}(?!@w)", sure=False),
    # Work and content
    Format("linear-token", "lin_api_ lin_oauth_", "@n{32,}"),
    Format("notion-token", "ntn_", "@n{40,}"),
    Format("notion-token", "secret_", "@n{43}(?!@n)", sure=False),
    Format("figma-token", "figd_ figo_", "@w{32,}"),
    Format("airtable-token", "pat", r"@n{14}\.@h{64}"),
    Format("asana-token", "1/ 2/", "[0-9]{13,20}(?:/[0-9]{13,20})?:@h{32}", sure=False),
    Format("trello-token", "ATTA", "@h{60,}"),
    Format("clickup-token", "pk_", "[0-9]{6,10}_@u{32}", sure=False),
    Format("typeform-token", "tfp_", r"[\w.=-]{40,}"),
    Format("contentful-token", "CFPAT-", "@w{40,}"),
    Format("ghost-key", ":", "@h{64}(?!@n)", lead="@h{24}", width=24),
    Format("hubspot-token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", _UUID),
    Format("salesforce-token", "00D", r"@n{12,15}![\w.]{80,}"),
    Format("wakatime-key", "waka_", _UUID),
    Format("riot-key", "RGAPI-", _UUID),
    Format("nylas-key", "nyk_v0_", "@w{40,}"),
    Format("wundergraph-key", "cosmo_", "@h{32}"),
    Format("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", "@H{32,}"),
    Format("dropbox-token", "sl.", "@d{90,}", sure=False),
    Format("dropbox-token", "AAAAAAAAAA", "@w{43}(?!@w)", lead="@n{11}", width=11),
    Format("mapbox-token", "sk.eyJ", "@d{40,}"),
    Format("facebook-token", "EAA", "[A-Z]@n{80,}", sure=False),
    Format("facebook-token", "|", "@w{27}(?!@w)", lead="[0-9]{15}", width=15),
    Format("instagram-token", "IGQV", "@w{80,}"),
    Format("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{70,}"),
    Format("linkedin-token", "WPL_AP1.", r"@n{12,}[\w.=/+-]*"),
    Format("adobe-secret", "p8e-", "@w{32,}"),
    Format("rapidapi-key", "msh", "@n{15}p1@n{5}jsn@n{12}", lead="@n{10}", width=10),
    Format("okta-token", "00", "@w{40}(?!@w)", sure=False, floor=4.2),
    Format("stytch-secret", "secret-live- secret-test-", "[A-Za-z0-9_=-]{36,}"),
    Format("inngest-key", "signkey-prod- signkey-test-", "@h{32,}"),
    Format("trigger-key", "tr_prod_ tr_dev_ tr_stg_", "@n{18,}"),
    Format("zoho-token", "1000.", r"@h{32}\.@h{32}"),
    Format("twitch-token", "oauth:", "@l{30}(?!@n)", sure=False),
    # Passwords as systems keep them: whoever has one can guess at it
    Format("password-hash", "$2a$ $2b$ $2y$", r"[0-9]{2}\$[A-Za-z0-9./]{53}"),
    Format("password-hash", "$1$ $apr1$", r"[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}(?!@n)"),
    Format("password-hash", "$5$ $6$", r"(?:rounds=[0-9]{1,9}\$)?[A-Za-z0-9./+]{1,24}\$[A-Za-z0-9./+]{43,86}"),
    Format("password-hash", "$7$", r"[0-9]{1,8}\$[A-Za-z0-9+/=]{8,32}\$[A-Za-z0-9+/=]{43,90}"),
    Format("password-hash", "$7$ $y$ $gy$", r"[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{1,86}\$[A-Za-z0-9./]{43}"),
    Format(
        "password-hash", "$argon2i$ $argon2d$ $argon2id$", r"v=[0-9]+\$[a-z0-9=,]{1,40}\$[A-Za-z0-9+/]{8,}\$@b{16,}"
    ),
    Format("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$", r"[0-9]{1,8}\$[A-Za-z0-9]{1,64}\$[A-Za-z0-9+/=]{20,}"),
    Format("password-hash", "$P$B $H$9 $S$D $S$E", r"[A-Za-z0-9./]{30,52}"),
    Format("password-hash", "SCRAM-SHA-256$ SCRAM-SHA-512$", r"[0-9]{1,8}:[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/=:]{40,}"),
    Format("password-hash", "pbkdf2:sha256: pbkdf2:sha512: pbkdf2:sha1:", r"[0-9]{1,8}\$[A-Za-z0-9]{1,64}\$@h{20,}"),
    Format("password-hash", "scrypt:", r"[0-9:]{1,20}\$[A-Za-z0-9]{1,64}\$@h{20,}"),
    Format("deepl-key", ":fx", "(?!@n)", lead=_UUID, width=36),
    Format("password-hash", "{SSHA} {SHA} {SSHA256} {SSHA512} {SHA256} {SHA512}", "[A-Za-z0-9+/=]{27,}"),
    # Keys and signed tokens
    Format("jwt", "eyJ", r"@w{8,}\.@w{8,}\.@w{16,}", sure=False),
    Format("paseto", "v1.local. v2.local. v3.local. v4.local. v2.public. v4.public.", "@d{40,}"),
    Format("paseto-key", "k2.local. k4.local. k2.secret. k4.secret. k4.local-pw. k4.secret-pw.", "@w{40,}"),
    Format("ntlm-message", "TlRMTVNTUAAD", "@b{40,}"),
    Format("nats-seed", "SU SA SO SN SC", "[A-Z2-7]{56}(?!@n)", sure=False),
    Format("age-key", "AGE-SECRET-KEY-1", "@u{50,}"),
    Format("nostr-key", "nsec1", "@l{58}"),
    Format("wallet-key", "xprv yprv zprv", "@n{100,}"),
    Format("node-key", "infura.io/v3/ .alchemy.com/v2/", "@w{32,}"),
)


def token_like(words: Iterable[str]) -> list[str]:
    """Those that could hold a token: nearly no word of a text."""
    run, mix, digit = _RUN.search, _MIX.search, _DIGIT.search
    return [
        word
        for word in words
        if len(word) >= LONG_WORD and (digit(word) if word.islower() else mix(word)) and run(word)
    ]


@cache
def token_rules() -> tuple[Rule, ...]:
    """One rule an anchor."""
    anchors = [(row, anchor) for row in FORMATS for anchor in row.anchors.split()]
    return tuple(_rule(row, anchor, rank) for rank, (row, anchor) in enumerate(anchors))


def rules_for(words: str) -> list[Rule]:
    """The rules whose anchor occurs, in the order of the table."""
    # Words have few different triples of characters, and most anchors begin with none of them.
    always, by_start = _by_start()
    begun = by_start.keys() & set(zip(words, words[1:], words[2:], strict=False))
    rules = sorted(chain(always, *map(by_start.__getitem__, begun)), key=lambda rule: rule.rank)
    return [rule for rule in rules if rule.anchor in words]


@cache
def _by_start() -> tuple[tuple[Rule, ...], dict[tuple[str, ...], list[Rule]]]:
    by_start: dict[tuple[str, ...], list[Rule]] = {}
    for rule in token_rules():
        by_start.setdefault(tuple(rule.anchor[:3]), []).append(rule)
    return tuple(rule for rule in token_rules() if len(rule.anchor) < 3), by_start


def _rule(row: Format, anchor: str, rank: int) -> Rule:
    literal = re.escape(anchor)
    edge = rf"(?<={row.lead}{literal})" if row.lead else ""
    if not row.sure:
        edge = "|".join(f"(?<{before}{literal})" for before in _EDGES)
        edge = f"(?:{edge})"
    pattern = regex(_classes(f"{literal}{edge}(?:{row.body})"), re.ASCII)
    cut = 0 if row.sure else len(anchor)

    def accepts(value: str) -> bool:
        if entropy(value) < row.floor:
            return False
        return is_varied(value) if row.sure else is_random(value[cut:])

    return Rule(row.name, anchor, pattern, accepts, row.width, rank)


def _classes(pattern: str) -> str:
    return re.sub("@[a-zA-Z]", lambda name: _CLASSES.get(name[0], name[0]), pattern)
