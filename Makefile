# A newcomer types `make demo` and `make test`. Every target first installs what it needs; a second run finds it there.
.DELETE_ON_ERROR:
.PHONY: demo soak test test-drills test-fleet test-vm lint bench lock ready packages
.DEFAULT_GOAL := test

PYTHON := .venv/bin/python
SHELL_SCRIPTS = .ci/run .ci/install-packages hostmuster/firewall/load.sh hostmuster/images/engine.sh hostmuster/images/trouble.sh hostmuster/onhost/content.sh \
	hostmuster/containers/supervisor.sh hostmuster/data/role.sh hostmuster/onhost/drain.sh \
	hostmuster/dns/check.sh hostmuster/panel/guard.sh hostmuster/secrets/start_gate.sh

demo: ready
	exec $(PYTHON) -m hostmuster.lab.demo

# What takes long on real hosts is left to test-drills.
LONG := $(addprefix tests/lab/,access firewall images monitor onboard plain_pyinfra)

test: ready
	exec $(PYTHON) -m pytest -n 3 --no-loadscope-reorder $(LONG:%=--ignore=%) tests/lab tests/items tests/browser tests/unit

# Hosts that are taken in, reboot, are upgraded, or lose power at every step.
# What promises tenths of a second comes alone, at the end; before that the folders with the most tests come first.
PROMPT := tests/drills/front
test-drills: ready
	$(PYTHON) -m pytest -n 3 $(WHOLE:%=--ignore=%) $(PROMPT:%=--ignore=%) $(LONG) tests/drills
	exec $(PYTHON) -m pytest $(PROMPT)

# Every drill, on three hosts and on all seven, and ten minutes in which nothing may happen: a client's promises are kept only where two
# cores have nothing else to do, so continuous integration, which runs labs side by side, does not run these.
WHOLE := tests/drills/run_all tests/drills/drilling/test_drills.py
test-fleet: ready
	exec env QUIET_S=600 $(PYTHON) -m pytest $(WHOLE) $(PROMPT)

# Random faults one after the other under load, on the lab's seven hosts; SEED=N gives the same faults again. Under 10 minutes.
soak: ready
	exec $(PYTHON) -m hostmuster.lab.soak $(if $(SEED),--seed $(SEED))

# What only a kernel of its own shows: an emulated machine boots twice.
test-vm: ready
	exec $(PYTHON) -m pytest tests/vm

lint: ready
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(PYTHON) -m mypy hostmuster deploys tests tasks.py $(wildcard benchmarks inventory/*.py)
	.venv/bin/shellcheck $(SHELL_SCRIPTS)
	@# The on-host script is one: its parts joined. It calls functions by the verbs of a program (SC2317, SC2329).
	$(PYTHON) -c 'from hostmuster.onhost import script; print(script.source())' | \
		.venv/bin/shellcheck --shell=sh --exclude=SC2317,SC2329 -
	$(PYTHON) -c 'from hostmuster.monitor import script; print(script.source())' | .venv/bin/shellcheck --shell=sh -

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
	$(COMPILE) --extra dev --extra vault --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
