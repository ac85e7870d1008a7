"""Parses a prompt into spans by whose words they are.

A prompt holds the person's own words and, often, other people's: mails, tickets, logs, chats, specifications. Marks
that enclose a text decide first (fences, ``>``, rules, tags, quotation marks), then the form of its lines (logs,
traces, code, tables, headers, letters, chats), then what the person says about it: in a prompt of several lines in
which one asks something about a text, the other lines are that text. In doubt a line is not the person's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from hearth.language.structure import Form, form_of, is_keyed
from hearth.language.words import cues, forms
from hearth.lazy import regex

_MOST = 100_000
"""Characters of a prompt that are looked at; the rest is taken for pasted."""
_LONG_PROSE = 600
_LONG_TYPED = 1_500
_TYPED = 0.6
_MANY_LINES = 6
_LONG_PROMPT = 40
"""Lines of a prompt in whose middle nobody types."""
_LEAST_QUOTE = 25
_SHORT_LINE = 200
_HEAD_LINES, _HEAD_CHARS = 4, 90
_NAME_CHARS, _NAME_WORDS = 40, 4
_FENCE = regex(r"[ \t]*(`{3,}|~{3,})")
_RULE = regex(r"[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|#{4,}|—{2,})[ \t]*")
_TAG = regex(r"[ \t]*<([A-Za-z][\w:-]{0,40})(?:\s[^<>]{0,200})?>")
_QUOTE_PAIRS = regex(
    r"“[^”]{25,}”|„[^“”]{25,}[“”]|«[^»]{25,}»|»[^«]{25,}«|「[^」]{10,}」|『[^』]{10,}』|"
    r'(?<![\w"])"(?=\S)(?:[^"]|(?<=[\w(])"(?=\w)|"(?=/)|(?<=[\w.])"(?=, line)){25,}?"(?![\w"])'
)
_INLINE_MARK = regex(r"(?<=\w) >[ ](?=(?:\S+[ ]){4})[^\n]*")
_SENTENCE = regex(r"(?<=[.!?…。！？])[\"'”’)\]]*(?:\s+|(?<=[。！？])(?=\S))")
_SLOT = regex(r"#{1,3} (?:User Input|Arguments|User Request)[ \t]*")
_NEAR = 4
_ASKS = regex(r"[?？]\s*$")
_COLON = regex(r"[:：]\s*$")
_INNER_COLON = regex(r"[:：](?=\s*\S)(?!//|\d)")


class Voice(StrEnum):
    """Whose words a part of a prompt is; only ``OWN`` counts as what the person said."""

    OWN = "own"
    QUOTED = "quoted"
    PASTED = "pasted"
    CODE = "code"
    MACHINE = "machine"


class Span(NamedTuple):
    """A half-open range of the text's characters; spans are in order and cover all of it but white space."""

    start: int
    end: int
    voice: Voice


class _Line(NamedTuple):
    start: int
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


@lru_cache(maxsize=512)
def hear(text: str) -> tuple[Span, ...]:
    """Splits a prompt, without host blocks and private spans, into spans by voice."""
    lines = list(_lines(text[:_MOST]))
    voices: list[Voice | None] = [None] * len(lines)
    if (typed := _find_slot(lines)) is not None:
        voices = [Voice.OWN if at in typed else Voice.MACHINE for at in range(len(lines))]
        return tuple(_merge(lines, [voice or Voice.OWN for voice in voices], text))
    _mark_enclosed(lines, voices)
    quoted = _find_quotes(text[:_MOST], lines, voices)
    _mark_handed(lines, voices)
    _mark_forms(lines, voices)
    _mark_bodies(lines, voices)
    _mark_by_request(lines, voices, enclosed=bool(quoted))
    spans = _merge(lines, [voice or Voice.OWN for voice in voices], text)
    spans = [part for span in spans for part in _cut(span, quoted)]
    spans = [part for span in spans for part in _cut_paste(span, text)]
    if not quoted and not any(span.voice is not Voice.OWN for span in spans):
        spans = [part for span in spans for part in _split_request(span, text)]
    if len(text) > _MOST:
        spans += _hear_rest(text)
    return tuple(spans)


def _hear_rest(text: str) -> Iterator[Span]:
    """What lies past the limit of a very long prompt: pasted, but for a last line that asks about it."""
    end = len(text.rstrip())
    start = max(text.rfind("\n", 0, end) + 1, _MOST)
    asked = end - start <= _SHORT_LINE and points_at_text(text[start:end])
    yield Span(_MOST, start if asked else len(text), Voice.PASTED)
    if asked:
        yield Span(start, end, Voice.OWN)


