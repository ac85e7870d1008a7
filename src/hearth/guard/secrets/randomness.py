"""Does a value look machine-made, or like a word, a name, a path or a stand-in for a secret? Base64 of text that
itself holds a secret, on one line or folded over several."""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from math import log2

from hearth.core.lazy import regex

PLACEHOLDER = regex(r"\[redacted:[a-z0-9-]{1,40}\]")

# Bits per character: random hexadecimal has about 3.5 at 32 characters, base 62 about 4.4; English names sit near 3.
_MIN_ENTROPY = 2.8
_MIN_DISTINCT = 8
_ENOUGH = 512
# Of 10,000 salts of 32 characters of 92 kinds 99 in 100 have four kinds of signs and 4 bits a character.
_NOISE, _NOISE_SIGNS, _NOISE_ENTROPY = 24, 4, 4.0
# Shorter ones must not pass for patterns and code, which have brackets.
_SHORT_NOISE, _SHORT_ENTROPY = 14, 3.4
_BRACKETS = regex(r"[()\[\]{}\\]")
# Letters alone: of 16 drawn by chance 90 in 100 score below, of 1,600 long words of notes 11, nearly all account names.
_SCRAMBLED = regex(r"[a-z]{12,64}|[A-Z]{12,64}|[A-Za-z]{12,64}")
_NO_WORD = -1.0

_STAND_IN = regex(
    r"example|placeholder|change[_-]?(?:me|this|it)(?![a-z])|goes[_-]?here|[a-z][_-]here$|replace[_-]?(?:me|with|this)|dummy|redacted|\byour[_-]?|[<{_-]your"
    r"|x{6}|(?<![a-z0-9])x{4}|x{4}(?![a-z0-9])|\*\*\*"
    r"|\.\.\.|…|[$#]\{|\{\{|\}\}|%\(|\$\(|environ|getenv|process\.env|<[a-z]|[a-z]>|0{8}|insert[_-]|secrets\.|vault:",
    re.IGNORECASE,
)
_NOT_A_VALUE = regex(
    r"[$%^]{0,2}(?:[A-Z_]++[0-9]{0,3}|(?=[A-Z0-9]{1,40}_)[A-Z][A-Z0-9_]*+)[%^]?|\$[A-Za-z_][A-Za-z0-9_]*|(.)\1*|[\W_]+"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|v?\d+(?:\.\d+)*"
    r"|(?:https?|file|ssh|git|s3|op|vault|bao|env|keyring|keychain|awssm|gcpsm|akv)://.*|(?:~|\.{1,2})?/[\w./-]*|[A-Za-z]:\\.*",
    re.DOTALL,
)
_HEX_OR_UUID = regex(r"(?:0x)?[0-9a-fA-F-]{16,}")
_DIGIT = regex(r"\d")
_SIGNED = regex(r"(?=.{0,40}[A-Za-z])(?=(?:[^0-9]{0,40}[0-9]){2})(?=\w{1,40}[@!#$%^&*])[\w@!#$%^&*]{10,64}")
_MASHED = regex(r"(?=[^0-9]{0,64}[0-9])(?=[^A-Za-z]{0,64}[A-Za-z])[A-Za-z0-9-]{32,128}|[a-z]{18,64}")
_MASHED_DISTINCT = 6
_RUN = regex(r"[A-Za-z0-9+]{16,}")

# How much likelier each pair of letters (row, then column, a to z) is in words and names than by chance, as a digit:
# 5.4 is chance and 0.9 is one bit. Counted over the words of Python's standard library and of ``examples/notes``,
# each word weighted by the logarithm of its frequency.
_LIKELY = (
    "56773463615877162878554452 64436311541633640553611152 73547437606643842657632150 64458432722533641565533241 "
    "75886664524778466988465753 52336630700513630645501030 53337245500545430654522012 72237212602332620435411030 "
    "66766661313779762677160506 30104000201000310020300000 42336233510413220353323020 74468432812733750366532160 "
    "75348210603453670354512040 73777683625545742478653230 55673552515778670866756422 73447434603732761756523050 "
    "10100000000100002130600000 84669453705565850777544150 63648446714544664478734251 74659537814554751776644263 "
    "56546541501667460767210100 62307100500121410220001000 62335204601314520553012100 43535402400321250226110431 "
    "33434221400345360355123022 30116001400100300011000011 "
)
_PAIRS = _LIKELY.split()
_CHANCE, _BIT = 5.4, 0.9
# In bits: words seldom change between letters and digits, or from small letters to a capital.
_DIGIT_CHANGE, _HUMP, _DIGITS = -2.0, -1.5, -0.3
# Of 2,000 names, paths and words with digits 95 in 100 score above this and most others are hashes;
# of random strings of 16 characters 99 in 100 score below, of 32 nearly all.
_RANDOM = -0.45


def is_stand_in(value: str) -> bool:
    """A documented gap (``<your-key>``, ``${TOKEN}``, ``xxxx``, ``example``) or one of our own placeholders."""
    return _STAND_IN.search(value) is not None or PLACEHOLDER.search(value) is not None


def is_varied(value: str) -> bool:
    """Enough different characters for a token whose prefix already names its issuer."""
    return len(set(value)) >= _MIN_DISTINCT and not is_stand_in(value)


def is_no_value(value: str) -> bool:
    """A constant's name, a variable, a path, an address, a date, a version, one character over and over."""
    return _NOT_A_VALUE.fullmatch(value) is not None


