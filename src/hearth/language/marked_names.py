"""Names that a sign marks, and names in scripts without capitals: handles, tags, addresses and keys of issues, and in
Chinese, Japanese, Korean, Arabic and Thai what stands in quotes or beside a title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.core.document import is_docid
from hearth.core.graph import EntityType
from hearth.core.lazy import regex
from hearth.language.entities import Entity
from hearth.language.entity_words import hide_markup

_HANDLE = regex(r"(?<![\w@/.+-])@[^\W\d_][\w-]{1,38}(?![\w@/]|\.\w)")
# Alone on its line, it decorates code.
_DECORATOR = regex(r"^[ \t]*@[\w.]+(?:\(.*)?$", re.MULTILINE)
_TAG = regex(r"(?<![\w#&/])#[^\W\d_][\w-]*(?:/[\w-]+)*")
_ADDRESS = regex(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
# Looked for by its first letter.
_ISSUE = regex(r"[A-Z](?<![\w-][A-Z])[A-Z0-9]{1,9}-\d{1,6}(?![\w-])")
_STANDARD = regex(r"(?:UTF|ISO|SHA|AES|MD|RFC|IEC|IEEE|EN|DIN|GPT|COVID)-")
_COLOUR = regex(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")

_HAN = r"\u4e00-\u9fff"
_SURNAMES = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖田董袁潘蒋蔣蔡余杜叶葉程苏蘇"
    "魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴"
)
_PERSONS = (
    regex(rf"([{_SURNAMES}][{_HAN}]{{0,2}}?)(?:老师|老師|先生|女士|小姐|教授|医生|醫生|经理|經理|博士|主任|总监|總監)"),
    regex(
        rf"(?<![{_HAN}])(?!皆|客|奥|娘|父|母|兄|姉)([{_HAN}]{{1,4}}|[\u30a1-\u30fe]{{2,10}})(?:さん|様|くん|ちゃん|氏)(?![{_HAN}])"
    ),
    regex(r"(?<![\uac00-\ud7a3])([\uac00-\ud7a3]{2,4})\s씨"),
    regex(
        r"(?<![\u0600-\u06ff])(?:السيدة?|الدكتورة?|الأستاذة?|المهندسة?)\s+"
        r"((?:عبد|أبو|أم|ابن|بن)\s[\u0621-\u064a]{2,}|[\u0621-\u064a]{2,})"
    ),
    regex(r"คุณ(?!ภาพ|สมบัติ|ค่า|ธรรม)([\u0e01-\u0e4e]{2,12})(?![\u0e01-\u0e4e])"),
)
# No hiragana: what somebody says stands in these quotes, too.
_QUOTED = regex(rf"[「『《〈]([{_HAN}\u30a1-\u30fe\uac00-\ud7a3A-Za-z0-9·・ ]{{2,20}})[」』》〉]")


def find_signed(text: str) -> Iterator[Entity]:
    """The names, each as often as it is there, as they are written: ``@ines``, ``#kiln``, ``OPS-12``."""
    plain = hide_markup(text)
    if "@" in plain:
        yield from _all(_HANDLE, _DECORATOR.sub(lambda found: " " * len(found[0]), plain), "person")
        yield from _all(_ADDRESS, plain, "other")
    if "#" in plain:
        tags = _all(_TAG, plain, "concept")
        yield from (one for one in tags if not (_COLOUR.fullmatch(one.name) or is_docid(one.name[1:])))
    yield from (one for one in _all(_ISSUE, plain, "other") if not _STANDARD.match(one.name))
    if not plain.isascii():
        for pattern in _PERSONS:
            yield from _all(pattern, plain, "person", 1)
        yield from _all(_QUOTED, plain, "other", 1)


def _all(pattern: re.Pattern[str], text: str, kind: EntityType, group: int = 0) -> Iterator[Entity]:
    found = (one for one in pattern.finditer(text) if one[group].strip())
    return (Entity(one[group].strip(), kind, *one.span(group)) for one in found)
