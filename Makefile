# The two commands a newcomer needs are `make site` and `make test`; both set up
# everything they use on a machine that has only Python (3.11 to 3.14) and make.

PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin/python
STAMP  := $(VENV)/.installed
SITE   := site
PORT   ?= 8000
TIME   ?= 600

# Tools of `make lock` only; kept out of the environment that everyone installs.
UV_VERSION  := 0.13.8
LOCK_VENV   := .venv-lock
LOCK_PYTHON := 3.11

# The Pythons that `make pythons` tries: all have to make the same pages.
PYTHONS     ?= python3.11 python3.12 python3.13 python3.14
PYTHONS_DIR := .venv-pythons

# Another builder of the site, beside what it needs: it makes the same pages, or `make builders` tells the differences.
ZENSICAL_VENV  := .venv-zensical
ZENSICAL_STAMP := $(ZENSICAL_VENV)/.installed

# Packages come from the hashed lists alone, and the checkout is used where it stands.
PIP := $(RUN) -m pip --disable-pip-version-check --no-input

# `venv --clear` empties what a link leads to, which may be what another checkout works with.
own = ! test -L $(1) || { echo "$(1) is a link to $$(readlink $(1)), which is not cleared; remove the link, then make makes its own." >&2; exit 1; }

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help site test test-all test-long mutants fuzz checks pythons builders serve pictures bench bench-growth bench-engine lock clean setup

help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):[^#]*## */  make \1	/p' Makefile

site: setup ## Set up, render the pages from the ledgers and build the published site
	$(RUN) budget.py render
	$(RUN) budget.py build
	@echo
	@echo "The site is in $(SITE)/. Read it with: make serve   (http://127.0.0.1:$(PORT)/)"
	@echo "or publish the folder with any web server; it needs nothing from elsewhere."

test: checks ## Set up, then check style, types and behaviour
	BUDGET_QUICK=1 $(RUN) -m pytest -n auto --dist worksteal $(ARGS)

test-all: checks ## The same, and what `make test` leaves out: browser, forges, killed processes, installed packages
	$(RUN) -m pytest -n auto --dist worksteal $(ARGS)

checks: setup
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check --quiet .
	$(RUN) -m mypy
	@$(RUN) -m compileall -q reckon  # hundreds of commands are started, also where Python writes no bytecode by itself

# Spark is tried where Java and pyspark are (Debian: default-jre-headless; `.venv/bin/pip install 'pyspark<4.1'`): neither is in a list.
test-long: setup ## Try all of what `make test-all` tries some of: all examples, 120 orders of exports, 200 processes at once
	BUDGET_LONG=1 $(RUN) -m pytest -n auto --dist worksteal -m "long and not alone" $(ARGS)
	BUDGET_LONG=1 $(RUN) -m pytest -m alone

fuzz: setup ## Try input that is changed by chance, for TIME=600 seconds: ledgers, formulas, quantities, tables, exports
	$(RUN) scripts/fuzz.py $(TIME) $(ARGS)

pythons: ## Install, check, add and render with several Pythons, and compare the bytes (PYTHONS="python3.11 python3.14")
	@$(call own,$(PYTHONS_DIR))
	rm -rf $(PYTHONS_DIR)
	for python in $(PYTHONS); do $$python scripts/pythons.py $(PYTHONS_DIR) || exit 1; done
	$(PYTHON) scripts/pythons.py --compare $(PYTHONS_DIR)

builders: setup $(ZENSICAL_STAMP) ## Build the site with Material and with Zensical, and list what differs
	$(RUN) scripts/builders.py --zensical $(ZENSICAL_VENV)/bin/zensical $(ARGS)

$(ZENSICAL_STAMP): requirements-zensical.txt
	@$(call own,$(ZENSICAL_VENV))
	$(PYTHON) -m venv --clear $(ZENSICAL_VENV)
	$(ZENSICAL_VENV)/bin/python -m pip --disable-pip-version-check --no-input install --quiet --require-hashes -r requirements-zensical.txt
	@touch $(ZENSICAL_STAMP)

serve: setup ## Show the site on this machine, made again when a ledger changes
	$(RUN) budget.py serve

pictures: setup ## Take a picture of each kind of page at three widths, light and dark, into build/pictures (ARGS="status choice")
	$(RUN) tests/site/pictures.py build/pictures $(ARGS)

# What `coverage` measures is kept with the results, in the temporary folder; it stands in no list of packages.
mutants: setup ## Change the engine by chance at 150 places, and list what no test notices (takes hours; goes on where it stopped)
	@$(RUN) -c 'import coverage' 2>/dev/null || $(PIP) install --quiet coverage
	$(RUN) scripts/mutants.py $(ARGS)

bench: setup ## Time `check` and `render` on ledgers of 1,000 to 100,000 runs
	$(RUN) benchmarks/run.py $(ARGS)

bench-growth: setup ## Time them as projects, figures, policies, releases and runs grow
	$(RUN) benchmarks/growth.py $(ARGS)

bench-engine: setup ## Time imports of a million and of ten million made-up jobs with DuckDB, and the plain reader
	$(RUN) benchmarks/engine.py $(ARGS)

setup: $(STAMP) ## Make the environment, if it is not there or its lists have changed

$(STAMP): requirements.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null || { \
	  echo "Python 3.11 to 3.14 is needed (google-re2, numpy and PyYAML have no wheels for 3.15); '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo not here)." >&2; \
	  echo "Name another one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(call own,$(VENV))
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "This Python has no venv module. On Debian and Ubuntu the package python3-venv brings it:" >&2; \
	  echo "  apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --quiet --require-hashes -r requirements-dev.txt
	@touch $(STAMP)

# One version of each package for every Python, so that all build the same pages.
LOCK_FLAGS := --quiet --universal --python-version $(LOCK_PYTHON) --fork-strategy fewest --generate-hashes \
  --no-config --no-annotate --custom-compile-command "make lock"

lock: ## Pin every package again, with hashes, from pyproject.toml (UPGRADE=--upgrade takes newer ones)
	test -x $(LOCK_VENV)/bin/uv || { $(PYTHON) -m venv $(LOCK_VENV) && \
	  $(LOCK_VENV)/bin/python -m pip --disable-pip-version-check install --quiet uv==$(UV_VERSION); }
	$(LOCK_VENV)/bin/uv pip compile $(LOCK_FLAGS) $(UPGRADE) pyproject.toml --extra site --extra pictures --extra notebook \
	  --output-file requirements.txt
	$(LOCK_VENV)/bin/uv pip compile $(LOCK_FLAGS) $(UPGRADE) pyproject.toml --constraint requirements.txt \
	  --output-file requirements-light.txt
	$(LOCK_VENV)/bin/uv pip compile $(LOCK_FLAGS) $(UPGRADE) pyproject.toml --extra dev \
	  --constraint requirements.txt --output-file requirements-dev.txt
	printf 'build\nhatchling\n' | $(LOCK_VENV)/bin/uv pip compile $(LOCK_FLAGS) $(UPGRADE) - \
	  --output-file requirements-build.txt
	$(LOCK_VENV)/bin/uv pip compile $(LOCK_FLAGS) $(UPGRADE) pyproject.toml --extra zensical \
	  --constraint requirements.txt --output-file requirements-zensical.txt

clean: ## Remove what was built (the environment and the site, never a page or a ledger)
	rm -rf $(VENV) $(LOCK_VENV) $(PYTHONS_DIR) $(ZENSICAL_VENV) $(SITE) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
