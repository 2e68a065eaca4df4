"""The host's clock: how many NTP clients run, and what the one that does says of its server and offset."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass

from hostmuster.item import Answer, Effect, Seen

CLIENTS = ("chronyd", "ntpd", "ntpdate", "sntp", "systemd-timesyn")
"""Programs that set a clock by NTP, as the kernel names their processes (15 characters; openntpd's is ntpd)."""

# By process, not by unit: one that was started by hand sets the clock, too. Of each, the unit or session it runs in.
_RUNNING = r"""
grep -lxE "$1" /proc/[0-9]*/comm 2>/dev/null | while IFS=/ read -r _ _ pid _; do
    unit=$(sed -nE 's,.*/([^/]+\.(service|scope))$,\1,p' "/proc/$pid/cgroup" | head -n 1)
    echo "${unit:-process-$pid}"
done | sort -u"""
_STATUS = """\
if systemctl -q is-active chrony; then
    chronyc -c -N tracking
elif systemctl -q is-active systemd-timesyncd; then
    LC_ALL=C timedatectl timesync-status
else
    timedatectl show -p NTPSynchronized
fi"""
_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True)
class Tracking:
    """What a client says: its server (None: none yet), and by how many seconds the clock is off (None: not told)."""

    server: str | None
    offset_s: float | None


def one_client(expected: str | None, deadline_s: float) -> Effect:
    """Exactly one of the known clients runs, and it is the declared one (None: whichever), in its unit."""

    def judge(answer: Answer) -> Seen:
        running = [name.removesuffix(".service") for name in answer.output.split()]
        if len(running) != 1:
            return Seen(False, f"{', '.join(running)} run at once" if running else "none runs")
        return Seen(expected in (None, running[0]), f"{running[0]} alone")

    return Effect(
        "exactly one NTP client", ("sh", "-c", _RUNNING, "sh", "|".join(CLIENTS)), judge, deadline_s=deadline_s
    )


def synchronised(servers: Collection[str], most_s: float, deadline_s: float) -> Effect:
    """The clock follows one of the servers (none named: any) and is at most `most_s` seconds off."""

    def judge(answer: Answer) -> Seen:
        if answer.output.strip() == "NTPSynchronized=yes":
            return Seen(True, "synchronised; its client tells no offset")
        now = tracking(answer.output)
        if answer.status != 0 or now.server is None:
            return Seen(False, f"not synchronised: {answer.output.strip()[:200] or 'no server answers'}")
        if servers and now.server not in servers:
            return Seen(False, f"follows {now.server}, which is not declared")
        if now.offset_s is None:
            return Seen(False, f"follows {now.server}, but tells no offset yet")
        seen = f"{now.offset_s:.6f} s off {now.server}"
        return Seen(now.offset_s <= most_s, seen if now.offset_s <= most_s else f"{seen}, bound {most_s} s")

    return Effect("the clock is synchronised", ("sh", "-c", _STATUS), judge, deadline_s=deadline_s)


def tracking(output: str) -> Tracking:
    """`chronyc -c -N tracking` or `timedatectl timesync-status`, as one."""
    if "Server:" in output:
        server = re.search(r"^\s*Server: \S+ \((.+)\)$", output, re.MULTILINE)
        offset = re.search(r"^\s*Offset: (.+)$", output, re.MULTILINE)
        return Tracking(server[1] if server else None, _span(offset[1]) if offset else None)
    fields = next(csv.reader(output.splitlines()), [])
    # Reference ID, name, stratum, reference time, system time, last offset, ...; a reference of 0 is none.
    if len(fields) < 14 or fields[0] in ("00000000", "7F7F0101") or fields[-1] == "Not synchronised":
        return Tracking(None, None)
    # What is still to be corrected is 0 until chronyd begins to correct; the last update knows better by then.
    return Tracking(fields[1], max(abs(float(fields[4])), abs(float(fields[5]))))


def _span(text: str) -> float | None:
    """systemd's span (`+1min 2.5s`, `-3.1ms`) in seconds, without its sign."""
    parts = re.findall(r"([\d.]+)(us|ms|s|min|h|d)\b", text)
    if not parts:
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
