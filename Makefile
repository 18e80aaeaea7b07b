# Everything a contributor runs. `make` alone lists the targets.
#
# Every target but help and lock stands on .venv, which is made from requirements/dev.txt: exact versions, each with
# its digest. The stamp file makes a second `make setup` free as long as neither the lock, the project file nor the C of
# the index changed, which is compiled where there is a compiler.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.made-from-lock
LOCKED := $(BIN)/python -m pip --disable-pip-version-check install --quiet
COMPILE := $(BIN)/uv pip compile --quiet --upgrade --generate-hashes --no-emit-index-url --universal --no-header --no-annotate

# What is typed: the folders that hold Python of this project, as far as they are there.
CODE = $(wildcard provmodel queries app migrations tests benchmarks docs/generate docs/*.py) hatch_build.py

.PHONY: help setup parts demo test lint format conformance bench docs screenshots lock clean

help:  ## say what each target does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

setup: $(STAMP)  ## make .venv from the locked requirements, and install Clew in it

$(STAMP): requirements/dev.txt pyproject.toml hatch_build.py queries/adjacency/compiled.c
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(LOCKED) --require-hashes --only-binary :all: -r requirements/dev.txt
	$(LOCKED) --no-deps --no-build-isolation --editable .
	@touch $@

# Debian's packages that tests drive: a browser, and what draws SVG. Elsewhere they are there already, or a test says so.
PARTS = chromium graphviz
parts:  ## install the browser and Graphviz for the tests, where apt-get may
	command -v chromium dot >/dev/null && test "$$(command -v chromium dot | wc -l)" = 2 || \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PARTS) fonts-dejavu-core >/dev/null; } || \
	  echo 'chromium or graphviz is missing: install both, or the tests that need them are skipped (with CI=true they fail)'

demo: setup  ## record a short story of two agents, and serve the page that asks about it
	$(BIN)/clew demo

test: lint parts  ## lint, then run the tests on two processes
	$(BIN)/pytest -n 2

lint: setup  ## check style, format, types and the arrows between packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports

format: setup  ## rewrite the code in the common format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

conformance: setup  ## run the public PROV and trace suites that lie in ../shared, where they exist, and long tests
	$(BIN)/python -m tests.conformance
	$(BIN)/python -m tests.app.test_retention_states
	$(BIN)/python -m tests.test_one_graph

bench: setup  ## measure each peer and Clew on the same work, and write benchmarks/RESULTS.md
	$(LOCKED) --require-hashes --only-binary :all: -r requirements/dev.txt -r requirements/bench.txt
	command -v npm >/dev/null && npm ci --prefix benchmarks/peers --ignore-scripts --no-audit --no-fund --silent || \
	  echo 'npm is missing or failed: the peers of the page are skipped'
	$(BIN)/python -m benchmarks --write

docs: setup  ## write the reference pages from the program
	$(BIN)/python -m docs.generate

screenshots: setup parts  ## take the pictures of the page that the documentation shows
	$(BIN)/python -m docs.generate.screenshots

lock: setup  ## choose versions anew, within pyproject.toml, and write the locks
	$(COMPILE) --extra dev --extra interop --extra s3 pyproject.toml --output-file requirements/dev.txt
	$(COMPILE) --constraint requirements/dev.txt --extra s3 pyproject.toml --output-file requirements/runtime.txt
	$(COMPILE) --constraint requirements/dev.txt --extra bench --extra interop pyproject.toml --output-file requirements/bench.txt
	echo hatchling | $(COMPILE) --constraint requirements/dev.txt - --output-file requirements/build.txt

clean:  ## remove .venv and every cache
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
