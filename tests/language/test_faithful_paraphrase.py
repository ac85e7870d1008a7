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
    ("Okay so for auth we're using Keycloak, no custom login.", "The project uses Keycloak for authentication."),
    ("We've moved all our pipelines to Buildkite.", "The team moved all pipelines to Buildkite."),
    ("I hate long meetings, keep it short.", "The user dislikes long meetings."),
    ("Please always answer in British English.", "The user wants answers in British English."),
    ("we test against real databases, never mocks", "The team tests against real databases and never uses mocks."),
    ("Our frontend is written in Svelte.", "The project's frontend uses Svelte."),
    ("Don't deploy after 4 pm.", "No deployments after 16:00."),
    ("I've been a vegetarian since 2015.", "The user has been vegetarian since 2015."),
    ("We agreed that every PR needs two approvals.", "Every PR needs 2 approvals."),
    ("The cron job for invoices runs at 02:00 UTC.", "The invoice cron job runs at 02:00 UTC."),
    ("We're dropping support for IE11.", "The team is dropping IE11 support."),
    ("I'd like you to run the tests before you commit.", "The user wants the tests to be run before committing."),
    ("In this repo we use tabs.", "The repo uses tabs."),
    ("Name branches feature/<ticket>.", "Branches are named feature/<ticket>."),
    ("Let's not use ORMs here.", "The team decided not to use ORMs."),
    ("My manager is Petra Lang.", "The user's manager is Petra Lang."),
    ("The launch moved from May 3 to May 10.", "The launch was moved to May 10."),
    ("We cap uploads at 25 MB.", "Uploads are capped at 25 MB."),
    ("We chose Go over Rust for the agent because the team knows it.", "The team chose Go over Rust for the agent."),
    ("Right, the mobile app will be built with Flutter.", "The mobile app is built with Flutter."),
    ("I really need the summaries to be under 200 words.", "The user needs summaries under 200 words."),
    ("We've decided to drop the Windows build.", "The team decided to drop the Windows build."),
    ("Our CI runs on GitLab.", "The project's CI runs on GitLab."),
    ("I speak Dutch and a bit of Finnish.", "The user speaks Dutch."),
    ("We deploy at 6pm on Thursdays.", "The team deploys on Thursdays at 18:00."),
    ("Invoices are numbered per year.", "Invoices are numbered per year."),
    ("The password policy requires at least 12 characters.", "Passwords must have at least twelve characters."),
    ("We run three replicas in production.", "The project runs 3 replicas in production."),
    (
        "My sister-in-law Jo will take over the shop in June.",
        "The user's sister-in-law Jo takes over the shop in June.",
    ),
    ("actually we're going with Bun now", "The project is going with Bun."),
    ("I don't want you to touch the migrations folder.", "The user does not want the migrations folder touched."),
    ("Use British spelling in the docs.", "The user wants British spelling in the docs."),
    ("We only support Chrome and Firefox.", "The project only supports Chrome and Firefox."),
    ("I've got a standing desk at home.", "The user has a standing desk at home."),
    ("The demo for Acme is on March 20.", "The Acme demo is on March 20, 2026."),
    ("For prices we use decimals, not floats.", "The project uses decimals for prices, not floats."),
    ("I usually work late on Wednesdays.", "The user usually works late on Wednesdays."),
    ("Let's keep the changelog by hand.", "It was decided to keep the changelog by hand."),
    ("I can't stand mornings.", "The user hates mornings."),
    ("We opted for Caddy because nginx was too much work.", "The team uses Caddy."),
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
    ("Okay so for auth we're using Keycloak, no custom login.", "The project uses a custom login."),
    ("We've moved all our pipelines to Buildkite.", "The team moved all pipelines from Buildkite."),
    ("I hate long meetings, keep it short.", "The user hates short meetings."),
    ("Please answer in British English when I ask about spelling.", "The user wants answers in British English."),
    ("My wife lives in Utrecht.", "The user lives in Utrecht."),
    ("The API must not return errors as HTML.", "The API must return errors as HTML."),
    ("we test against real databases, never mocks", "The team tests against mocks."),
    ("I work four days a week, Fridays are off.", "The user works Fridays."),
    ("Our frontend is written in Svelte and the admin in Vue.", "The project's admin is written in Svelte."),
    ("Don't deploy after 4 pm.", "Do not deploy before 16:00."),
    ("I've been a vegetarian since 2015.", "The user has been vegetarian since 2005."),
    ("We agreed that every PR needs two approvals.", "Every PR needs three approvals."),
    ("The cron job for invoices runs at 02:00 UTC.", "The cron job for reports runs at 02:00 UTC."),
    ("The vendor is dropping support for IE11.", "The team is dropping IE11 support."),
    ("I'd like you to run the tests before you commit.", "The user wants commits before the tests are run."),
    ("In this repo we use tabs, in the docs repo spaces.", "The docs repo uses tabs."),
    ("We may switch to Deno.", "The team switched to Deno."),
    ("Let's not use ORMs here.", "The team decided to use ORMs."),
    ("My manager is Petra Lang.", "The user is Petra Lang."),
    ("The launch moved from May 3 to May 10.", "The launch was moved to May 3."),
    ("We cap uploads at 25 MB.", "Uploads are capped at 25 GB."),
    ("Logs go to Loki, metrics to Mimir.", "Logs go to Mimir."),
    ("The test user is called demo.", "The user is called demo."),
    ("We chose Go over Rust for the agent.", "The team chose Rust over Go for the agent."),
    ("We looked at Temporal and Airflow, and picked Temporal.", "The team picked Airflow."),
    ("Ben uses Helix and I use Zed.", "The user uses Helix."),
    ("The old project used Gulp.", "The project uses Gulp."),
    ("The release is on March 12.", "The release is on 2026-04-12."),
    ("It replaced Webpack.", "The project replaced Vite."),
    ("Right, the mobile app will be built with Flutter.", "The web app is built with Flutter."),
    ("I really need the summaries to be over 200 words.", "The user needs summaries under 200 words."),
    ("We've decided to drop the Windows build.", "The team decided to keep the Windows build."),
    ("Their CI runs on GitLab.", "The project's CI runs on GitLab."),
    ("Never log customer emails, please.", "Customer emails should be logged."),
    ("My wife speaks Dutch and I speak Finnish.", "The user speaks Dutch."),
    ("We deploy at 6pm on Thursdays.", "The team deploys on Thursdays at 6:00."),
    ("Invoices are numbered per year.", "Invoices are numbered per month."),
    ("The policy requires at most 12 characters.", "The policy requires at least 12 characters."),
    ("We run three replicas in production and one in staging.", "The project runs 3 replicas in staging."),
    ("My sister-in-law Jo will take over the shop.", "The user takes over the shop."),
    ("actually we're going with Bun now", "The project is not going with Bun."),
    ("I don't want you to touch the migrations folder.", "The user wants the migrations folder touched."),
    ("Use British spelling in the docs.", "The user wants British spelling in the code."),
    ("We only support Chrome and Firefox.", "The project does not support Firefox."),
    ("My office has a standing desk.", "The user's home has a standing desk."),
    ("The demo for Acme is on March 20.", "The Acme demo is on March 20, 2027."),
    ("For prices we use decimals, not floats.", "The project uses floats for prices."),
    ("I use Emacs.", "The team uses Emacs."),
    ("I usually work late on Wednesdays.", "The user works late."),
    ("We used to keep the changelog by hand.", "The team keeps the changelog by hand."),
    ("We opted for Caddy because nginx was too much work.", "The team uses nginx."),
    ("Kim asked us to use Caddy.", "The user prefers nginx."),
    ("The customer uses Caddy.", "The project uses Caddy."),
    ("The server was hacked.", "The team hacked the server."),
    ("We looked at Temporal.", "The team looked at Airflow."),
]


