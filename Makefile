# Everything a newcomer needs. `make demo` and `make test` set up what they need in .venv and nothing elsewhere.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TESTS ?= tests
WORKERS ?= 2

.PHONY: demo test check format readme bench clean

demo: $(VENV)/.runtime  ## the main job, on this checkout
	$(BIN)/moored demo

test: $(VENV)/.development  ## the whole suite
	$(BIN)/pytest -q -n $(WORKERS) --dist loadgroup $(TESTS)

check: $(VENV)/.development  ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(VENV)/.development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

readme: $(VENV)/.runtime  ## show in README.md what the demo says now
	$(BIN)/python -m moored.demo README.md

bench: $(VENV)/.development  ## measure speed and size; see bench/README.md
	$(BIN)/python -m bench

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "moored needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/.runtime: pyproject.toml $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.development: pyproject.toml $(VENV)/.runtime
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
