# make demo: sets everything up and runs Crosscheck with a demonstration study.   make test: sets up, tests everything.

PYTHON ?= python3
RUN = .venv/bin/python
# Without these the demonstration would go where a .env file says.
OWN_SERVERS = DATABASE_URL= REDIS_URL=
COMPILE = uv pip compile pyproject.toml --universal --generate-hashes --python-version 3.11 --no-annotate \
	--custom-compile-command "make lock" --quiet $(UPGRADE)
NOT_IN_THE_IMAGE = pandas statsmodels patsy formulaic interface-meta wrapt
TESTS ?= tests
WORKERS ?= 2
# Where this is set, every process that starts would compile its packages anew: seconds each, and tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install install-dev demo run test test-long lint format translations bench screenshots rooms lock clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 20

install: ## builds .venv from requirements.lock, when it is missing or out of date
	@command -v $(PYTHON) >/dev/null || { echo "Crosscheck needs Python 3.11 or newer; there is no $(PYTHON) here." >&2; exit 1; }
	@$(PYTHON) scripts/install.py

install-dev:
	@command -v $(PYTHON) >/dev/null || { echo "Crosscheck needs Python 3.11 or newer; there is no $(PYTHON) here." >&2; exit 1; }
	@$(PYTHON) scripts/install.py dev

demo: install ## runs Crosscheck with a demonstration study, in a data folder of its own; PORT=8000
	@$(OWN_SERVERS) CROSSCHECK_DATA="$${CROSSCHECK_DATA:-var}/demo" exec $(RUN) manage.py up --demo

run: install ## runs Crosscheck; the first visit asks for the first account; PORT=8000
	@exec $(RUN) manage.py up

test: install-dev ## runs the whole test suite, browser tests included; TESTS=tests/core
	@chromium=$$($(RUN) scripts/find_chromium.py) && CHROMIUM="$$chromium" exec $(RUN) -m pytest -n $(WORKERS) --dist worksteal $(TESTS)

test-long: export CROSSCHECK_TEST_LONG = 1
test-long: test ## the same with ten times the examples, whole crawls and a meeting in seven browsers

lint: install-dev ## checks style, types, import contracts, templates, scripts, words, our own rules, migrations and the bill of materials
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy .
	$(RUN) .venv/bin/lint-imports
	$(RUN) -m djlint --check --quiet templates
	.venv/bin/deno fmt --check
	.venv/bin/deno lint
	$(RUN) scripts/check_words.py
	$(RUN) -m scripts.translations
	$(RUN) -m scripts.static_rules
	$(RUN) -m scripts.sbom
	@$(OWN_SERVERS) CROSSCHECK_DATA=var/lint $(RUN) manage.py makemigrations --check --dry-run
	@$(OWN_SERVERS) CROSSCHECK_DATA=var/lint $(RUN) -m scripts.migrations

format: install-dev ## writes code, templates and scripts in their usual form
	$(RUN) -m ruff check --fix
	$(RUN) -m ruff format
	$(RUN) -m djlint --reformat --quiet templates
	.venv/bin/deno fmt

translations: install-dev ## takes new texts into locale/ and compiles it; make lint names what is still to translate
	$(RUN) -m scripts.translations write

bench: install-dev ## measures what is promised, against this machine's own limit; pages in a real browser
	@chromium=$$($(RUN) scripts/find_chromium.py) && $(OWN_SERVERS) CHROMIUM="$$chromium" exec $(RUN) -m bench

screenshots: install-dev ## takes the pictures of docs/pictures anew
	@chromium=$$($(RUN) scripts/find_chromium.py) && CHROMIUM="$$chromium" exec $(RUN) scripts/screenshots.py

rooms: ## draws docs/pictures/rooms.svg from the import contract
	@$(PYTHON) scripts/draw_rooms.py

lock: ## writes the lock files and the SBOM anew from pyproject.toml; needs uv; UPGRADE=--upgrade for newer versions
	@command -v uv >/dev/null || { echo "make lock needs uv: https://docs.astral.sh/uv/" >&2; exit 1; }
	$(COMPILE) --extra embedded -o requirements.lock
	$(COMPILE) -c requirements.lock $(NOT_IN_THE_IMAGE:%=--no-emit-package %) -o requirements-server.lock
	$(COMPILE) --extra embedded --extra dev -c requirements.lock -o requirements-dev.lock
	$(RUN) -m scripts.sbom write

clean: ## removes .venv and every cache; keeps the data in var/
	rm -rf .venv .venv.lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis staticfiles var/lint
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
