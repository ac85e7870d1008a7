"""Is a note a form that nobody has filled in yet: called a template, or with placeholders where its title and its
labels stand. It is of no type, has no status and no date."""

from __future__ import annotations

from pathlib import PurePosixPath

from hearth.core.lazy import regex
from hearth.markdown.head.outline import Outline, name_words, names
from hearth.text.times.written import date_of_name

# A value that is one placeholder: "{date}", "<name>", "[what we decided]", "*TITLE*", "YYYY-MM-DD", "...".
_DAY = r"(?:(?:[YMD]{1,4}[-/. ,]{1,2}){2}[YMD]{1,4}|yyyy[-/.]mm[-/.]dd|dd[-/.]mm[-/.]yyyy)"
_PLACEHOLDER = regex(
    rf"[*_`\"']*(?:\{{\{{?[^{{}}]+\}}?\}}|<[^<>@/:]{{2,80}}>|\[[^\[\]]{{2,120}}\](?![(\[])|{_DAY}"
    r"|(?<=[*_])[A-Z]{4,}(?=[*_])|TODO|_{3,}|\.{3}|…|x{3,})[*_`\"'.]*"
)
# Where it stands in a title, which says more.
_IN_TITLE = regex(
    rf"\{{\{{?[^{{}}]+\}}?\}}|<[A-Za-z][^<>@/:=]{{2,80}}>|(?<!\w)\[[A-Za-z][^\[\]]* [^\[\]]*\](?![(\[])"
    rf"|(?<!\w){_DAY}(?!\w)|(?<![A-Za-z])(?:N{{3,}}|X{{3,}}|0000)(?![A-Za-z0-9])"
)
_LEAST = 3


def is_template(path: str, title: str, outline: Outline) -> bool:
    """``title`` is the note's first heading as it is written."""
    file = PurePosixPath(path)
    if any(names("name:template", name_words(part)) for part in (*file.parts[:-1], file.stem)):
        return True
    if date_of_name(str(file.with_suffix(""))) is not None:
        return False
    labels = [label.value for label in outline.labels]
    openings = [section.lines[0] for section in outline.sections[1:] if section.lines]
    filled = [_PLACEHOLDER.fullmatch(text.strip("-*+> \t")) is None for text in (*labels, *openings)]
    blank = len(filled) - sum(filled)
    least = 1 if _IN_TITLE.search(title) else _LEAST
    return blank >= least and blank * 2 >= len(filled)
