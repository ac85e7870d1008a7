"""What may follow a name and lead to its value: ``=``, ``:``, a call, an element, an attribute, a link."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.core.lazy import dataclass, regex
from hearth.guard.secrets.passwords import is_typed
from hearth.guard.secrets.randomness import is_gibberish, is_random, is_stand_in
from hearth.guard.secrets.rules import Places, Span, matches
from hearth.guard.secrets.surroundings import name_before

_BEFORE = 64
_LEFT = regex(r"[\w.$-]*")
_NAME = regex(r"[\w.$-]*")
_PREVIOUS = regex(r"(?:^|[^\w])((?:[A-Za-z]{2,16}[ ]){1,2})$")

_CLOSE = r"""(?:["'`\\\]*_]{0,4}|["']?\][ ]?|\}(?=[ ]{2}|\t))"""
_OPEN = (
    r"""(?P<open>(?:[brfuLRNE@]{1,2}(?=["'`]))?\\{0,3}(?:base64:|hex:|!![a-z]{1,8}[ ]|&[\w-]{1,24}[ ]|<<(?="))?"""
    r"""(?P<quote>\"\"\"|\'\'\'|["'`“„«»「]|\*\*(?=\w))?(?:(?<=["'])(?:base64|hex):)?)"""
)
_ABOUT = (
    r"(?:[ ](?:for|of|to|on|at|in|de|del|para|en|für|zum|zur|fürs|im|från|till|til|di"
    r"|do|du|da|des|voor|van|od|dla|pour|sur|för|для|от|к)"
    r"(?:[ ][^\s:=\"'`(){}<>;,.]{1,20}){1,3}|[ ]\([^()\n]{1,24}\))?"
)
_SHAPES = (
    r"""(?P<attribute>(?:[ ]{1,4}[\w:-]{1,24}=["'][^"'\n]{0,60}["']){0,3}"""
    r"""\s{1,40}(?:value|content|val|data|default)=(?=["']))""",
    r"""(?P<element>(?:(?:[ ][\w:-]{1,24}="[^"\n]{0,60}"){0,3}>"""
    r"""|</[\w.:-]{1,24}>\s{0,60}<[\w.:-]{1,24}(?:[ ][\w:-]{1,24}="[^"\n]{0,60}"){0,2}>)"""
    r"""(?:\s{0,8}<[Vv]alue>)?(?:<!\[CDATA\[)?)""",
    # A type between: Go, Rust, TypeScript, C.
    r"(?P<typed>(?<![\"'\]`])[ \t]{0,4}(?:\[\d{0,4}\]|[ ]?[:?]{1,2}[ ]?[&A-Za-z][\w.\[\];|&<>' ?]{0,32}"
    r"|[ ][a-z*&\[\]]{1,12})[ ]?:?=[ ]?[*]?(?=[\"'`@bLR])"
    r"|[ ]\{[ ]get;[^{}=\n]{0,40}\}[ ]{1,4}=[ ]{1,4})",
    # A name and a value that say so, on lines of their own.
    r"""(?P<nested>(?:,|(?=\s))\s{0,40}["']?(?:[Pp]arameter_?)?[Vv]alue["']?[ \t]{0,3}[:=][ \t]{0,3}"""
    r"""|\r?\nV [0-9]{1,3}\r?\n"""
    r"""|[ \t]{0,4}:[ \t]{0,2}(?:\{\s{0,20}"[\w.:/-]{1,60}"\s{0,2}:|\[)\s{0,20}(?=")"""
    r"""|[ \t]{0,4}:?[ \t]{0,4}\{[^{}]{0,200}?\b[Dd]efault"?[ \t]{0,16}[=:][ \t]{0,4}"""
    r"""|:\s{1,40}(?:[A-Za-z]{1,20}:[^\n]{0,60}\n\s{1,20}){0,4}?Default:[ \t]"""
    r"""|:[ \t]{1,4}[|>][-+]?[ \t]{0,4}\n[ \t]{1,40})""",
    r"(?P<below>[ \t*:]{0,4}\r?\n\r?\n?[ \t]{0,4}(?:```[a-z]{0,12}\r?\n|`)[ \t]{0,4})",
    r"""(?P<fallback>["'})\]]{0,3}(?:[ ]?(?:\|\||\?\?|//|or)[ ]?(?=["'])|:-))""",
    # Several: in brackets, or one a line.
    r"""(?P<listed>[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}[\[(]\s{0,24}(?=["'])|:[ \t]{0,8}\r?\n[ \t]{0,24}-[ ])""",
    r"(?P<assigned>[ \t]{0,40}(?:=>|:=|\?=|\+=|={1,3}|<-|->)[ \t]{0,16}(?:\\\r?\n[ \t]{0,24})?)",
    r"(?P<escaped>%3[dD])",
    r"""(?P<call>\([ ]?(?=["'`@r]))""",
    r"""(?P<comma>[ ]?,[ \t]{0,16}(?=["'`]|<<"))""",
    r"(?P<cons>[ ]\.[ ])",
    r"(?P<cell>[ \t]{0,40}[|][ \t]{0,8})",
    r"(?P<by>(?:[ ](?:with|WITH)[ ][\w']{1,40}[ ](?:by|as|BY|AS)|[ ](?:by|BY))[ ](?:PASSWORD[ ])?(?=[\"']))",
    rf"(?P<colon>{_ABOUT}[ \t]{{0,24}}[:：](?![:=])[ \t]{{0,24}}\*{{0,2}}[ ]?)",
    rf"(?P<is>{_ABOUT}[ \t]{{1,4}}(?:is|was|are|es|era|ist|war|lautet|lauten|sind|è|é|était|est|fue|foi"
    r"|sono|är|er|var|on|oli|to|pra|para|je|było|był[ay]?|changed to|это|был[аои]?)"
    r"(?:[ ](?:now|jetzt|still|ahora|nyt|nu|teraz|again))?(?:[ ]?:?\r?\n[ \t]{0,8}|[ :]{1,3}))",
    r"(?P<blank>[ \t]{1,40})",
)
_SHAPE = regex(_CLOSE + "(?:" + "|".join(_SHAPES) + ")" + _OPEN)
_QUOTED = {
    quote: regex(rf"(?:[^{re.escape(end[0])}\n\\]|\\[^\n]){{3,2048}}(?={re.escape(end[0])})")
    for quote, end in (
        ('"', '"'), ("'", "'"), ("`", "`"), ('"""', '"'), ("'''", "'"),
        ("“", "”"), ("„", "“"), ("«", "»"), ("»", "«"), ("「", "」"), ("**", "*"),
    )
}  # fmt: skip
_ESCAPED = regex(r"""[^"'`\\\n]{3,256}(?=\\)""")
_LINE_END = regex(r"""["'`*)\]}]{0,4}[,;.]{0,2}[ \t]{0,16}(?:$|[\r\n]|#|//|<!--|--[ ]|&&|\\[\r\n])""")
_BARE = {
    "query": regex(r"""[^\s"'`&<>,;|)\]}\\]{3,256}"""),
    "element": regex(r"""[^\s<>](?:[^\n<>]{1,200}[^\s<>])(?=\s{0,40}<)|[^\s<>\]]{3,512}(?=\]\]>)"""),
    "line": regex(r"""[^\s"'`<>|,;(){}\[\]\\]{3,256}"""),
}
_SIGN_LAST = regex(r"(?=\D{0,24}\d)[A-Za-z][\w@#$%^&+-]{4,24}[!?*]")
_ANY_SIGN_LAST = regex(r"[^\W\d][\w@#$%^&+-]{4,24}[!?*]")
_WORDS = regex(r"(?P<words>(?:[ ][\w'&+.!-]{1,16}){1,7})[ \t]{0,8}(?=$|[\r\n])")
_QUOTE_NEEDED = ("typed", "attribute", "call", "comma", "by")


@dataclass(frozen=True, slots=True)
class Name:
    """``text[first:last]``; ``before`` is what stands before it in its line, at most ``_BEFORE`` characters."""

    text: str
    first: int
    last: int
    before: str

    @property
    def own(self) -> str:
        return self.text[self.first : self.last]

    @property
    def label(self) -> str:
        """With the words before one that needs them: ``api key``."""
        own = self.own
        previous = _PREVIOUS.search(self.before) if self.before[-1:] == " " and own.isalpha() else None
        return previous[1] + own if previous else own

    @property
    def is_quoted(self) -> bool:
        return self.text[self.last : self.last + 1] in ("'", '"', "`")

    @property
    def starts_bare(self) -> bool:
        return not self.before.strip(" \t*_`>#-")


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name and what may be its value, ``text[start:end]``."""

    text: str
    lowered: str
    name: Name
    start: int
    end: int
    shape: str
    joint: str
    quote: str

    @property
    def value(self) -> str:
        return self.text[self.start : self.end]

    @property
    def starts_line(self) -> bool:
        return name_before(self.lowered, self.name.first) is not None

    @property
    def ends_line(self) -> bool:
        return _LINE_END.match(self.text, self.end + len(self.quote)) is not None


def bounds_of(text: str, place: int) -> tuple[int, int]:
    """Where the name that holds ``place`` begins and ends."""
    near = text[max(0, place - _BEFORE) : place]
    first = place - _LEFT.match(near[::-1]).end()  # type: ignore[union-attr]
    last = _NAME.match(text, place, place + _BEFORE).end()  # type: ignore[union-attr]
    while last > place and text[last - 1] in ".-$":
        last -= 1
    while first < place and text[first] in ".-$":
        first += 1
    return first, last


def name_at(text: str, first: int, last: int) -> Name:
    least = max(0, first - _BEFORE)
    return Name(text, first, last, text[max(least, text.rfind("\n", least, first) + 1) : first])


def pair_of(text: str, lowered: str, name: Name) -> NamedValue | None:
    """The pair of ``name``; None where nothing that follows it leads to a value."""
    shape = _SHAPE.match(text, name.last)
    if shape is None:
        return None
    kind = next(kind for kind, found in shape.groupdict().items() if found is not None)
    quote = shape["quote"] or ""
    if kind in _QUOTE_NEEDED and not quote:
        return None
    form = _form(text, name.first, shape, kind, quote)
    value = form.match(text, shape.end())
    if value is None:
        return None
    end = value.end() if quote or kind == "element" else _bare_end(text, *value.span(), kind)
    return NamedValue(text, lowered, name, value.start(), end, kind, shape[kind], quote)


def phrase_of(pair: NamedValue) -> NamedValue | None:
    """The pair with all words up to the end of its line, where its value has no quotes."""
    if pair.quote or pair.shape not in ("colon", "assigned"):
        return None
    line = _WORDS.match(pair.text, pair.end)
    if line is None:
        return None
    return NamedValue(pair.text, pair.lowered, pair.name, pair.start, line.end("words"), pair.shape, pair.joint, "")


def _bare_end(text: str, start: int, end: int, kind: str) -> int:
    """Without the sentence's own punctuation; ``Winter2024!`` keeps its sign."""
    last = end
    while last > start and text[last - 1] in ".:!?*_":
        last -= 1
    sign = _SIGN_LAST if kind in ("is", "blank") else _ANY_SIGN_LAST
    signed = is_typed(text[start:end]) or (_LINE_END.match(text, end) and sign.fullmatch(text, start, end))
    return end if signed else last


def _form(text: str, first: int, shape: re.Match[str], kind: str, quote: str) -> re.Pattern[str]:
    if quote:
        return _ESCAPED if "\\" in shape["open"] else _QUOTED[quote]
    if kind == "element":
        return _BARE["element"]
    return _BARE["query" if text[max(0, first - 1) : first] in ("?", "&") and first else "line"]


_QUERY = regex(
    r"[?&](?:code|ticket|assertion|samlresponse|id_token|invite|magic|reset|confirm)=(?P<secret>[\w./~+%-]{20,2048})",
)
_PATH = regex(
    r"/(?:reset|confirm|verify|invit|activat|unsubscrib|magic|token|password|passwort|signup|one-time)"
    r"[a-z_-]{0,20}/(?P<secret>[\w.~-]{20,512})"
)
_HEX = regex(r"(?:0x)?[0-9a-fA-F]{40}|[0-9a-f]{64}")
# The target of a link in a text for readers.
_TARGET = regex(r"(?:\]\(|\]: |<|\[\[)https?://[^\s<>()\[\]]{1,600}$")
_REACH = 640


def find_links(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "://" not in text and "GET /" not in text and "POST /" not in text:
        return
    for pattern in (_QUERY, _PATH):
        for match in pattern.finditer(lowered):
            secret = text[slice(*match.span("secret"))]
            if is_random(secret, 20) and not _HEX.fullmatch(secret):
                yield *match.span("secret"), "token"


def in_link(text: str, at: int) -> bool:
    """Does ``at`` stand in the address of a link that a text shows its readers?"""
    first = max(text.rfind("\n", max(0, at - _REACH), at) + 1, at - _REACH)
    return _TARGET.search(text, first, at) is not None


_RULE = "aws-secret"
# Slashes are escaped in some JSON, slashes and pluses in addresses.
_SECRET = r"(?P<secret>(?:[A-Za-z0-9+/]|\\/|%2[BFbf]){40})(?![A-Za-z0-9+/=_%-]|\\/)"
# Of the kinds of ids, those that have a secret.
_IDS = ("AKIA", "ASIA")
_ID = regex(rf"(?:{'|'.join(_IDS)})[A-Z0-9]{{16}}(?![A-Za-z0-9])(?:(?:/|\\/|%2[Ff]){_SECRET})?")
# What ends an escape is a letter, too.
_NEAR_ID = regex(rf"(?:(?<![A-Za-z0-9+/_-])|(?<=\\[nrt])|(?<=%3[Aa])|(?<=%2[Cc])){_SECRET}")
_WIDEST = 3 * 40 + 2
"""Of a secret with every sign escaped, and of what is looked at after it."""
_AROUND_ID = 300
_EMPTY = " \t\r\n>"

_SAID = (
    r"""s?["'`*_)\]\\]{0,4}"""
    r"""(?:[ \t]{0,3}(?:[:=→>|,]{1,3}|[ \t]-{1,2}>?[ \t])[\s"'`*\\]{0,8}"""
    r"""|(?:[ \t]{1,2}(?:is|es|was|era))?[\s"'`*\\]{1,8})(?:\\[nrt])?"""
) + _SECRET
_NAMED = tuple((literal, regex(word + _SAID)) for literal, word in (("secret", "secret[oa]?"), ("key", "key")))
_HARMLESS = regex(r"(?:primary|foreign|public|pub|host|cache|sort|partition|row|index|lookup|idempotency)[_\- .]?$")
_OWNER = 24

_HEX_ALONE = regex("[0-9A-Fa-f]+")
_MIXED = regex(r"(?=.*[a-z])(?=.*[A-Z]).*[0-9+/]", re.DOTALL)


def access_keys(text: str, lowered: str, places: Places) -> Iterator[Span]:
    """Secret keys in the lines of an access key id and beside it, and after "secret" or "key".

    ``lowered`` is ``text`` in lower case with the same length; spans may overlap.
    """
    if any(start in text for start in _IDS):
        for match in _ID.finditer(text):
            if match["secret"] is not None:
                yield from _judge(match, text)
        for start, end in _neighbourhoods(text):
            yield from _within(text, start, end)
    for literal, pattern in _NAMED:
        for match in matches(pattern, literal, lowered, places):
            harmless = _HARMLESS.search(lowered, max(0, match.start() - _OWNER), match.start())
            if not harmless and not (literal == "key" and in_link(text, match.start())):
                yield from _judge(match, text)


def _within(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _NEAR_ID.finditer(text, start, end + _WIDEST):
        if match.start() < end:
            yield from _judge(match, text)


def _judge(match: re.Match[str], text: str) -> Iterator[Span]:
    start, end = match.span("secret")
    value = re.sub(r"\\/|%2[Ff]", "/", text[start:end])
    if _MIXED.match(value) and not _HEX_ALONE.fullmatch(value) and is_gibberish(value) and not is_stand_in(value):
        yield start, end, _RULE


def _neighbourhoods(text: str) -> Iterator[tuple[int, int]]:
    """Disjoint ranges: the lines of ids, with the line above and the line below that aren't empty."""
    end = 0
    for match in _ID.finditer(text):
        start, end = max(end, _above(text, match.start())), _below(text, match.end())
        yield start, end


def _above(text: str, at: int) -> int:
    least = max(0, at - _AROUND_ID)
    line = max(least, text.rfind("\n", least, at))
    above = least + len(text[least:line].rstrip(_EMPTY))
    return max(least, text.rfind("\n", least, above))


def _below(text: str, at: int) -> int:
    most = min(len(text), at + _AROUND_ID)
    line = text.find("\n", at, most)
    if line < 0:
        return most
    below = most - len(text[line:most].lstrip(_EMPTY))
    line = text.find("\n", below, most)
    return line if line >= 0 else most
