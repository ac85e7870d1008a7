"""``hearth profile`` and its kin: pages of statements, each with its sources, which people correct."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session
from hearth.engine.knowledge.statements import PageReport


@click.command()
@click.argument("action", required=False, metavar="", type=click.Choice(["rebuild"]))
@click.option("--rebuild", is_flag=True, help="Bring the page up to date first.")
@options.json_flag
@pass_session
def profile(session: CommandSession, action: str | None, rebuild: bool, as_json: bool) -> None:
    """Show what is known of you, each statement with its source."""
    with session.fresh_vault() as vault:
        page = vault.profile.rebuild() if rebuild or action else vault.profile.read()
        place = f"{vault.profile.writer.memories.root}/{page.path}"
    if as_json:
        output.say_json(page.to_dict())
        return
    if page.docid is None:
        output.note("there is no profile yet: hearth profile --rebuild makes it of what is remembered of you")
        return
    _tell(page)
    output.note(f"edit or delete lines in {output.name(place)}: yours stay, deleted ones never return")


@click.command()
@click.option("--period", metavar="PERIOD", help="Only of a week (2026-W10) or a month (2026-03).")
@click.option("--project", metavar="NAME", help="Only of this project, by its name or the end of it.")
@click.option("--rebuild", is_flag=True, help="Bring the pages of all periods up to date first.")
@options.limit
@options.json_flag
@pass_session
def summaries(
    session: CommandSession, period: str | None, project: str | None, rebuild: bool, limit: int, as_json: bool
) -> None:
    """Show what projects came to in weeks and months, the latest first."""
    with session.fresh_vault() as vault:
        pages = vault.knowledge.summaries
        if rebuild:
            pages.rebuild()
        found = pages.show(period, project)
        place = vault.profile.writer.memories.root
    if as_json:
        output.say_json({"summaries": [one.to_dict() for one in found[:limit]], "total": len(found)})
        return
    for page in found[:limit]:
        output.say(f"{output.line(page.title)}  {output.name(f'{place}/{page.path}')}")
        _tell(page, "  ")
    if not found:
        output.note(
            "nothing certain yet: a summary takes three statements or sessions; run: hearth summaries --rebuild"
        )
    elif len(found) > limit:
        output.note(f"{len(found) - limit} more; -n says how many to show")


@click.command()
@click.option("--rebuild", is_flag=True, help="Bring the page up to date first.")
@options.json_flag
@pass_session
def identity(session: CommandSession, rebuild: bool, as_json: bool) -> None:
    """Show what an agent had to be told again."""
    with session.fresh_vault() as vault:
        page = vault.knowledge.identity.rebuild() if rebuild else vault.knowledge.identity.show()
        wanted = vault.knowledge.choices.identity
    if as_json:
        output.say_json(page.to_dict())
        return
    _tell(page)
    if page.docid is None:
        output.note(
            "nothing was said twice" if wanted else "this page is off: hearth config set knowledge.identity true"
        )


def _tell(page: PageReport, indent: str = "") -> None:
    for section in dict.fromkeys(one.section for one in page.bullets):
        output.say(f"{indent}{output.line(section)}")
        for one in page.bullets:
            if one.section == section:
                sources = ", ".join(f"#{docid}" for docid in one.sources)
                told = f"{one.date} {sources}" if sources else "your own words"
                output.say(f"{indent}  {output.line(one.text)}  {told}")
