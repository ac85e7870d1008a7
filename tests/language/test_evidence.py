"""A statement is kept as far as its quote bears it: true ones pass, invented ones don't."""

from __future__ import annotations

from datetime import date

import pytest

from hearth.language.evidence import find_fault

SAID_ON = date(2026, 3, 4)  # a Wednesday
TRUE = [
    ("We're going with pnpm for the web client.", "The user decided to use pnpm for the web client."),
    ("I prefer tabs over spaces.", "The user prefers tabs over spaces."),
    ("My sister Hanna lives in Bergen and works as a nurse.", "The user's sister Hanna lives in Bergen."),
    ("My sister Hanna lives in Bergen and works as a nurse.", "The user's sister Hanna works as a nurse."),
    ("In the billing service, amounts are stored in cents.", "Amounts in the billing service are stored in cents."),
    ("In the billing service, amounts are stored in cents.", "In the billing service amounts are stored in cents."),
    ("We don't use Redis because it lost counts.", "The user does not use Redis because it lost counts."),
    ("Never push to main on Fridays.", "The user never wants pushes to main on Fridays."),
    ("we moved the queue from RabbitMQ to NATS", "The user moved the queue from RabbitMQ to NATS."),
    ("use pnpm not npm", "The user wants pnpm, not npm."),
    ("Use pnpm, not npm, please.", "The user wants pnpm to be used."),
    ("If the tests fail, stop and call me.", "If the tests fail, the user wants a stop and a call."),
    ("Retry at most 3 times with 30 seconds between.", "Retry at most three times with 30 s between."),
    ("My name is Ana, I live in Porto and I'm a nurse.", "The user lives in Porto."),
    ("My name is Ana, I live in Porto and I'm a nurse.", "The user's name is Ana."),
    ("The parser calls the lexer.", "The parser calls the lexer."),
    (
        "Rust builds are slower than Go builds on our runner.",
        "Rust builds are slower than Go builds on the user's runner.",
    ),
    ("My brother can't stand coriander.", "The user's brother can't stand coriander."),
    ("we used to deploy by hand", "The user used to deploy by hand."),
    ("Maybe we could try Kafka next year.", "The user might try Kafka next year."),
    ("The dentist is on Friday.", "The user has the dentist on 2026-03-06."),
    ("I owe Marta the draft by the 27th.", "The user owes Marta the draft by 2026-03-27."),
    ("Deploys only run from the release branch.", "Deploys only run from the release branch."),
    ("I'm allergic to penicillin.", "The user is allergic to penicillin."),
    ("My daughter Mia turned six in May.", "The user's daughter Mia turned six in May."),
    ("the staging port is 5433", "The staging port is 5433."),
    ("we stopped using Jenkins", "The user stopped using Jenkins."),
    ("Ｐｏｓｔｇｒｅｓ is our main store", "Postgres is the user's main store."),
    ("Wir nehmen pnpm statt npm für das Frontend.", "Der Nutzer verwendet pnpm statt npm für das Frontend."),
    ("Meine Schwester Lena wohnt in Graz.", "Die Schwester des Nutzers, Lena, wohnt in Graz."),
    ("Ich esse kein Fleisch.", "Der Nutzer isst kein Fleisch."),
    ("Prefiero té en vez de café por la mañana.", "El usuario prefiere té en vez de café por la mañana."),
    ("No uses mocks en las pruebas.", "El usuario no quiere mocks en las pruebas."),
    ("On n'utilise pas Docker sur les postes.", "L'utilisateur n'utilise pas Docker sur les postes."),
    ("Preferisco le riunioni di mattina.", "L'utente preferisce le riunioni di mattina."),
    ("Nunca faça deploy na sexta.", "O usuário nunca quer deploy na sexta."),
    ("Мы используем Postgres вместо MySQL.", "Пользователь использует Postgres вместо MySQL."),
    ("Не используй Docker для тестов.", "Пользователь не использует Docker для тестов."),
    ("我们用Postgres而不是MySQL。", "用户使用Postgres而不是MySQL。"),
    ("我姐姐住在上海。", "用户的姐姐住在上海。"),
    ("テストではモックを使わないでください。", "ユーザーはテストではモックを使わない。"),
    ("私はお茶が好きです。", "ユーザーはお茶が好き。"),
]
FALSE = [
    ("We don't use Redis here.", "The user uses Redis."),
    ("We use Redis here.", "The user does not use Redis here."),
    ("I prefer tabs over spaces.", "The user prefers spaces over tabs."),
    ("The parser calls the lexer.", "The lexer calls the parser."),
    ("we moved the queue from RabbitMQ to NATS", "The user moved the queue from NATS to RabbitMQ."),
    ("Rust builds are slower than Go builds.", "Go builds are slower than Rust builds."),
    ("My brother uses Vim.", "The user uses Vim."),
    ("My brother's wife works at Acme.", "The user's brother works at Acme."),
    ("She works at Acme now.", "The user works at Acme now."),
    ("Tom prefers Emacs.", "The user prefers Emacs."),
    ("Use tabs in Go files.", "The user uses tabs."),
    ("Use spawn on Windows.", "The user wants spawn to be used."),
    ("Use sqlite for tests.", "The user uses sqlite."),
    ("I work from home except on Fridays.", "The user works from home."),
    ("If the build is red, revert it.", "The user wants the build reverted."),
    ("The freeze lasts until Friday.", "The freeze lasts."),
    ("Only Tom may deploy.", "Tom may deploy."),
    ("tabs in Go, spaces in Python", "The user uses tabs in Python."),
    ("tabs in Go and spaces in Python", "The user uses spaces in Go."),
    ("Tom lives in Oslo and Anna in Bergen.", "Tom lives in Bergen."),
    ("Maybe we could try Kafka.", "The user decided to try Kafka."),
    ("Should we use Kafka?", "The user uses Kafka."),
    ("I want to learn Rust.", "The user learns Rust."),
    ("we used to deploy by hand", "The user deploys by hand."),
    ("we dropped Redis last week", "The user uses Redis."),
    ("Retry 3 times.", "Retry 5 times."),
    ("Retry after 30 seconds.", "Retry after 30 minutes."),
    ("At least 80 % coverage.", "At most 80 % coverage."),
    ("The discount is 15 %.", "The discount is 15 euros."),
    ("The dentist is on Friday.", "The user has the dentist on Thursday."),
    ("The dentist is on Friday.", "The user has the dentist on 2026-03-09."),
    ("The release is on March 12.", "The release is on April 12."),
    ("We use Postgres.", "The user uses Postgres and Kafka."),
    ("We use Postgres.", "The user uses Pоstgres."),
    ("We use Postgres.", "The user does nоt use Postgres."),
    ("We sometimes use Postgres.", "The user uses Postgres."),
    ("We run linters.", "The user always runs all linters."),
    ("I live in Porto.", "The user works in Porto."),
    ("Port 5433 is for staging and 5432 for production.", "Port 5432 is for staging."),
    ("I'd never use Docker.", "The user would use Docker."),
    ("It isn't that I dislike Go.", "The user dislikes Go."),
    ("Wir nehmen pnpm statt npm.", "Der Nutzer verwendet npm statt pnpm."),
    ("Ich esse kein Fleisch.", "Der Nutzer isst Fleisch."),
    ("Mein Bruder wohnt in Graz.", "Der Nutzer wohnt in Graz."),
    ("No uses mocks.", "El usuario usa mocks."),
    ("Mi hermano vive en Lima.", "El usuario vive en Lima."),
    ("Prefiero té en vez de café.", "El usuario prefiere café en vez de té."),
    ("On n'utilise pas Docker.", "L'utilisateur utilise Docker."),
    ("Non uso Docker.", "L'utente usa Docker."),
    ("Minha irmã mora em Lisboa.", "O usuário mora em Lisboa."),
    ("Мы не используем Docker.", "Пользователь использует Docker."),
    ("Мой брат живёт в Москве.", "Пользователь живёт в Москве."),
    ("Мы перешли с Postgres на MySQL.", "Пользователь перешёл с MySQL на Postgres."),
    ("我们不用Docker。", "用户使用Docker。"),
    ("我姐姐住在上海。", "用户住在上海。"),
    ("甲比乙快。", "乙比甲快。"),
    ("Dockerは使わないでください。", "ユーザーはDockerを使う。"),
    ("兄は東京に住んでいます。", "ユーザーは東京に住んでいます。"),
    ("おそらくKafkaを使うかもしれない。", "ユーザーはKafkaを使う。"),
]


@pytest.mark.parametrize(("quote", "statement"), TRUE)
def test_a_statement_that_its_quote_bears_passes(quote: str, statement: str) -> None:
    assert find_fault(statement, quote, SAID_ON) is None


@pytest.mark.parametrize(("quote", "statement"), FALSE)
def test_a_statement_that_says_more_or_other_than_its_quote_does_not_pass(quote: str, statement: str) -> None:
    assert find_fault(statement, quote, SAID_ON) is not None
