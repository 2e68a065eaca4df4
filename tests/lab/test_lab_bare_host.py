"""A bare host: what a fresh machine of the lab is, and is not."""

from __future__ import annotations

import subprocess
import time

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.project import Project

ONE, TWO, NEW = "server-1", "worker-1", "worker-2"


def ssh(lab: Lab, project: Project, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Log in as root with the pins that the lab wrote, and say the host's name."""
    strict = ["-o", "BatchMode=yes", "-o", f"UserKnownHostsFile={project.known_hosts(lab.name)}"]
    target = f"root@{lab.hosts[name].machine.address}"
    argv = ["ssh", "-F", "none", *strict, "-o", "StrictHostKeyChecking=yes", *options, target, "hostname"]
    return subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=20)


def test_root_logs_in_with_the_labs_key_and_the_pinned_host_key(lab: Lab, lab_project: Project) -> None:
    for name in lab.hosts:
        login = ssh(lab, lab_project, name, "-i", str(lab.root_key))
        assert (login.returncode, login.stdout) == (0, f"{name}\n"), login.stderr


def test_root_does_not_log_in_without_the_key(lab: Lab, lab_project: Project) -> None:
    login = ssh(lab, lab_project, ONE, "-o", "IdentityFile=none", "-o", "IdentityAgent=none")
    assert login.returncode == 255
    assert "Permission denied" in login.stderr


def test_no_two_hosts_share_a_machine_id_or_a_host_key(lab: Lab) -> None:
    for file in ("/etc/machine-id", "/etc/ssh/ssh_host_ed25519_key.pub"):
        assert len({lab.run(name, f"cat {file}").stdout for name in lab.hosts}) == len(lab.hosts)


def test_each_runs_the_debian_it_was_given_and_knows_its_own_name(lab: Lab) -> None:
    versions = {name: lab.run(name, "cut -d. -f1 /etc/debian_version").stdout.strip() for name in lab.hosts}
    assert versions == {ONE: "12", TWO: "12", NEW: "13"}
    for name, host in lab.hosts.items():
        assert lab.run(name, "hostname").stdout == f"{name}\n"
        assert lab.run(name, f"getent hosts {name}").stdout.split() == [host.machine.address, name]


def test_nothing_of_ours_and_no_python_is_there(fresh_lab: Lab) -> None:
    for name in fresh_lab.hosts:
        found = fresh_lab.run(name, "ls -d /var/lib/hostmuster /etc/hostmuster; command -v python3 chronyd; true")
        assert found.stdout == ""
        assert "hostmuster" not in fresh_lab.run(name, "cut -d: -f1 /etc/passwd; ls /etc /var/lib").stdout


def test_no_unit_failed(fresh_lab: Lab) -> None:
    for name in fresh_lab.hosts:
        assert fresh_lab.run(name, "systemctl is-system-running --wait").stdout == "running\n"


def test_reset_makes_a_bare_host_with_another_identity(lab: Lab, lab_project: Project) -> None:
    identity = "cat /etc/machine-id /etc/ssh/ssh_host_ed25519_key.pub"
    before, neighbour = lab.run(ONE, identity).stdout, lab.run(TWO, identity).stdout
    lab.run(ONE, "touch /etc/left-behind; sync; systemctl disable ssh; rm -rf /root/.ssh")
    lab.reset(ONE)
    assert lab.run(ONE, identity).stdout != before
    assert lab.run(TWO, identity).stdout == neighbour
    assert not lab.run(ONE, "test -e /etc/left-behind").ok
    assert ssh(lab, lab_project, ONE, "-i", str(lab.root_key)).stdout == f"{ONE}\n"


def test_a_full_disk_is_the_hosts_own(lab: Lab) -> None:
    full = lab.run(ONE, "fallocate -l 3800M /root/most; head -c 2G /dev/zero > /root/rest; echo ended $?")
    assert full.stdout == "ended 1\n"
    assert "No space left on device" in full.stderr
    assert lab.run(TWO, "echo room > /root/room").ok
    lab.reset(ONE)


@pytest.mark.parametrize("name", [ONE, NEW])
def test_packages_come_through_the_cache_and_chrony_gets_its_time_from_the_lab(lab: Lab, name: str) -> None:
    installed = lab.run(name, "DEBIAN_FRONTEND=noninteractive apt-get install -qq chrony", timeout_s=90)
    assert installed.ok, installed.stderr
    source = f"server {lab.subnet.bridge} iburst"
    lab.run(name, f"echo '{source}' > /etc/chrony/sources.d/lab.sources; systemctl restart chrony")
    deadline = time.monotonic() + 30
    while "Leap status     : Normal" not in (seen := lab.run(name, "chronyc tracking").stdout):
        assert time.monotonic() < deadline, seen
        time.sleep(0.5)
    assert lab.subnet.bridge in seen
    assert lab.run(name, "systemctl is-active chrony").stdout == "active\n"


def test_the_root_key_is_readable_by_root_alone(lab: Lab) -> None:
    assert lab.root_key.stat().st_mode & 0o777 == 0o600


def test_a_command_gets_its_input_and_its_exit_status_comes_back(lab: Lab) -> None:
    result = lab.run(ONE, "cat; echo said >&2; exit 7", stdin="given")
    assert (result.status, result.stdout, result.stderr) == (7, "given", "said\n")
