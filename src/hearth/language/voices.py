"""Parses a prompt into spans by whose words they are.

A prompt holds the person's own words and, often, other people's: mails, tickets, logs, chats, specifications. Marks
that enclose a text decide first (fences, ``>``, rules, tags, quotation marks), then the form of its lines (logs,
traces, code, tables, headers, letters, chats), then what the person says about it: in a prompt of several lines in
which one asks something about a text, the other lines are that text. In doubt a line is not the person's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.language.structure import (
    ASKS,
    SENTENCE,
    SHORT_LINE,
    Form,
    addresses,
    are_typed,
    asks_about_text,
    form_of,
    greets,
    hands_over,
    is_head,
    is_keyed,
    is_one_sentence,
    is_request,
    is_short_question,
    is_typed_line,
    points,
    points_at_text,
    rank_request,
)
from hearth.text.words import cues, forms

_MOST = 100_000
"""Characters of a prompt that are looked at; the rest is taken for pasted."""
_LONG_PROSE = 600
_MANY_LINES = 6
_LONG_PROMPT = 40
"""Lines of a prompt in whose middle nobody types."""
_LEAST_QUOTE = 25
_HEAD_LINES = 4
_NAME_CHARS, _NAME_WORDS = 40, 4
_FENCE = regex(r"[ \t]*(`{3,}|~{3,})")
_RULE = regex(r"[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|#{4,}|—{2,})[ \t]*")
_TAG = regex(r"[ \t]*<([A-Za-z][\w:-]{0,40})(?:\s[^<>]{0,200})?>")
_CLOSE = regex(r"</([A-Za-z][\w:-]{0,40})>")
_QUOTE_PAIRS = regex(
    r"“[^”]{25,}”|„[^“”]{25,}[“”]|«[^»]{25,}»|»[^«]{25,}«|「[^」]{10,}」|『[^』]{10,}』|"
    r'(?<![\w"])(?<!File )"(?=\S)(?:[^"]|(?<=[\w(])"(?=\w)|"(?=/)|(?<=[\w.])"(?=, line)){25,}?"(?![\w"])'
)
_INLINE_MARK = regex(r"(?<=\w) >[ ](?=(?:\S+[ ]){4})[^\n]*")
_SLOT = regex(r"#{1,3} (?:User Input|Arguments|User Request)[ \t]*")
_TITLE = regex(
    r"[^\W\d_a-z](?=\S*(?: \S+){1,9}$)[^.!?:;。！？：@`/]{4,60}(?<![,\s])|[\u3400-\u9fff\u3040-\u30ff]{3,20}"
)
_FAREWELL_END = regex(r"^[^\W\d_](?:[^.?:;]{2,40}?)[,.!]?(?: *[A-ZÀ-ÞА-Я][\w.’'-]*){0,3} *$")
_SIGNS = regex(r"[\n`{}\[\]<>:;|=$@\t]")
"""Without any of these a text holds no output of a program."""
_NEAR = 4
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
    _mark_titled(lines, voices)
    _mark_letters(lines, voices)
    _mark_forms(lines, voices)
    _mark_bodies(lines, voices)
    _mark_by_request(lines, voices, enclosed=bool(quoted))
    spans = _merge(lines, [voice or Voice.OWN for voice in voices], text)
    spans = [part for span in spans for part in _split_quotations(span, quoted)]
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
    asked = end - start <= SHORT_LINE and points_at_text(text[start:end])
    yield Span(_MOST, start if asked else len(text), Voice.PASTED)
    if asked:
        yield Span(start, end, Voice.OWN)


def own_words(text: str) -> list[str]:
    """The passages of a prompt that are the person's own, in order."""
    return [part for span in hear(text) if span.voice is Voice.OWN and (part := text[span.start : span.end].strip())]


def split_output(text: str) -> tuple[str, list[str]]:
    """What somebody says in a message, their own words or others', and what programs print in it, code included."""
    if not _SIGNS.search(text):
        return text, []
    prose: list[str] = []
    output: list[str] = []
    at = 0
    for span in hear(text):
        part = text[span.start : span.end]
        prose.append(text[at : span.start])
        is_output = span.voice is Voice.CODE or (span.voice is Voice.MACHINE and _stands_apart(text, span))
        (output if is_output else prose).append(part)
        at = span.end
    return "".join((*prose, text[at:])), output


