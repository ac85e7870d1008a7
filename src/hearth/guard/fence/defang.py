"""Makes inert what could carry data out when an untrusted text is rendered or repeated: images, links, live HTML."""

from __future__ import annotations

import re

from hearth.lazy import regex

_IMAGE = regex(r"(?<!\w)!\[")
_TARGET = regex(r"\](?=[(\[])")
_DEFINITION = regex(r"^((?:[^\S\n]|[>*+-])*+\[[^\]\n]{1,300}+\]):", re.MULTILINE)
_LIVE = regex(
    r"<(?=[\s/]{0,8}(?:img|image|i?frame|frameset|link|script|noscript|object|embed|applet|video|audio|source|track|svg|use"
    r"|math|meta|base|form|input|button|textarea|style|picture|portal|a|area|template|bgsound|xml|import)(?![\w-]))",
    re.IGNORECASE,
)
_OPEN = regex(r"<(?=[a-z!/?])", re.IGNORECASE)
# With whatever opens inside: attributes may hold brackets.
_TAG = regex(r"<[^>]*+")
_FETCHES = regex(
    r"""[\s"'/](?:src|srcset|srcdoc|href|xlink:href|action|formaction|poster|background|data|cite|ping|manifest|style"""
    r"""|on[a-z]{3,20})\s{0,8}=""",
    re.IGNORECASE,
)
_AUTOLINK = regex(r"<(?=[a-z][a-z0-9+.-]{1,30}:\S)", re.IGNORECASE)
_ADDRESS = regex(r"(?:http|ftp|ws)s?[^\S\n]?:[^\s<>\"'`|]*+", re.IGNORECASE)
_CARRIES = regex(r"[?=@{}$&]")
_SCHEME = regex(r"(?:http(?=s?[^\S\n]?:)|(?<=ftp):|(?<=ftps):|(?<=ws):|(?<=wss):)", re.IGNORECASE)
_SCRIPT = regex(r"\b(java\s?script|vb\s?script|livescript|blob|filesystem)\s{0,3}:(?=\S)", re.IGNORECASE)
_DATA = regex(r"\bdata:(?=[\w/+.=;-]{0,100}+,)", re.IGNORECASE)
_BASE64 = regex(r"(?<=;base64,)[\w+/=%-]{80,}+", re.IGNORECASE)


def defuse(text: str) -> str:
    """Still readable: ``![a](https://h/?q=1)`` becomes ``(image) [a] (hxxps://h/?q=1)``.

    Addresses that can carry data (a query, a user, a place to fill in) are written ``hxxps``, others stay; tags that
    fetch or run get brackets that aren't; base64 in ``data:`` addresses is left out.
    """
    text = _IMAGE.sub("(image) [", text)
    text = _TARGET.sub("] ", text)
    text = _DEFINITION.sub(r"\1 :", text)
    if "<" in text:
        text = _TAG.sub(lambda found: _OPEN.sub("‹", found[0]) if _FETCHES.search(found[0]) else found[0], text)
        text = _AUTOLINK.sub("‹", _LIVE.sub("‹", text))
    text = _SCRIPT.sub(r"\1∶", text)
    text = _BASE64.sub(lambda found: f"({len(found[0])} characters)", _DATA.sub("data∶", text))
    return _ADDRESS.sub(_defang, text)


def _defang(found: re.Match[str]) -> str:
    if _CARRIES.search(found[0]) is None:
        return found[0]
    return _SCHEME.sub(lambda scheme: "∶" if scheme[0] == ":" else "hxxp", found[0])
