"""Does a name say that its value is a secret? Decided on its last word that means anything, and what qualifies it.

A name is any spelling of words: ``dbPassword``, ``GF_SECURITY_ADMIN_PASSWORD``, ``spring.datasource.hikari.password``,
``requirepass``.
"""

from __future__ import annotations

from functools import lru_cache

from hearth.guard.secrets.pairs.words import ASKED, ELSE, KEY_OWNERS, NEUTRAL, NO_KEY, NO_TOKEN, OPENED
from hearth.lazy import dataclass, regex


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
    return _qualified(kind, words[at], before, sure)


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


def _qualified(kind: str, word: str, before: list[str], sure: bool) -> Sense | None:
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
