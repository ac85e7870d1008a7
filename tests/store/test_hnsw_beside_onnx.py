from __future__ import annotations

import subprocess
import sys

import pytest


def test_a_graph_that_was_loaded_first_does_not_end_a_process_that_then_loads_a_model() -> None:
    pytest.importorskip("onnxruntime")
    graph = "from hearth.store.sqlite import vectors; vectors._empty(8)"
    code = f"{graph}; import onnxruntime as o; print(o.get_available_providers())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, "CPUExecutionProvider" in done.stdout) == (0, True), done.stderr
