# Needs Python 3.11 or newer with pip, and nothing else: everything is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STRESS ?= ../shared/stress specs/stress

export OMP_NUM_THREADS ?= 1

.PHONY: all venv test lint types pytest format demo stress bench docs clean
all: test

venv: $(STAMP)
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "repc needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[test,data]'
	@touch $@

test: lint types pytest

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

pytest: $(STAMP)
	$(BIN)/python -m pytest -n 2 -q

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Checks, explains, compiles and trains the specs of specs/lm and specs/recall, and says where the results lie.
demo: $(STAMP)
	$(BIN)/python specs/demo.py

# How far every stress text gets through the compiler, with the first obstacle of each.
stress: $(STAMP)
	$(BIN)/python tests/stress/table.py $(wildcard $(STRESS))

# Ratios against peers, measured side by side; transformers is a peer and never a dependency of the product.
bench: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[bench]'
	$(BIN)/python benchmarks/run.py

# The reference, from the declarations in the compiler.
docs: $(STAMP)
	$(BIN)/python docs/build_reference.py

clean:
	rm -rf $(VENV) build dist runs .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find grammar compiler runtime tests -name __pycache__ -type d -prune -exec rm -rf {} +
