"""`python -m benchmarks`: a lab of its own, every tool in turn, a table, and reports/bench.json (CLI.md)."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks.ansible import Ansible
from benchmarks.fleet import BenchFleet
from benchmarks.measuring import Measured, measure
from benchmarks.table import show
from benchmarks.targets import verdicts
from benchmarks.tools import BareFloor, Hostmuster, SshFloor, StockPyinfra, Tool
from hostmuster.errors import HostmusterError
from hostmuster.lab import wreck
from hostmuster.project import Project

REPOSITORY = Path(__file__).parents[1]
HOSTS = (8, 32, 100)


def main(words: Sequence[str] | None = None) -> int:
    """0 when everything was measured, whatever the figures; 1 when something failed."""
    given = parser().parse_args(words)
    counts = sorted({int(count) for count in given.hosts.split(",")})
    # A pipe has no width that a line should be folded to.
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 200)
    try:
        converge = benchmark(counts, given.runs, console, with_ansible=not given.no_ansible)
    except HostmusterError as error:
        console.print(str(error), style="bold red")
        return 1
    show(console, converge, list(verdicts(converge)))
    write(Project(REPOSITORY).reports / "bench.json", converge)
    return 0


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    options.add_argument("--hosts", default=",".join(map(str, HOSTS)), help="numbers of hosts (default: %(default)s)")
    options.add_argument("--runs", type=int, default=5, help="runs with nothing to change (default: %(default)s)")
    options.add_argument("--no-ansible", action="store_true", help="leave Ansible out; a run takes it minutes")
    return options


def benchmark(counts: Sequence[int], runs: int, console: Console, *, with_ansible: bool) -> dict[int, Measured]:
    """Measures on each number of hosts, the lab growing from one to the next. It goes down however this ends."""
    name = f"bench-{os.getpid()}"
    converge: dict[int, Measured] = {}
    with ExitStack() as undone:
        folder = undone.enter_context(tempfile.TemporaryDirectory(prefix="hostmuster-bench."))
        undone.callback(wreck.clear, name)
        fleet = BenchFleet(Path(folder), name)
        tools: list[Tool] = [Hostmuster(fleet), SshFloor(fleet), BareFloor(fleet), StockPyinfra(fleet)]
        if with_ansible and counts[0] <= Ansible.most_hosts:
            tools += ansible(fleet, console, undone)
        for count in counts:
            console.print(f"{count} hosts are made ready")
            fleet.grow(count)
            if any(tool.name == Ansible.name and count <= tool.most_hosts for tool in tools):
                fleet.install_python()
            converge[count] = measure(fleet, tools, runs, lambda text: console.print(text))
    return converge


def ansible(fleet: BenchFleet, console: Console, undone: ExitStack) -> list[Tool]:
    """Ansible, or nothing where it cannot be installed, which is said."""
    try:
        tool = Ansible(fleet)
    except (subprocess.CalledProcessError, OSError) as error:
        console.print(f"Ansible could not be installed and is left out: {error}", style="yellow")
        return []
    undone.callback(tool.close)
    return [tool]


def write(path: Path, converge: dict[int, Measured]) -> None:
    """The figures as a document."""
    body = {
        "taken": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "converge": {str(hosts): measured.document() for hosts, measured in converge.items()},
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(body, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
