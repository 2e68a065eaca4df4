"""The tools that are compared: each is processes to start, on the same hosts, as the same user, with the same key."""

from __future__ import annotations

import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from benchmarks.fleet import ITEMS, USER, BenchFleet
from benchmarks.run import Finished, Process
from benchmarks.sent import Sent

SSH = ("-F", "/dev/null", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=yes")


class Tool(ABC):
    """A way to look at the hosts, or to make them as declared too; on so many hosts, and so often, at most."""

    name: str
    applies: bool
    most_hosts = 1000
    most_runs = 100

    def __init__(self, fleet: BenchFleet) -> None:
        self._fleet = fleet

    @abstractmethod
    def processes(self) -> Sequence[Process]:
        """One run on all of the fleet's hosts: what to start, all at once. Whatever it reads is written first."""

    @abstractmethod
    def found_all_as_declared(self, finished: Finished) -> bool:
        """Whether a run says that every host was asked, and had nothing to change."""


class Hostmuster(Tool):
    """`hostmuster apply`, as an operator types it."""

    name = "hostmuster"
    applies = True

    def processes(self) -> Sequence[Process]:
        """The command line, which starts the engine."""
        return [self._fleet.hostmuster("apply", "--json")]

    def found_all_as_declared(self, finished: Finished) -> bool:
        """Every item of every host is ok, and so are its effects."""
        hosts = json.loads(finished.outputs[0])["hosts"].values()
        items = [item for host in hosts for item in host["items"].values()]
        effects = [effect["ok"] for item in items for effect in item["effects"]]
        return len(effects) == 2 * len(self._fleet.hosts) and all(effects) and {i["status"] for i in items} == {"ok"}


class SshFloor(Tool):
    """An OpenSSH client a host, all at once, each running the script and the questions that hostmuster sends."""

    name = "ssh_floor"
    applies = False

    def processes(self) -> Sequence[Process]:
        """The clients."""
        fleet = self._fleet
        sent = Sent.by_hostmuster(fleet)
        given = fleet.folder / "sent"
        given.write_text(sent.stdin)
        options = (*SSH, "-o", f"UserKnownHostsFile={fleet.known_hosts}", "-i", str(fleet.key_file), "-l", USER)
        return [
            Process(("ssh", *options, address, sent.command), fleet.folder, given) for address in fleet.hosts.values()
        ]

    def found_all_as_declared(self, finished: Finished) -> bool:
        """Each answered to the end."""
        return all(output.endswith("= end 0 4\ndone\n") for output in finished.outputs)


class BareFloor(Tool):
    """One process of pyinfra's own API that does the same over its connections (benchmarks/bare_floor.py)."""

    name = "bare_floor"
    applies = False

    def processes(self) -> Sequence[Process]:
        """The one."""
        fleet = self._fleet
        sent = Sent.by_hostmuster(fleet)
        hosts = [(name, pyinfra_data(fleet, address)) for name, address in fleet.hosts.items()]
        job = fleet.folder / "bare_floor.json"
        job.write_text(json.dumps({"hosts": hosts, "command": sent.command, "stdin": sent.stdin}))
        program = Path(__file__).with_name("bare_floor.py")
        return [Process((sys.executable, str(program)), fleet.folder, job, {"HOME": str(fleet.folder)})]

    def found_all_as_declared(self, finished: Finished) -> bool:
        """It ends with 0 only if each answered to the end."""
        return True


class StockPyinfra(Tool):
    """`pyinfra INVENTORY DEPLOY -y` with its own operations."""

    name = "pyinfra"
    applies = True
    most_hosts = 8

    def processes(self) -> Sequence[Process]:
        """The command line."""
        fleet = self._fleet
        hosts = [(name, pyinfra_data(fleet, address)) for name, address in fleet.hosts.items()]
        inventory = fleet.folder / "pyinfra_inventory.py"
        inventory.write_text(f"hosts = {hosts!r}\n")
        program = str(Path(sys.executable).with_name("pyinfra"))
        command = (program, "-y", str(inventory), str(ITEMS / "stock_pyinfra.py"))
        return [Process(command, fleet.folder, environment={"HOME": str(fleet.folder)})]

    def found_all_as_declared(self, finished: Finished) -> bool:
        """Its table of results ends with as many operations unchanged as there are, all hosts together."""
        said = finished.outputs[0] + finished.errors[0]
        return re.search(r"Grand total +(\d+) +- +- +\1 *$", said, re.MULTILINE) is not None


def pyinfra_data(fleet: BenchFleet, address: str) -> dict[str, str]:
    """How pyinfra reaches a host."""
    return {
        "ssh_hostname": address,
        "ssh_user": USER,
        "ssh_key": str(fleet.key_file),
        "ssh_known_hosts_file": str(fleet.known_hosts),
        "ssh_strict_host_key_checking": "yes",
        "ssh_config_file": "/dev/null",
    }
