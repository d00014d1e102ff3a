# make demo: sets everything up and runs Crosscheck with a demonstration study.   make test: sets up, tests everything.

PYTHON ?= python3
RUN = .venv/bin/python
# Without these the demonstration would go where a .env file says.
OWN_SERVERS = DATABASE_URL= REDIS_URL=
COMPILE = uv pip compile pyproject.toml --universal --generate-hashes --python-version 3.11 --no-annotate \
	--custom-compile-command "make lock" --quiet $(UPGRADE)
TESTS ?= tests
WORKERS ?= 2
# Where this is set, every process that starts would compile its packages anew: seconds each, and tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install install-dev demo run test lint format bench screenshots lock clean

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

lint: install-dev ## checks style, types, import contracts, templates and migrations
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy .
	.venv/bin/lint-imports
	.venv/bin/djlint --check --quiet templates
	@$(OWN_SERVERS) CROSSCHECK_DATA=var/lint $(RUN) manage.py makemigrations --check --dry-run

format: install-dev ## writes code and templates in their usual form
	.venv/bin/ruff check --fix
	.venv/bin/ruff format
	.venv/bin/djlint --reformat --quiet templates

bench: install ## measures what design.md promises, against this machine's own limit
	@$(OWN_SERVERS) exec $(RUN) -m bench

screenshots: install-dev ## takes the pictures of docs/pictures anew
	@chromium=$$($(RUN) scripts/find_chromium.py) && CHROMIUM="$$chromium" exec $(RUN) scripts/screenshots.py

lock: ## writes both lock files anew from pyproject.toml; needs uv; UPGRADE=--upgrade for newer versions
	@command -v uv >/dev/null || { echo "make lock needs uv: https://docs.astral.sh/uv/" >&2; exit 1; }
	$(COMPILE) -o requirements.lock
	$(COMPILE) --extra dev -c requirements.lock -o requirements-dev.lock

clean: ## removes .venv and every cache; keeps the data in var/
	rm -rf .venv .venv.lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis staticfiles var/lint
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
