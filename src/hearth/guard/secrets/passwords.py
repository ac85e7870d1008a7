"""Is a value something that a person chose as a password? Asked only where its surroundings name one."""

from __future__ import annotations

import re
from unicodedata import combining, normalize

from hearth.core.lazy import regex
from hearth.guard.secrets.randomness import is_no_value, is_random, is_stand_in

_DIGIT = regex(r"\d")
_DIGIT_OR_SIGN = regex(r"[\d!@#$%^&*+?~]")
_LETTER = regex(r"[^\W\d_]")
# A sign inside a word that has a capital: no code or prose writes that.
_SIGN_INSIDE = regex(r"(?=.*[A-Z])\w[!@#$%^&*+?~]+(?:\w|$)")
_NAME_PART = regex(r"[._]|pass", re.IGNORECASE)
_NAMED = regex("passwor[dt]|contrase", re.IGNORECASE)
_IDENTIFIER = regex(r"[A-Za-z_][\w.-]*")

_LEAST_GIVEN = 6
"""Characters of a word in capitals."""
# Nobody types a password in these scripts: it is prose without blanks.
_FOREIGN = regex("[\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_SIGNED = regex(r"[!@#$%^&*]")
_PRODUCTS = frozenset(("1password", "1password7", "1password8"))
# ``password123`` is one; ``password1`` is the first of two fields of a form.
_NUMBERED = regex(r"[A-Za-z]\d{2,}$")
_NAMED_END = regex("(?<=[a-z])(?:password|passwd|passphrase|secret|pass|pwd)$")
_REFERENCE = regex(
    r"[a-z_]\w*(?:\.[a-zA-Z_]\w*)+|[a-z]+[A-Z]\w*\.\w+|[\w.$:>-]*\(.{0,80}\)?[;,]?(?<![\w!?])|.*::.*|-+|=+"
)

_TYPED = regex(
    r"[A-Z]?[a-z]{3,12}\d{2,8}[!#?*%$&@]{1,3}|[A-Z][a-z]{3,12}[!#*%$&@]\d{2,8}"
    r"|(?=.{0,30}[a-z])(?=.{0,30}[A-Z])(?=.{0,30}\d)[\w#%^&+*-]{9,32}[!?]"
)
# A word with figures or signs behind it or in it: ``Winter2024!``, ``blue_goose77``, ``Tr0ub4dor``.
_CHOSEN = regex(
    r"[A-Za-z]{4,16}(?:[-_.]?[A-Za-z]{3,16})?\d{2,6}[!?#*%$&@+]{0,3}|[A-Z][a-z]{3,16}[!#*%$&@_.-]\d{2,8}[!?#*]?"
    r"|(?=[^A-Z]*[A-Z])[A-Za-z]{1,6}(?:[0134579!@$][A-Za-z]{1,8}){1,4}[0-9!@$]{1,6}"
)
_LEAST_CAPITALS = 10
_SWAPPED = regex(r"[A-Za-z][0-9!@#$%^&*+=?]{1,3}[A-Za-z]|\d[!@#$%^&*?]{1,3}[A-Za-z]|[A-Za-z]\d+[!?#*%$&@+]")
_PASSPHRASE = regex(r"[a-z]{3,12}(?:-[a-z]{3,12}){3,7}")
_TECHNICAL = regex(
    r"[/\\:(){}\[\]<>=,;@]|^[#^]|&#|\?[a-z]\?|v\d{1,2}$|ntlm|\.[a-z]{1,5}\d?$|\d\.\d|^-|^(?:[a-z]+-)?(?:sha|md|aes|rsa|ecdsa|dsa|ed|curve|chacha|poly|blake|argon"
    r"|bcrypt|pbkdf|base|utf|iso|rfc|cve|http|oauth|ipv|win|windows|server|office|ubuntu|debian|fedora|centos|macos|ios"
    r"|android|python|java|node|php|ruby|mysql|postgres|postgresql|mariadb|mongo|redis|elastic|sql|keepass|step|page|line"
    r"|chapter|figure|table|issue|version|python|vs|visual|studio|photoshop|excel|word|log|user|admin|host|node|web|app"
    r"|db|int|uint|float|char|vlan|eth|port|slide|week|day|lab|test|example|sample|room|team|group|class|level|unit|part"
    r"|phase|stage|build|release|model|gpt|claude|llama|opus|sonnet|gemini)[-_]?\d",
    re.IGNORECASE,
)
_LETTERS = regex(r"[a-z]{8,64}|[A-Z]?[a-z]{7,64}|(?:[A-Z][a-z]{2,12}){3,6}")
_JOINED = regex(r"[a-z]{2,12}(?:[-_.+][a-z]{2,12}){3,7}", re.IGNORECASE)
_SPACED = regex(r"[a-z]{3,12}(?: (?:[a-z]{3,12}|\d{1,4})){3,7}")
# Names of the thing, of its kinds and of what one does with it, in the languages of its names: no password holds one.
_ABOUT = regex(
    r"pass(?!i[ov]|e[nr])|contrase|wachtwoord|losenord|kennwort|secret|token|credent|crypt|plaintext|cleartext|string|option"
    r"|require|mandator|default|unknown|missing|invalid|incorrect|forgot|expire|confirm|verif|generat|random|manager|provid"
    r"|config|setting|hidden|sensitive|protect|strength|undefined|boolean|integer|obligat|olvid|ingres|usuario|variable"
    r"|environ|example|dummy|foobar|localhost|postgres|account|kerberos|number|prompt|support|something|anything|nothing",
    re.IGNORECASE,
)
_PART = regex(r"[A-Z]?[a-z]+|[A-Z]+")
_PARTS = (
    "hash hashed char chars type types value values param params field fields input inputs wrong valid repeat "
    "reset change changed update enter login logon signin user users admin root enable enabled disable disabled "
    "visible mask masked secure strong length policy rule rules store stored storage vault file object none null "
    "true false empty blank self return const await async lambda function class array senha clave parol parola "
    "heslo haslo sifre jelszo salasana kodeord codigo text plain clear bytes written everything available sample "
    "internal external public private unset omitted below above already mysql redis database server client shared "
    "same http https basic bearer oauth with and for not "
)
_ABOUT_PARTS = frozenset(_PARTS.split())
# Names of the thing in the languages of forms, types, and what stands for no value.
_NAMES = (
    "password passwords passwd passphrase passcode pass pwd pw passwort contrase contrasea contrasena kennwort "
    "wachtwoord salasana losenord passord kodeord adgangskode haslo heslo parola parole senha sifre jelszo geslo "
    "lozinka parool sandi clave secret secrets token tokens key keys credential credentials string str text int "
    "integer boolean bool number varchar char undefined null none true false empty blank optional required default "
    "unknown hidden masked omitted redacted unset prompt encrypted plaintext md sha bcrypt hash value type input "
    "username email login object array example test dummy sample fake foo bar baz any must should will can is not "
)
_QUALIFIERS = "my new old current db app auth your generated provided confirm "
_SPOKEN = frozenset(_NAMES.split())
_SAID = _SPOKEN | _ABOUT_PARTS | frozenset(_QUALIFIERS.split())
_ENDS_LIKE_A_WORD = regex(
    r"(?:tion|sion|ing|ed|ly|able|ible|ment|ness|ity|ous|ive|al|ful|less|ical|ency|ance|ence|ship|wise|ado|ido|mente|dad|ure|ory|ary|ogy|phy"
    r"|ismo)s?$",
    re.IGNORECASE,
)
_GRAMMAR = (
    "the and or not must should may can will with without for from to in on of at by is are be was has have had "
    "this that your you our their his her its my we they it least more than when where what who how all any each "
    "if then please con para por del los las una que "
)
_SMALL_WORDS = frozenset(_GRAMMAR.split())
_PHRASE = regex(r"[\w'&+-]{1,16}[,.!]?(?: [\w'&+.-]{1,16}[,!]?){1,7}")
_SAYINGS = (
    "must should may can will your you our please enter type set use is are be was has have had this that if"
    " then when at least"
    " than more not no invalid required optional new current old show hide forgot mindestens zeichen bitte geben"
    " ihr ihre"
    " eingeben wählen ist sind muss darf nicht kein keine caractères caracteres votre vous doit entrez saisir"
    " debe su introduzca"
    " deve inserire inserisci caratteri digite moet uw voer minst tecken ange merkkiä syötä anna ваш введите символов"
    " characters minimum maximum length digits letters bits bytes days minutes seconds version"
)
_SAYING = frozenset(_SAYINGS.split())
_POINTERS = (
    "see ask in on from for or via per the stored kept found saved generated siehe beim oder fragen"
    " voir dans ou ver en zie bij se finns katso tai у в или см. in the"
)
_POINTING = frozenset(_POINTERS.split())


def is_password(value: str, *, quoted: bool) -> bool:
    """Letters with digits or signs, no words alone."""
    if len(value) < 6 or " " in value:
        return False
    if not _DIGIT_OR_SIGN.search(value):
        return is_random(value)
    if value.isdigit():
        return quoted
    if is_no_value(value) or is_stand_in(value) or _is_foreign(value) or value.lower() in _PRODUCTS:
        return False
    if is_random(value):
        return True
    digit = _DIGIT.search(value) is not None
    if _IDENTIFIER.fullmatch(value):
        named = _NAMED.search(value) is not None and not _NUMBERED.search(value)
        return digit and not named and (quoted or not _NAME_PART.search(value) or is_random(value, 10))
    return (digit and _LETTER.search(value) is not None) or _SIGN_INSIDE.search(value) is not None


def is_setting(value: str) -> bool:
    """Anything that can be a password, for places where nothing else stands.

    Not a gap, a type, a constant, nor a name that only speaks of passwords: ``db_password``, ``passwordHash``.
    """
    if not 4 <= len(value) <= 128 or value[0] in "$%@&*<>{[(":
        return False
    # First, as it costs least: each word of such prose is followed by much that would be read again and again.
    if _is_foreign(value) and not value.isdigit():
        return False
    if _is_spoken_phrase(value) or (" " in value and not is_phrase(value)):
        return False
    if value.isdigit():
        return True
    return not (is_no_value(value) or is_stand_in(value) or _REFERENCE.fullmatch(value) is not None)


def is_given(value: str) -> bool:
    """Whatever stands where a program reads nothing but a secret: words in capitals, too."""
    if is_setting(value):
        return True
    bare = value.isascii() and value.isalnum() and value.isupper() and len(value) >= _LEAST_GIVEN
    return bare and not _is_spoken_phrase(value.lower()) and not is_stand_in(value)


def _is_foreign(value: str) -> bool:
    return not value.isascii() and _FOREIGN.search(value) is not None


def _is_spoken_phrase(value: str) -> bool:
    """Words that speak of passwords, also run together (``newpassword``), with one digit at most."""
    if not value.isascii():
        value = "".join(char for char in normalize("NFD", value) if not combining(char))
    if _SIGNED.search(value):
        return False
    parts = [part.lower() for part in _PART.findall(value)]
    plain = [_NAMED_END.sub("", part) or part for part in parts]
    numbers = _DIGIT.findall(value)
    is_spoken = _SAID.issuperset(plain) and (plain != parts or not _SPOKEN.isdisjoint(parts))
    return bool(parts) and is_spoken and (not numbers or (len(numbers) == 1 and value[-1].isdigit()))


def is_words(value: str) -> bool:
    """Words run together or joined, as in ``correcthorsebattery`` and ``correct-horse-battery-staple``.

    One word is enough, but none that speaks of passwords: ``required``, ``string``, ``forgotten``.
    """
    if _LETTERS.fullmatch(value) or _JOINED.fullmatch(value):
        return not _is_about(value) and not is_stand_in(value)
    return False


def speaks_of_passwords(value: str) -> bool:
    """Words of forms and messages: ``Mandatory``, ``unchanged``."""
    return _ABOUT.search(value) is not None


def _is_about(value: str) -> bool:
    return _ABOUT.search(value) is not None or not _ABOUT_PARTS.isdisjoint(map(str.lower, _PART.findall(value)))


def is_phrase(value: str) -> bool:
    """Four to eight small words, or figures after the first, with blanks that make no sentence."""
    return _SPACED.fullmatch(value) is not None and not holds_small_words(value.split()) and not _is_about(value)


def is_passphrase(value: str) -> bool:
    """Two to eight words with blanks, where a password stands: no sentence that speaks of one."""
    words = value.lower().split()
    if not _PHRASE.fullmatch(value) or _is_about(value) or is_stand_in(value):
        return False
    return words[0] not in _POINTING and _SAYING.isdisjoint(word.strip(",.!'") for word in words)


def stands_out(value: str) -> bool:
    """Can it hardly be anything but a password, wherever it stands? A name, a version or an algorithm is none."""
    value = value.strip("*_")
    if len(value) < 7 or not value.isascii() or _TECHNICAL.search(value) or is_no_value(value) or is_stand_in(value):
        return False
    if value.lower() in _PRODUCTS or _is_spoken_phrase(value):
        return False
    if _CHOSEN.fullmatch(value) or _PASSPHRASE.fullmatch(value):
        return True
    if value.isupper() and (not value.isalnum() or len(value) < _LEAST_CAPITALS):
        return False  # a constant, a product
    return is_random(value, 8) or (count_kinds(value) > 3 and _SWAPPED.search(value) is not None)


def count_kinds(value: str) -> int:
    """How many of small letters, capitals, digits and signs."""
    return sum(any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit)) + (not value.isalnum())


def holds_small_words(words: list[str]) -> bool:
    """Does one of them make it a sentence?"""
    return not _SMALL_WORDS.isdisjoint(words)


def is_long_word(value: str) -> bool:
    """Words run together, told from a long word of the language by length and ending: what prose may hold."""
    long = _LETTERS.fullmatch(value) is not None and len(value) >= 14 and not _ENDS_LIKE_A_WORD.search(value)
    return (long or _JOINED.fullmatch(value) is not None) and not _is_about(value)


def is_typed(value: str) -> bool:
    """A word, digits and a sign, as in ``Winter2024!``: shaped like a password even where nothing sets it off."""
    return _TYPED.fullmatch(value) is not None
