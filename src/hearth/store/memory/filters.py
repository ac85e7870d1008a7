"""Which documents a filter admits."""

from __future__ import annotations

from hearth.model.identity import normal_path
from hearth.ports import Filter, StoredDocument, source_of, tag_prefix


def admits(within: Filter, stored: StoredDocument) -> bool:
    """Whether a document may answer."""
    document = stored.document
    if stored.vanished or not _in_sight(within, stored):
        return False
    if within.sources and source_of(document) not in within.sources:
        return False
    for value, wanted in ((document.collection, within.collections), (document.content_type, within.types)):
        if wanted and value not in wanted:
            return False
    if within.statuses and document.status not in within.statuses:
        return False
    if not dated_within(stored, within.since, within.until):
        return False
    path, tags = document.path.lower(), [tag.lower() + "/" for tag in stored.tags]
    named = all(normal_path(part).lower() in path for part in within.paths)
    return named and all(any(tag.startswith(tag_prefix(wanted)) for tag in tags) for wanted in within.tags)


def _in_sight(within: Filter, stored: StoredDocument) -> bool:
    state, as_of = stored.state, within.as_of
    if as_of is not None:
        since = stored.document.valid_from
        begun, over = since is None or since <= as_of, state.valid_to is not None and state.valid_to <= as_of
        return begun and not over and not state.forgotten
    if within.include_hidden:
        return True
    at = within.unexpired_at
    return set(state.veils).issubset(within.include) and not (at is not None and state.expired(at))


def dated_within(stored: StoredDocument, start: int | None, end: int | None) -> bool:
    dated = stored.document.dated_at
    if dated is None:
        return start is None and end is None
    return (start is None or start <= dated) and (end is None or dated < end)
