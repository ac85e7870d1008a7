"""The text of a file: UTF-8, UTF-16 by its mark, and older encodings where the bytes can mean nothing else."""

from __future__ import annotations

import codecs

from hearth.core.lazy import dataclass, regex

_BINARY_PROBE = 8_192
_BOMS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# So many bytes tell the encoding, whole lines of them.
_PROBE = 64 * 1024
# A character of several bytes in UTF-8: beside it single bytes are damage, and no older encoding.
_SEQUENCE = regex(rb"[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}")
# Bytes that decoding left as they are.
_INVALID = regex("[\udc80-\udcff]")
_HIGH = regex("[^\x00-\x7f]")
_KANA = regex("[\u3041-\u30ff]")
# The thousands of Han in daily use that GB2312 has, and the punctuation beside them.
_HAN = regex("[\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e“”‘’—…·]")
_LATIN = regex("[A-Za-z][\u00c0-\u00ff]|[\u00c0-\u00ff][A-Za-z]|[‘’“”„–—…€°§ß«»©®½]")
_FEWEST_KANA, _FEWEST_HAN = 0.3, 0.97
_LEAST_WIDE, _LEAST_LATIN, _MOST_SEQUENCES = 8, 0.9, 0.01
# Payloads in a text: base64 and hexadecimal, minified code, source maps. They say nothing and match anything.
_LONG_WORD, _LONG_LINE = 60, 1_000
_PAYLOADS = regex(
    rf"(?<![\w+/=-])[A-Za-z0-9+/_=-]{{200,}}(?![\w+/=-])"
    rf"|(?:^[ \t>]*[A-Za-z0-9+/]{{{_LONG_WORD},}}={{0,2}}[ \t]*\r?$\n?){{4,}}|^[!-~ ]{{{_LONG_LINE}}}[^\n]*$",
    8,  # MULTILINE
)
# What minified code begins with: words as long as no language has them. Possessive, so that it takes linear time.
_MINIFIED = regex(r"(?:[!-~]{25,}+[ \t]?+)++")
_MINIFIED_CHARS = 1_000
_SAMPLE = 20_000
_WORD = regex(r"[^\W\d_]{2,20}(?=[ ,.;])")


class NotText(ValueError):
    """The file is no text."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """Decoded text, and where its characters stand in the file. What is invalid are lone surrogates."""

    text: str
    encoding: str
    offset: int

    @property
    def single(self) -> bool:
        """Whether each character is one byte."""
        return self.encoding == "cp1252" or (self.encoding == "utf-8" and self.text.isascii())

    @property
    def problem(self) -> str | None:
        if self.encoding != "utf-8" or self.text.isascii() or _INVALID.search(self.text) is None:
            return None
        return "contains bytes that are not UTF-8, shown as \ufffd; save it as UTF-8"


def decode(data: bytes) -> SourceText:
    """Raises ``NotText``."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return SourceText(data[2:].decode(encoding, "replace"), encoding, 2)
    if b"\0" in data[:_BINARY_PROBE]:
        raise NotText("binary, not text")
    if data.startswith(codecs.BOM_UTF8):
        return SourceText(data[3:].decode("utf-8", "surrogateescape"), "utf-8", 3)
    try:
        return SourceText(data.decode("utf-8"), "utf-8", 0)
    except UnicodeDecodeError:
        pass
    for encoding in _older(data):
        try:
            return SourceText(data.decode(encoding), encoding, 0)
        except UnicodeDecodeError:
            continue
    return SourceText(data.decode("utf-8", "surrogateescape"), "utf-8", 0)


def _older(data: bytes) -> list[str]:
    """The older encoding that the bytes are certainly in, if any."""
    sample = data[: data.rfind(b"\n", 0, _PROBE) + 1 or _PROBE] if len(data) > _PROBE else data
    for encoding in ("shift_jis", "gb18030", "cp1252"):
        try:
            high = "".join(_HIGH.findall(text := sample.decode(encoding)))
        except UnicodeDecodeError:
            continue
        if encoding == "shift_jis" and len(high) >= _LEAST_WIDE and len(_KANA.findall(high)) > _FEWEST_KANA * len(high):
            return [encoding]
        if encoding == "gb18030" and len(high) >= _LEAST_WIDE and len(_HAN.findall(high)) > _FEWEST_HAN * len(high):
            return [encoding]
        if encoding == "cp1252" and len(_LATIN.findall(text)) >= _LEAST_LATIN * len(high):
            return [encoding] if len(_SEQUENCE.findall(data)) <= _MOST_SEQUENCES * len(high) else []
    return []


def blank_payloads(text: str) -> str:
    """Spaces for what is no text, so that every character stays where it is."""
    # Looking at the lengths of words and lines takes a tenth of the time; nearly all texts have no long ones.
    if max(map(len, text.split()), default=0) < _LONG_WORD and max(map(len, text.split("\n"))) < _LONG_LINE:
        return text
    return _PAYLOADS.sub(
        lambda found: found[0] if _reads(found[0]) else "".join("\n" if c == "\n" else " " for c in found[0]), text
    )


def _reads(text: str) -> bool:
    """Whether a long line is prose or a list of data all the same."""
    if " " in text.strip() and "\n" not in text.strip():
        begins = _MINIFIED.match(text)
        if begins is None or begins.end() < _MINIFIED_CHARS:
            return True
    sample = text[:_SAMPLE]
    return len(_WORD.findall(sample)) * 12 > len(sample)
