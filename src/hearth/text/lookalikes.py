"""Characters that look like others: letters of other scripts, fullwidth forms, brackets of mathematics."""

from __future__ import annotations

from functools import cache
from unicodedata import normalize

# Each character of a row looks like its first.
_ROWS = (
    "aаαɑᴀᎪΑАӑӓ", "bЬвʙᏴΒВƅ", "cсϲᴄᏟС", "dԁᴅᎠɗ", "eеєεᴇᎬΕЕҽ℮ҿё", "fꜰғƒϝ", "gɡցɢᏀԍ", "hһнʜᎻΗНհ", "iіιıɪᎥΙІїꙇ",
    "jјᴊᎫЈϳ", "kкκᴋᏦΚК", "lӏʟᏞłⅼǀן", "mмᴍᎷΜМ", "nոɴηΝпռ", "oоοօᴏᎾΟОσөՕ", "pрρᴘᏢΡР", "qԛգզ", "rгʀᎡᴦᏒ",
    "sѕꜱᏚʂЅՏ", "tтτᴛᎢΤТ", "uυսᴜμцՍ", "vνѵᴠᏙѴט", "wԝωᴡᏔԜшա", "xхχΧХ", "yуγʏүᎩΥУұ", "zᴢᏃʐΖ",
    "<˂ᐸ〈⟨❮❰⧼⦑", ">˃ᐳ〉⟩❯❱⧽⦒", "/⁄∕⧸╱⟋", "|∣ǀ│❘⏐┃", "-‐‑‒–—―−⁃", "_ˍ‗", "'’‘ʼ`´", "\"“”„«»",
)  # fmt: skip
_MOST = 20_000


class _Table(dict[int, str]):
    """Fills itself with what texts hold."""

    def __missing__(self, code: int) -> str:
        plain = _plain(chr(code))
        if len(self) < _MOST:
            self[code] = plain
        return plain


def skeleton(text: str) -> str:
    """Lower case, each character replaced by the ASCII one that it looks like; of the same length as ``text``.

    Other scripts become unreadable: it is for finding words of ASCII in disguise, not for reading.
    """
    return text.lower() if text.isascii() else text.translate(_table())


@cache
def _table() -> _Table:
    return _Table()


@cache
def _rows() -> dict[str, str]:
    return {char: row[0] for row in _ROWS for char in row[1:]}


def _plain(char: str) -> str:
    rows = _rows()
    for form in (char, normalize("NFKC", char)):
        if form in rows:
            return rows[form]
        if len(form) == 1 and form.isascii():
            return form.lower()
    lowered = normalize("NFKC", char).casefold()
    return rows.get(lowered, lowered) if len(lowered) == 1 else char
