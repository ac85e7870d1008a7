"""Makes ``src/hearth/text/translations.tsv``: Spanish, German, French and Portuguese stems with the English ones.

    mkdir sources && cd sources
    npm pack cldr-annotations-full@48.2.0 @codingame/monaco-vscode-language-pack-{es,de,fr,pt-br}@25.1.2
    for f in *.tgz; do mkdir -p "$f.d"; tar xzf "$f" -C "$f.d"; done
    pip download --no-deps django==5.2.19 django-oscar==4.2.1 indico==3.2.9 wagtail==8.0.1
    for f in *.whl; do unzip -qo "$f" '*.po' -d "$f.d"; done; cd ..
    python tools/make_translations.py sources

The sources are texts that people translated, under permissive licences (``NOTICE`` names them): messages of programs,
and the names and keywords of emoji. Their stems without stop words are aligned by IBM Model 1 (Brown et al. 1993); a
pair is kept where each stem is likely given the other. ``tools/translations.txt``, written by hand, comes first.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from hearth.text.language import fold, is_stop_word, stem

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "src/hearth/text/translations.tsv"
BY_HAND = ROOT / "tools/translations.txt"
LANGUAGES = ("es", "de", "fr", "pt")
FOLDERS = {"es": ("es", "es_ES"), "de": ("de", "de_DE"), "fr": ("fr", "fr_FR"), "pt": ("pt", "pt_BR")}
PACKS = {"es": "es", "de": "de", "fr": "fr", "pt": "pt-br"}
REGIONS = {"es": ("es", "es-419", "es-MX"), "de": ("de",), "fr": ("fr",), "pt": ("pt", "pt-PT")}
WORD = re.compile(r"[^\W\d_]{2,}")
# Placeholders and markup in messages.
CODE = re.compile(r"%\(\w+\)\w|\{[^}]*\}|<[^>]*>|&\w+;|https?:\S+|`[^`]*`|\\[nt]")
LONGEST = 24
ROUNDS = 6
JOINT, SEEN, MOST = 0.12, 2.0, 3
"""Least product of both probabilities, least expected occurrences of a pair (half a word's only translation counts),
and most English stems of one foreign stem."""

Pair = tuple[tuple[str, ...], tuple[str, ...]]
"""Foreign stems and English ones of one text."""


def stems_of(text: str, language: str) -> tuple[str, ...]:
    words = (word.lower() for word in WORD.findall(CODE.sub(" ", text)))
    return tuple(dict.fromkeys(stem(word, language) for word in words if not is_stop_word(word, (language,))))


def read_po(path: Path) -> Iterator[tuple[str, str]]:
    """(English, translation) of a gettext catalogue; unsure and plural entries are passed over."""
    for entry in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in entry.split("\n") if not line.startswith("#~")]
        if any(line.startswith("#,") and "fuzzy" in line for line in lines):
            continue
        texts: dict[str, str] = {}
        field = ""
        for line in lines:
            head, _, rest = line.partition(" ")
            if head in ("msgid", "msgstr", "msgctxt"):
                field = head
                texts[field] = ast.literal_eval(rest)
            elif line.startswith('"') and field:
                texts[field] += ast.literal_eval(line)
            else:
                field = ""
        if texts.get("msgid") and texts.get("msgstr"):
            yield texts["msgid"], texts["msgstr"]


def read_bundle(path: Path) -> Iterator[tuple[str, str]]:
    """(English, translation) of a language pack's extension."""
    bundle = json.loads(path.read_text(encoding="utf-8"))["contents"].get("bundle", {})
    for english, translated in bundle.items():
        yield english.split("/", 1)[0] if english.count("/") == 1 else english, translated


def read_emoji(sources: Path, language: str) -> Iterator[tuple[str, str]]:
    def annotations(region: str) -> dict[str, dict[str, list[str]]]:
        path = next(sources.rglob(f"annotations/{region}/annotations.json"))
        found = json.loads(path.read_text(encoding="utf-8"))["annotations"]["annotations"]
        assert isinstance(found, dict)
        return found

    english = annotations("en")
    for region in REGIONS[language]:
        for emoji, said in annotations(region).items():
            if emoji in english:
                for kind in ("tts", "default"):
                    yield " ".join(english[emoji].get(kind, [])), " ".join(said.get(kind, []))


def read_pairs(sources: Path, language: str) -> list[Pair]:
    texts: dict[tuple[str, str], None] = {}
    for folder in FOLDERS[language]:
        for path in sorted(sources.rglob(f"{folder}/LC_MESSAGES/*.po")):
            texts.update(dict.fromkeys(read_po(path)))
    for path in sorted(sources.rglob(f"*language-pack-{PACKS[language]}-*/package/translations/extensions/*.json")):
        texts.update(dict.fromkeys(read_bundle(path)))
    texts.update(dict.fromkeys(read_emoji(sources, language)))
    pairs = (((stems_of(said, language)), stems_of(english, "en")) for english, said in texts)
    return [pair for pair in dict.fromkeys(pairs) if all(0 < len(side) <= LONGEST for side in pair)]


def align(pairs: list[Pair]) -> dict[tuple[str, str], float]:
    """How often a foreign stem is expected to stand for an English one."""
    chance: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    counts: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        counts = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for foreign, english in pairs:
            for target in english:
                weights = [chance[source, target] for source in foreign]
                whole = sum(weights)
                for source, weight in zip(foreign, weights, strict=True):
                    counts[source, target] += weight / whole
                    totals[source] += weight / whole
        chance = defaultdict(float, {pair: count / totals[pair[0]] for pair, count in counts.items()})
    return counts


def choose(counts: dict[tuple[str, str], float]) -> dict[str, list[str]]:
    by_foreign: dict[str, float] = defaultdict(float)
    by_english: dict[str, float] = defaultdict(float)
    for (foreign, english), count in counts.items():
        by_foreign[foreign] += count
        by_english[english] += count
    ranked: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for (foreign, english), count in counts.items():
        joint = count / by_foreign[foreign] * count / by_english[english]
        if joint >= JOINT and count >= SEEN and foreign != english and len(foreign) > 2 < len(english):
            ranked[foreign].append((-joint, english))
    return {foreign: [english for _, english in sorted(found)[:MOST]] for foreign, found in ranked.items()}


def forms_of(word: str, language: str) -> tuple[str, ...]:
    """A word and its plural where the stemmer does not join them."""
    return (word, word.removesuffix("ão") + "ões") if language == "pt" and word.endswith("ão") else (word,)


def read_by_hand() -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {language: {} for language in LANGUAGES}
    for line in BY_HAND.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        english, *others = line.split("|")
        for language, words in zip(LANGUAGES, others, strict=True):
            for word in (form for given in words.split() for form in forms_of(given, language)):
                known = found[language].setdefault(stem(word, language), [])
                known += [term for term in stems_of(english, "en") if term not in known]
    return found


def write(table: dict[str, dict[str, list[str]]]) -> None:
    rows = [
        f"{language}\t{fold(foreign)}\t{' '.join(english)}"
        for language, words in table.items()
        for foreign, english in sorted(words.items())
    ]
    OUTPUT.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{len(rows)} stems, {OUTPUT.stat().st_size} bytes")


def join(first: dict[str, list[str]], second: Iterable[tuple[str, list[str]]]) -> dict[str, list[str]]:
    joined = dict(first)
    for foreign, english in second:
        joined.setdefault(foreign, english)
    return joined


def main() -> None:
    sources = Path(sys.argv[1])
    table = read_by_hand()
    for language in LANGUAGES:
        pairs = read_pairs(sources, language)
        found = choose(align(pairs))
        print(f"{language}: {len(pairs)} texts, {len(found)} stems", flush=True)
        table[language] = join(table[language], found.items())
    write(table)


if __name__ == "__main__":
    main()
