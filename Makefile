# `make demo` and `make test` do everything on a fresh machine: they make a virtual environment, install what
# they need into it, and run.

PYTHON ?= python3
VENV ?= .venv
DATA ?= ../shared/data
BIN := $(VENV)/bin
CONSTRAINTS ?= constraints.txt
PIP := $(BIN)/pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS)

.PHONY: demo test test-only test-transformers lint types benchmark nightly clean

demo: $(VENV)/installed
	$(BIN)/forest-align align examples/pairs.tsv --to text

test: $(VENV)/installed-for-tests lint types test-only

test-only:
	$(BIN)/python -m pytest

# What depends on the version of transformers: parsers in benepar's format, and training the parser.
# With another version: make test-transformers VENV=build/transformers-5 CONSTRAINTS=constraints-transformers-5.txt
test-transformers: $(VENV)/installed-for-tests
	$(BIN)/python -c 'import transformers; print("transformers", transformers.__version__)'
	$(BIN)/python -m pytest tests/parsing/networks tests/em/parser

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

# Every table of the README and docs/guide/evaluate.md, from DATA, in about a quarter of an hour. OPTIONS='--limit 20' makes a trial
# run, OPTIONS=--resume continues after an interruption. Exit status 1 of a run only says that some pairs failed.
PPDB ?= $(wildcard $(DATA)/lexicon/ppdb-1.0-xxxl-lexical.synonyms.tsv.gz)
ALIGNERS := --aligner identity --aligner sultan $(if $(PPDB),--ppdb $(PPDB)) --aligner contextual \
    --aligner semi-markov --aligner semi-markov-phrasal --aligner joint --aligner projection --aligner forest
RUNS := msr-rte.test edinburgh.test mtref.dev wiki.dev spade.sample spade.espada ists.train etpc.dev ssd.dev sts2013.test msrp.test \
    rte.test qa.test
benchmark: $(VENV)/installed-for-tests
	mkdir -p build/benchmark
	for run in $(RUNS); do \
	    $(BIN)/forest-align benchmark $${run%.*} --split $${run#*.} --data $(DATA) $(ALIGNERS) $(OPTIONS) \
	        -o build/benchmark > build/benchmark/$$run.md || [ $$? = 1 ] || exit 2; done

# mypy knows nothing of package_dir: give it the namespace as a tree of links.
types: $(VENV)/installed-for-tests
	$(BIN)/python tools/link_namespace.py build/namespace
	cd build/namespace && ../../$(BIN)/mypy --config-file ../../pyproject.toml -p forest_align
	cd build/namespace && for folder in tools benchmarks/quality benchmarks/speed; do MYPYPATH=.:../../$$folder \
	    ../../$(BIN)/mypy --config-file ../../pyproject.toml ../../$$folder/*.py || exit 1; done

# Sanitizers, fuzzers, the oracle with many cases, coverage.
MINUTES ?= 30
nightly: $(VENV)/installed-for-tests
	$(BIN)/python tools/nightly.py --minutes $(MINUTES)

# torch first and by itself: its CPU build then satisfies everything else that asks for torch. The editable
# install makes the source folders and the installed package the same thing.
$(VENV)/installed: setup.py pyproject.toml $(wildcard constraints*.txt) $(wildcard cext/*.pyx cext/*.pxd cext/*/*.pxi)
	$(PYTHON) -m venv $(VENV)
	$(PIP) torch
	$(PIP) cython setuptools wheel
	$(PIP) --no-build-isolation -e .
	touch $@

$(VENV)/installed-for-tests: $(VENV)/installed
	$(PIP) --no-build-isolation -e '.[test,plot,spacy]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info cext/*.c cext/*.cpp cext/*.so
