"""What a match finds does not depend on what else a process has loaded."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

from hearth.ports import EVERYTHING, Filter, WantedTerm
from hearth.store.sqlite.store import SqliteStore
from hearth.testing import record

WORDS = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbor")
ASKED = (("amber",), ("amber", "basalt", "cedar"), ("garnet", "delta", "harbor", "ember", "fjord"), WORDS)
SCRIPT = """
import json, sys
from pathlib import Path
from hearth.ports import EVERYTHING, Filter, WantedTerm
from hearth.store.sqlite.store import SqliteStore
found = []
with SqliteStore(Path(sys.argv[1]), "matching").read() as reader:
    for words in json.loads(sys.argv[2]):
        rows = reader.terms(words)
        wanted = [WantedTerm(rows[word], weight=1.0 + at / 7) for at, word in enumerate(words)]
        for within in (EVERYTHING, Filter(collections=("b",))):
            found += [reader.match(wanted, within, limit) for limit in (1, 7, 500)]
print(json.dumps(["numpy" in sys.modules, found]))
"""


def test_a_match_is_the_same_with_numpy_and_without_it(tmp_path: Path) -> None:
    rng = random.Random(3)
    path = tmp_path / "index.sqlite"
    store = SqliteStore(path, "matching")
    with store.write() as writer:
        for number in range(120):
            texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) for _ in range(3)]
            writer.put(record(rng.choice("ab"), f"note-{number}.md", *texts))
    without = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path), json.dumps(ASKED)], capture_output=True, text=True, check=True
    )
    is_loaded, expected = json.loads(without.stdout)
    assert not is_loaded
    assert np.__name__ in sys.modules
    for _ in range(2):  # the second time from what was kept
        found = []
        with store.read() as reader:
            for words in ASKED:
                rows = reader.terms(words)
                wanted = [WantedTerm(rows[word], weight=1.0 + at / 7) for at, word in enumerate(words)]
                for within in (EVERYTHING, Filter(collections=("b",))):
                    found += [reader.match(wanted, within, limit) for limit in (1, 7, 500)]
        assert found == expected
    with store.write() as writer:
        writer.put(record("a", "later.md", "amber amber basalt"))
    with store.read() as reader:
        wanted = [WantedTerm(row) for row in reader.terms(["amber", "basalt"]).values()]
        assert reader.match(wanted, EVERYTHING, 500)[0] > max(map(max, expected))
    store.close()
