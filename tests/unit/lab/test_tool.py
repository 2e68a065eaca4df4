"""The lab's programs: what is missing is named before anything is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.errors import HostmusterError, Refused
from hostmuster.lab import tool
from hostmuster.lab.supervisor import SCRIPT

ROOT = Path(__file__).parents[3]


def test_a_missing_program_is_named_by_its_debian_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in tool.PACKAGES:
        if name not in ("debootstrap", "systemd-nspawn"):
            (tmp_path / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tool, "SBIN", str(tmp_path))
    with pytest.raises(Refused) as refused:
        tool.require()
    assert refused.value.remedy == "apt-get install --no-install-recommends debootstrap systemd-container"


def test_without_root_the_lab_is_refused() -> None:
    source = "from hostmuster.lab import tool\nfrom hostmuster.errors import Refused\nimport os\nos.setuid(65534)\n"
    ask = "try:\n    tool.require()\nexcept Refused as no:\n    print(no.exit_code, no)\n"
    said = subprocess.run([sys.executable, "-c", source + ask], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("3 lab: the lab needs root")


def test_a_program_that_fails_is_reported_with_its_last_words() -> None:
    with pytest.raises(HostmusterError, match=r"ended with 7: last words"):
        tool.run("sh", "-c", "echo last words >&2; exit 7")


def test_a_program_that_hangs_is_not_waited_for() -> None:
    with pytest.raises(HostmusterError, match="did not end within 0 s"):
        tool.attempt(["sleep", "5"], timeout_s=0.1)


def test_the_supervisors_script_is_clean_shell(tmp_path: Path) -> None:
    script = tmp_path / "supervisor.sh"
    script.write_text(f"#!/bin/sh\n{SCRIPT}")
    checker = Path(sys.executable).with_name("shellcheck")
    checked = subprocess.run([checker, script], capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (checked.returncode, checked.stdout) == (0, "")
