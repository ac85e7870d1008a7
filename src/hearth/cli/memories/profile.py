"""``hearth profile``: who the person is and what they are at, as the notes know it."""

from __future__ import annotations

import click

from hearth.cli import options, output
from hearth.cli.session import CommandSession, pass_session


@click.command()
@click.option("--rebuild", is_flag=True, help="Bring the page up to date first.")
@options.json_flag
@pass_session
def profile(session: CommandSession, rebuild: bool, as_json: bool) -> None:
    """Show what is known of you, each statement with its source."""
    with session.fresh_vault() as vault:
        page = vault.profile.rebuild() if rebuild else vault.profile.show()
        place = f"{vault.profile.writer.memories.root}/{page.path}"
    if as_json:
        output.say_json(page.to_dict())
        return
    if page.docid is None:
        output.note("there is no profile yet: hearth profile --rebuild makes it of what is remembered of you")
        return
    for section in dict.fromkeys(one.section for one in page.bullets):
        output.say(output.line(section))
        for one in page.bullets:
            if one.section == section:
                sources = ", ".join(f"#{docid}" for docid in one.sources)
                output.say(f"  {output.line(one.text)}  {f'{one.date} {sources}' if sources else 'your own words'}")
    output.note(f"edit or delete lines in {output.name(place)}: yours stay, deleted ones never return")