def own_words(text: str) -> list[str]:
    """The passages of a prompt that are the person's own, in order."""
    return [part for span in hear(text) if span.voice is Voice.OWN and (part := text[span.start : span.end].strip())]


def asks_about_text(line: str) -> bool:
    """Whether a line asks for something to be done with a text."""
    return cues("texts", "task").search(line) is not None


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for row in text.split("\n"):
        yield _Line(start, row.rstrip("\r"))
        start += len(row) + 1


def _find_slot(lines: Sequence[_Line]) -> range | None:
    """The lines in which a command's template holds what the person typed: a fence below "User Input"."""
    head = next((at for at, line in enumerate(lines) if _SLOT.fullmatch(line.text)), None)
    if head is None:
        return None
    marks = [at for at in range(head + 1, len(lines)) if _FENCE.match(lines[at].text)][:2]
    return range(marks[0] + 1, marks[1]) if len(marks) > 1 and marks[0] - head <= _NEAR else None


def _mark_enclosed(lines: Sequence[_Line], voices: list[Voice | None]) -> None:
    """Fences, quotation marks at the start of lines, parts between rules, and parts between tags."""
    fence = ""
    for at, line in enumerate(lines):
        mark = _FENCE.match(line.text)
        if fence or mark:
            voices[at] = Voice.CODE
            if fence and mark and mark[1].startswith(fence):
                fence = ""
            elif not fence and mark:
                fence = mark[1]
        elif line.text.lstrip().startswith((">", "＞", "│", "┃")):
            voices[at] = Voice.QUOTED
    open_lines = [at for at, voice in enumerate(voices) if voice is None]
    rules = [at for at in open_lines if _RULE.fullmatch(lines[at].text)]
    if len(rules) > 1:
        _fill(voices, rules[0], rules[-1] + 1)
    elif rules:
        _mark_longer_side(lines, voices, rules[0])
    for at in open_lines:
        tag = _TAG.match(lines[at].text) if voices[at] is None else None
        if tag:
            close = f"</{tag[1]}>"
            last = next((n for n in range(at, len(lines)) if close in lines[n].text), None)
            if last is not None:
                _fill(voices, at, last + 1)


def _fill(voices: list[Voice | None], start: int, end: int, voice: Voice = Voice.PASTED) -> None:
    for at in range(start, end):
        voices[at] = voices[at] or voice


def _mark_longer_side(lines: Sequence[_Line], voices: list[Voice | None], rule: int) -> None:
    before = sum(len(line.text) for line in lines[:rule])
    after = sum(len(line.text) for line in lines[rule + 1 :])
    start, end = (0, rule + 1) if before > after else (rule, len(lines))
    _fill(voices, start, end)


def _find_quotes(text: str, lines: Sequence[_Line], voices: list[Voice | None]) -> list[tuple[int, int]]:
    """Quotations longer than a clause; lines that lie wholly in one are marked."""
    found = [match.span() for pattern in (_QUOTE_PAIRS, _INLINE_MARK) for match in pattern.finditer(text)]
    found = [(start, end) for start, end in sorted(found) if " " in text[start:end] or not text.isascii()]
    for start, end in found:
        for at, line in enumerate(lines):
            if line.text.strip() and start <= line.start and line.start + len(line.text) <= end:
                voices[at] = Voice.QUOTED
    return found


def _mark_forms(lines: Sequence[_Line], voices: list[Voice | None]) -> None:
    """Paragraphs with lines in the form of a program's output or a document; a first or last line that asks something
    about them, or leads up to them, is left."""
    keyed = sum(is_keyed(line.text) for line in lines) > 1
    documents: list[int] = []
    for start, end in list(_paragraphs(lines, voices)):
        texts = [line.text for line in lines[start:end]]
        forms = [Form.DOCUMENT if keyed and is_keyed(text) else form_of(text) for text in texts]
        formed = [form for form in forms if form not in (Form.PROSE, Form.LISTED)]
        if not formed:
            continue
        documents += [start + at for at, form in enumerate(forms) if form is Form.DOCUMENT]
        machine = sum(form is Form.MACHINE for form in formed) * 2 > len(formed)
        first = int(forms[0] is Form.PROSE and points_at_text(texts[0]))
        last = len(forms) - int(len(forms) > 1 and forms[-1] is Form.PROSE and points_at_text(texts[-1]))
        if Form.LETTER in forms:
            farewell = _find_farewell(lines, start + forms.index(Form.LETTER))
            if farewell is not None and farewell < end:
                last = farewell + 1 - start
            elif last == len(forms):
                _extend_letter(lines, voices, end)
        _fill(voices, start + first, start + last, Voice.MACHINE if machine else Voice.PASTED)
    if len(documents) > 1:
        _fill(voices, documents[0], documents[-1] + 1)


