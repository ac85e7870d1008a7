"""Passwords that sentences lead to without naming one, and what people call passwords and codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache

from hearth.core.lazy import dataclass, regex
from hearth.guard.secrets.passwords import count_kinds, is_password, is_setting, stands_out
from hearth.guard.secrets.rules import Names, Span, spellings
from hearth.text.words import Row, rows

PASSWORDS = {
    "pass": r"pass(?:w(?:or[dt]|d)\w{0,4}|ord\w{0,3}|phrases?|codes?|e(?<=de passe)|(?<=app pass))(?!\w)",
    "contrase": r"contrase(?:ñ|n)as?",
    "senha": r"senhas?(?!\w)",
    "wifi": r"wifi(?!\w)",
    "wi-fi": r"wi-fi(?!\w)",
    "wlan": r"wlan(?!\w)",
    "clave": "clave(?= (?:del?|para) )",
    "api key": "api key(?!\\w)",
    "wachtwoord": "wachtwoord(?:en)?",
    "kennw": r"kennw[oö]rt\w{0,4}",
    "salasana": r"salasana\w{0,6}",
    "parola": r"parola\w{0,3}(?! chiave)",
    "kodeord": r"kodeord\w{0,2}",
    "gangskode": r"gangskode\w{0,3}",
    "pw": r"(?<![\w.$-])pwd?(?![\w.(-])",
    "mdp": r"(?<!\w)mdp(?!\w)",
    "lösen": r"lösen(?:ord\w{0,3})?",
    "hasł": r"(?<!\w)hasł[oa]",
    "haslo": r"(?<!\w)haslo",
    "şifre": r"şifre\w{0,4}",
    "jelsz": r"jelszó\w{0,3}|jelszav\w{1,4}",
    "парол": r"парол\w{1,3}",
    "κωδικ": r"κωδικ[όο]ς?(?: πρόσβασης)?",
    "密码": "密码",
    "密碼": "密碼",
    "口令": "口令",
    "暗証番号": "暗証番号",
    "パスワード": "パスワード",
    "비밀번호": "비밀번호",
    "암호": "암호",
    "비번": "비번",
}

# Texts of these scripts are searched for the words above that have their letters.
SCRIPTS = (r"[ßàáâäåæçèéêíñóôöøúüąćęłńóśźżğışčřěůőű]", "[α-ω]", "[а-я]", "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

CODES = {
    "cod": r"cod(?:es?|ice|ici|igos?|ul)(?!\w)",
    "kod": r"kod(?:e[nt]?|er?n|u|i[na]?|in)?(?!\w)",
    "koodi": r"koodin?a?(?!\w)",
    "pin": r"pin(?:[ -]?(?:code|kod\w{0,3}|koodi\w?)|cod[ei]\w?)?(?![\w\\-])(?<![a-z]pin)",
    "puk": r"puk(?:-?\d)?(?!\w)(?<![a-z]puk)",
    "otp": r"otps?(?!\w)(?<![a-z]otp)",
    "omb": r"omb(?:o|inations?|inazione|inación|inaison|inação|inatie|ination(?:en)?)(?!\w)(?<!bomb)",
    "tunnusluku": "tunnusluku",
    "key safe": "key safe",
    "lockbox": "lockbox",
    "cód": "códigos?",
    "код": r"код(?:а|ом|ы)?(?!\w)",
    "парол": r"парол\w{1,3}",
    "пин": r"(?<!\w)пин(?:-код\w?)?(?!\w)",
    "kód": "kódj?a?(?!\\w)",
    "暗証番号": "暗証番号",
    "密码": "密码",
    "密碼": "密碼",
    "비밀번호": "비밀번호",
    "şifre": r"şifres?i?",
}
# These name a secret by themselves; a code does so beside what it opens.
SURE = (
    r"pin|puk|otp|tunnusluku|geheimzahl|парол|key safe|key box|lock ?box|пин|暗証番号"
    r"|(?:alarm|door|gate|tür|tor|ovi|portti|hälytys|dörr|port|larm|dør|deur|poort)[- ]?(?:cod|kod|koodi)"
)
OPENED = (
    r"(?<!\w)(?:doors?|gates?|garages?|alarms?|lock(?:er|ers|s)?|safe|keypad|vault|elevator|lift|shed"
    r"|basement|padlock|voicemail"
    r"|entry|entrance|access|verification|security|login|tablet|ipad|sim|debit|credit|bank|atm|card|burglar"
    r"|intercom|blik|sms|storage unit"
    r"|t[üu]r\w{0,6}|tor|haust\w{0,6}|tiefgarage\w{0,3}|zugangs?|eingangs?|schloss\w{0,4}|tresor\w{0,3}"
    r"|schließfach|safes|ec-karte"
    r"|portes?|portails?|portillon|coffre(?:-fort)?|cadenas|immeuble|alarme|entrée|interphone|accès"
    r"|puerta|portal|portón|garaje|alarma|caja fuerte|candado|taquilla|acceso|entrada"
    r"|porta|portão|garagem|cofre|cadeado|portone|cancello|cassaforte|lucchetto|citofono|allarme"
    r"|deur|voordeur|poort|kluis|fietsenstalling|hangslot|inbraakalarm"
    r"|porten|dörr\w{0,2}|larm\w{0,2}|kassaskåp\w{0,2}|hänglås\w{0,2}|dør\w{0,2}|låge\w?|nøgleboks\w{0,2}"
    r"|hengelås\w{0,2}"
    r"|ov(?:i|en|eon?)|ala-?ov\w{1,3}|portti|portin|hälyt\w{3,10}|kassakaap\w{1,4}|luk(?:ko|on)|varaston?"
    r"|autotallin?|kellarin?"
    r"|drzwi|bram\w{1,2}|furtk\w|sejfu?|kłódk\w|domofonu?|garażu|klatki|alarmu"
    r"|двер\w{1,3}|подъезд\w?|ворот\w{0,3}|калитк\w|домофон\w?|сигнализаци\w|сейф\w?|замк\w|карт\w"
    r"|kapı\w{0,3}|kasa\w{0,3}|garaj\w{0,2})(?!\w)"
)
FOREIGN_OPENED = "门禁|门|保险[箱柜]|玄関|ドア|金庫|현관|도어락|금고"
IS = (
    r"is|was|are|it's|its|ist|war|lautet|sind|est|es|era|son|sono|é|è|e'|on|oli|är|var|er|jest|это|heißt"
    r"|heisst|este|je"
    r"|changed to|reset to|set to|now|still|jetzt|jetz|nyt|nu|ahora|maintenant|adesso|agora|again|currently"
    r"|teraz|теперь"
)


_REST = regex(r"(?:[^\n.!?;]|\.(?! |\n|$)){0,72}")
_OPEN = r"[ \t]{0,3}[\"'`*_„“”«「『‘’(]{0,3}"
_JOINT = regex(
    rf"""[ \t"'`*_)]{{0,4}}(?:[:：=|]|→|⇒|(?<= )(?:=>|->|–|—))[>*_ \t]{{0,4}}{_OPEN}"""
    rf"""|[,]?[ ](?:(?:{IS})(?![\w'])[ :]{{1,2}}){{1,3}}{_OPEN}"""
    rf"|(?<=has[lł]o) to {_OPEN}"
    r"|(?:是|为|為|は|が|은|는|이|가)[：:]?[ ]?[「『“]?"
)
_REACH = 140


