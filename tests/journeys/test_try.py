"""The first minutes with Hearth: the README's commands, as a program of its own, on the example notes."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTES = ROOT / "examples" / "notes"
JWT = "Why did we stop using JWT for sessions?"
UNKNOWN = "Who painted the ceiling of the Sistine Chapel?"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, forks: Any) -> Run:
    """Runs ``hearth`` in a home of its own, where the example notes are ``~/notes``."""
    home = tmp_path / "a home"
    shutil.copytree(NOTES, home / "notes")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HEARTH_", "PYTEST_"))}
    folders = {f"HEARTH_{name.upper()}_DIR": str(home / name) for name in ("config", "data", "cache", "state")}
    environ = kept | folders | {"HOME": str(home), "HEARTH_DAEMON_MODE": "external"}

    def hearth(*arguments: str) -> subprocess.CompletedProcess[str]:
        words = [word.replace("~", str(home)) for word in arguments]
        code, out, err = forks.run(words, environ, folder=home)
        return subprocess.CompletedProcess(words, code, str(out, "utf-8"), str(err, "utf-8"))

    return hearth


@pytest.fixture
def answers(run: Run) -> Callable[[str], list[dict[str, Any]]]:
    """The results of a question to the example notes."""
    assert run("bootstrap", "~/notes").returncode == 0

    def ask(question: str) -> list[dict[str, Any]]:
        result = run("query", question, "--full", "--json")
        assert result.returncode == 0, result.stderr
        found: list[dict[str, Any]] = json.loads(result.stdout)["results"]
        return found

    return ask


def test_the_commands_of_the_readme_work_in_their_order(run: Run) -> None:
    lines = re.findall(r"^\$ hearth (.+)$", README.split("## Start")[1], re.MULTILINE)
    assert lines[0].startswith("bootstrap")
    outputs: dict[str, str] = {}  # of a command's first run
    for line in lines:
        result = run(*shlex.split(line))
        assert result.returncode == 0, f"{line}: {result.stderr}"
        outputs.setdefault(line.split()[0], result.stdout)
    assert "0003-postgres-over-mongodb.md" in outputs["query"]
    assert list(outputs) == ["bootstrap", "setup", "query", "get", "remember", "status"] and all(outputs.values())
    told = run("surface", "why did we choose PostgreSQL?").stdout
    assert told.startswith("<vault-context>") and "0003-postgres-over-mongodb.md" in told


def test_the_picture_in_the_readme_is_what_is_printed(run: Run) -> None:
    picture = README.split("```console\n")[1].split("```")[0]
    run("bootstrap", "~/notes")
    printed = ""
    for line in re.findall(r"^\$ hearth (.+)$", picture, re.MULTILINE):
        done = run(*shlex.split(line))
        printed += f"$ hearth {line}\n{done.stderr}{done.stdout.rstrip()}\n"
    assert printed == picture


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("LARDER_IMPORT_CONCURRENCY above 4", "handoffs/2026-03-12-import-queue.md"),
        (JWT, "decisions/0008-server-side-sessions.md"),
        ("How do I change leaked passwords and keys?", "runbooks/rotate-secrets.md"),
        ("¿Por qué no sirve abrir puertos en el router?", "notas/despliegue-en-casa.md"),
        ("为什么不用流复制？", "笔记/备份策略.md"),
    ],
    ids=["identifier", "why", "paraphrase", "spanish", "chinese"],
)
def test_a_question_finds_the_lines_that_its_answer_names(
    answers: Callable[[str], list[dict[str, Any]]], question: str, path: str
) -> None:
    first = answers(question)[0]
    assert first["path"] == path
    lines = (NOTES / path).read_text(encoding="utf-8").splitlines()[first["start_line"] - 1 : first["end_line"]]
    assert first["text"].rstrip() == "\n".join(lines).rstrip()


def test_a_question_that_the_notes_do_not_answer_is_said_to_be_unsure_and_why(run: Run) -> None:
    run("bootstrap", "~/notes")
    result = run("query", UNKNOWN)
    assert result.returncode == 0
    assert result.stderr.startswith("No confident answer (")


def test_the_lines_of_a_hit_can_be_read(run: Run, answers: Callable[[str], list[dict[str, Any]]]) -> None:
    hit = answers(JWT)[0]
    count = hit["end_line"] - hit["start_line"] + 1
    excerpt = run("get", f"{hit['docid']}:{hit['start_line']}:{count}")
    assert excerpt.stdout.rstrip("\n") == hit["text"].rstrip("\n")


def test_deleting_the_index_changes_no_answer(run: Run, answers: Callable[[str], list[dict[str, Any]]]) -> None:
    before = answers(JWT)
    shutil.rmtree(run("path", "cache").stdout.strip())
    after = answers(JWT)
    places = [[(hit["docid"], hit["start_line"], round(hit["score"], 3)) for hit in hits] for hits in (before, after)]
    assert before and places[0] == places[1]


@pytest.mark.skipif(not (ROOT / ".venv" / "bin" / "python").exists(), reason="`make try` needs its own .venv")
def test_the_demo_asks_five_questions_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = os.environ | {"TMPDIR": str(tmp_path)}
    shown = subprocess.run(
        ["sh", str(ROOT / "examples" / "try.sh")],
        env=environ,
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("$ hearth query ") == 5
    assert "\nNo confident answer (" in shown.stdout
    assert list(tmp_path.iterdir()) == []
