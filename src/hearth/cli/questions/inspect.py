"""``hearth inspect``: a document as the index has it, or on its way through a question."""

from __future__ import annotations

from typing import Any

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.core.query import MAX_RESULTS
from hearth.recall.planner import RESULTS, Followed, Step, follow
from hearth.vault.vault import Vault

# What a step that leaves a document out says of it.
_WHY = {
    "fusion": "no lane finds it, or others match better than it does",
    "keep_phrases": "it lacks the exact phrase",
    "keep_true_then": "it was not true at the time asked about",
    "keep_asked": "it is not of the time or session that is all that is asked for",
    "drop_headers": "only its frontmatter matches, and a fragment of it matches better",
    "diversify": "it says the same as a result before it",
    "quotes": "it is a part of a conversation, and what stands before it answers as well",
    "cut": "it scores too little beside the best result",
    "pack": "its lines stand in a result before it, or it lies beyond the limit",
    RESULTS: "it lies beyond the limit",
}


@click.command()
@click.argument("text", metavar="DOC|QUESTION")
@click.option("--expect", metavar="REF", help="Follow this document through the question.")
@click.option(
    "--recipe",
    type=click.Choice(["keyword", "semantic", "hybrid", "intent"]),
    default="hybrid",
    show_default=True,
    help="How to search, with --expect.",
)
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, MAX_RESULTS),
    default=10,
    show_default=True,
    help="At most this many results.",
)
@options.json_flag
@pass_session
def inspect(session: CommandSession, text: str, expect: str | None, recipe: str, limit: int, as_json: bool) -> None:
    """Show a document's fragments as the index has them, or why a question does not find it.

    Without --expect, DOC is a docid, path, title or alias. With it, QUESTION is asked, and the document is followed
    from the lanes that find it through each step to the results; the step that leaves it out is named.
    """
    with session.fresh_vault() as vault:
        if expect is None:
            found = _describe(vault, text)
            output.say_json(found) if as_json else _say_fragments(found)
            return
        document = vault.get(expect).document
        query = vault.query(text, recipe=recipe, limit=limit)
        followed = follow(vault.core.recaller, query, document.docid)
        if as_json:
            output.say_json({"query": text, "docid": document.docid, "path": document.path} | _to_dict(followed))
        else:
            _say_steps(document.place, followed)


def _describe(vault: Vault, reference: str) -> dict[str, Any]:
    document = vault.get(reference).document
    with vault.store.read() as reader:
        stored = reader.document(document.docid)
        fragments = [] if stored is None else reader.fragments_of(stored.id)
        ids = [fragment.id for fragment in fragments]
        spaces = {space: set(map(int, reader.vectors(space, fragments=ids).fragments)) for space in reader.spaces()}
    return {
        "docid": document.docid,
        "path": document.place,
        "passages": [
            {
                "kind": fragment.kind,
                "start_line": fragment.start_line,
                "end_line": fragment.end_line,
                "headings": list(fragment.headings),
                "context": fragment.context,
                "text": fragment.text,
                "spaces": [space for space, held in spaces.items() if fragment.id in held],
            }
            for fragment in fragments
        ],
    }


def _say_fragments(found: dict[str, Any]) -> None:
    output.say(f"{output.name(found['path'])} #{found['docid']}: {output.plural(len(found['passages']), 'fragment')}")
    for one in found["passages"]:
        above = " > ".join(one["headings"])
        vectors = ", ".join(space.partition(":")[0] for space in one["spaces"]) or "none"
        output.say()
        output.say(
            f"lines {one['start_line']}-{one['end_line']}, {one['kind']}"
            f"{f', under {output.line(above)}' if above else ''}; vectors: {output.line(vectors)}"
        )
        if one["context"]:
            output.say(f"  (found by, too: {output.line(one['context'])})")
        for row in output.clean(one["text"]).split("\n"):
            output.say(f"  {row}".rstrip())


def _to_dict(followed: Followed) -> dict[str, Any]:
    lost = followed.lost
    return {
        "lanes": [_step(one) for one in followed.lanes],
        "steps": [_step(one) for one in followed.steps],
        "lost": lost,
        "why": None if lost is None else _WHY.get(lost, ""),
    }


def _step(step: Step) -> dict[str, Any]:
    score = None if step.score is None else round(step.score, 4)
    return {"name": step.name, "place": step.place, "among": step.among, "score": score}


def _say_steps(place: str, followed: Followed) -> None:
    if not followed.steps:
        output.say("the question holds nothing to search for")
        return
    output.say_rows([["lane", "place", "among"], *(_cells(one)[:3] for one in followed.lanes)])
    output.say()
    output.say_rows([["step", "place", "among", "score"], *map(_cells, followed.steps)])
    output.say()
    if followed.lost is None:
        output.say(f"{output.name(place)} is result {followed.steps[-1].place}")
    else:
        why = _WHY.get(followed.lost)
        output.say(f"{output.name(place)} is lost at {_name(followed.lost)}{f': {why}' if why else ''}")


def _cells(step: Step) -> list[str]:
    score = "" if step.score is None else f"{step.score:.3f}"
    return [_name(step.name), "-" if step.place is None else str(step.place), str(step.among), score]


def _name(step: str) -> str:
    return step.replace("_", " ")
