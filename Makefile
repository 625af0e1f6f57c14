# One command each: `make test` sets up its own environment and runs every test.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: test test-fast check codegen wheel-test bench clean

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

test: $(VENV)/ready ## every test, with branch coverage
	$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term

check: $(VENV)/ready ## style, types, import arrows, generated code up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m codegen --check

codegen: $(VENV)/ready ## rewrite everything that follows from the schemas
	$(BIN)/python -m codegen

wheel-test: $(VENV)/ready ## build the wheel and try it away from the checkout
	sh tests/wheel/run.sh $(BIN)/python

bench: $(VENV)/ready ## measure against the peers, one table
	$(BIN)/python -m tests.bench.contract

clean:
	rm -rf $(VENV) dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis mutants