@dataclass(frozen=True, slots=True)
class Offer:
    """A place where a value may begin; what stands between the name and what joins the value to it, and that."""

    start: int
    gap: str
    joint: str


def end_of_description(name: str, lowered: str, end: int) -> int:
    """Where what may be said of the name that ends at ``end`` ends: at the next one, at the latest."""
    again = lowered.find(name, end, end + _REACH)
    return again if again >= 0 else min(len(lowered), end + _REACH)


def offers(lowered: str, end: int, stop: int) -> Iterator[Offer]:
    """Where the sentence that goes on at ``end`` may give the value of the name before it; nearest first."""
    stop = _REST.match(lowered, end, stop).end()  # type: ignore[union-attr]
    blank = end
    while blank < stop and lowered[blank] in " \t\"'`(«“„":
        blank += 1
    if end < blank:
        yield Offer(blank, "", "")
    for joint in _JOINT.finditer(lowered, end, stop):
        yield Offer(joint.end(), lowered[end : joint.start()], joint[0].strip())


_SCRIPTS = tuple(regex(letters) for letters in SCRIPTS)


def scripts_of(lowered: str) -> frozenset[int]:
    """The numbers of the scripts beside ASCII that it has letters of."""
    if lowered.isascii():
        return frozenset()
    return frozenset(number for number, letters in enumerate(_SCRIPTS) if letters.search(lowered))


