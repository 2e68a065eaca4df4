"""A service of a guest without memory: its main process is moved to a memory control group of the machine (cgroups v1).

    python -m hostmuster.lab.memory starve LAB HOST UNIT    limits it to what it has no page for any more
    python -m hostmuster.lab.memory release LAB HOST        moves back what still lives, and takes the group away

Guests have no memory controller: their own MemoryMax does nothing. What the kernel does then is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.lab.host import GuestHost
from hostmuster.lab.lab import Lab

ROOT = Path("/sys/fs/cgroup/memory")
LIMIT = 4096


def is_there() -> bool:
    """Whether the machine has such groups."""
    return (ROOT / "memory.limit_in_bytes").is_file()


def group(host: GuestHost) -> Path:
    """The group that its starved process is in."""
    return ROOT / f"hostmuster-lab-{host.machine_name}"


def starve(host: GuestHost, unit: str) -> None:
    """Raises HostFailed where the unit does not run."""
    shown = host.run(f"systemctl show -p MainPID --value -- {unit}").stdout.strip()
    process = _of_guest(host, shown)
    if process is None:
        raise HostFailed(f"{unit} does not run", where=host.name)
    place = group(host)
    place.mkdir(exist_ok=True)
    (place / "memory.limit_in_bytes").write_text(str(LIMIT))
    (place / "cgroup.procs").write_text(str(process))


def release(host: GuestHost) -> None:
    """Nothing happens where nothing is starved."""
    place = group(host)
    if not place.is_dir():
        return
    for process in (place / "cgroup.procs").read_text().split():
        (ROOT / "cgroup.procs").write_text(process)
    place.rmdir()


def _of_guest(host: GuestHost, number: str) -> int | None:
    """The machine's number of a process, by the guest's own."""
    for process in host.control_group.processes():
        try:
            status = Path(f"/proc/{process}/status").read_text()
        except OSError:
            continue
        numbers = next(line for line in status.splitlines() if line.startswith("NSpid:")).split()[1:]
        if len(numbers) == 2 and numbers[1] == number:
            return process
    return None


def main(words: Sequence[str]) -> int:
    """The exit code."""
    act, lab, name, *unit = words
    try:
        host = Lab.open(lab).host(name)
        if act == "starve":
            starve(host, *unit)
        else:
            release(host)
    except HostmusterError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
