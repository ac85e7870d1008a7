"""What a short decision leaves to the sentences around it: what it takes the place of, and what it was asked about.

"SQLite wears the card out. Let's switch to PostgreSQL instead" is instead of SQLite, which nobody can tell a week later
from the decision alone. The sentence stands in brackets behind the statement: searches find it, no judge reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hearth.extract.rules.statements import without_lead
from hearth.extract.rules.units import sentences
from hearth.lazy import regex
from hearth.text.lines import cut_line

_MOST_CHARS = 160
# What is longer says by itself what it is about.
_SHORT_CHARS = 100
_INSTEAD = regex(r"\binstead(?=\s*[.!,;]|\s*$)", re.IGNORECASE)
# What the sentence before is about: a name as its first word.
_SUBJECT = regex(r"(?:[Tt]he\s+)?([A-Z][\w.+#-]*\w)(?:['’]s)?\s+(?=[a-z])")
_NO_NAME = regex(
    r"(?:I|It|This|That|These|Those|They|He|She|We|You|There|Here|What|Which|When|Why|How|If|So|But|And|My|Our|Your|The|An?|"
    r"\w+day|January|February|March|April|May|June|July|August|September|October|November|December|Let|Please|Maybe|Also|"
    r"Then|Now|Not|No|Yes|For|In|On|At|With|Using|Having|Every|All|Some|Both|Each|Is|Are|Do|Does|Can)$"
)
_NAME = regex(r"(?<![\w.])(?:[A-Z][\w.+#-]*\w|[a-z]+[A-Z]\w*)")


def name_replaced(text: str, before: str) -> str:
    """``text`` with what its lone "instead" stands for, where the sentence before is about one named thing."""
    subject = _SUBJECT.match(without_lead(before))
    if subject is None or _NO_NAME.match(subject[1]) or subject[1] in text:
        return text
    return _INSTEAD.sub(f"instead of {subject[1]}", text, count=1)


def find_context(text: str, before: str, earlier: Iterable[str]) -> str:
    """The sentence that a short decision goes back to: the one before it where it says "instead", else the last one of
    ``earlier`` texts that names what it names. Empty where there is none."""
    if len(text) > _SHORT_CHARS:
        return ""
    if before and _INSTEAD.search(text):
        return without_lead(before)
    names = {name for name in _NAME.findall(text) if not _NO_NAME.match(name)}
    told = [sentence for said in earlier for sentence in sentences(said) if names & set(_NAME.findall(sentence))]
    return told[-1] if told else ""


def add_context(statement: str, context: str) -> str:
    """Both in one line; a judge reads the statement alone (``extract.truth.statement``)."""
    said = cut_line(" ".join(context.split()).replace("“", '"').replace("”", '"'), _MOST_CHARS)
    return f"{statement} (said: “{said}”)" if said else statement
