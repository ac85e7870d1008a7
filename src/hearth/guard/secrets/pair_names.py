"""Does a name say that its value is a secret? Decided on its last word that means anything."""

from __future__ import annotations

from functools import lru_cache

from hearth.core.lazy import dataclass, regex

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


@dataclass(frozen=True, slots=True)
class Sense:
    """``kind`` is what the value is; ``sure``: no word of the name is unknown where it could say something else.

    ``owned``: a key of something unknown, as in ``ORBIT_KEY``.
    """

    kind: str
    sure: bool
    owned: bool = False


_KINDS = {
    "password": (
        "password passwords passwort passwd passwds passwrd paswd psswd passphrase passphrases passcode"
        " passcodes pass"
        " passw passwo passkey pwd pswd psw pw pws pwds psk mdp kennwort kennworte wachtwoord wachtwoorden lösenord"
        " losenord lösen salasana salasanat salasanan contraseña contraseñas contrasena contrasenas contrasenya senha"
        " senhas clave parola hasło hasła haslo heslo hesla jelszó jelszo jelszava şifre şifresi sifre sifresi"
        " kodeord adgangskode passord passordet passe пароль пароля пароли паролем 密码"
        " 密碼 口令 パスワード 暗証番号 비밀번호"
        " 암호 identified"
    ),
    "secret": "secret secrets credential credentials cred creds geheimnis secreto segreto segredo",
    "token": "token tokens jwt apikey apikeys bearer authtoken pat",
    "key": (
        "key keys schlüssel clé clés chiave klucz klucze ключ avain nyckel nøgle nøkkel sleutel chave 密钥 密鑰 キー 키"
    ),
    "code": "code codes pin puk otp",
    "salt": "salt pepper",
    "auth": "auth",
    "session": "session sessionid sessid sid cookie csrf xsrf csrftoken phpsessid jsessionid",
    "seed": "seed mnemonic",
    "signature": "signature sig hmac",
    "license": "license licence serial activation",
    "community": "community",
    "hash": "hash digest",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
# Where no blank or hump parts them: what may end a word whatever it begins with, and what only after words of its own.
_ENDS = regex(
    r"(?P<owner>[a-z]{1,16}?)(?P<core>password|passwd|passphrase|passcode|passwort|kennwort|wachtwoord|pswd|pwd|secret|apikey|token|psk|pw"
    r"|(?<!com)(?<!by)(?<!sur)(?<!tres)(?<!over)(?<!under)(?<!im)(?<!glass)(?<!out)(?<!tain)pass|schlüssel)"
)
_GLUED = regex(
    r"(?P<owner>require|root|bind|user|db|ldap|smtp|imap|mail|ftp|http|proxy|admin|master|my|login|auth|store|key|trust|ssl"
    r"|wifi|ap|sta|wpa|sql|mysql|pg|postgres|redis|mongo|ansible|become|sudo|ssh|vnc|cert|zip|pdf|enc|crypt|net|web|api|app"
    r"|access|secret|private|sign|signing|encrypt|encryption|license|licence|shared|client|consumer|session|cookie|hash|jwt"
    r"|service|server|backup|host|site|file|passwd|password|token|oauth|ntp|tsig|rndc|preshared|account|storage|dev|rpc|mq)"
    r"(?P<core>pass|key|salt|auth|creds?|token|secret|id)"
)
_SALTED = regex(r"(?P<owner>password|passwd|auth|secret|hash)(?P<core>salt|pepper|key)(?P<rest>main|alt\d?|base)?")
_VALUED = regex(r"([a-z]{3,24}?)(?:value|string|str|val|word)")
_WORD = regex(r"[A-Z]{2,}(?![a-zà-öø-ÿ])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")


@lru_cache(maxsize=4096)
def naming(name: str) -> Sense | None:
    """What ``name`` says of its value; None where it names no secret."""
    words = [part for word in _WORD.findall(name) for part in _parts(word.lower())]
    if words[-2:] == ["secure", "string"]:
        return Sense("password", sure=True)
    at = next((i for i in range(len(words) - 1, -1, -1) if words[i] in _KIND_OF), None)
    if at is None:
        return None
    kind, before, after = _KIND_OF[words[at]], words[:at], words[at + 1 :]
    if after == ["id"] and words[at] == "secret":
        return Sense("token", sure=False)
    if kind == "hash":
        return _hash(before, after)
    if kind == "secret" and after == ["base"]:
        return None
    if kind == "code":
        return Sense(kind, sure=True) if not after and (words[at] != "code" or last_is(before)) else None
    if kind == "auth" and after == ["user", "info"]:
        return Sense(kind, sure=True)
    if not ELSE.isdisjoint(after) or (before and kind != "token" and before[-1] in ASKED):
        return None
    sure = all(word in NEUTRAL or word.isdigit() or word in KEY_OWNERS for word in after)
    return _qualify(kind, words[at], before, sure)


def last_is(before: list[str]) -> bool:
    return before[-1:] != [] and before[-1] in OPENED


def is_kind(word: str) -> bool:
    """Is it no more than the word for a kind of secret?"""
    return word.lower() in _KIND_OF


def names_value(word: str) -> bool:
    """Is it a word for a password, a secret, a token or a key?"""
    return _KIND_OF.get(word.lower()) in ("password", "secret", "token", "key")


def _hash(before: list[str], after: list[str]) -> Sense | None:
    if before[-1:] == ["api"]:
        return Sense("key", sure=True)
    secret = any(_KIND_OF.get(word) == "password" for word in before)
    return Sense("hash", sure=False) if secret and ELSE.isdisjoint(after) else None


def _qualify(kind: str, word: str, before: list[str], sure: bool) -> Sense | None:
    last = before[-1] if before else ""
    if kind == "key":
        return _key(before, sure)
    if kind in ("token", "session"):
        return (
            None
            if (not NO_TOKEN.isdisjoint(before[-2:]) and before[:2] != ["next", "public"])
            or before[-2:] == ["public", "key"]
            else Sense(kind, sure)
        )
    if kind == "signature" and (not before or not sure):
        return Sense(kind, sure=False)
    if word == "pass" and last in (
        "to",
        "by",
        "com",
        "tres",
        "sur",
        "first",
        "second",
        "one",
        "two",
        "render",
        "compiler",
    ):
        return None
    if kind == "community":
        return Sense("password" if last in ("ro", "rw", "snmp", "read", "write", "trap", "access") else kind, sure)
    return Sense(kind, sure)


def _key(before: list[str], sure: bool) -> Sense | None:
    last = next((word for word in reversed(before) if not word.isdigit()), "")
    if last in NO_KEY:
        return Sense("key", sure=False) if not KEY_OWNERS.isdisjoint(before[:-1]) else None
    if last == "secret":
        return Sense("secret", sure)
    if last in ("license", "licence", "product", "activation", "registration"):
        return Sense("license", sure)
    known = last in KEY_OWNERS or _KIND_OF.get(last, "key") != "key"
    return Sense("key", sure and known, owned=sure and last != "")


def _parts(word: str) -> list[str]:
    if word in _KIND_OF or word == "signaturevalue":
        return [word]
    if word == "requirepass":
        return ["server", "pass"]
    if found := _VALUED.fullmatch(word):
        return _parts(found[1])
    if found := _SALTED.fullmatch(word) or _GLUED.fullmatch(word) or _ENDS.fullmatch(word):
        core = found["core"]
        return [found["owner"], *(["api", "key"] if core == "apikey" else [core])]
    return [word]
