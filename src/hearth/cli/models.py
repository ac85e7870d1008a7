"""``hearth models`` and ``llm``: choose and try models; the offer of the small model, which ``hearth bootstrap`` and
``hearth setup`` make once on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.model_service import service
from hearth.cli.session import CommandSession, Progress, is_terminal, pass_session
from hearth.config import config_file, edit, load
from hearth.core import instants, paths
from hearth.core.errors import BadReply, Conflict, HearthError, Unavailable
from hearth.core.extraction import Extraction
from hearth.core.paths import install_command
from hearth.core.transcript import Kind, TranscriptEntry, Turn
from hearth.models import onnx
from hearth.models.onnx import LOCAL, catalogue

STATIC, NONE = PLAIN = ("static", "none")

# The section of the settings, and what its provider is without a model.
_SECTIONS = {"embedder": ("embedding", STATIC), "reranker": ("rerank", NONE)}


def models_in_use() -> dict[str, str]:
    """Kind -> the model in use: a name of the catalogue, ``path:`` and a folder, ``static``, ``none`` or ``http``."""
    config = load(paths.folders()).config
    return {
        kind: (given.model or catalogue.DEFAULT[kind]) if given.provider == "onnx" else given.provider
        for kind, given in (("embedder", config.embedding), ("reranker", config.rerank))
    }


def kind_of(name: str, *, reranker: bool) -> str:
    """What ``name`` is used as. Raises ``NotFound`` for one that the catalogue lacks."""
    if name == STATIC:
        return "embedder"
    if name == NONE:
        return "reranker"
    if name.startswith(LOCAL):
        return "reranker" if reranker else "embedder"
    return catalogue.find_entry(name).recipe.kind


def choose(kind: str, name: str) -> list[str]:
    """Writes the choice to ``config.yaml``; returns which variables overrule it."""
    section, without = _SECTIONS[kind]
    plain = name in PLAIN
    values = {"provider": without if plain else "onnx", "model": None if plain else name}
    folders = paths.folders()
    # With a model the provider comes last, without one first: a stop in between leaves settings that fit together.
    for key in ("provider", "model") if plain else ("model", "provider"):
        edit.set_value(folders, f"{section}.{key}", values[key])
    origins = load(folders).origins
    own = config_file(folders).name
    found = (origins.get(f"{section}.{key}", own) for key in values)
    return sorted({origin for origin in found if not origin.startswith(own)})


KB = 1024


@click.group(no_args_is_help=True)
def models() -> None:
    """List, pull, use, verify and remove models that run on this machine."""


@models.command("list")
@options.json_flag
def list_models(as_json: bool) -> None:
    """List the models and which are installed."""
    folder = _folder()
    used = models_in_use()
    rows = [_row(entry, folder, used) for entry in catalogue.list_entries()]
    if as_json:
        output.say_json(
            {"folder": str(folder), "embedder": used["embedder"], "reranker": used["reranker"], "models": rows}
        )
        return
    output.say_rows(
        (
            row["name"],
            row["kind"],
            row["state"],
            f"{row['megabytes']} MB",
            row["licence"],
            row["languages"],
            _describe_found(row["found"]),
            row["good_for"],
        )
        for row in rows
    )
    output.note(
        f"found: of questions in other words, the share whose note is among the first five; built in "
        f"{catalogue.BUILT_IN_FOUND:.2f}"
    )
    output.note(f"embedder in use: {used['embedder']}; reranker: {used['reranker']}")


@models.command("pull")
@click.argument("name")
@options.json_flag
@pass_session
def pull_model(session: CommandSession, name: str, as_json: bool) -> None:
    """Download a model; an interrupted download continues."""
    entry = catalogue.find_entry(name)
    session.kept = "the downloaded part is kept; run it again to continue"
    from hearth.models.onnx.pull import pull

    with Progress(session, f"pulling {entry.name}", "KB") as progress:
        pulled = pull(entry, _folder(), lambda done, total: progress(done // KB, total // KB), told=output.note)
    if as_json:
        row = {"name": entry.name, "new": pulled.new, "folder": str(pulled.folder), "bytes": pulled.manifest.bytes}
        output.say_json(row | {"source": pulled.manifest.source, "revision": pulled.manifest.revision})
        return
    size = output.size(pulled.manifest.bytes)
    state = f"pulled from {pulled.manifest.source}" if pulled.new else "already present"
    output.say(f"{entry.name} {state}, {size}; next: hearth models use {entry.name}")


@models.command("use")
@click.argument("name")
@click.option("--reranker", is_flag=True, help="The folder after path: holds a reranker, not an embedder.")
@options.json_flag
def use(name: str, reranker: bool, as_json: bool) -> None:
    """Check a model and set it in config.yaml: a pulled one or path:FOLDER.

    static selects the built-in embedder, none no reranker."""
    kind = kind_of(name, reranker=reranker)
    if name.startswith(onnx.LOCAL):
        name = onnx.LOCAL + str(onnx.local_folder(name))
    elif name not in PLAIN:
        name = catalogue.find_entry(name, kind).name
    if name not in PLAIN:
        _check(name, kind)
    overruled = choose(kind, name)
    if as_json:
        output.say_json({"kind": kind, "name": name, "overruled": overruled})
    else:
        output.say(f"{kind}: {output.name(name)}" + ("; next: hearth embed" if kind == "embedder" else ""))
    for origin in overruled:
        output.warn(f"{origin} overrides the file, so the change has no effect now")


models.add_command(service)


@models.command("verify")
@click.argument("names", nargs=-1)
@click.option("--reranker", is_flag=True, help="The folder after path: holds a reranker, not an embedder.")
@options.json_flag
@click.pass_context
def verify(ctx: click.Context, names: tuple[str, ...], reranker: bool, as_json: bool) -> None:
    """Check the files of models and run them: the named ones, or all installed ones.

    Exits with 1 if something is wrong."""
    folder = _folder()
    chosen = names or tuple(entry.name for entry in catalogue.list_entries() if (folder / entry.name).is_dir())
    rows = [_verify(name, reranker=reranker) for name in chosen]
    if as_json:
        output.say_json({"models": [row | {"problem": row["problem"] or None} for row in rows]})
    else:
        output.say_rows((row["name"], row["problem"] or "whole") for row in rows)
        if not rows:
            output.note("no model is installed; see: hearth models list")
    if any(row["problem"] for row in rows):
        ctx.exit(1)


@models.command("remove")
@click.argument("name")
@click.option("--force", is_flag=True, help="Even if it is in use; the built-in table then answers.")
@options.json_flag
def remove(name: str, force: bool, as_json: bool) -> None:
    """Delete a pulled model."""
    entry = catalogue.find_entry(name)
    kind = entry.recipe.kind
    in_use = models_in_use()[kind] == entry.name
    if in_use and not force:
        raise Conflict(
            f"{entry.name} is the {kind} in use; choose another first (hearth models use {onnx.WITHOUT[kind]}), or add "
            "--force"
        )
    from hearth.models.onnx.pull import remove as delete

    freed = delete(entry.name, _folder())
    if as_json:
        output.say_json({"name": entry.name, "bytes": freed, "was_in_use": in_use})
    else:
        output.say(f"{entry.name} removed, {output.size(freed)} freed")


def _folder() -> Path:
    return onnx.models_folder(paths.folders().cache)


def _row(entry: catalogue.CatalogueEntry, folder: Path, used: Mapping[str, str]) -> dict[str, Any]:
    recipe = entry.recipe
    state, pulled = _state(entry, folder, used)
    return {
        "name": entry.name,
        "kind": recipe.kind,
        "state": state,
        "dimensions": recipe.dimensions or None,
        "max_tokens": recipe.max_tokens,
        "megabytes": entry.megabytes,
        "licence": recipe.licence,
        "languages": entry.languages,
        "good_for": entry.good_for,
        "found": entry.found or None,
        "bytes": None if pulled is None else pulled.bytes,
        "source": None if pulled is None else pulled.source,
        "fingerprint": None if pulled is None else pulled.fingerprint,
    }


def _describe_found(found: float | None) -> str:
    return "not measured" if found is None else f"found {found:.2f}"


def _state(
    entry: catalogue.CatalogueEntry, folder: Path, used: Mapping[str, str]
) -> tuple[str, catalogue.Manifest | None]:
    """In use, pulled, damaged, partial or missing, judged by sizes."""
    place = folder / entry.name
    try:
        pulled = catalogue.read_manifest(place)
    except Unavailable:
        return "damaged", None
    in_use = used[entry.recipe.kind] == entry.name
    if pulled is None:
        partial = (folder / onnx.PARTIAL / entry.name).is_dir()
        return "in use, missing" if in_use else "partial" if partial else "missing", None
    if catalogue.find_missing(place, pulled):
        return "damaged", pulled
    return "in use" if in_use else "pulled", pulled


def _verify(name: str, *, reranker: bool) -> dict[str, str]:
    try:
        _check(name, kind_of(name, reranker=reranker))
    except (Unavailable, BadReply) as error:
        return {"name": name, "problem": str(error)}
    return {"name": name, "problem": ""}


def _check(name: str, kind: str) -> None:
    """Reads every file of the model and asks it something. Raises ``Unavailable`` or ``BadReply``."""
    place, found = onnx.resolve(name, _folder(), kind)
    wrong = catalogue.find_damage(place, found)
    if wrong:
        raise Unavailable(f"the model in {place} differs from what was pulled ({'; '.join(wrong)}); {onnx.again(name)}")
    from hearth.models.onnx import pull

    pull.check_answers(place, found)


_SAMPLE = (
    ("Where do we keep the jars of the larder?", "On the lowest shelf, as far as I can see."),
    ("From now on they stand on the top shelf, because the cat can reach the lower ones.", "Noted: the top shelf."),
    ("I always want labels in capital letters. Please print new ones by Friday.", "I will print them in capitals."),
)


@click.group(no_args_is_help=True)
def llm() -> None:
    """Test the language model that reads sessions."""


@llm.command("test")
@options.json_flag
@pass_session
def test(session: CommandSession, as_json: bool) -> None:
    """Let the configured language model read a sample and show what would be kept; nothing is stored."""
    chosen = session.settings()
    from hearth.app.models import open_reader, usage
    from hearth.app.settings import now_ms

    reader = open_reader(chosen, now_ms)
    turns = sample()
    today = instants.moment(now_ms(), instants.zone_of(chosen.loaded.zone)).date()
    began = time.perf_counter()
    try:
        found = reader.judge(reader.ask(turns, 0, (), today), turns, 0)
    finally:
        reader.llm.close()
    seconds = round(time.perf_counter() - began, 1)
    used = usage(chosen, now_ms).used()
    if as_json:
        row: dict[str, Any] = {"model": reader.llm.name, "seconds": seconds, "calls_today": used.calls}
        output.say_json(row | {"tokens_today": used.tokens, "sample": _sample_rows(), "extraction": found.to_dict()})
        return
    _say(found)
    budget = chosen.loaded.config.llm.tokens_per_day
    most = "no limit" if budget is None else f"at most {budget:,}"
    calls = output.plural(used.calls, "call")
    output.note(f"{reader.llm.name} answered in {seconds:g} s; today: {calls}, {used.tokens:,} tokens ({most})")


def sample() -> list[Turn]:
    """A session that is read for trying."""
    return [
        Turn(number, prompts=(TranscriptEntry(Kind.USER, asked, turn=number),), replies=(answered,))
        for number, (asked, answered) in enumerate(_SAMPLE, 1)
    ]


def _sample_rows() -> list[dict[str, str]]:
    return [{"user": asked, "assistant": answered} for asked, answered in _SAMPLE]


def _say(found: Extraction) -> None:
    for number, (asked, answered) in enumerate(_SAMPLE, 1):
        output.say(f"turn {number}  user: {asked}")
        output.say(f"        assistant: {answered}")
    output.say("")
    for memory in found.memories:
        output.say(f"{memory.category}: {output.line(memory.text)} ({memory.tier}, turn {memory.evidence.turn})")
    for dropped in found.dropped:
        output.say(f"not kept: {output.line(dropped.text)}: {dropped.reason}")
    if not found.memories:
        output.warn("nothing would be kept: the model may be too small, or not one that follows instructions")


_KEY = "embedding.provider"


def offer(session: CommandSession) -> None:
    """Offers the small model, fetches it and embeds the vault. Asks nothing if the settings name an embedder, as after
    a refusal. If the fetch fails, the next run offers it again."""
    settings = session.settings()
    if not (sys.stdin.isatty() and is_terminal()) or _KEY in settings.loaded.origins:
        return
    entry = catalogue.find_entry(catalogue.OFFERED)
    if find_spec("fastembed") is None:
        output.note(
            f"a small model ({entry.name}) {_describe_gain(entry)}; to have it: {install_command('onnx')}, "
            f"hearth models pull {entry.name}, hearth models use {entry.name}, hearth embed"
        )
        return
    question = f"Fetch the small model {entry.name}? It {_describe_gain(entry)}; {entry.download} MB; it runs here"
    if not click.confirm(question, default=False):
        edit.set_value(settings.folders, _KEY, STATIC)
        output.say(f"the built-in table answers; later: hearth models pull {entry.name}")
        return
    if _fetch(session, entry):
        choose("embedder", entry.name)
        _embed(session, entry)


def _fetch(session: CommandSession, entry: catalogue.CatalogueEntry) -> bool:
    session.kept = "the downloaded part is kept"
    from hearth.models.onnx.pull import pull

    try:
        with Progress(session, f"fetching {entry.name}", "KB") as progress:
            pull(
                entry,
                onnx.models_folder(paths.folders().cache),
                lambda done, total: progress(done // KB, total // KB),
                told=output.note,
            )
    except HearthError as error:
        output.warn(f"{entry.name} was not fetched: {error.said}; the built-in table answers")
        return False
    return True


def _embed(session: CommandSession, entry: catalogue.CatalogueEntry) -> None:
    """Embeds in the daemon, which rests between batches; here if it may not start by itself."""
    from hearth.cli.index import fill_gently
    from hearth.daemon.address import address
    from hearth.daemon.client import begin

    settings = session.settings()
    with session.vault() as vault:
        fragments = vault.status().fragments
        if settings.loaded.config.daemon.mode != "auto":
            fill_gently(vault, session)
            return
    try:
        begin(address(os.environ), os.environ | {"HEARTH_VAULT": settings.vault.name})
    except HearthError as error:
        output.warn(f"{error.said}; the built-in table answers until you run: hearth embed")
        return
    output.say(
        f"{entry.name} embeds your notes in the background{_estimate(entry, fragments)}; the built-in table answers "
        "until it is done; progress: hearth status"
    )


def _estimate(entry: catalogue.CatalogueEntry, fragments: int) -> str:
    if not (fragments and entry.per_second):
        return ""
    from hearth.daemon.jobs import RESTING

    minutes = round(RESTING * fragments / entry.per_second / 60)
    return f", {output.plural(fragments, 'fragment')} in about {output.plural(max(1, minutes), 'minute')}"


def _describe_gain(entry: catalogue.CatalogueEntry) -> str:
    return f"finds {_say_share(entry.found)} paraphrased questions instead of {_say_share(catalogue.BUILT_IN_FOUND)}"


def _say_share(share: float) -> str:
    """As "4 in 5"."""
    from fractions import Fraction

    found = Fraction(share).limit_denominator(5)
    return f"{found.numerator} in {found.denominator}"