def _mark_handed(lines: Sequence[_Line], voices: list[Voice | None]) -> None:
    """All from the line on that says that somebody else's message follows, but for a last line with a request."""
    handed = forms("forms", "handed")
    start = next((at for at, line in enumerate(lines) if voices[at] is None and handed.match(line.text)), None)
    if start is not None:
        _fill_rest(lines, voices, start)


def _mark_bodies(lines: Sequence[_Line], voices: list[Voice | None]) -> None:
    """What follows the head of a document (its number, its date, who was there) that a request is about."""
    plain = [at for at, line in enumerate(lines) if voices[at] is None and not line.is_blank]
    if not plain or not any(points_at_text(lines[at].text) for at in (plain[0], plain[-1])):
        return
    marked = [at for at, voice in enumerate(voices) if voice in (Voice.PASTED, Voice.MACHINE)]
    for at in plain:
        if marked and form_of(lines[at].text) is Form.LISTED:
            voices[at] = Voice.PASTED
    head: list[int] = []
    for at in range(marked[0] if marked else len(lines), len(lines)):
        if voices[at] is None and not lines[at].is_blank:
            break
        head += [] if lines[at].is_blank else [at]
    enclosed = head and (_RULE.fullmatch(lines[head[0]].text) or _TAG.match(lines[head[0]].text))
    if head and not enclosed and len(head) <= _HEAD_LINES and all(len(lines[at].text) <= _HEAD_CHARS for at in head):
        _fill_rest(lines, voices, head[-1] + 1)


def _fill_rest(lines: Sequence[_Line], voices: list[Voice | None], start: int) -> None:
    end = next((at for at in range(start, len(lines)) if voices[at] in (Voice.CODE, Voice.QUOTED)), len(lines))
    rest = [at for at in range(start, end) if not lines[at].is_blank]
    if rest:
        last = lines[rest[-1]].text
        asks = _is_request(last) or (len(rest) == 1 and points_at_text(last))
        _fill(voices, start, rest[-1] if asks else rest[-1] + 1)


def _find_farewell(lines: Sequence[_Line], start: int) -> int | None:
    """The last line of a letter: its farewell, or the name below it."""
    at = next((at for at in range(start, len(lines)) if form_of(lines[at].text) is Form.FAREWELL), None)
    if at is None or at + 1 >= len(lines):
        return at
    name = lines[at + 1].text.strip()
    signed = 0 < len(name) <= _NAME_CHARS and len(name.split()) <= _NAME_WORDS and not _is_request(name)
    return at + 1 if signed else at


def _extend_letter(lines: Sequence[_Line], voices: list[Voice | None], after: int) -> None:
    """The paragraphs of a letter up to its farewell, or to a last line that asks for something."""
    farewell = _find_farewell(lines, after)
    if farewell is not None:
        _fill(voices, after, farewell + 1)
    else:
        _fill_rest(lines, voices, after)


