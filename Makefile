# Each target creates .venv and installs what it needs by itself: `make demo` and `make test` work on a fresh clone.
PYTHON ?= python3
BIN := .venv/bin
# What .venv/.tools installs must be there: a missing package then fails, where it would skip tests.
EXTRAS := LAYOUTALG_REQUIRE_EXTRAS=1
# On all cores, neighbours on the same one: they share what they compiled and proved.
ON_ALL_CORES := -n auto --dist worksteal
# Byte code is kept: tests start many processes, and each would compile the package anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-slow test-all test-matrix lint kernels docs notebooks outputs release clean

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[kernels]'
	touch $@

# Of what is installed tests import a third: Python compiles those then.
.venv/.tools: pyproject.toml Makefile tests/composable_kernel.py | .venv/bin/python
	$(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -e '.[kernels,test,lint,docs,recheck,dask,lsp,mcp]'
	$(BIN)/python -m tests.composable_kernel
	touch .venv/.installed $@

demo: .venv/.installed  ## a transposition, from descriptor to machine code and a checked result
	$(BIN)/layoutalg demo

test: .venv/.tools  ## the tests, under three minutes; fuzzers draw few cases
	$(EXTRAS) $(BIN)/pytest $(ON_ALL_CORES) -m "not slow and not matrix"

test-slow: .venv/.tools  ## the others: slow ones, the day's part of each matrix, hundreds of the day's cases of each fuzzer
	LAYOUTALG_FUZZ=200 $(EXTRAS) $(BIN)/pytest $(ON_ALL_CORES) -m "(slow or matrix or fuzz) and not another_day"

test-all: .venv/.tools  ## each once, in one run: what was compiled and proved for one is there for others
	LAYOUTALG_FUZZ=200 $(EXTRAS) $(BIN)/pytest $(ON_ALL_CORES) -m "not another_day"

test-matrix: .venv/.tools  ## all at once, whole matrices and thousands of cases of each fuzzer: hours
	LAYOUTALG_FUZZ=2000 $(EXTRAS) $(BIN)/pytest $(ON_ALL_CORES)

lint: .venv/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/.docs  ## the documentation in build/docs, its lessons run; a warning is an error
	NO_MKDOCS_2_WARNING=1 RUN_LESSONS=1 $(BIN)/mkdocs build --strict -q -f docs/mkdocs.yml

.venv/.docs: .venv/.installed
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[kernels,docs]'
	touch $@

notebooks: .venv/.installed  ## the lessons, opened in Jupyter
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[kernels,notebooks]'
	$(BIN)/jupyter lab notebooks

outputs: .venv/.docs  ## what lessons and --help show, and the page on which a layout is typed, made anew
	$(BIN)/python docs/generate/typed.py
	$(BIN)/python docs/generate/help.py
	$(BIN)/python docs/generate/outputs.py

kernels: .venv/.installed  ## the emitted kernels and what was proved of them, made anew
	$(BIN)/python -m layoutalg.cli.golden

release: .venv/.tools  ## the wheel and the source archive in build/dist, checked; all but the upload
	rm -rf build/dist
	$(BIN)/python -m build --outdir build/dist
	$(BIN)/twine check --strict build/dist/*
	$(EXTRAS) $(BIN)/pytest tests/test_release.py
	@echo "next: git tag, then $(BIN)/twine upload build/dist/*"

clean:
	rm -rf .venv build *.egg-info
