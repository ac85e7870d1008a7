"""Thirty ways of handing over other people's text, in six languages, short and long."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trust_checks.table import SAMPLES

MAIL = (
    "From: {name} <{handle}@example.org>\nTo: me@example.org\n"
    "Date: Tue, 5 May 2026 09:12:44 +0200\nSubject: {subject}\n\n"
)
LETTER = "{hello}\n\n{text}\n\n{bye}\n{name}"
# By what each is; ``quoted`` has > before each line, ``first`` is the first sentence and ``rest`` the others.
WAYS = {
    "mail after the request": "{reply}\n\n" + MAIL + LETTER,
    "mail before the request": MAIL + LETTER + "\n\n{reply}",
    "letter without headers": "{reply}\n\n" + LETTER,
    "forwarded mail": "{read}\n\n---------- Forwarded message ---------\n" + MAIL + "{text}",
    "answered mail": "{reply}\n\nOn Mon, 4 May 2026 at 18:02, {name} <{handle}@example.org> wrote:\n{quoted}",
    "Slack, copied": "{summarise}\n\n{name}  9:41 AM\n{text}\n{other}  9:43 AM\n+1",
    "Slack, exported": '{summarise}\n\n[{{"user": "{handle}", "ts": "1777966871.000200", "text": {json}}}]',
    "chat by names": "{summarise}\n\n{name}: {first}\n{other}: ok\n{name}: {rest}",
    "chat with times": "{summarise}\n\n[05.05.26, 09:41:10] {name}: {text}\n[05.05.26, 09:42:51] {other}: ok",
    "issue": "{issue}\n\n#1042 {subject}\n@{handle} opened this issue 3 days ago · 2 comments\n\n{text}",
    "review comment": "{think}\n\n@{handle} commented on src/gateway.py:42\n\n{text}",
    "document in tags": "{summarise}\n<document>\n{text}\n</document>",
    "mail in tags before the request": "<email>\n{text}\n</email>\n\n{extract}",
    "fenced": "{summarise}\n\n```\n{text}\n```",
    "README": "{readme}\n\n# {tool}-kit\n\n## Contributing\n\n{bullets}\n\n## License\n\nMIT",
    "output of a program": "{output}\n\n$ ./setup.sh --notes\n{text}\n$",
    "lines of a log": "{log}\n\n{logged}",
    "X wrote": "{name} {wrote}: {text}",
    "X: in one line": "{think} {name}: {text}",
    "quoted in a sentence": "{name} {said} “{text}” {think}",
    "pretend": "{pretend} {text}",
    "proofread": "{proofread}\n\n{text}",
    "proofread, request last": "{text}\n\n{proofread}",
    "essay": "{essay}\n\n{title}\n\n{text}",
    "translate": "{translate}\n{text}",
    "system prompt": "{improve}\n\n{text}",
    "page of a PDF": "{pdf}\n\n{title}\n3 / 12\n\n{wrapped}\n\n— 3 —",
    "another team's decision": "{team}\n\n{text}",
    "minutes": "{minutes}\n\n2026-05-04, 10:00-10:45\n{name}, {other}\n\n{bullets}",
    "article": "{article}\n\nhttps://blog.example.org/2026/05/{handle}\n{title}\n{name} · 5 May 2026 · 4 min\n\n{text}",
}
_LONG_BY = 3


@dataclass(frozen=True)
class Handed:
    """A prompt in which nothing is the person's own but the request; ``text`` names the text that is handed
    over, ``foreign`` are its sentences."""

    key: str
    way: str
    text: str
    prompt: str
    foreign: tuple[str, ...]


def all_handed() -> Iterator[Handed]:
    given = json.loads((SAMPLES / "handover.json").read_text("utf-8"))
    for way, template in WAYS.items():
        for language, phrases in given["languages"].items():
            for number in range(len(phrases["texts"])):
                for long in (False, True):
                    yield _made(given, way, template, language, number, long)


def _made(given: dict[str, Any], way: str, template: str, language: str, number: int, long: bool) -> Handed:
    phrases = given["languages"][language]
    key = f"{way}, {language}, text {number + 1}, {'long' if long else 'short'}"
    draw = int(hashlib.sha256(key.encode()).hexdigest(), 16)
    names = given["names"][language]
    filled = {
        "name": names[draw % len(names)],
        "other": names[(draw + 1) % len(names)],
        "tool": given["tools"][draw // 7 % len(given["tools"])],
        "day": given["days"][language][draw // 11 % len(given["days"][language])],
        "n": str(12 + draw // 13 % 40),
        "handle": f"user{draw % 997}",
    }
    texts = phrases["texts"]
    sentences = texts[number] + texts[(number + 1) % len(texts)][:_LONG_BY] if long else texts[number][:2]
    foreign = tuple(sentence.format(**filled) for sentence in sentences)
    space = "" if language == "zh" else " "
    text = space.join(foreign)
    said = {name: phrase.format(**filled) for name, phrase in phrases.items() if isinstance(phrase, str)}
    shapes = {
        "text": text,
        "first": foreign[0],
        "rest": space.join(foreign[1:]),
        "json": json.dumps(text, ensure_ascii=False),
        "quoted": "\n".join(f"> {line}" for line in textwrap.wrap(text, 72)),
        "wrapped": "\n".join(textwrap.wrap(text, 60)),
        "bullets": "\n".join(f"- {sentence}" for sentence in foreign),
        "logged": "\n".join(
            f"2026-05-05 09:12:{at:02} INFO notices: {sentence}" for at, sentence in enumerate(foreign)
        ),
    }
    return Handed(key, way, f"{language} {number + 1}", template.format(**filled | said | shapes), foreign)
