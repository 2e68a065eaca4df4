"""A second tinyproxy tries a file before it is put in place."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hostmuster.egress.trial import trial
from tests.unit.egress.proxy import running

CONFIG = 'User tinyproxy\nGroup tinyproxy\nListen 192.0.2.7\nPort 8888\nFilter "{}"\nFilterDefaultDeny Yes\n'


def tried(kind: str, file: Path) -> subprocess.CompletedProcess[str]:
    """The trial of a file."""
    command = trial("filter" if kind == "filter" else "config")
    return subprocess.run([*command, str(file)], capture_output=True, text=True, check=False, timeout=30)


def test_a_good_filter_and_a_good_config_serve(tmp_path: Path) -> None:
    listed = tmp_path / "filter"
    listed.write_text("^api\\.stripe\\.test$\n")
    done = tried("filter", listed)
    assert done.returncode == 0, done.stdout
    config = tmp_path / "conf"
    config.write_text(CONFIG.format(listed))
    done = tried("config", config)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("line", ["\\(", "[a-", "a\\{2,1\\}"])
def test_a_pattern_that_would_kill_the_proxy_is_refused_and_named(tmp_path: Path, line: str) -> None:
    listed = tmp_path / "filter"
    listed.write_text(f"^good$\n{line}\n")
    done = tried("filter", listed)
    assert done.returncode == 1
    assert "does not serve with it (exit 65)" in done.stdout
    assert line in done.stdout


@pytest.mark.parametrize("line", ["Nonsense yes", "ConnectPort https", 'Filter "/nowhere/filter"', "Allow a b c"])
def test_a_config_that_tinyproxy_refuses_is_refused(tmp_path: Path, line: str) -> None:
    listed = tmp_path / "filter"
    listed.write_text("^good$\n")
    config = tmp_path / "conf"
    config.write_text(f"{CONFIG.format(listed)}{line}\n")
    done = tried("config", config)
    assert done.returncode == 1
    assert "does not serve with it" in done.stdout


def test_a_proxy_that_runs_beside_it_goes_on(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_text("\\(\n")
    with running(tmp_path, "^api\\.stripe\\.test$\n") as proxy:
        assert tried("filter", bad).returncode == 1
        assert proxy.allows("api.stripe.test")
        assert not proxy.allows("evil.test")
