"""A set of questions about code, made from the functions of Python packages, in the form that ``hearth bench`` reads.

    python tools/code_questions.py PACKAGES OUT && hearth bench OUT

PACKAGES holds wheels or source folders. The first sentence of a function's docstring is the question, the function
without its docstring the answer, one function a document. Sentences that name the function or a word of its name
written together are left out, so that a question has to be understood and not only matched.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LINES = (4, 60)
WORDS = (5, 25)
_SENTENCE = re.compile(r"(.+?)(?:\.(?=\s)|\.$|\n\s*\n|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Function:
    """``code`` holds no docstring; ``question`` is empty where the docstring can't serve as one."""

    name: str
    place: str
    code: str
    question: str


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a set of questions about code.")
    parser.add_argument("packages", type=Path, help="folder of wheels or of Python source")
    parser.add_argument("out", type=Path, help="folder of the set, one case")
    parser.add_argument("--functions", type=int, default=4_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    found = [function for place, text in sources(options.packages) for function in functions(place, text)]
    chance = random.Random(options.seed)
    chance.shuffle(found)
    write(options.out / "code", found[: options.functions], options.questions)


def sources(folder: Path) -> Iterator[tuple[str, str]]:
    """(place, text) of every Python file in wheels and folders below ``folder``; tests are left out."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                for name in sorted(wheel.namelist()):
                    if _wanted(name):
                        yield name, wheel.read(name).decode("utf-8", "replace")
        elif _wanted(path.as_posix()) and path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_text("utf-8", "replace")


def _wanted(name: str) -> bool:
    return name.endswith(".py") and "/test" not in name and not name.startswith("test")


def functions(place: str, text: str) -> Iterator[Function]:
    """Functions of a module that fit ``LINES`` once their docstring is gone."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        docstring = ast.get_docstring(node)
        code = _without_docstring(node, lines) if docstring else lines[node.lineno - 1 : node.end_lineno]
        if LINES[0] <= len(code) <= LINES[1]:
            yield Function(
                node.name,
                f"{place.removesuffix('.py')}/{node.lineno}",
                "\n".join(code),
                _question(node.name, docstring),
            )


def _without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> list[str]:
    first = node.body[0]
    return [*lines[node.lineno - 1 : first.lineno - 1], *lines[first.end_lineno or first.lineno : node.end_lineno]]


def _question(name: str, docstring: str | None) -> str:
    sentence = " ".join((_SENTENCE.match(docstring.strip()) or [""])[0].split()).rstrip(".") if docstring else ""
    words = sentence.split()
    plain = re.fullmatch(r"[A-Za-z][\w\s,;:'()/-]*", sentence)
    named = name.strip("_").casefold() in sentence.casefold().replace(" ", "_") and "_" in name
    return sentence if plain and WORDS[0] <= len(words) <= WORDS[1] and not named else ""


def write(case: Path, chosen: list[Function], questions: int) -> None:
    """The corpus and as many questions as there are, at most ``questions``; equal questions are left out."""
    asked: dict[str, dict[str, object]] = {}
    for function in chosen:
        path = f"{function.place}.md"
        target = case / "corpus" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = f"```python\n{function.code}\n```\n"
        target.write_text(text, "utf-8")
        gold = [{"path": path, "start": 1, "end": text.count("\n")}]
        if function.question and function.question not in asked and len(asked) < questions:
            asked[function.question] = {
                "id": f"q{len(asked)}",
                "query": function.question,
                "type": "code",
                "gold": gold,
            }
    lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in asked.values())
    (case / "queries.jsonl").write_text(lines, "utf-8")
    print(f"{len(chosen)} functions, {len(asked)} questions in {case}")


if __name__ == "__main__":
    main()