def is_random(value: str, minimum: int = 16) -> bool:
    """A machine-made token: long, varied, and not made of words."""
    value = value[:_ENOUGH]
    digit = _DIGIT.search(value) is not None
    # Cheap tests first: most values are words.
    if len(value) < minimum or not (digit or (len(value) >= 20 and _is_mixed(value))):
        return False
    # Base 64 may begin with a slash, as paths do.
    if is_no_value(value) and not (value.startswith("/") and digit and _is_mixed(value) and is_gibberish(value)):
        return False
    if entropy(value) < _MIN_ENTROPY or not is_varied(value):
        return False
    return (digit and _HEX_OR_UUID.fullmatch(value) is not None) or is_gibberish(value)


def is_noise(value: str) -> bool:
    """Drawn from all signs of a keyboard, as the salts of frameworks are: no text has so many kinds of them."""
    signs = {char for char in value if not char.isalnum() and char.isprintable()}
    if len(signs) < _NOISE_SIGNS or len(value) < _SHORT_NOISE:
        return False
    if len(value) < _NOISE:
        return entropy(value) >= _SHORT_ENTROPY and not _BRACKETS.search(value) and is_gibberish(value)
    return entropy(value) >= _NOISE_ENTROPY and is_gibberish(value)


def is_scrambled(value: str) -> bool:
    """Letters that make no word, as in passwords for programs that mail services hand out."""
    return _SCRAMBLED.fullmatch(value) is not None and likeness(value) < _NO_WORD and not is_stand_in(value)


def is_mashed(value: str) -> bool:
    """Typed rather than drawn: signs among letters and digits, or a long run of few characters that makes no word."""
    if is_stand_in(value) or is_no_value(value):
        return False
    if _SIGNED.fullmatch(value):
        return True
    return _MASHED.fullmatch(value) is not None and len(set(value)) >= _MASHED_DISTINCT and is_gibberish(value)


def is_gibberish(value: str) -> bool:
    """Its letters follow each other as by chance, over all or over one long piece."""
    return likeness(value) < _RANDOM or any(likeness(piece) < _RANDOM for piece in _RUN.findall(value))


def likeness(value: str) -> float:
    """Mean bits by which neighbouring characters are likelier in words and names than by chance; 0 without any."""
    bits, pairs = 0.0, 0
    before = ""
    for char in value:
        if before.isdigit():
            if char.isdigit():
                bits, pairs = bits + _DIGITS, pairs + 1
            elif char.isalpha():
                bits, pairs = bits + _DIGIT_CHANGE, pairs + 1
        elif "a" <= before.lower() <= "z" and char.isascii():
            if char.isdigit():
                bits, pairs = bits + _DIGIT_CHANGE, pairs + 1
            elif char.isalpha():
                bits, pairs = bits + _pair(before, char), pairs + 1
        before = char if char.isascii() else ""
    return bits / pairs if pairs else 0.0


def _pair(first: str, second: str) -> float:
    likely = int(_PAIRS[ord(first.lower()) - 97][ord(second.lower()) - 97])
    return (likely - _CHANCE) / _BIT + (_HUMP if first.islower() and second.isupper() else 0)


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits per character."""
    total = len(value)
    return -sum(count / total * log2(count / total) for count in Counter(value).values())


def _is_mixed(value: str) -> bool:
    return re.search(r"[a-z]", value) is not None and re.search(r"[A-Z]", value) is not None


_BASE64_RUN = regex(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_NEXT_LINE = regex(
    r"""["'\\+ \t]{0,8}(?:\\r)?(?:\\n["'+ \t]{0,8}\r?\n?|\r?\n)[ \t"'>+\\]{0,60}"""
    r"""(?P<line>[A-Za-z0-9+/]{1,128}+={0,2})(?![^\s"'\\,}])"""
)
_LOGIN = regex(r"[A-Za-z0-9+/_-]{8,512}={0,2}")
_FOLD = range(40, 129)
_PROBE = 32
_TEXT = 0.75
_URL_SAFE = str.maketrans("-_", "+/")
_DELETED = bytes(range(32, 127)) + b"\t\n\r"


def find_encoded_text(words: str) -> Iterator[re.Match[str]]:
    """The runs of base64 in ``words`` that begin like encoded text; the rest of each is not looked at."""
    for match in _BASE64_RUN.finditer(words):
        if _looks_like_text(_bytes(match[0][:_PROBE])):
            yield match


def unfold(text: str, start: int, end: int) -> tuple[str, int]:
    """The run of base64 at ``text[start:end]`` with the lines of the same length below it, and where the last ends."""
    lines = [text[start:end]]
    length = end - start
    while length in _FOLD and len(lines[-1]) == length and not lines[-1].endswith("="):
        found = _NEXT_LINE.match(text, end)
        if found is None or len(found["line"]) > length or len(found["line"]) % 4:
            break
        lines.append(found["line"])
        end = found.end("line")
    return "".join(lines), end


def decode(base64: str) -> str:
    """The text that it stands for; what is no text in it becomes replacement characters."""
    return _bytes(base64).decode("utf-8", "replace")


def is_login(base64: str) -> bool:
    """Does it stand for ``user:password``?"""
    if _LOGIN.fullmatch(base64) is None:
        return False
    user, colon, password = decode(base64).partition(":")
    return (
        colon != ""
        and len(user) > 1
        and len(password) > 1
        and (user + password).isascii()
        and (user + password).isprintable()
    )


def _bytes(base64: str) -> bytes:
    digits = base64.rstrip("=").translate(_URL_SAFE)
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return b64decode(digits + "=" * (-len(digits) % 4))


def _looks_like_text(data: bytes) -> bool:
    # Of random bytes 38 % are printable, so a share of text needs no decoding.
    return 1 - len(data.translate(None, _DELETED)) / len(data) >= _TEXT
