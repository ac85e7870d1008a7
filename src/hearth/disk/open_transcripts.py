"""Transcripts without what was said incognito."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hearth.lazy import dataclass
from hearth.model.host.transcript import Reading, TranscriptEntry, Watermark
from hearth.ports.files import Transcripts
from hearth.ports.privacy import Privacy

_MOST = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class OpenTranscripts:
    """Implements ``ports.Transcripts`` over another."""

    files: Transcripts
    privacy: Privacy

    def read(
        self, path: str, since: Watermark | None = None, most: int = _MOST, *, until: int | None = None
    ) -> Reading:
        reading = self.files.read(path, since, most, until=until)
        return replace(reading, entries=tuple(self._leave_out(path, reading.entries)))

    def tail(self, path: str) -> list[TranscriptEntry]:
        return self._leave_out(path, self.files.tail(path))

    def size(self, path: str) -> int:
        return self.files.size(path)

    def _leave_out(self, path: str, entries: Iterable[TranscriptEntry]) -> list[TranscriptEntry]:
        hidden = self.privacy.hidden(path)
        return [
            entry
            for entry in entries
            if not any(first <= entry.offset and (end is None or entry.offset < end) for first, end in hidden)
        ]
