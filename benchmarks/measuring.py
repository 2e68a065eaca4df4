"""The measurements on one number of hosts: first applies, then runs with nothing to change, tools in turn."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.fleet import BenchFleet, execs
from benchmarks.run import peak_memory_mib, run
from benchmarks.tools import Hostmuster, Tool
from hostmuster.errors import HostmusterError

FIRST_RUNS = 3

Samples = dict[str, list[float]]


@dataclass(frozen=True)
class Measured:
    """What was measured on one number of hosts: seconds of every run by tool, the most execs, the peak memory."""

    first: Samples
    noop: Samples
    execs: int
    rss_mib: float

    def document(self) -> dict[str, object]:
        """Its part of bench.json (CLI.md): medians, and beside them every run."""
        return {
            "first_s": medians(self.first),
            "noop_s": medians(self.noop),
            "execs": self.execs,
            "rss_mib": round(self.rss_mib, 1),
            "runs": {"first_s": rounded(self.first), "noop_s": rounded(self.noop)},
        }


def medians(samples: Samples) -> dict[str, float]:
    """The median seconds by tool."""
    return {tool: round(statistics.median(seconds), 3) for tool, seconds in samples.items()}


def rounded(samples: Samples) -> Samples:
    """All seconds by tool, to the millisecond."""
    return {tool: [round(one, 3) for one in seconds] for tool, seconds in samples.items()}


def measure(fleet: BenchFleet, tools: Sequence[Tool], runs: int, say: Callable[[str], None]) -> Measured:
    """Measures the tools that are for so many hosts. Raises HostmusterError where two tools made different hosts."""
    suited = [tool for tool in tools if len(fleet.hosts) <= tool.most_hosts]
    first = _first_applies(fleet, [tool for tool in suited if tool.applies], min(runs, FIRST_RUNS), say)
    hostmuster = Hostmuster(fleet)
    run(hostmuster.processes())
    noop, document = _noop_runs(fleet, suited, runs, say)
    memory = peak_memory_mib(hostmuster.processes()[0])
    return Measured(first, noop, execs(document), memory)


def _first_applies(fleet: BenchFleet, tools: Sequence[Tool], runs: int, say: Callable[[str], None]) -> Samples:
    seconds: Samples = defaultdict(list)
    made: dict[str, dict[str, str]] = {}
    for tool in _turns(tools, runs):
        fleet.clear()
        seconds[tool.name].append(run(tool.processes()).seconds)
        made[tool.name] = fleet.look()
        say(f"{len(fleet.hosts)} hosts, first apply by {tool.name}: {seconds[tool.name][-1]:.2f} s")
        _require_same(made)
    return seconds


def _require_same(made: dict[str, dict[str, str]]) -> None:
    # Whoever makes less is quicker; so all must have made the same.
    names = list(made)
    for name in names[1:]:
        if made[name] != made[names[0]]:
            host = next(host for host in made[name] if made[name][host] != made[names[0]][host])
            one, other = (made[tool][host].splitlines() for tool in (names[0], name))
            odd = sorted(set(one) ^ set(other))[:4]
            raise HostmusterError(f"{names[0]} and {name} made different hosts: {'; '.join(odd)}", where=host)


def _noop_runs(fleet: BenchFleet, tools: Sequence[Tool], runs: int, say: Callable[[str], None]) -> tuple[Samples, str]:
    seconds: Samples = defaultdict(list)
    document = ""
    for tool in _turns(tools, runs):
        finished = run(tool.processes())
        if not tool.found_all_as_declared(finished):
            last = "\n".join((finished.outputs[0] + finished.errors[0]).splitlines()[-20:])
            raise HostmusterError(f"{tool.name} did not find all as declared: {last}")
        if tool.name == Hostmuster.name:
            document = finished.outputs[0]
        seconds[tool.name].append(finished.seconds)
        say(f"{len(fleet.hosts)} hosts, nothing to change, {tool.name}: {finished.seconds:.2f} s")
    return seconds, document


def _turns(tools: Sequence[Tool], runs: int) -> list[Tool]:
    """The tools in turn, round by round, so that what else the machine does meets all of them."""
    return [tool for turn in range(runs) for tool in tools if turn < tool.most_runs]