def _stands_apart(text: str, span: Span) -> bool:
    """Whether output is no part of a sentence: it begins a line, follows a full stop, or is data; and asks nothing."""
    part = text[span.start : span.end]
    before = text[: span.start].rstrip(" \t")
    return not ASKS.search(part) and (before[-1:] in ("", "\n", *".!?…。！？:：") or part[0] in "[{<")


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
    closes: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        for name in _CLOSE.findall(line.text):
            closes.setdefault(name, []).append(at)
    for at in open_lines:
        tag = _TAG.match(lines[at].text) if voices[at] is None else None
        ends = closes.get(tag[1], []) if tag else []
        found = bisect_left(ends, at)
        if found < len(ends):
            _fill(voices, at, ends[found] + 1)


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
    starts = [line.start for line in lines]
    for start, end in found:
        for at in range(bisect_left(starts, start), bisect_left(starts, end)):
            if not lines[at].is_blank and lines[at].start + len(lines[at].text) <= end:
                voices[at] = Voice.QUOTED
    return found


def _mark_forms(lines: Sequence[_Line], voices: list[Voice | None]) -> None:
    """Paragraphs with lines in the form of a program's output or a document; a first or last line that asks something
    about them, or leads up to them, is left."""
    keyed = sum(is_keyed(line.text) for line in lines) > 1
    documents: list[int] = []
    for start, end in list(_paragraphs(lines, voices)):
        if voices[start] is not None:
            continue
        texts = [line.text for line in lines[start:end]]
        forms = [_form_among(text, keyed=keyed) for text in texts]
        formed = [form for form in forms if form not in (Form.PROSE, Form.LISTED)]
        if not formed:
            continue
        documents += [
            start + at for at, form in enumerate(forms) if form is Form.DOCUMENT or (keyed and is_keyed(texts[at]))
        ]
        machine = sum(form is Form.MACHINE for form in formed) * 2 > len(formed)
        first, last = _find_typed_edges(texts, forms, machine=machine)
        if Form.LETTER in forms:
            farewell = _find_farewell(lines, start + forms.index(Form.LETTER))
            if farewell is not None and farewell < end:
                last = farewell + 1 - start
            elif last == len(forms):
                _extend_letter(lines, voices, end)
        _fill(voices, start + first, start + last, Voice.MACHINE if machine else Voice.PASTED)
    if len(documents) > 1:
        _fill(voices, documents[0], documents[-1] + 1)


def _form_among(line: str, *, keyed: bool) -> Form:
    """The form of a line; where several begin with a name and a colon, they are a chat's or a ticket's."""
    form = form_of(line)
    return Form.DOCUMENT if keyed and form is not Form.MACHINE and is_keyed(line) else form


def _find_typed_edges(texts: Sequence[str], forms: Sequence[Form], *, machine: bool) -> tuple[int, int]:
    """Where what somebody typed before and after lines of a form ends and begins: lines that ask about these, or lead
    up to them, and, beside output, lines that speak to the agent."""
    formed = [at for at, form in enumerate(forms) if form is not Form.PROSE]
    lead = [at for at in range(formed[0]) if points_at_text(texts[at])]
    first = (lead[-1] + 1 if lead else 0) if machine else int(0 in lead)
    last = len(forms) - int(len(forms) > 1 and forms[-1] is Form.PROSE and points_at_text(texts[-1]))
    if machine:
        while first < formed[0] and (is_typed_line(texts[first]) or (first and texts[first][:1].islower())):
            first += 1
        while last - 1 > formed[-1] and is_typed_line(texts[last - 1]):
            last -= 1
    return first, last


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
    if head and not enclosed and len(head) <= _HEAD_LINES and is_head([lines[at].text for at in head]):
        _fill_rest(lines, voices, head[-1] + 1)


def _fill_rest(lines: Sequence[_Line], voices: list[Voice | None], start: int) -> None:
    """Marks what follows up to an enclosed text, but for a last line with a request. Where something was asked before,
    the only line there is the text itself."""
    end = next((at for at in range(start, len(lines)) if voices[at] in (Voice.CODE, Voice.QUOTED)), len(lines))
    rest = [at for at in range(start, end) if not lines[at].is_blank]
    if not rest:
        return
    last = lines[rest[-1]].text
    plain = sum(voices[at] is None for at in rest)
    asked = any(voices[at] is None and points_at_text(lines[at].text) for at in range(start))
    asks = is_request(last) or (len(rest) == 1 and points_at_text(last))
    if asked and asks:
        asks = is_one_sentence(last) and (plain > 1 or points(last) or ASKS.search(last) is not None)
    _fill(voices, start, rest[-1] if asks else rest[-1] + 1)


def _mark_titled(lines: Sequence[_Line], voices: list[Voice | None]) -> None:
    """A text with its title between empty lines, below a first line."""
    parts = list(_paragraphs(lines, voices))
    if len(parts) < 3 or any(voice is not None for voice in voices):
        return
    (start, end), (title, after) = parts[0], parts[1]
    if end - start == after - title == 1 and _TITLE.fullmatch(lines[title].text):
        _fill_rest(lines, voices, title)


