# Two commands do most: `make demo` shows the site, `make test` passes the tests.

PY := .venv/bin/python
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url -c requirements/constraints.in --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help setup format check test test-slow chaos demo lock clean

help: ## Show this list
	@echo "Plumbline. What make can do:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv from the hashed locks (a second run takes no time)
	@sh infra/setup.sh dev

format: setup ## Format and mend what ruff can mend
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .

check: setup ## Format, lint, types, import contracts, missing migrations
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports
	@$(PY) -W 'ignore:Got an error checking' manage.py makemigrations --check --dry-run \
	    --settings portal.settings.testing

test: check ## Check, then all tests but the slow ones, with the servers they need
	@sh infra/test_tools.sh
	@$(PY) -m pytest -m "not slow" $(ARGS)

test-slow: setup ## The tests that take minutes
	@sh infra/test_tools.sh
	@$(PY) -m pytest -m slow $(ARGS)

chaos: setup ## Kill parts of a running site under load and count what is lost (KILLS=60 SUBMISSIONS=600 SEED=1)
	@$(PY) -m infra.chaos --kills $(or $(KILLS),60) --submissions $(or $(SUBMISSIONS),600) \
	    --seed $(or $(SEED),1) $(ARGS)

demo: ## The whole site with sample benchmarks (CHECK=1: prove it and stop; PORT=8000; DATA=demo-data)
	@sh infra/setup.sh embedded
	@exec $(PY) -m infra.demo $(if $(filter 1 yes true,$(CHECK)),--check) \
	    $(if $(PORT),--port $(PORT)) $(if $(DATA),--data $(DATA))

lock: setup ## Write requirements/*.txt again from pyproject.toml (UPGRADE=1: newest versions)
	@PATH="$$PWD/.venv/bin:$$PATH" && set -e && \
	$(LOCK) requirements/installer.in -o requirements/installer.txt && \
	$(LOCK) pyproject.toml requirements/build.in --extra server --extra embedded --group dev \
	    -o requirements/dev.txt && \
	$(LOCK) -c requirements/dev.txt pyproject.toml requirements/build.in --extra server \
	    --extra embedded -o requirements/embedded.txt && \
	$(LOCK) -c requirements/dev.txt pyproject.toml requirements/build.in --extra server \
	    -o requirements/server.txt && \
	$(LOCK) -c requirements/dev.txt pyproject.toml -o requirements/base.txt

clean: ## Remove .venv, caches and the demo's data
	@rm -rf .venv demo-data build dist .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	    .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
