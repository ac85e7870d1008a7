"""How models put in their own words what somebody said: faithful wordings are kept, and those that turn it are not."""

from __future__ import annotations

from datetime import date

import pytest

from hearth.language.evidence import find_fault

SAID_ON = date(2026, 3, 4)  # a Wednesday
FAITHFUL = [
    ("OK, we'll go with Tailwind for the landing page.", "The team will use Tailwind for the landing page."),
    ("By the way, I switched to Neovim last month.", "The user switched to Neovim last month."),
    ("I don't really like dark mode.", "The user does not like dark mode."),
    ("Please don't add emojis to commit messages.", "The user wants no emojis added to commit messages."),
    ("We settled on Sentry because the free tier is enough.", "The team chose Sentry."),
    ("We host everything on Fly since it's cheap.", "The project hosts everything on Fly."),
    ("Our staging server is called heron.", "The project's staging server is called heron."),
    ("let's stick with REST for the public API", "It was decided that the public API sticks with REST."),
    ("We're going to move to Postgres 17 in April.", "The team will move to Postgres 17 in April."),
    ("the standup is at 5pm", "The standup takes place at 17:00."),
    ("Releases happen every two weeks.", "A release happens every 2 weeks."),
    ("I am really allergic to shellfish.", "The user is allergic to shellfish."),
    ("You know, I'd rather have short answers.", "The user prefers short answers."),
    ("I never use semicolons in TypeScript.", "The user avoids semicolons in TypeScript."),
    ("Money values are stored as integers.", "The project stores money values as integers."),
    ("All timestamps are in UTC.", "The project keeps all timestamps in UTC."),
    ("I picked Hugo for the blog.", "The user chose Hugo for the blog."),
    ("We adopted trunk-based development.", "The team uses trunk based development."),
    ("My daughter's name is Mia, she's six.", "The user's daughter is named Mia."),
    ("I have two cats, Ada and Bo.", "The user has 2 cats named Ada and Bo."),
    ("From now on, write docstrings in Google style.", "The user wants docstrings to be written in Google style."),
    ("The deadline for the grant is May 12.", "The grant deadline is 2026-05-12."),
    ("We're not going to support Python 3.9 anymore.", "The project no longer supports Python 3.9."),
    ("Honestly, unit tests matter more to me than coverage.", "Unit tests matter more to the user than coverage."),
    ("I'm a nurse at the clinic in Leeds.", "The user works as a nurse at the clinic in Leeds."),
    ("I'm running Fedora 40 on my laptop.", "The user runs Fedora 40 on their laptop."),
    ("We always squash-merge.", "The team always squash merges."),
    ("The retry limit should be 4.", "The retry limit is 4."),
    ("Each tenant gets its own schema.", "Every tenant has its own schema."),
    ("I can't eat gluten.", "The user cannot eat gluten."),
    ("We decided against GraphQL.", "The team decided not to use GraphQL."),
    ("Could you please keep functions under 40 lines?", "The user wants functions kept under 40 lines."),
    ("Use snake_case for column names.", "Column names should use snake_case."),
    (
        "The nightly job writes its report to the archive bucket.",
        "The nightly job writes a report to the archive bucket.",
    ),
    ("We'll cache sessions in Valkey, it's fast enough.", "Sessions will be cached in Valkey."),
    ("I moved to Rotterdam in 2021.", "The user moved to Rotterdam in 2021."),
    ("Backups are kept for 30 days, by the way.", "Backups are kept for thirty days."),
    ("My boss Karin wants weekly reports.", "The user's boss Karin wants weekly reports."),
    ("We are using uv instead of pip.", "The project uses uv instead of pip."),
]
TURNED = [
    ("OK, we'll go with Tailwind for the landing page.", "The team will use Bootstrap for the landing page."),
    ("By the way, I switched to Neovim last month.", "The user switched from Neovim last month."),
    ("I don't really like dark mode.", "The user likes dark mode."),
    ("Please don't add emojis to commit messages.", "The user wants emojis added to commit messages."),
    ("We settled on Sentry because Rollbar was down.", "The team chose Rollbar."),
    ("We host everything on Fly since it's cheap.", "The project hosts everything on Heroku."),
    ("Our staging server is called heron.", "The project's production server is called heron."),
    ("let's stick with REST for the public API", "It was decided that the project sticks with REST."),
    ("We're going to move to Postgres 17 in April.", "The team moved to Postgres 17 in May."),
    ("I usually start at 7:30.", "The user always starts at 7:30."),
    ("the standup is at 5pm", "The standup takes place at 5:00."),
    ("Releases happen every two weeks.", "A release happens every 2 months."),
    ("My brother is allergic to shellfish.", "The user is allergic to shellfish."),
    ("I'd rather have short answers than long ones.", "The user prefers long answers."),
    ("I never use semicolons in TypeScript.", "The user avoids semicolons."),
    ("Money values are stored as integers.", "The project stores money values as floats."),
    ("Only new timestamps are in UTC.", "The project keeps all timestamps in UTC."),
    ("I picked Hugo for the blog.", "The user chose Hugo for the shop."),
    ("We might adopt trunk-based development.", "The team uses trunk based development."),
    ("My daughter's name is Mia, she's six.", "The user is named Mia."),
    ("I have two cats, Ada and Bo.", "The user has 3 cats named Ada and Bo."),
    ("From now on, write docstrings in Google style.", "The user works at Google."),
    ("The deadline for the grant is May 12.", "The grant deadline is 2026-05-21."),
    ("We still support Python 3.9.", "The project no longer supports Python 3.9."),
    ("Unit tests matter more to me than coverage.", "Coverage matters more to the user than unit tests."),
    ("Karin is a nurse at the clinic in Leeds.", "The user works as a nurse at the clinic in Leeds."),
    ("If I travel, I run Fedora on my laptop.", "The user runs Fedora on their laptop."),
    ("We squash-merge except for release branches.", "The team always squash merges."),
    ("The retry limit should not be 4.", "The retry limit is 4."),
    ("The client told us that Karin pays Ben.", "Ben pays Karin."),
    ("I can't eat gluten.", "The user can eat gluten."),
    ("We decided against GraphQL.", "The team decided to use GraphQL."),
    ("Keep functions under 40 lines.", "The user wants functions kept over 40 lines."),
    ("Use snake_case for column names.", "Table names should use snake_case."),
    ("The nightly job reads the archive and writes the report.", "The nightly job writes the archive."),
    ("We'll cache sessions in Valkey until June.", "Sessions will be cached in Valkey."),
    ("I moved to Rotterdam in 2021.", "The user was born in Rotterdam in 2021."),
    ("They use uv instead of pip.", "The project uses uv instead of pip."),
    ("My boss Karin wants weekly reports.", "The user wants weekly reports."),
    ("We are using uv instead of pip.", "The project uses pip instead of uv."),
]


@pytest.mark.parametrize(("quote", "statement"), FAITHFUL)
def test_a_faithful_wording_passes(quote: str, statement: str) -> None:
    assert find_fault(statement, quote, SAID_ON) is None


@pytest.mark.parametrize(("quote", "statement"), TURNED)
def test_a_wording_that_turns_what_was_said_does_not_pass(quote: str, statement: str) -> None:
    assert find_fault(statement, quote, SAID_ON) is not None
