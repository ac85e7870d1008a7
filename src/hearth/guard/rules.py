"""Secrets that show themselves by the shape that their issuer gave them.

Shapes come from the issuers' public documentation of their token formats. Every pattern starts with a literal, so that
scanning is a substring search, and repeats only single characters, so that it is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from hearth.guard.randomness import is_random, is_varied

_ALNUM = "[A-Za-z0-9]"
_WORD = "[A-Za-z0-9_]"
_DASH = "[A-Za-z0-9_-]"
_DOT = "[A-Za-z0-9_.-]"
_HEX = "[a-f0-9]"
_BASE64 = "[A-Za-z0-9+/=_-]"


@dataclass(frozen=True, slots=True)
class Rule:
    """``anchor`` must occur for ``pattern`` to match; ``accepts`` judges what is hidden.

    That is the match and ``lead`` characters before it. Each match lies in a word of ``LONG_WORD`` characters.
    """

    name: str
    anchor: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool]
    lead: int = 0


LONG_WORD = 18
# No shape has a shorter run of letters and digits, and none is of one case without digits.
_RUN = re.compile(r"[A-Za-z0-9_-]{14}")
_MIX = re.compile(r"[0-9]|[a-z][A-Z]")


def is_token_like(word: str) -> bool:
    return _RUN.search(word) is not None and _MIX.search(word) is not None


# name, prefixes, what follows. Distinctive prefixes may follow anything ("\\nghp_…" in JSON, "%3Dghp_…" in a URL).
_TOKENS = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _ALNUM + "{30,}+"),
    ("github-token", "github_pat_", _WORD + "{22,}+"),
    ("gitlab-token", "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- glimt- gloas- glffct-", _DOT + "{20,}+"),
    ("gitlab-token", "GR1348941", _DASH + "{20,}+"),
    ("npm-token", "npm_", _ALNUM + "{36,}+"),
    ("pypi-token", "pypi-AgE pypi-AgEN", _DASH + "{50,}+"),
    ("rubygems-token", "rubygems_", _HEX + "{48,}+"),
    ("docker-token", "dckr_pat_ dckr_oat_", _DASH + "{20,}+"),
    ("slack-token", "xoxa- xoxb- xoxe- xoxe.xox xoxo- xoxp- xoxr- xoxs- xoxd- xoxc-", _BASE64 + "{16,}+"),
    ("slack-token", "xapp-", _DASH + "{20,}+"),
    (
        "slack-webhook",
        "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
        r"[\w/+-]{30,}+",
    ),
    ("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"[0-9]{15,21}/[\w-]{50,}+"),
    ("teams-webhook", "webhook.office.com/", r"[\w@/-]{60,}+"),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", _ALNUM + "{16,}+"),
    ("webhook-secret", "whsec_", "[A-Za-z0-9+/=]{24,}+"),
    ("google-key", "AIza", _DASH + "{35,}+"),
    ("google-token", "ya29.", _DASH + "{20,}+"),
    ("google-token", "GOCSPX-", _DASH + "{20,}+"),
    ("google-token", "1//0", _DASH + "{40,}+"),
    ("aws-session-token", "IQoJb3JpZ2lu", _BASE64 + "{80,}+"),
    ("aws-bedrock-key", "ABSKQmVkcm9ja0FQSUtleS", _BASE64 + "{80,}+"),
    ("anthropic-key", "sk-ant-", _DASH + "{20,}+"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- pk-lf-", _DASH + "{20,}+"),
    ("llm-key", "gsk_ pplx- nvapi- lsv2_pt_ lsv2_sk_ csk-", _DASH + "{32,}+"),
    ("llm-key", "xai- tvly- jina_", _DASH + "{24,}+"),
    ("huggingface-token", "hf_ api_org_", _ALNUM + "{34,}+"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX + "{40,}+"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[A-Fa-f0-9]{32,}+"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", _DOT + "{32,}+"),
    ("linear-token", "lin_api_ lin_oauth_", _ALNUM + "{32,}+"),
    ("notion-token", "ntn_", _ALNUM + "{40,}+"),
    ("figma-token", "figd_ figo_", _DASH + "{32,}+"),
    ("atlassian-token", "ATATT3 ATCTT3 ATBB ATSTT3", _BASE64 + "{24,}+"),
    ("postman-key", "PMAK-", "[a-f0-9-]{50,}+"),
    ("newrelic-key", "NRAK- NRJS- NRII- NRAA-", _DASH + "{19,}+"),
    ("grafana-token", "glsa_ glc_", _BASE64 + "{32,}+"),
    ("grafana-token", "eyJrIjoi", _BASE64 + "{60,}+"),
    ("vault-token", "hvs. hvb. hvr.", _DASH + "{24,}+"),
    ("terraform-token", ".atlasv1.", _BASE64 + "{50,}+"),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _DOT + "{32,}+"),
    ("pulumi-token", "pul-", _HEX + "{40,}+"),
    ("supabase-token", "sbp_ sb_secret_", _DASH + "{24,}+"),
    ("sentry-token", "sntrys_ sntryu_", _BASE64 + "{40,}+"),
    ("square-token", "sq0atp- sq0csp- sq0idp-", _DASH + "{22,}+"),
    ("square-token", "EAAAE", _DASH + "{55,}+"),
    ("facebook-token", "EAAM EAAC EAAG EAAB", _ALNUM + "{80,}+"),
    ("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{70,}+"),
    ("age-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{50,}+"),
    ("onepassword-token", "ops_eyJ", _BASE64 + "{80,}+"),
    ("onepassword-key", "A3-", "[A-Z0-9]{6}-[A-Z0-9-]{20,}+"),
    ("artifactory-token", "AKCp", _ALNUM + "{60,}+"),
    ("artifactory-token", "cmVmdGtu", _ALNUM + "{50,}+"),
    ("heroku-key", "HRKU-", _DASH + "{36,}+"),
    ("fly-token", "fm1a_ fm1r_ fm2_", _BASE64 + "{80,}+"),
    ("cloudflare-key", "v1.0-", r"[a-f0-9]{20,40}-[a-f0-9]{100,}+"),
    ("databricks-token", "dapi", "[a-f0-9]{32}+(?:-[0-9])?"),
    ("dynatrace-token", "dt0c01. dt0s16. dt0s08.", r"[A-Z0-9]{20,30}\.[A-Z0-9]{50,}+"),
    ("adobe-secret", "p8e-", _ALNUM + "{32,}+"),
    ("alibaba-key", "LTAI", _ALNUM + "{16,}+"),
    ("tencent-key", "AKID", _ALNUM + "{32,}+"),
    ("contentful-token", "CFPAT-", _DASH + "{40,}+"),
    ("sourcegraph-token", "sgp_", r"[a-f0-9_]{40,}+"),
    ("tailscale-key", "tskey-", _DASH + "{20,}+"),
    ("netlify-token", "nfp_", _ALNUM + "{36,}+"),
    ("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", _ALNUM + "{24,}+"),
    ("circleci-token", "CCIPAT_ CCIPRJ_", _DASH + "{40,}+"),
    ("buildkite-token", "bkua_", _HEX + "{40,}+"),
    ("brevo-key", "xkeysib- xsmtpsib-", _DASH + "{64,}+"),
    ("prefect-token", "pnu_", _ALNUM + "{36,}+"),
    ("readme-token", "rdme_", _ALNUM + "{60,}+"),
    ("typeform-token", "tfp_", r"[\w.=-]{40,}+"),
    ("shippo-token", "shippo_live_ shippo_test_", _HEX + "{40,}+"),
    ("razorpay-key", "rzp_live_ rzp_test_", _ALNUM + "{14,}+"),
    ("flutterwave-key", "FLWSECK-", _DASH + "{12,}+"),
    ("braintree-token", "access_token$production$ access_token$sandbox$", r"[a-z0-9]{12,}+\$[a-f0-9]{32,}+"),
    ("plaid-token", "access-sandbox- access-production- access-development-", "[a-f0-9-]{36,}+"),
    ("easypost-key", "EZAK EZTK", _ALNUM + "{54,}+"),
    ("duffel-token", "duffel_live_ duffel_test_", _BASE64 + "{40,}+"),
    ("clojars-token", "CLOJARS_", _ALNUM + "{58,}+"),
    ("mapbox-token", "sk.eyJ", _DOT + "{40,}+"),
    ("harness-token", "pat. sat.", r"[\w-]{22}\.[0-9a-f]{24}\.[\w-]{20,}+"),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}+"),
    ("infracost-key", "ico-", _ALNUM + "{32,}+"),
    ("scaleway-token", "tk-us-", _DASH + "{40,}+"),
    ("localstack-key", "ls-", _ALNUM + "{8}-[0-9a-f]{4}-[0-9a-f-]{20,}+"),
    ("perplexity-key", "pplx-", _ALNUM + "{40,}+"),
    ("azure-client-secret", "Q~", r"(?<=[\w~.-]{3}[0-9]Q~)[\w~.-]{31,}+"),
    ("azure-sas", "sig=", r"[A-Za-z0-9%+/]{40,}+=*"),
    ("discord-token", ".", r"(?<=[\w-]{23}\.)[\w-]{6}\.[\w-]{27,}+"),
    ("telegram-token", ":AA", r"(?<=[0-9]{8}:AA)[\w-]{32,}+"),
    ("aws-key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}(?![A-Za-z0-9])"),
    ("mailchimp-key", "-us", r"(?<=[a-f0-9]{32}-us)[0-9]{1,2}\b"),
)
# Prefixes short enough to occur in ordinary words: a boundary before them, and a rest that looks random.
_WEAK = (
    ("llm-key", "sk-", _DASH + "{20,}+"),
    ("replicate-token", "r8_", _ALNUM + "{37,}+"),
    ("fireworks-key", "fw_", _ALNUM + "{22,}+"),
    ("resend-key", "re_", r"[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}+"),
    ("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{16,}+"),
    ("mailgun-key", "key-", _HEX + "{32,}+"),
    ("twilio-key", "SK", _HEX + "{32}+"),
    ("dropbox-token", "sl.", _DASH + "{120,}+"),
    ("jwt", "eyJ", r"[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{16,}+"),
    ("nuget-key", "oy2", "[a-z0-9]{43}+"),
    ("octopus-key", "API-", "[A-Z0-9]{26,}+"),
)


# How much before these anchors belongs to the token: what their look-behind saw.
_LEADS = {"mailchimp-key": 32, "azure-client-secret": 4, "discord-token": 23}


def _token(name: str, prefix: str, rest: str, *, weak: bool) -> Rule:
    literal = re.escape(prefix)
    edge = rf"(?:(?<![A-Za-z0-9_-]{literal})|(?<=\\[nrt]{literal})|(?<=%[0-9A-Fa-f]{{2}}{literal}))" if weak else ""
    pattern = re.compile(f"{literal}{edge}(?:{rest})", re.ASCII)
    cut = len(prefix)
    accepts = (lambda value: is_random(value[cut:])) if weak else is_varied
    return Rule(name, prefix, pattern, accepts, lead=_LEADS.get(name, 0))


@cache
def token_rules() -> tuple[Rule, ...]:
    """One rule a prefix; compiled on first use."""
    strong = [_token(name, prefix, rest, weak=False) for name, ps, rest in _TOKENS for prefix in ps.split()]
    return (*strong, *(_token(name, prefix, rest, weak=True) for name, ps, rest in _WEAK for prefix in ps.split()))