def compile_names(names: Mapping[str, str]) -> Names:
    return tuple((literal, regex(name)) for literal, name in names.items())


@cache
def _script(literal: str) -> frozenset[int]:
    return frozenset(number for number, letters in enumerate(_SCRIPTS) if letters.search(literal))


def occurring(literals: Iterable[str], lowered: str, scripts: frozenset[int]) -> list[str]:
    return [
        literal
        for literal in literals
        if (literal.isascii() or not scripts.isdisjoint(_script(literal))) and literal in lowered
    ]


_KINDS = ("login", "unlock", "change")
# The words that open a pattern, one of which a text must have.
_FIRST = regex(r"(?:\(\?:)?([\w|'-]+)")
_VALUE = regex(r"(?:[ ]?[:→])?[ \t]{1,3}[\"'`*„“«(]{0,3}(?P<secret>[^\s\"'`«»„“”,;|()<>\[\]{}]{6,64})")
_CUE_REACH = 160


def find_cued(text: str, lowered: str, words: Set[str]) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; ``words`` its words among ``cue_words``."""
    for opener in {opener for word in words for opener in _openers_of().get(word, ())}:
        at = lowered.find(opener)
        while at >= 0:
            if not lowered[at - 1 : at].isalnum():
                yield from _find_after(text, lowered, at, opener)
            at = lowered.find(opener, at + len(opener))


def _find_after(text: str, lowered: str, at: int, opener: str) -> Iterator[Span]:
    for pattern in _patterns()[opener]:
        cue = pattern.match(lowered, at, at + _CUE_REACH)
        value = _VALUE.match(text, cue.end()) if cue else None
        if value is None:
            continue
        secret = value["secret"].rstrip(".:*_")
        if stands_out(secret):
            yield value.start("secret"), value.start("secret") + len(secret), "password"


def cue_words() -> Set[str]:
    """The words that open a cue, as texts write them."""
    return _openers_of().keys()


@cache
def _openers_of() -> dict[str, tuple[str, ...]]:
    """Openers by the words that they are written as."""
    found: dict[str, tuple[str, ...]] = {}
    for opener in _patterns():
        alone = (opener,)
        for word in spellings(alone, closed=True):
            found[word] = (*found[word], opener) if word in found else alone
    return found


@cache
def _patterns() -> dict[str, list[re.Pattern[str]]]:
    """The patterns by the word that opens them."""
    patterns: dict[str, list[re.Pattern[str]]] = {}
    for row in rows("secrets"):
        if row.kind in _KINDS:
            for opener in _openers(row):
                patterns.setdefault(opener, []).append(regex(row.expression))
    return patterns


def _openers(row: Row) -> list[str]:
    found: list[str] = []
    depth, branch = 0, 0
    for at, char in enumerate(row.pattern + "|"):
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            opener = _FIRST.match(row.pattern, branch)
            found += opener[1].split("|") if opener else []
            branch = at + 1
    return found


_NAMES = (
    "root admin administrator administrateur administrador sa postgres mysql user guest demo test dev stage"
    " staging prod"
    " deploy debian ubuntu pi oracle vagrant support service backup operator manager info office kasse gast invitado"
)
_USERS = frozenset(_NAMES.split())
_EMAIL = regex(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,40}")
_LOGIN = regex(
    r"(?<!\w)(?:log ?in|logins|logon|accounts?|credentials?|creds?|users?|username|zugang\w{0,6}"
    r"|anmeld\w{2,6}|benutzer\w{0,6}"
    r"|identifiants?|connexion|compte|usuario|cuenta|acceso|accesso|utente|credenzial\w|conta|acesso|inlog\w{0,8}|gebruiker"
    r"|konto|tunnu\w{1,6}|kirjaut\w{1,8}|logowani\w{1,2}|użytkownik|логин|доступ|учётка|wi-?fi|wlan|ssid|netzwerk|hotspot|ssh|ftp|vpn)(?!\w)"
)
_USER = regex(r"(?:^|[\s:=*`\"'(>])(?P<user>[\w.@+-]{2,64})[*`\"']{0,2} $")
_LOGIN_VALUE = regex(
    r"[*`\"']{0,2}(?P<secret>[^\s*`\"'|,;()<>/]{4,64})[*`\"']{0,2}(?=[ \t]{0,4}(?:$|[\r\n,;.)|(]|--|–|—))"
)
_PAIR = regex(r":(?<=[\w-]:)(?P<secret>[^\s:/`\"'<>(){}\[\]|]{4,64})(?P<end>`|[ \t]*(?=$|[\r\n]))")
_BEFORE = regex(r"(?:^|`)(?P<user>[A-Za-z][\w.@+-]{1,63})$")
_CHANGED = regex(r"passwd|chpasswd|htpasswd")
_TOLD = regex(r"log ?in|passw|account|credential|creds|zugang|konto|compte|cuenta|utent|konta|логин|парол")
_LISTED = regex(r'(?:^|\n)"[\w.@+-]{1,64}"[ \t]{1,8}"(?P<secret>[^"\n]{4,128})"[ \t]*(?=$|[\r\n])')
_LOGIN_REACH = 120
_OWNER = regex(r"[a-z][\w.@+-]{1,40}")


def find_given(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    at = text.find(" / ")
    while at >= 0:
        yield from _beside(text, lowered, at + 1)
        at = text.find(" / ", at + 3)
    for pair in _PAIR.finditer(text):
        yield from _find_joined(text, lowered, pair.start(), pair.span("secret"), pair["end"])
    if '" "' in text:
        rows = [row.span("secret") for row in _LISTED.finditer(text)]
        if len(rows) > 1 and any(
            count_kinds(text[first:last]) > 1 and is_password(text[first:last], quoted=True) for first, last in rows
        ):
            yield from ((first, last, "password") for first, last in rows if is_setting(text[first:last]))


def _beside(text: str, lowered: str, slash: int) -> Iterator[Span]:
    line = lowered[_line_start(text, slash) : slash]
    user, value = _USER.search(line), _LOGIN_VALUE.match(text, slash + 2)
    if user is None or value is None or " / " in line:
        return
    start = value.start("secret")
    secret = value["secret"].rstrip(".")
    owner = _OWNER.fullmatch(text, slash - len(line) + user.start("user"), slash - len(line) + user.end("user"))
    if _is_beside(user["user"], line[: user.start("user")], secret, alone=owner is not None):
        yield start, start + len(secret), "password"


def _is_beside(user: str, before: str, secret: str, *, alone: bool) -> bool:
    """``alone``: the user is written as users are, so that nothing else needs to tell of a login."""
    if secret.lower() in _USERS or not is_setting(secret):
        return False
    named = user in _USERS or _EMAIL.fullmatch(user) is not None
    is_login = _LOGIN.search(before) is not None
    if stands_out(secret) and (is_login or before.endswith("(") or (alone and count_kinds(secret) > 2)):
        return True
    if is_login:
        return named or is_password(secret, quoted=False)
    return named and count_kinds(secret) > 1 and (any(map(str.isdigit, secret)) or not secret.isalnum())


def _find_joined(text: str, lowered: str, colon: int, place: tuple[int, int], end: str) -> Iterator[Span]:
    first = _line_start(text, colon)
    before = _BEFORE.search(text[first:colon].lstrip(" \t-*|"))
    secret = text[slice(*place)]
    if before is None or (end == "`") != (before[0][0] == "`") or secret.isdigit() or not is_setting(secret):
        return
    known = before["user"].lower() in _USERS
    above = known and end != "`" and _CHANGED.search(lowered, max(0, first - _LOGIN_REACH), first)
    if not known and end != "`" and not _TOLD.search(lowered, max(0, first - 2 * _LOGIN_REACH), first):
        return
    if above or (
        count_kinds(secret) > (2 if known else 3) and is_password(secret, quoted=False) and not secret[0].isdigit()
    ):
        yield *place, "password"


def _line_start(text: str, at: int) -> int:
    """At most ``_REACH`` characters before ``at``."""
    least = max(0, at - _LOGIN_REACH)
    return max(least, text.rfind("\n", least, at) + 1)
