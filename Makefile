# `make demo` and `make test` do everything on a fresh machine: they make a virtual environment, install what
# they need into it, and run.

PYTHON ?= python3
VENV ?= .venv
DATA ?= ../shared/data
BIN := $(VENV)/bin
CONSTRAINTS ?= constraints.txt
PIP = $(BIN)/pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS)
# The small build of torch, or, where PyTorch's own index cannot be reached, that of the usual one.
CPU_INDEX ?= https://download.pytorch.org/whl/cpu
CPU_ONLY = --retries 0 --timeout 20 --index-url $(CPU_INDEX)
INSTALL_TORCH = $(PIP) $(CPU_ONLY) --no-deps torch || $(PIP) torch
# LOCKED=1 installs only files whose digests locks/ holds; `make locks` renews them.
LOCKED ?=
FROM_LOCK = $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --require-hashes
INSTALL_LOCKED_TORCH = $(FROM_LOCK) $(CPU_ONLY) -r locks/torch.txt || $(FROM_LOCK) -r locks/torch.txt

.PHONY: docs locks stale demo test test-only test-first-half test-second-half test-engines test-transformers dist test-sdist test-wheel test-installed install-wheel test-without-torch lint types benchmark nightly clean

demo: $(VENV)/installed
	$(BIN)/forest-align align examples/pairs.tsv --to text

test: $(VENV)/installed-for-tests lint types test-only test-engines

# Two halves of about the same time at once, or TESTS alone.
FIRST_HALF := tests/cli tests/data tests/em tests/eval tests/parsing tests/service tests/storage tests/system
PYTEST = $(BIN)/python -m pytest -m "not engine"
ifneq ($(TESTS),)
test-only:
	$(PYTEST) $(TESTS)
else
test-only:
	$(MAKE) --jobs=2 --output-sync=target test-first-half test-second-half
endif

test-first-half:
	$(PYTEST) $(FIRST_HALF)

test-second-half:
	$(PYTEST) $(addprefix --ignore=,$(FIRST_HALF))

# Engines for clusters, and pages in a browser (apt-get install chromium chromium-driver); what is not installed is
# skipped.
test-engines:
	$(BIN)/python -m pytest -m engine $(TESTS) || test $$? = 5  # some TESTS have none

# What depends on the version of transformers: parsers in benepar's format, and training the parser.
# With another version: make test-transformers VENV=build/transformers-5 CONSTRAINTS=constraints-transformers-5.txt
test-transformers: $(VENV)/installed-for-tests
	$(BIN)/python -c 'import transformers; print("transformers", transformers.__version__)'
	$(BIN)/python -m pytest tests/parsing/networks tests/em/parser

# The source distribution, and a wheel built from it.
dist: $(VENV)/installed-for-tests
	rm -rf build/dist
	$(BIN)/python -m build --no-isolation --outdir build/dist

# make test, or TARGETS, in the unpacked source distribution, far from this tree.
test-sdist: dist
	folder=$$(mktemp -d) && tar -xzf build/dist/*.tar.gz -C $$folder --strip-components=1 && \
	    $(MAKE) -C $$folder VENV=.venv BIN=.venv/bin $(or $(TARGETS),test) && rm -rf $$folder

# The wheel in an environment of its own.
test-wheel: dist
	rm -rf build/wheel
	$(PYTHON) -m venv build/wheel
	$(MAKE) install-wheel test-installed BIN=build/wheel/bin

install-wheel:
	$(INSTALL_TORCH)
	$(PIP) build/dist/*.whl pytest hypothesis

# The wheel where torch is not installed, in what the container has.
test-without-torch: dist
	rm -rf build/without-torch
	$(PYTHON) -m venv build/without-torch
	build/without-torch/bin/pip install --quiet --no-deps --require-hashes -r locks/serving.txt
	build/without-torch/bin/pip install --quiet --no-deps build/dist/*.whl
	build/without-torch/bin/pip install --quiet -c $(CONSTRAINTS) pytest hypothesis
	$(MAKE) test-installed BIN=build/without-torch/bin INSTALLED_TESTS=tests/cli/test_without_torch.py

# Tests of what is installed for BIN/python, from a folder without sources.
INSTALLED_TESTS ?= tests/cext tests/alignment tests/types
test-installed:
	mkdir -p build/elsewhere
	cd build/elsewhere && export PYTHONSAFEPATH=1 PATH=$(abspath $(BIN)):$$PATH && \
	    forest-align align $(abspath examples/pairs.tsv) --to text && \
	    python -m pytest -c $(abspath pyproject.toml) --rootdir $(CURDIR) $(abspath $(INSTALLED_TESTS))

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

# Every table of the README and docs/guide/evaluate.md, from DATA, in about a quarter of an hour. OPTIONS='--limit 20' makes a trial
# run, OPTIONS=--resume continues after an interruption. Exit status 1 of a run only says that some pairs failed.
PPDB ?= $(wildcard $(DATA)/lexicon/ppdb-1.0-xxxl-lexical.synonyms.tsv.gz)
ALIGNERS := --aligner identity --aligner sultan $(if $(PPDB),--ppdb $(PPDB)) --aligner contextual \
    --aligner semi-markov --aligner semi-markov-phrasal --aligner joint --aligner projection --aligner forest
RUNS := msr-rte.test edinburgh.test mtref.dev wiki.dev spade.sample spade.espada ists.train etpc.dev verses.dev ssd.dev sts2013.test msrp.test \
    rte.test qa.test
benchmark: $(VENV)/installed-for-tests
	mkdir -p build/benchmark
	for run in $(RUNS); do \
	    $(BIN)/forest-align benchmark $${run%.*} --split $${run#*.} --data $(DATA) $(ALIGNERS) $(OPTIONS) \
	        -o build/benchmark > build/benchmark/$$run.md || [ $$? = 1 ] || exit 2; done

# The documentation as a site: build/site/html/README.html.
docs: $(VENV)/installed-for-tests
	$(if $(LOCKED),,$(PIP) --no-build-isolation -e '.[docs]')
	$(BIN)/python tools/build_site.py build/site

# What LOCKED=1 installs.
locks: $(VENV)/installed
	$(PIP) uv
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/python tools/lock_versions.py --cpu-index $(CPU_INDEX)

# Tables of measurements that are older than the models that they measure.
stale:
	$(PYTHON) tools/stale_tables.py

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

# torch first and by itself: it then satisfies everything else that asks for torch. The editable
# install makes the source folders and the installed package the same thing.
$(VENV)/installed: setup.py pyproject.toml $(wildcard constraints*.txt) $(wildcard cext/*.pyx cext/*.pxd cext/*/*.pxi)
	$(PYTHON) -m venv $(VENV)
ifneq ($(LOCKED),)
	$(INSTALL_LOCKED_TORCH)
	$(FROM_LOCK) -r locks/container.txt
	$(PIP) --no-deps --no-build-isolation -e .
else
	$(INSTALL_TORCH)
	$(PIP) cython setuptools wheel
	$(PIP) --no-build-isolation -e .
endif
	touch $@

$(VENV)/installed-for-tests: $(VENV)/installed
ifneq ($(LOCKED),)
	$(FROM_LOCK) -r locks/tests.txt
else
	$(PIP) --no-build-isolation -e '.[test,plot,benepar,spacy,tables,serve,ray,grpc]'
endif
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info cext/*.c cext/*.cpp cext/*.so
