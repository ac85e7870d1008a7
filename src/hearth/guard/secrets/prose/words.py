"""What people call a password or a code, and what a sentence says of a thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from hearth.core.lazy import dataclass, regex
from hearth.guard.secrets.vocabulary import Names

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


def said_of(name: str, lowered: str, end: int) -> int:
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
