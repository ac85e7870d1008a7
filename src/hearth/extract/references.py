"""Which of the notes shown an assistant's answer used."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Literal

from hearth.extract.phrases import UNSPACED, Gram, content, demand, distinctive, grams, information, normal
from hearth.lazy import dataclass, regex
from hearth.model.identity import MIN_PREFIX
from hearth.text.language import detect
from hearth.text.stem import stem

By = Literal["path", "docid", "title", "phrase"]

MAX_ANSWER = 200_000
"""Characters; what follows in an answer is not looked at."""
MAX_SHOWN = 20_000
"""Characters of one item's text."""
MIN_TITLE = 5
# Nats that a title's words say in all, or its only word.
_TITLE_LEAST, _PER_CHAR = 9.0, 2.5
_TITLE_WORD_LEAST = 7.0
# Names that a thousand files have.
_GENERIC = """
about agenda appendix archive background backlog changelog chat contents context contributing conversation
conversations daily data details diary doc docs document documentation documents draft drafts example examples faq
file files general glossary guide handoff history home idea ideas inbox index info information intro introduction
journal license list log logs main meeting meetings memory memories misc miscellaneous month monthly new note notes
old other outline overview plan plans profile progress project projects reading readme recap reference references
report reports resources review roadmap session sessions setup start started stuff summary task tasks temp template
test tests thoughts title todo todos topic untitled update updates usage user week weekly welcome wiki work year
january february march april may june july august september october november december monday tuesday wednesday
thursday friday saturday sunday notas nota reunion resumen indice diario notizen notiz besprechung zusammenfassung
ubersicht
笔记 日记 会议 会议记录 会议纪要 总结 目录 索引 未命名 概述 简介 待办 待办事项
заметки заметка ノート メモ 議事録
"""
_DATE = 6  # digits
_PATH_CHAR = r"[\w./\\~-]"
_RUN = regex(f"[{UNSPACED}]+")
_EMPHASIS = str.maketrans("", "", "*`")


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A note as the assistant saw it: ``path`` within its ``collection``, ``text`` what was injected of it. An ``echo``
    is ours about a session, and may repeat what another note says."""

    docid: str
    title: str
    collection: str
    path: str
    text: str
    echo: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """``evidence`` is what was found in the answer, for people; a phrase as stems."""

    docid: str
    by: By
    evidence: str


def references(answer: str, shown: Sequence[ShownNote], prompt: str = "") -> list[Reference]:
    """The items that an answer used, each once, in the order shown, by the first of these that holds:

    its path; its docid, or ``#`` and at least six characters of it; its title, word-bounded, of at least five
    characters, unless generic, shared with another item or, as a single word, in the prompt; a distinctive phrase of
    its text, which no other item but an echo has and whose words are neither all common nor all in the prompt.
    """
    if not shown or not answer.strip():
        return []
    answer = answer[:MAX_ANSWER]
    plain = " ".join(normal(answer).translate(_EMPHASIS).split())
    ways: tuple[tuple[By, dict[str, str]], ...] = (
        ("path", _paths(plain, shown)),
        ("docid", _docids(plain, shown)),
        ("title", _titles(plain, shown, prompt)),
        ("phrase", _phrases(answer, shown, prompt)),
    )
    found: dict[str, Reference] = {}
    for by, evidence in ways:
        for docid, what in evidence.items():
            found.setdefault(docid, Reference(docid, by, what))
    return [found[docid] for docid in dict.fromkeys(item.docid for item in shown) if docid in found]


def quoted(answer: str, texts: Mapping[str, str], prompt: str = "", echoes: Collection[str] = ()) -> set[str]:
    """The names of the texts of which an answer has a distinctive phrase that no other of them, but for ``echoes``,
    has."""
    shown = [ShownNote(name, "", "", "", text, name in echoes) for name, text in texts.items()]
    return set(_phrases(answer[:MAX_ANSWER], shown, prompt)) if shown and answer.strip() else set()


def _paths(plain: str, shown: Sequence[ShownNote]) -> dict[str, str]:
    same = Counter(name for _, name in {(item.docid, _base(item)) for item in shown})
    found = {}
    for item in shown:
        for name, alone in _path_forms(item, same[_base(item)] == 1):
            before = rf"(?<!{_PATH_CHAR})" if alone else r"(?<![\w.-])"
            if name in plain and re.search(rf"{before}{re.escape(name)}(?![\w/\\-]|\.\w)", plain):
                found[item.docid] = name
                break
    return found


def _base(item: ShownNote) -> str:
    return " ".join(normal(item.path.rsplit("/", 1)[-1]).split())


def _path_forms(item: ShownNote, unique: bool) -> list[tuple[str, bool]]:
    """Ways to write a path, longest first, each with whether nothing of a path may stand before it."""
    parts = " ".join(normal(f"{item.collection}/{item.path}").split()).split("/")
    forms = [("/".join(parts), False)]
    if len(parts) > 2:
        forms.append(("/".join(parts[1:]), False))
    forms.extend(("/".join(parts[start:]), True) for start in range(2, len(parts) - 1))
    name, dot, _ = parts[-1].rpartition(".")
    if unique and dot and not _is_generic(name):
        forms.append((parts[-1], True))
    return forms


def _docids(plain: str, shown: Sequence[ShownNote]) -> dict[str, str]:
    found = {}
    tokens = set(re.findall(r"#?[0-9a-z]+", plain))
    short = [token[1:] for token in tokens if token[0] == "#" and len(token) > MIN_PREFIX]
    docids = {item.docid.lower() for item in shown}
    for item in shown:
        docid = item.docid.lower()
        if docid in tokens or f"#{docid}" in tokens:
            found[item.docid] = docid
            continue
        for part in short:
            if docid.startswith(part) and sum(name.startswith(part) for name in docids) == 1:
                found[item.docid] = f"#{part}"
    return found


def _titles(plain: str, shown: Sequence[ShownNote], prompt: str) -> dict[str, str]:
    titles = {item.docid: " ".join(normal(item.title).translate(_EMPHASIS).split()) for item in shown}
    shared = Counter(titles.values())
    asked = " ".join(normal(prompt).split())
    found: dict[str, str] = {}
    taken = bytearray(len(plain))
    # Longest first: where a longer title stands, a shorter one inside it is not named.
    for docid, title in sorted(titles.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        if len(title) < MIN_TITLE or title not in plain or not _says_something(title, asked):
            continue
        spans = [(match.start(), match.end()) for match in _bind(title).finditer(plain)]
        free = any(0 in taken[start:end] for start, end in spans)
        for start, end in spans:
            taken[start:end] = b"\1" * (end - start)
        if free and shared[title] == 1:
            found[docid] = title
    return found


def _bind(title: str) -> re.Pattern[str]:
    """Word-bounded; where a script has no spaces, a word ends anywhere."""
    left = r"(?<![^\W_])" if _space(title[0]) else ""
    right = r"(?![^\W_])" if _space(title[-1]) else ""
    return re.compile(f"{left}{re.escape(title)}{right}")


def _space(char: str) -> bool:
    return char.isalnum() and not _RUN.match(char)


def _says_something(title: str, asked: str) -> bool:
    telling = [word for word in content(title, "en") if not word.isdecimal() and not _is_generic(word)]
    if len(telling) == 1 and not _RUN.match(telling[0]):
        return information(telling[0], "en") >= _TITLE_WORD_LEAST and title not in asked
    said = (_PER_CHAR * len(word) if _RUN.match(word) else information(word, "en") for word in telling)
    return sum(said) >= _TITLE_LEAST


def _is_generic(name: str) -> bool:
    """Whether a name is made of generic words, single letters and short numbers alone; a date is not."""
    parts = re.findall(r"[^\W\d_]+", name)
    return all(part in _generic() or len(part) < 2 for part in parts) and sum(map(str.isdecimal, name)) < _DATE


def _phrases(answer: str, shown: Sequence[ShownNote], prompt: str) -> dict[str, str]:
    language = detect(answer)
    least, chars = demand(answer)
    said = grams(answer, language, chars)
    by_docid: dict[str, set[Gram]] = {}
    for item in shown:
        by_docid.setdefault(item.docid, set()).update(said & grams(item.text[:MAX_SHOWN], language, chars))
    echoes = {item.docid for item in shown if item.echo}
    spread = Counter(gram for shared in by_docid.values() for gram in shared)
    sources = Counter(gram for docid, shared in by_docid.items() if docid not in echoes for gram in shared)
    asked = {part for gram in grams(prompt[:MAX_SHOWN], language, chars) for part in gram}
    found = {}
    for docid, shared in by_docid.items():
        having = spread if docid in echoes else sources
        own = (gram for gram in shared if having[gram] == 1 and not asked.issuperset(gram))
        if best := distinctive(own, least, language):
            found[docid] = " ".join(best)
    return found


@cache
def _generic() -> frozenset[str]:
    words = _GENERIC.split()
    return frozenset(normal(form) for word in words for form in (word, stem(word, "en")))
