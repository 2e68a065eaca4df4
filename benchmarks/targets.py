"""The targets, and how a run's figures stand against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.measuring import Measured, medians

SSH_FLOOR_TIMES = {8: 2.0, 32: 1.2, 100: 1.0}
"""By number of hosts: how much longer than parallel ssh a run with nothing to change may take."""


@dataclass(frozen=True)
class Verdict:
    """One target: what it is about, what was measured, what is wanted."""

    hosts: int
    what: str
    measured: str
    wanted: str
    met: bool


def verdicts(converge: Mapping[int, Measured]) -> Iterator[Verdict]:
    """Every target that this run has figures for."""
    for hosts, measured in converge.items():
        noop, first = medians(measured.noop), medians(measured.first)
        if hosts in SSH_FLOOR_TIMES:
            yield _at_most(hosts, "nothing to change, of the ssh floor", noop, "ssh_floor", SSH_FLOOR_TIMES[hosts])
        for tool, times in (("ansible", 50.0), ("pyinfra", 4.0)):
            if tool in noop:
                yield _quicker(hosts, f"nothing to change, than {tool}", noop, tool, times)
        if "ansible" in first:
            yield _quicker(hosts, "first apply, than ansible", first, "ansible", 20.0)
        yield Verdict(hosts, "execs on a host", str(measured.execs), "at most 2", measured.execs <= 2)
        if hosts == 100:
            memory = f"{measured.rss_mib:.0f} MiB"
            yield Verdict(hosts, "memory of the controller", memory, "under 200 MiB", measured.rss_mib < 200)


def _at_most(hosts: int, what: str, seconds: Mapping[str, float], floor: str, times: float) -> Verdict:
    ratio = seconds["hostmuster"] / seconds[floor]
    return Verdict(hosts, what, f"{ratio:.2f} x", f"at most {times} x", ratio <= times)


def _quicker(hosts: int, what: str, seconds: Mapping[str, float], tool: str, times: float) -> Verdict:
    ratio = seconds[tool] / seconds["hostmuster"]
    return Verdict(hosts, what, f"{ratio:.1f} x quicker", f"at least {times:.0f} x", ratio >= times)
