"""The guard against samples of the public formats: what it finds, and what it leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from hearth.guard.secrets.redaction import redact
from hearth.guard.secrets.rules import FORMATS

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
# No name tells that this number is a secret.
UNKNOWN = {"telegram-hash"}


@pytest.fixture
def samples(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    from samples import leaks  # type: ignore[import-not-found,unused-ignore]

    for name in ("samples.leaks", "samples.places", "samples.files"):
        monkeypatch.delitem(sys.modules, name)
    return leaks


def test_the_table_knows_more_than_a_hundred_kinds() -> None:
    assert len({row.name for row in FORMATS}) >= 100


def test_nearly_all_samples_are_found_and_most_of_every_kind(samples: ModuleType) -> None:
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for leak in samples.leaks(seed=20240611):
        total[leak.kind] += 1
        found[leak.kind] += not samples.leaked(leak, redact(leak.text).text)
    assert len(total) > 190
    assert sum(found.values()) >= 0.98 * sum(total.values())
    weak = {kind: (found[kind], total[kind]) for kind in total if found[kind] < 0.8 * total[kind]}
    assert weak.keys() <= UNKNOWN, weak


def test_most_of_what_people_share_is_found_also_in_forms_that_no_rule_was_written_from(samples: ModuleType) -> None:
    from samples import shared

    found: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    for sample in shared.samples(seed=20261128):
        total[sample.kind, sample.sealed] += 1
        found[sample.kind, sample.sealed] += sample.value not in redact(sample.text).text
    for kind, least in (("prose", 0.8), ("notes", 0.8), ("keys", 0.93), ("commands", 0.93), ("files", 0.93)):
        for sealed in (False, True):
            assert found[kind, sealed] >= least * total[kind, sealed], (kind, sealed)


def test_a_password_that_is_found_is_hidden_from_its_first_character_to_its_last(samples: ModuleType) -> None:
    for leak in samples.passwords(seed=20240612):
        redacted = redact(leak.text).text
        if "[redacted:" in redacted:
            for length in range(2, min(8, len(leak.secret))):
                assert leak.secret[:length] + "[redacted:" not in redacted, leak
                assert "]" + leak.secret[-length:] not in redacted, leak


def test_a_sample_stays_found_after_its_text_was_redacted_once(samples: ModuleType) -> None:
    for number, leak in enumerate(samples.leaks(seed=5)):
        if number % 7 == 0:
            once = redact(leak.text).text
            assert redact(once).text == once
            assert once.count("\n") == leak.text.count("\n")


def test_a_sample_is_found_in_the_middle_of_a_long_text(samples: ModuleType) -> None:
    filler = (ROOT / "src" / "hearth" / "core" / "paths.py").read_text(encoding="utf-8")
    for number, leak in enumerate(samples.leaks(seed=6)):
        if number % 61 == 0 and not samples.leaked(leak, redact(leak.text).text):
            assert not samples.leaked(leak, redact(f"{filler}\n\n{leak.text}\n\n{filler}").text), leak


@pytest.mark.parametrize("folder", [Path(sysconfig.get_paths()["stdlib"]) / "email", ROOT / "examples", ROOT / "docs"])
def test_source_documents_and_notes_come_back_as_they_were(folder: Path) -> None:
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".py", ".md") and file.name != "security.md":
            redacted = redact(file.read_text(encoding="utf-8"))
            assert not redacted.secrets, (file, redacted.secrets)


def test_the_same_rule_names_a_secret_in_every_process() -> None:
    text = "sk-" + "proj-" + "q8W2e7R4t1Y6u3I9o5P0a8S2" * 2
    program = "import sys; from hearth.guard.secrets.redaction import redact; print(redact(sys.argv[1]).text)"
    for seed in ("1", "2", "3"):
        shown = subprocess.run(
            [sys.executable, "-c", program, text], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        assert shown.stdout.strip() == "[redacted:openai-key]"
