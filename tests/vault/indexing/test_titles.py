"""A document without a heading is titled after its file."""

from __future__ import annotations

from typing import Any

from hearth.core.document import docid


def test_a_secret_in_the_name_of_a_file_is_in_no_title_and_its_path_still_leads_to_it(box: Any) -> None:
    secret = "ghp" + "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = f"ci {secret}.md"
    box.write(path, "No heading here.\n")
    box.sync()
    with box.store.read() as reader:
        document = reader.document(docid("notes", path)).document
    assert document.title == "ci [redacted:github-token]"
    assert document.path == path
