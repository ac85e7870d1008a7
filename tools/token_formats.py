"""Lists the token formats of kept rule sets that ``formats.tsv`` lacks, as rows to add to it.

    python tools/token_formats.py ~/kingfisher/data/rules/*.yml ~/gitleaks/config/gitleaks.toml

Only facts are taken: the prefix that an issuer gives its tokens, the lengths and the alphabets of what follows. Rules
that need a word beside the token, and formats without a prefix of three characters, are left out.
"""

from __future__ import annotations

import re
import string
import sys
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from hearth.guard.secrets.rules import FORMATS

_CLASSES = {
    "@h": "0123456789abcdef", "@H": string.hexdigits, "@l": string.ascii_lowercase + string.digits,
    "@u": string.ascii_uppercase + string.digits, "@n": string.ascii_letters + string.digits,
    "@w": string.ascii_letters + string.digits + "_-", "@d": string.ascii_letters + string.digits + "_-.",
    "@b": string.ascii_letters + string.digits + "_-+/=",
}  # fmt: skip
_LEAST_BODY = 16
_MOST_BRANCHES = 64
Item = tuple[str, int]
"""A literal character with 0, or a class with how often it stands there at least."""


def main() -> None:
    """Print the rows that the table lacks."""
    known = [anchor for row in FORMATS for anchor in row.anchors.split()]
    rows: dict[tuple[str, str], tuple[str, str]] = {}
    for path in map(Path, sys.argv[1:]):
        for name, pattern in _patterns(path):
            for items in _alternatives(pattern):
                anchor = "".join(char for char, _ in takewhile(lambda item: item[1] == 0, items))
                body = _body(items[len(anchor) :])
                if body and _is_prefix(anchor) and not any(anchor.startswith(old) for old in known):
                    rows.setdefault((anchor, body), (name, "gitleaks" if path.suffix == ".toml" else "kingfisher"))
    for (anchor, body), (name, source) in sorted(rows.items(), key=lambda row: (row[1], row[0])):
        sure = len(anchor) > 3 and anchor[-1] in "_-."
        print("\t".join((name, anchor, body, "3.0", "yes" if sure else "no", "", "0", source)))


def _patterns(path: Path) -> Iterator[tuple[str, str]]:
    if path.suffix == ".toml":
        for rule in tomllib.loads(path.read_text(encoding="utf-8"))["rules"]:
            if "regex" in rule:
                yield rule["id"], rule["regex"]
        return
    import yaml

    for rule in yaml.safe_load(path.read_text(encoding="utf-8"))["rules"]:
        yield rule["id"].split(".")[1] + "-token", rule["pattern"]


def _alternatives(pattern: str) -> list[list[Item]]:
    """What a pattern spells, one list a branch; none where it is more than literals and repeated classes."""
    flags = re.VERBOSE if re.search(r"\(\?[a-z]*x", pattern) else 0
    fold = re.search(r"\(\?[a-z]*i[a-z]*\)", pattern) is not None
    plain = (
        re.sub(r"\(\?[a-z-]+\)", "", pattern).replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    )
    try:
        parsed = re._parser.parse(plain, flags)  # type: ignore[attr-defined]
    except re.error:
        return []
    try:
        return _spell(list(parsed), fold)
    except ValueError:
        return []


def _spell(parsed: list[Any], fold: bool) -> list[list[Item]]:
    found: list[list[Item]] = [[]]
    for operation, argument in parsed:
        name = str(operation)
        if name in ("AT", "ASSERT", "ASSERT_NOT"):
            continue
        if name == "SUBPATTERN":
            more = _spell(list(argument[3]), fold)
        elif name == "BRANCH":
            more = [items for branch in argument[1] for items in _spell(list(branch), fold)]
        elif name == "LITERAL":
            more = [[(chr(argument), 0)]]
        elif name == "IN":
            more = [[(_class(argument, fold), 1)]]
        elif name.endswith("REPEAT") and argument[0] > 0 and len(argument[2]) == 1 and str(argument[2][0][0]) == "IN":
            more = [[(_class(argument[2][0][1], fold), argument[0])]]
        elif name.endswith("REPEAT") and argument[0] == 0 and found[0] and any(count for _, count in found[0]):
            continue  # what may follow
        else:
            raise ValueError(name)
        found = [before + items for before in found for items in more]
        if len(found) > _MOST_BRANCHES:
            raise ValueError("branches")
    return found


def _class(parsed: list[Any], fold: bool) -> str:
    chars: set[str] = set()
    for operation, argument in parsed:
        if str(operation) == "LITERAL":
            chars.add(chr(argument))
        elif str(operation) == "RANGE":
            chars.update(map(chr, range(argument[0], argument[1] + 1)))
        elif str(argument) == "CATEGORY_WORD":
            chars.update(string.ascii_letters + string.digits + "_")
        elif str(argument) == "CATEGORY_DIGIT":
            chars.update(string.digits)
        else:
            raise ValueError(str(argument))
    if fold:
        chars |= set("".join(chars).lower()) | set("".join(chars).upper())
    for name, members in _CLASSES.items():
        if chars <= set(members):
            return name
    raise ValueError("alphabet")


def _body(items: list[Item]) -> str:
    """Empty where it is too short to be told from a name."""
    if sum(count for _, count in items) < _LEAST_BODY:
        return ""
    parts = [re.escape(char) if count == 0 else f"{char}{{{count}}}" for char, count in items]
    return re.sub(r"\}$", ",}", "".join(parts))


def _is_prefix(anchor: str) -> bool:
    return len(anchor) > 2 and "/" not in anchor and (not anchor.isalpha() or (anchor.isupper() and len(anchor) > 3))


if __name__ == "__main__":
    main()