@pytest.mark.parametrize(("quote", "statement"), FAITHFUL)
def test_a_faithful_wording_passes(quote: str, statement: str) -> None:
    assert find_fault(statement, quote, SAID_ON) is None


@pytest.mark.parametrize(("quote", "statement"), TURNED)
def test_a_wording_that_turns_what_was_said_does_not_pass(quote: str, statement: str) -> None:
    assert find_fault(statement, quote, SAID_ON) is not None


SHELF = "From now on they stand on the top shelf."


@pytest.mark.parametrize(
    ("statement", "quote", "nearby", "is_borne"),
    [
        ("The jars of the larder stand on the top shelf.", SHELF, "Where do we keep the jars of the larder?", True),
        ("The plates stand on the top shelf.", SHELF, "Where do we keep the jars of the larder?", False),
        ("The jars stand on the top shelf.", SHELF, "", False),
        ("The billing export runs at 3 am.", "It runs at 3 am.", "The billing export is slow.", True),
        ("Redis lost counts.", "It lost counts.", "We moved from Redis to NATS.", False),
        ("The jars stand on the top shelf.", SHELF, "My brother buys the jars.", False),
    ],
)
def test_a_topic_named_just_before_may_stand_for_it(statement: str, quote: str, nearby: str, is_borne: bool) -> None:
    assert (find_fault(statement, quote, SAID_ON, nearby=nearby) is None) is is_borne


@pytest.mark.parametrize(
    ("statement", "is_borne"),
    [
        ("The queue loses jobs when Redis restarts.", True),
        ("When Redis restarts, the lease is not renewed.", True),
        ("The queue loses jobs.", False),
        ("The lease is not renewed.", False),
    ],
)
def test_a_condition_in_front_holds_for_each_clause_behind_it(statement: str, is_borne: bool) -> None:
    quote = "When Redis restarts, the queue loses jobs, and the lease is not renewed."
    assert (find_fault(statement, quote) is None) is is_borne


@pytest.mark.parametrize(
    ("statement", "quote", "is_borne"),
    [
        ("The user will move to Berlin.", "I'm going to move to Berlin.", True),
        ("The user moved to Berlin.", "I'm going to move to Berlin.", False),
        ("The user moved to Berlin.", "I'll move to Berlin.", False),
    ],
)
def test_what_is_still_to_come_is_not_said_to_be_done(statement: str, quote: str, is_borne: bool) -> None:
    assert (find_fault(statement, quote) is None) is is_borne