def _paragraphs(lines: Sequence[_Line], voices: Sequence[Voice | None]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of lines that nothing has marked yet, parted by empty ones."""
    start: int | None = None
    for at in range(len(lines) + 1):
        is_open = at < len(lines) and voices[at] is None and not lines[at].is_blank
        if is_open and start is None:
            start = at
        elif not is_open and start is not None:
            yield start, at
            start = None


def points_at_text(line: str) -> bool:
    """Whether a line asks something about a text, points at one, or leads up to one."""
    return _is_request(line) or (len(line) <= _SHORT_LINE and cues("texts", "points").search(line) is not None)


def _mark_by_request(lines: Sequence[_Line], voices: list[Voice | None], *, enclosed: bool) -> None:
    """Of lines without a form of their own: what a request at the first or last of them is about."""
    plain = [at for at, line in enumerate(lines) if voices[at] is None and not line.is_blank]
    if not plain:
        return
    if any(voice is not None and _TAG.match(line.text) for line, voice in zip(lines, voices, strict=True)):
        _leave(voices, plain, [at for at in plain if _is_request(lines[at].text)])
        return
    found = enclosed or any(voice is not None for voice in voices)
    if any(cues("texts", "role").search(lines[at].text) for at in plain):
        for at in plain:
            if not _ASKS.search(lines[at].text) or cues("texts", "role").search(lines[at].text):
                voices[at] = Voice.PASTED
        return
    edges = [at for at in dict.fromkeys((plain[0], plain[-1])) if points_at_text(lines[at].text)]
    length = sum(len(lines[at].text) for at in plain)
    if len(plain) > 1 and not found and _is_typed([lines[at].text for at in plain]):
        return
    if len(plain) > 1 and edges and not found:
        requests = [at for at in edges if _is_request(lines[at].text)] or edges
        _leave(voices, plain, requests[:1])
    elif len(plain) > 1 and (length > _LONG_PROSE or len(plain) > _MANY_LINES):
        _leave(voices, plain, edges)
    elif found and len(plain) > 2:
        near = plain if len(lines) <= _LONG_PROMPT else [*plain[:2], *plain[-2:]]
        _leave(voices, plain, [at for at in near if len(lines[at].text) <= _SHORT_LINE])


def _is_typed(rows: Sequence[str]) -> bool:
    """Whether most lines speak to the agent or of the person who asks, and none asks for work on a text."""
    edges = (rows[0], rows[-1])
    asked = any(map(asks_about_text, rows)) or any(cues("texts", "points").search(row) for row in edges)
    if asked or sum(map(len, rows)) > _LONG_TYPED:
        return False
    typed = sum(
        cues("texts", "typed").search(row) is not None or row.lstrip("-*•0123456789.) ")[:1].islower() for row in rows
    )
    return typed >= _TYPED * len(rows)


def _is_request(line: str) -> bool:
    if _ASKS.search(line) or _COLON.search(line):
        return True
    return len(line) <= _SHORT_LINE and asks_about_text(line)


def _leave(voices: list[Voice | None], plain: Sequence[int], own: Sequence[int]) -> None:
    for at in plain:
        if at not in own:
            voices[at] = Voice.PASTED


def _merge(lines: Sequence[_Line], voices: Sequence[Voice], text: str) -> list[Span]:
    spans: list[Span] = []
    for line, voice in zip(lines, voices, strict=True):
        if line.is_blank:
            continue
        end = line.start + len(line.text)
        if spans and spans[-1].voice is voice and text[spans[-1].end : line.start].count("\n") <= 1:
            spans[-1] = spans[-1]._replace(end=end)
        else:
            spans.append(Span(line.start, end, voice))
    return spans


def _cut(span: Span, quoted: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """The span without the quotations in it, and these."""
    at = span.start
    for start, end in quoted:
        if span.voice is not Voice.OWN or end <= at or start >= span.end:
            continue
        if start > at:
            yield Span(at, start, span.voice)
        yield Span(max(at, start), min(end, span.end), Voice.QUOTED)
        at = min(end, span.end)
    if at < span.end:
        yield Span(at, span.end, span.voice)


def _cut_paste(span: Span, text: str) -> Iterator[Span]:
    """The span without what begins on a line of it that somebody typed and goes on as a program's output."""
    if span.voice is not Voice.OWN:
        yield span
        return
    speaker = forms("texts", "speaker").search(text, span.start, span.end)
    if speaker is not None and not _is_remember(speaker[0]):
        if speaker.start() > span.start:
            yield from _cut_paste(span._replace(end=speaker.start()), text)
        yield Span(speaker.start(), span.end, Voice.QUOTED)
        return
    at = span.start
    for found in forms("forms", "inline").finditer(text, span.start, span.end):
        if found.start() < at:
            continue
        end = text.find("\n", found.start(), span.end)
        end = span.end if end < 0 else end
        if found.start() > at:
            yield Span(at, found.start(), Voice.OWN)
        yield Span(found.start(), end, Voice.MACHINE)
        at = end
    if at < span.end:
        yield Span(at, span.end, Voice.OWN)


def _split_request(span: Span, text: str) -> Iterator[Span]:
    """A prompt of one paragraph: what follows the colon of a request about a text is that text; so are the sentences
    beside a request about one where they are many."""
    whole = text[span.start : span.end]
    colon = _INNER_COLON.search(whole)
    head = whole[: colon.end()].rsplit("\n", 1)[-1] if colon else ""
    if colon and points_at_text(head[:-1]) and not _is_remember(head):
        at = span.start + colon.end()
        yield Span(span.start, at, Voice.OWN)
        yield Span(at, span.end, Voice.PASTED)
        return
    cuts = [0, *(match.end() for match in _SENTENCE.finditer(whole)), len(whole)]
    parts = [(one, other) for one, other in pairwise(cuts) if whole[one:other].strip()]
    asking = [part for part in parts if asks_about_text(whole[part[0] : part[1]])]
    if len(parts) - len(asking) < 3 or not asking:
        yield span
        return
    for part in parts:
        yield Span(span.start + part[0], span.start + part[1], Voice.OWN if part in asking else Voice.PASTED)


def _is_remember(text: str) -> bool:
    return cues("remember", "remember").search(text) is not None
