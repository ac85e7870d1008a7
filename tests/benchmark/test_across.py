from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "across.py"
PARAGRAPHS = {
    "en": {"a.md": "# Gate\n\nThe garden gate sticks.\n", "b.md": "# Oven\n\nThe oven is too hot.\n"},
    "es": {"a.md": "# Portón\n\nEl portón del jardín se atasca.\n", "b.md": "# Horno\n\nEl horno calienta mucho.\n"},
}
QUESTIONS = {
    "en": {"gate": "why does the garden gate stick?", "oven": "is the oven too hot?"},
    "es": {"gate": "¿por qué se atasca el portón?", "alone": "¿calienta mucho el horno?"},
}
GOLD = {"gate": "a.md", "oven": "b.md", "alone": "b.md"}


def write(folder: Path) -> None:
    for language, texts in PARAGRAPHS.items():
        (folder / language / "corpus").mkdir(parents=True)
        for name, text in texts.items():
            (folder / language / "corpus" / name).write_text(text, encoding="utf-8")
        lines = (
            {"id": name, "query": asked, "type": language, "gold": [{"path": GOLD[name], "start": 1, "end": 3}]}
            for name, asked in QUESTIONS[language].items()
        )
        path = folder / language / "queries.jsonl"
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


def test_each_language_is_asked_what_all_of_them_ask(tmp_path: Path) -> None:
    write(tmp_path)
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "es: 1 questions in each of en, es" in done.stderr
    hybrid = done.stdout.split("\n\n")[1].splitlines()
    assert hybrid[0] == "|  | en | es |"
    assert [line.split(" | ")[0] for line in hybrid[2:]] == ["| en", "| es"]
    assert hybrid[2].split(" | ")[1] == "1.000"
    assert hybrid[3].split(" | ")[2] == "1.000 |"


def test_a_language_that_the_set_lacks_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    done = run(tmp_path, "--languages", "en,fr")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("has no case fr; it has en, es")
