"""Whether a model folder really answers."""

from __future__ import annotations

from pathlib import Path

from hearth.errors import BadReply
from hearth.models.onnx.embedder import OnnxEmbedder
from hearth.models.onnx.manifest import Manifest
from hearth.models.onnx.reranker import OnnxReranker

_ASKED = "How do I get my money back?"
_GOOD = "Refunds are paid within two weeks of the request."
_OTHER = "The cat sleeps on the warm roof."
_SAME = 0.999


def answer(folder: Path, manifest: Manifest) -> None:
    """Runs the model once. Raises ``Unavailable`` or ``BadReply``, also where unlike texts get the same answer."""
    if manifest.recipe.kind == "embedder":
        good, other = OnnxEmbedder(folder, manifest).embed([_GOOD, _OTHER], "document")
        same = not good.any() or not other.any() or float(good @ other) > _SAME
    else:
        scores = OnnxReranker(folder, manifest).score(_ASKED, [_GOOD, _OTHER])
        same = float(scores[0]) == float(scores[1])
    if same:
        raise BadReply(f"the model in {folder} can't tell unlike texts apart; pull it again or choose another")