def _mark_letters(lines: Sequence[_Line], voices: list[Voice | None]) -> None:
    """What stands between a salutation, or what is asked above it, and a farewell."""
    since = 0
    for at, line in enumerate(lines):
        if voices[at] is not None or not _FAREWELL_END.search(line.text) or form_of(line.text) is not Form.FAREWELL:
            continue
        last = _find_farewell(lines, at)
        parts = list(_paragraphs(lines[: at + 1], voices, since))
        since = at + 1
        opens = next(
            (row for start, end in parts for row in range(start, min(end, at)) if greets(lines[row].text)), None
        )
        if opens is None and parts:
            start, end = parts[0]
            asks = len(parts) > 1 and any(points_at_text(row.text) or addresses(row.text) for row in lines[start:end])
            opens = parts[1][0] if asks else start
        if opens is not None:
            _fill(voices, opens, at)
        _fill(voices, at, (at if last is None else last) + 1)


def _find_farewell(lines: Sequence[_Line], start: int) -> int | None:
    """The last line of a letter: its farewell, or the name below it."""
    at = next((at for at in range(start, len(lines)) if form_of(lines[at].text) is Form.FAREWELL), None)
    if at is None or at + 1 >= len(lines):
        return at
    name = lines[at + 1].text.strip()
    signed = 0 < len(name) <= _NAME_CHARS and len(name.split()) <= _NAME_WORDS and not is_request(name)
    return at + 1 if signed else at


def _extend_letter(lines: Sequence[_Line], voices: list[Voice | None], after: int) -> None:
    """The paragraphs of a letter up to its farewell, or to a last line that asks for something."""
    farewell = _find_farewell(lines, after)
    if farewell is not None:
        _fill(voices, after, farewell + 1)
    else:
        _fill_rest(lines, voices, after)


def _paragraphs(lines: Sequence[_Line], voices: Sequence[Voice | None], since: int = 0) -> Iterator[tuple[int, int]]:
    """Half-open ranges of lines that nothing has marked yet, parted by empty ones."""
    start: int | None = None
    for at in range(since, len(lines) + 1):
        is_open = at < len(lines) and voices[at] is None and not lines[at].is_blank
        if is_open and start is None:
            start = at
        elif not is_open and start is not None:
            yield start, at
            start = None


def _mark_by_request(lines: Sequence[_Line], voices: list[Voice | None], *, enclosed: bool) -> None:
    """Of lines without a form of their own: what a request at the first or last of them is about."""
    plain = [at for at, line in enumerate(lines) if voices[at] is None and not line.is_blank]
    if not plain:
        return
    if any(voice is not None and _TAG.match(line.text) for line, voice in zip(lines, voices, strict=True)):
        _leave(voices, plain, [at for at in plain if is_request(lines[at].text)])
        return
    found = enclosed or any(voice is not None for voice in voices)
    if any(cues("texts", "role").search(lines[at].text) for at in plain):
        for at in plain:
            if not ASKS.search(lines[at].text) or cues("texts", "role").search(lines[at].text):
                voices[at] = Voice.PASTED
        return
    edges = [at for at in dict.fromkeys((plain[0], plain[-1])) if points_at_text(lines[at].text)]
    handing = [at for at in edges if hands_over(lines[at].text)]
    length = sum(len(lines[at].text) for at in plain)
    pointing = handing or [at for at in edges if points(lines[at].text) or is_short_question(lines[at].text)]
    if len(plain) > 1 and not found and pointing:
        if handing or not are_typed([lines[at].text for at in plain]):
            _leave(voices, plain, [max(pointing, key=lambda at: rank_request(lines[at].text))])
    elif len(plain) > 1 and not found and are_typed([lines[at].text for at in plain]):
        return
    elif len(plain) > 1 and (length > _LONG_PROSE or len(plain) > _MANY_LINES):
        _leave(voices, plain, edges)
    elif found and len(plain) > 2:
        near = plain if len(lines) <= _LONG_PROMPT else [*plain[:2], *plain[-2:]]
        _leave(voices, plain, [at for at in near if len(lines[at].text) <= SHORT_LINE])


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


def _split_quotations(span: Span, quoted: Sequence[tuple[int, int]]) -> Iterator[Span]:
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
    cuts = [0, *(match.end() for match in SENTENCE.finditer(whole)), len(whole)]
    parts = [(one, other) for one, other in pairwise(cuts) if whole[one:other].strip()]
    asking = [part for part in parts if asks_about_text(whole[part[0] : part[1]])]
    if len(parts) - len(asking) < 3 or not asking:
        yield span
        return
    for part in parts:
        yield Span(span.start + part[0], span.start + part[1], Voice.OWN if part in asking else Voice.PASTED)


def _is_remember(text: str) -> bool:
    return cues("remember", "remember").search(text) is not None
