"""The words of names, as ``names`` reads them."""

from __future__ import annotations

_NEUTRAL = (
    "value val values prod production dev develop development live test testing staging stage main admin "
    "administrator root user username users app db bd database wifi wlan guest home office old new current raw "
    "base64 b64 base primary secondary plain plaintext clear cleartext text txt string str data default backup "
    "server client readwrite ro rw readonly for to of on at in the my our your local remote internal external "
    "system service svc api web site smtp imap pop ftp ssh vpn mysql postgres postgresql pg mongo mongodb redis "
    "rabbitmq ldap http https proxy github gitlab bitbucket slack google aws azure gcp stripe twilio sendgrid "
    "openai anthropic docker npm pypi k8s kubernetes hex enc part two one me bot alt again repeat confirmation "
    "confirm vault router nas mail email it dr pre uat qa eu us next previous prev ops ci cd des del de fuer für "
    "mein meine env pair bytes encrypted personal access rest id_rsa "
)
NEUTRAL = frozenset(_NEUTRAL.split())
"""Words after the one that decides, which leave it what it is: places, owners, forms."""

_ELSE = (
    "file files filename path paths dir directory folder url urls uri endpoint link name names id ids identifier "
    "identifiers uuid guid type types ttl expiry expires expiration expire expired exp len length min max minimum "
    "maximum count counts counter limit limits policy policies field fields header headers prefix suffix size "
    "sizes time times timeout timestamp date at_time alg algo algorithm algorithms enable enabled enables disable "
    "disabled require required requires requirements reset resets hint hints label labels placeholder regex "
    "pattern format formats issuer audience life lifetime duration age days command cmd com comm env_var var "
    "variable vars ref refs reference arn version versions store stores storage provider providers manage manager "
    "management validation validate validator valid change changed changes rounds cost charset page pages lock "
    "locked protect protected protection prompt strength score rule rules complexity quality history attempts "
    "retries attempt failures error errors message messages msg title text_field input inputs form forms dialog "
    "screen view button icon image visible visibility toggle show hide hidden mask masked char chars character "
    "characters source sources scheme mode method methods strategy function func callback handler helper plugin "
    "module class service_name table column columns col row index idx map mapping list set array dict object "
    "instance config configuration settings setting option options schema model enum const key_name generator "
    "generate generated rotation rotate rotated renew revoke revoked refresh_url usage use used needed less free "
    "auth_url login_url status state exists present missing empty null none bool flag kind location position "
    "start end offset line lines level template tpl server_url host port domain realm scope scopes claims claim "
    "payload parser encoder decoder encoding encryption encryptor hasher hashing fingerprint fingerprints filter "
    "checker check checks verify verified verification verifier interval budget price cost_per rate window "
    "usage_limit stream ring santa bucket owner author desc description comment help doc docs note notes question "
    "questions answer order sort by per second seconds minute minutes pool word words agent forward forwarding "
    "keys_file chain alias aliases holder safe book card port_number gen strengths board stroke press code_length "
    "down up event ticket tickets binding bindings code codes frame frames share sharing exchange derivation deriv "
)
ELSE = frozenset(_ELSE.split())
"""Words after it that make the value something else."""

_NO_TOKEN = (
    "next page lock change continuation idempotency pagination sync cursor clientrequest request update delete "
    "max min num total count input output prompt completion stop eos bos pad unk mask special n per context "
    "cancellation cancel layer current previous prev first last start end image text vocab sub word punctuation "
    "syntax design lexer parser color resume nft erc erc20 governance utility reasoning cached thinking "
    "csrfmiddleware redir redirect "
)
NO_TOKEN = frozenset(_NO_TOKEN.split())
"""Words before "token" that make it no secret."""

_NO_KEY = (
    "primary foreign public cache sort partition row dict map index pub lookup hot short shortcut unique "
    "composite natural surrogate candidate super object s s3 routing context tag topic metric dimension registry "
    "json yaml data group hash range left right recv socket receive import export fetch send refresh redir "
    "arrow enter escape function modifier meta ctrl alt shift tab "
    "delete backspace home end up down any press answer low major minor musical translation i18n message label "
    "column field item list state react node config setting property sub parent child tree filter order "
    "form query param attribute metadata host verify verification verifying known trusted gpg pgp signer event "
    "idempotency menu option first last next previous prev current new old default record document entity error "
    "status commit build layer run job trace span req request block node tree blob version session_id "
    "storage_key local cookie_name time date theme style feature flag locale route nav publishable anon "
)
NO_KEY = frozenset(_NO_KEY.split())
"""Words before "key" that make it no secret."""

_KEY_OWNERS = (
    "api app application access account auth client consumer encryption encrypt encrypting decryption decrypt "
    "validation crypt crypto cipher license licence product activation registration master private preshared "
    "shared secret service session cookie sharedaccess sign signing signature storage subscription deploy admin "
    "aes des rsa ed25519 hmac jwt webhook openai anthropic write ingest ingestion root server oauth functions "
    "function github gitlab slack google stripe twilio sendgrid mailgun datadog azure aws gcp maps firebase "
    "discord telegram heroku npm sentry pagerduty security wep wpa wifi tsig rndc wg wireguard peer psk pre "
    "symmetric fernet vault unseal recovery backup integration project instrumentation telemetry analytics "
    "mixpanel segment algolia mapbox weather stream restricted live test site captcha recaptcha vapid push fcm "
    "gemini mistral cohere groq deepl search_api tmdb omdb user developer dev x db database disk luks ntp md5 "
    "sha256 chap transip rsakey passphrase authentication authorization "
)
KEY_OWNERS = frozenset(_KEY_OWNERS.split())
"""Words before "key" that make it one."""

_OPENED = "alarm door gate garage entry access safe lock pin puk sim security unlock vault disarm keypad "
OPENED = frozenset(_OPENED.split())
"""What a code opens."""

_ASKED = (
    "from has is show hide shows forgot forgotten lost reset resetting change changing require requires required no "
    "without allow allows enable enables disable disables validate check verify min max minimum maximum ask asks "
    "need needs invalid wrong missing empty ignore bad incorrect weak strong support supports supported can "
    "should must skip by reject accept accepts expired unknown about hashing hashed pam palabra palabras per "
    "count num number total if when not any "
)
ASKED = frozenset(_ASKED.split())
"""Words before a password that ask for one or judge it."""
