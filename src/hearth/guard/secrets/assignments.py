"""Secrets that a name beside them gives away: assignments, settings, flags, tables, sentences.

Patterns run over lower-cased text, start with a literal and look at a bounded neighbourhood: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from hearth.guard.secrets.company import has_partner, in_block, in_capitals, in_section
from hearth.guard.secrets.lines import is_among_settings, is_setting_line, name_before
from hearth.guard.secrets.names import BEFORE, COMMUNITY, keywords, names_secret, spaced
from hearth.guard.secrets.passwords import is_long_word, is_password, is_phrase, is_setting, is_typed, is_words
from hearth.guard.secrets.randomness import is_mashed, is_noise, is_random, is_scrambled
from hearth.guard.secrets.wrapped import is_login
from hearth.lazy import dataclass, regex

Span = tuple[int, int, str]
"""Half-open range of the text, and the name of the rule."""

# After a keyword: a harmless suffix, what closes a quoted or marked-up name, the separator, and ahead the value.
_TAIL = (
    r"s?(?P<tail>[_-]?(?:value|prod|production|dev|live|test|staging|main|admin|root|user|app|db|bd|wifi|old|new|raw"
    r"|base64|b64|base|primary|secondary|plain|clear|text|string|data|default|backup|server|client|readwrite|[0-9]{1,2}"
    r"|_for_[a-z_]{1,24}))?(?P<further>[_-](?!"
    r"file|path|dir|ur[il]|name|id|type|ttl|expir|len|min|max|count|polic|field|header|prefix|size|time|endpoint|alg|hash"
    r"|enable|require|reset|hint|label|placeholder|regex|pattern|format|issuer|audience|life|duration|age|days|com?m|env"
    r"|var|ref|arn|version|store|provider|manage|validat|change|auth|rounds|cost|charset|page|lock|protect|prompt)"
    r"[a-z0-9]{1,16}){0,2}"
)
_CLOSE = r"""["'`\\\]*)]{0,4}"""
_TYPE = r"(?::[ \t]{0,4}[a-z][a-z0-9_.|\[\]& ?]{0,24})?"
_ABOUT = r"(?:[ ](?:for|of|to|on|at|de|del|para|en|für)(?:[ ][^\s:=\"'`]{1,20}){1,3})?"
_SEPARATOR = (
    rf"(?P<separator>[ \t]{{0,24}}(?:{_TYPE}(?:=>|[:?]=|={{1,3}})|[:：]|<-|->|>|\||%3[ad])"
    r"[ \t]{0,8}\*{0,2}[ \t]{0,2}"
    r"(?:[|>][-+]?[ \t]{0,4}\n[ \t]{1,40})?"
    rf"|{_ABOUT}(?P<said>[ \t]{{1,4}}(?:is|es|was|era|ist|to)[ \t:]{{1,3}}|:[ \t]{{1,4}})"
    r"""|,?\s{1,40}["']?value["']?[ \t]{0,3}[:=][ \t]{0,3}"""
    r"""|[ \t][a-z:]{1,16}="[^"\n]{0,40}">|(?:/?>|</(?:key|name)>)\s{0,40}<(?:string|value|data)>"""
    r"""|(?<=["'])(?P<comma>,[ \t]{0,16})(?=["'])"""
    r"""|\r?\nv [0-9]{1,3}\r?\n"""
    r"""|[ ]\{[ ]get;[^{}=\n]{0,40}\}[ ]{1,4}=[ ]{1,4}"""
    r"""|[ \t]{0,4}:?[ \t]{0,4}\{[^{}]{0,200}?\bdefault"?[ \t]{0,16}[=:][ \t]{0,4}"""
    r"""|:\s{1,40}(?:[a-z]{1,20}:[^\n]{0,60}\n\s{1,20}){0,4}?default:[ \t]"""
    r"""|(?P<tuple>,[ \t]{0,4}(?=["']))"""
    r"|(?P<below>[ \t*:]{0,4}\r?\n\r?\n?[ \t]{0,4}(?:```[a-z]{0,12}\r?\n|`)[ \t]{0,4})"
    r"|(?P<space>[ \t]{1,40}(?P<type>[0-9][ ])?))"
)
_VALUE = (
    r"(?=(?P<prefix>(?:[brfu@]{1,2}(?=[\"'`\\]))?\\{0,3}(?:(?:base64|hex):|!![a-z]{1,8}[ ])?)(?:"
    r'"(?P<double>[^"\\\n]{@,256})\\{0,3}"'
    r"|'(?P<single>[^'\\\n]{@,256})\\{0,3}'"
    r"|`(?P<tick>[^`\\\n]{@,256})`"
    r"|\{(?P<braced>[a-z0-9+/=]{24,256})\}"
    r"""|(?P<bare>[^\s"'`,;<>()\[\]{}|&=:\\]{@,128})))"""
)
_REST = _TAIL + _CLOSE + _SEPARATOR + _VALUE
_FORMS = ("double", "single", "tick", "braced", "bare")
_LEAST = 6
"""Characters of a value, unless it stands where programs read logins: there four are enough."""

_BLANKS = 3
"""More of them between a name and a value are a column's."""
_PROGRAM = 3
"""Letters before "passwd" in the names of programs: ``gpasswd``, ``smbpasswd``."""
_SHORT = ("pw", "psk")
_IN_TUPLE = regex(r"\{[ \t]{0,4}[\w-]{0,40}$")
_FLAG = regex(r"(?:^|[\s\"'`])--[a-z0-9-]{0,40}$")
# Names and values with blanks between them, as in the connection strings of databases.
_LISTED_BEFORE = regex(r"(?<![\w-])(?:host|dbname|user|port|ip)=[^\s\"']{1,64}[ ](?:[a-z_]{1,20}=[^\s\"']{1,64}[ ])*$")
_ELEMENT = 4096
"""Characters of an element's text that are looked at for its end."""
_TYPED_LEAST = 8
_CHOSEN = regex(r"[\w!@#%^&*+?~.:;=|-]{8,64}")
_SIGN_LAST = regex(r"(?=\D{0,24}\d)[A-Za-z][\w@#$%^&+-]{4,24}[!?*]")
_SIGN = regex(r"\w[!@#%^&*+?~]")
_PASS_TO = regex("pass(?:es|code|e)?[^a-z]")
_NETRC = regex(r"(?:^|\n|[ \t])(?:machine[ \t]\S{1,80}|default)\s{1,8}login[ \t]\S{1,64}\s{1,8}$")
_FIRST = regex(r"(?:^|\n)[ \t]{0,8}(?:require|bind|root|master)_?$")
_STRUCTURE = regex(r"value|default|<|\nv")
_WITH = regex(r"\b(?:with|set|encrypted|there)[ ]{1,4}$")
_STATES = regex(r"\b(?:create|alter|grant|user|set|convertto-)[^\n]{0,60}$")
_NAME = regex(r"[\w.$-]*\Z")
_CALL = regex(r"""\([ \t]{0,4}["'][\w.:\-]{0,60}$""")
_SETS = regex(r"""(?:define|env|set\w{0,12}|put|add|const)\([ \t]{0,4}["'][\w.:\-]{0,60}$""", re.IGNORECASE)
_BARE_CODE = regex(r"[A-Za-z_][\w.]*")
_CONTINUES = regex(r"[^\s\"'`,;<>()\[\]{}|&\\]*")
_LINE_END = regex(r"[ \t]{0,8}(?:$|[\r\n]|#|//|<!--|&&|\\[\r\n])")
_ROW_END = regex(r"[`*]{0,3}[ \t]{0,40}\|[ \t]{0,8}(?:$|[\r\n])")
# After the value on a command line, where prose would go on with a word.
_COMMAND_GOES_ON = regex(r"""[ \t]{0,8}(?:$|[\r\n"'`|;&\\)]|[ \t]-{1,2}\w)""")


@dataclass(frozen=True, slots=True)
class _Pair:
    """A name and what may be its value, ``text[start:end]``."""

    rule: str
    literal: str
    match: re.Match[str]
    text: str
    start: int
    end: int
    quoted: bool

    @property
    def value(self) -> str:
        return self.text[self.start : self.end]

    @property
    def separator(self) -> str:
        return self.match["separator"]

    @property
    def before(self) -> str:
        """What stands before the name, in lower case."""
        return self.match.string[max(0, self.match.start() - BEFORE) : self.match.start()]

    @property
    def name(self) -> str:
        """What of the name stands before the keyword in its line; empty where the line begins with anything else."""
        return name_before(self.match.string, self.match.start()) or ""

    @property
    def is_line(self) -> bool:
        return is_setting_line(self.match.string, self.match.start(), self.end)

    @property
    def is_row(self) -> bool:
        """A row of a table that holds a name and a value, and nothing else."""
        return _ROW_END.match(self.text, self.end) is not None and not self.name.strip("*`_ ")

    @property
    def ends_line(self) -> bool:
        return _LINE_END.match(self.text, self.end) is not None


def assigned(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length; spans may overlap those of other scans."""
    for rule, literal, pattern in _patterns(lowered.isascii(), COMMUNITY in lowered):
        at = lowered.find(literal)
        if at >= 0:
            yield from _values(rule, literal, pattern.finditer(lowered, at), text)


@cache
def _patterns(ascii_only: bool, community: bool) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    known = keywords(ascii_only, community)
    return tuple((rule, literal, regex(keyword + _rest(rule))) for rule, literal, keyword in known)


def _rest(rule: str) -> str:
    return _REST.replace("@,", "4," if rule in ("password", "secret") else f"{_LEAST},")


def _values(rule: str, literal: str, matches: Iterator[re.Match[str]], text: str) -> Iterator[Span]:
    done = 0
    for match in matches:
        if match.start() < done or not _applies(rule, literal, match, text):
            continue
        form = next(form for form in _FORMS if match[form] is not None)
        start, end = match.span(form)
        if form == "bare":
            end = _bare_end(text, start, end)
        pair = _Pair(rule, literal, match, text, start, end, form != "bare")
        if _is_secret(pair):
            if not pair.quoted:
                end = _CONTINUES.match(text, end).end()  # type: ignore[union-attr]
            done = end
            yield start, end, rule if rule in ("password", "secret", "token", "key") else _NAMED[rule]


_NAMED = {"salt": "secret", "auth": "auth"}


def _bare_end(text: str, start: int, end: int) -> int:
    """Without the sentence's own punctuation; 0 for calls and subscripts."""
    if text[end : end + 1] in ("(", "["):
        return 0
    while end > start and text[end - 1] in ".:!?*_":
        end -= 1
    # "Winter2024!" keeps its sign.
    whole = _CONTINUES.match(text, end, end + 8).end()  # type: ignore[union-attr]
    signed = end < whole and (is_typed(text[start:whole]) or _ends_with_sign(text, start, whole))
    return whole if signed else end


def _ends_with_sign(text: str, start: int, end: int) -> bool:
    """``Passw0rd!`` at the end of a line; a sentence ends with a word."""
    return _LINE_END.match(text, end) is not None and _SIGN_LAST.fullmatch(text, start, end) is not None


def _applies(rule: str, literal: str, match: re.Match[str], text: str) -> bool:
    start = match.start()
    before = match.string[max(0, start - BEFORE) : start]
    if not names_secret(rule, literal, before) and not (literal in _SHORT and _begins_word(match, text)):
        return False
    if match["tuple"] is not None:
        return _IN_TUPLE.search(before) is not None
    if match["space"] is None:
        return True
    if len(match["space"]) > _BLANKS or rule != "password":
        return spaced(before) or name_before(match.string, start) is not None
    return True


def _begins_word(match: re.Match[str], text: str) -> bool:
    """``mysqlPwd``, and in names all of capitals ``DBRWPW``."""
    start = match.start()
    humped = text[start : start + 1].isupper() and text[max(0, start - 1) : start].islower()
    return humped or (text[start : start + 2] == "PW" and name_before(match.string, start) not in (None, ""))


def _is_secret(pair: _Pair) -> bool:
    value, quoted = pair.value, pair.quoted
    if pair.match["below"] is not None:
        return is_typed(value) or is_mashed(value) or is_random(value, 12)
    if pair.match["type"] is not None:
        return pair.ends_line and pair.rule in ("password", "secret") and is_setting(value)
    if len(value) < 4 or (pair.match["prefix"].startswith("f") and quoted and "{" in value):
        return False
    if pair.match["comma"] is not None and not (quoted and _CALL.search(pair.before)):
        return False
    if pair.rule == "password":
        return _is_named_password(pair)
    if pair.match["space"] is not None and not (spaced(pair.before) or pair.is_line):
        return False
    if pair.rule == "auth":
        if _FIRST.search(pair.before) and pair.ends_line:
            return is_setting(value)
        return is_login(value) or (pair.before.endswith("_") and is_random(value, 12 if quoted else 16))
    return (
        is_random(value, 10 if quoted else 16) or is_mashed(value) or (quoted and is_noise(value)) or _is_chosen(pair)
    )


def _is_chosen(pair: _Pair) -> bool:
    """A key or secret in a line of its own that a person typed, or that is too short to be known by its looks."""
    return not pair.match["further"] and _may_be_chosen(pair) and (pair.is_line or _is_flag(pair))


def _may_be_chosen(pair: _Pair) -> bool:
    value = pair.value
    secret = pair.literal in ("secret", "credential") or (pair.literal == "key" and pair.name.endswith("secret_"))
    if len(value) >= _TYPED_LEAST:
        if is_random(value, 10) or is_scrambled(value):
            return True
        typed = secret or ((pair.quoted or pair.literal == "salt") and _SIGN.search(value) is not None)
        if typed and _CHOSEN.fullmatch(value) and is_password(value, quoted=True):
            return True
    return secret and ("=" in pair.separator or _has_partner(pair)) and _is_named_password(pair)


def _has_partner(pair: _Pair) -> bool:
    return has_partner(pair.match.string, pair.match.start(), pair.end, listed=False)


def _is_flag(pair: _Pair) -> bool:
    """``--auth-secret=lantern``: no prose joins a word to a flag by a sign."""
    return pair.separator == "=" and _FLAG.search(pair.before) is not None


def _is_named_password(pair: _Pair) -> bool:
    value, said = pair.value, pair.match["said"]
    if _is_result(pair):
        return False
    if pair.match["further"]:
        return is_random(value, 10) or is_typed(value)
    if said is not None and " to" in said and _PASS_TO.match(pair.match.string, pair.match.start()):
        return False
    if pair.literal == "clave" and not (pair.match["tail"] or is_random(value) or _is_clave(value)):
        return False
    if pair.match["space"] is not None:
        return _is_after_blank(pair)
    if len(value) >= _LEAST and (_looks_like_password(pair) or (pair.quoted and is_noise(value))):
        return True
    return is_setting(value) and not _repeats_name(pair) and (_is_given(pair) or _is_in_place(pair))


def _is_result(pair: _Pair) -> bool:
    """``PASS: test_login2`` and what else testers and compilers write in capitals."""
    at = pair.match.start()
    name = pair.text[at : pair.match.start("separator")]
    if name != "PASS" or pair.name or "=" in pair.separator or pair.quoted:
        return False
    return not is_typed(pair.value) and not (is_random(pair.value) and pair.ends_line and "/" not in pair.value)


def _repeats_name(pair: _Pair) -> bool:
    """``self.auth_password = auth_password`` only hands a value on."""
    name = _NAME.search(pair.before)[0] + pair.match[0]  # type: ignore[index]
    return pair.value.lower() in name


def _is_given(pair: _Pair) -> bool:
    """``password = "rocket"``: code compares with texts and assigns them, labels of forms stand after a colon."""
    return pair.quoted and "=" in pair.separator and ">" not in pair.separator


def _is_after_blank(pair: _Pair) -> bool:
    value = pair.value
    if pair.is_line and _is_line_of_name_and_value(pair):
        return True
    if len(pair.match["space"]) > _BLANKS:
        return False
    if spaced(pair.before):
        goes_on = pair.quoted or _COMMAND_GOES_ON.match(pair.text, pair.end) is not None
        if is_password(value, quoted=pair.quoted) or (goes_on and len(value) >= 10 and is_long_word(value)):
            return True
        if _NETRC.search(pair.before) or (_FIRST.search(pair.before) and pair.ends_line):
            return is_setting(value)
    elif pair.quoted and (_WITH if pair.literal == "pass" else _STATES).search(pair.before):
        return is_setting(value)
    elif is_typed(value) or (any(map(str.isdigit, value)) and is_random(value, 14)):
        return True
    return is_setting(value) and _is_listed(pair)


def _is_line_of_name_and_value(pair: _Pair) -> bool:
    """``bindpw lantern``, ``password "lantern";``; a table of options goes on in prose."""
    compound = pair.name[-1:] in ("_", "-", ".") or len(pair.name) > _PROGRAM or pair.match["tail"] is not None
    compound = compound or pair.literal == "snmp"
    if pair.quoted:
        return is_setting(pair.value)
    return is_password(pair.value, quoted=compound) or (compound and is_setting(pair.value) and pair.ends_line)


def _is_listed(pair: _Pair) -> bool:
    """A line of a name, a blank and a value among others that name a user or a host."""
    first = pair.before.rpartition("\n")[2].strip() == ""
    end = pair.end + pair.quoted
    return (
        first
        and _LINE_END.match(pair.text, end) is not None
        and has_partner(pair.match.string, pair.match.start(), end, listed=True)
    )


def _is_clave(value: str) -> bool:
    """The word is also Spanish for the key of a table or of a question."""
    return (len(value) >= 8 and re.fullmatch(r"[^\W\d]+\d{0,2}", value) is None) or is_long_word(value)


def _looks_like_password(pair: _Pair) -> bool:
    value, separator, text = pair.value, pair.separator, pair.text
    if pair.match["comma"] is not None and not _SETS.search(pair.before):
        return is_typed(value) or is_random(value, 10)
    if pair.quoted:
        return is_password(value, quoted=True) or is_words(value) or is_phrase(value)
    if separator.strip() == ">" and not _is_element(pair):
        return False
    if "=" in separator and separator.strip() != separator:
        # An assignment in code, or a line of an .ini file.
        if is_random(value):
            return True
        plain = _BARE_CODE.fullmatch(value) is not None
        if plain and not (pair.ends_line and in_section(pair.match.string, pair.match.start()) and value.islower()):
            return False
        return is_password(value, quoted=False) or (pair.ends_line and is_words(value))
    if is_password(value, quoted=False):
        return True
    if pair.match["said"] is not None and ":" not in pair.match["said"]:
        return is_long_word(value)
    return _stands_alone(separator, text, (pair.start, pair.end)) and is_words(value)


def _is_element(pair: _Pair) -> bool:
    """``<password>…</password>``; a sentence may show a way (Password > Reset2) or a gap (<password>@host)."""
    # No further than texts of elements are long: a text without blanks may hold a pair every few characters.
    end = pair.text.find("<", pair.end, pair.end + _ELEMENT)
    if end < 0 or pair.value.startswith("@"):
        return False
    return _CONTINUES.fullmatch(pair.text, pair.end, end) is not None


def _stands_alone(separator: str, text: str, span: tuple[int, int]) -> bool:
    """Is a bare word all that was assigned? Code goes on with a call, an operator or a comma."""
    after = text[span[1] : span[1] + 1]
    if separator.strip() == "=" or "%3" in separator:
        before = text[max(0, span[0] - BEFORE) : span[0]]
        return after in ("", "\n", "\r", "&", '"', "'", "\\", "%", " ", "\t") or (after == ";" and ";" in before)
    if ">" in separator or "|" in separator:
        closed = after == "<" or "|" in text[span[1] : span[1] + 4]
        return after in ("<", " ", "\n", "\r") and ("\n" in separator or closed)
    return text[span[0] : span[1]].islower() and _LINE_END.match(text, span[1]) is not None


def _is_in_place(pair: _Pair) -> bool:
    """Does the pair stand where programs read logins?"""
    if pair.match["said"] is not None and ":" not in pair.match["said"]:
        return False
    if "|" in pair.separator:
        return pair.is_row and _has_partner(pair)
    if _is_flag(pair) or (pair.separator == "=" and _LISTED_BEFORE.search(pair.before)):
        return True
    if pair.value.isdigit() and pair.separator.strip() == ":" and pair.before.count('"') % 2 and '"' in pair.match[0]:
        return True
    closed = pair.text[pair.end : pair.end + 1] == ";" and ";" in pair.before
    if not pair.quoted and not (pair.ends_line or closed or _is_element(pair)):
        return False
    lowered, at = pair.match.string, pair.match.start()
    if _STRUCTURE.search(pair.separator):
        return True
    return (
        (pair.is_line and (pair.separator == "=" or is_among_settings(lowered, at, pair.end)))
        or in_capitals(pair.text, at, at + len(pair.literal))
        or in_section(lowered, at)
        or in_block(lowered, at, pair.end)
        or _has_partner(pair)
    )
