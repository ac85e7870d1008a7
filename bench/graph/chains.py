"""Chains of causes in the examples and in sets of texts, with the lines that say their last steps."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from hearth import app
from hearth.graph.chains import CAUSES, CausalLink, find_causal_links
from hearth.ports import EVERYTHING
from hearth.vault.vault import Vault

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "notes"
WANTED = 10


def list_chains(data: Path | None, sets: tuple[str, ...]) -> str:
    """Of each collection from every cause to what it led to, the longest and then the surest first."""
    folders = [("examples", EXAMPLES)]
    if data is not None:
        folders += [(name, corpus) for name in sets for corpus in sorted(data.glob(f"{name}/*/corpus"))]
    chains = [f"{name}  {told}" for name, folder in folders for told in _tell(folder)]
    verdict = "✓" if len(chains) >= WANTED else "✗"
    return "\n".join((*chains, f"{len(chains)} chains, goal >= {WANTED} {verdict}"))


def _tell(folder: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="hearth-graph-") as work:
        vault = app.open_folder(folder, Path(work))
        vault.index.sync()
        vault.graph.build()
        for link in sorted(_find(vault), key=lambda link: (-link.depth, -link.confidence, link.document.path)):
            places = [link.via[0].source_place, *(step.target_place for step in link.via)]
            said = [f"\n    {one.place}:{one.start}  {one.words}" for one in link.evidence]
            yield f"{link.confidence:.2f}  {' > '.join(places)}{''.join(said)}"
        vault.close()


def _find(vault: Vault) -> Iterator[CausalLink]:
    with vault.store.read() as reader:
        docids = [stored.document.docid for stored in list(reader.each_document(EVERYTHING))]
        causes = {one.source for one in reader.relations_of(docids, ["causal"])}
    for docid in sorted(causes):
        yield from find_causal_links(vault, f"#{docid}", CAUSES).links
