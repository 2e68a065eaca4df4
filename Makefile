# A newcomer types `make demo` and `make test`. Every target first installs what it needs; a second run finds it there.
.DELETE_ON_ERROR:
.PHONY: demo test lint bench lock ready packages
.DEFAULT_GOAL := test

PYTHON := .venv/bin/python
SHELL_SCRIPTS = .ci/run .ci/install-packages hostmuster/firewall/load.sh

demo: ready
	exec $(PYTHON) -m hostmuster.lab.demo

test: ready
	exec $(PYTHON) -m pytest -n 3 --no-loadscope-reorder tests/lab tests/items tests/unit

lint: ready
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m mypy hostmuster deploys tests tasks.py $(wildcard benchmarks inventory/*.py)
	.venv/bin/shellcheck $(SHELL_SCRIPTS)
	@# The on-host script is one: its parts joined. It calls functions by the verbs of a program (SC2317, SC2329).
	$(PYTHON) -c 'from hostmuster.onhost import script; print(script.source())' | \
		.venv/bin/shellcheck --shell=sh --exclude=SC2317,SC2329 -

bench: ready
	exec $(PYTHON) -m benchmarks

ready: packages .venv/ready

packages:
	@.ci/install-packages

# The stamp is written last, so an interrupted installation is taken up again by the next run.
.venv/ready: requirements-dev.lock pyproject.toml | packages
	@.venv/bin/python -m pip --version >/dev/null 2>&1 || python3 -m venv --clear .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Only for whoever changes a dependency in pyproject.toml; the locks are committed.
COMPILE = CUSTOM_COMPILE_COMMAND="make lock" $(PYTHON) -m piptools compile --quiet --allow-unsafe --strip-extras \
	--generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links
lock: ready
	$(COMPILE) --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra dev --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
