"""Reports as runs make them: four hosts of which three need somebody, and sixty hosts."""

from __future__ import annotations

from hostmuster.report.document import (
    Evidence,
    FindingPart,
    HostPart,
    ItemPart,
    OwnChecks,
    Report,
    SeenEffect,
    Status,
    ValuePart,
)
from tests.browser.turned import turned

CHECKLIST = {
    "access": "Operators, the automation user and the service user log in by key; hosts trust each other by one CA.",
    "clock": "Exactly one NTP client runs, and the clock follows a declared server.",
    "egress": "Outbound HTTP(S) of service users leaves only through tinyproxy, to declared names.",
    "workspace": "The service's folders are there: home template, seed, repositories, tenants.",
    "env_files": "Environment files (0600) hold the declared values, and processes run with them.",
    "apparmor": "AppArmor profiles are loaded and enforced, also after a reboot.",
    "images": "The same container images are on every host, by the digest of their configuration.",
    "containers": "Long-lived containers run as declared.",
    "units": "Declared services and timers run as shipped; each replica has a name and ids of its own.",
    "firewall": "What may come in is declared; operators are never locked out.",
    "monitor": "Each host checks itself on a timer, tells of what changes, and speaks for a neighbour gone silent.",
}
SEEN = {
    "access": [("only declared keys", "no passwords, root stays out"), ("certificates", "valid for 364 days more")],
    "clock": [("exactly one NTP client", "chrony alone"), ("synchronised", "10.213.0.1, 0.000012 s off")],
    "units": [
        ("workload.service is active", "active"),
        ("port 8080 listens on one address only", "on 10.213.0.11:8080"),
    ],
    "firewall": [("what is open is declared", "tcp 22, 8080")],
}
NO_KERNEL = SeenEffect(name="profiles are enforced", ok=None, seen="this kernel has no AppArmor")
STATE = {"revision": "14", "applied": "3f2a91c07d5e", "change": "at rest"}


def item(name: str) -> ItemPart:
    """As declared, and proved."""
    if name == "apparmor":
        return ItemPart(status="not_run", effects=(NO_KERNEL,), reason=f"{NO_KERNEL.name}: {NO_KERNEL.seen}")
    return ItemPart(
        status="ok", effects=tuple(SeenEffect(name=what, ok=True, seen=seen) for what, seen in SEEN.get(name, []))
    )


def host(number: int, role: str, **otherwise: ItemPart) -> HostPart:
    """A host on which all but some items stand well."""
    items = {name: otherwise.get(name, item(name)) for name in CHECKLIST}
    address, debian = f"10.213.0.{10 + number}", 12 if number % 4 else 13
    own = OwnChecks(age_s=23, late=False, ok=14, not_run=1)
    return HostPart(address=address, debian=debian, roles=(role,), reachable=True, items=items, state=STATE, checks=own)


def differs(status: Status, *differences: str, effects: tuple[SeenEffect, ...] = ()) -> ItemPart:
    """An item that needs somebody."""
    return ItemPart(status=status, differences=differences, effects=effects)


MODE = differs("differs", "file /etc/workload/service.env: mode is 0644, declared 0600")
STOPPED = differs(
    "failed",
    "unit workload.service: state is inactive, declared active",
    effects=(
        SeenEffect(name="workload.service is active", ok=False, seen="inactive"),
        SeenEffect(name="http://10.213.0.13:8080/health/ready answers", ok=False, seen="000"),
        SeenEffect(name="the host is called worker-1", ok=True, seen="worker-1"),
    ),
)
UNLIKE = FindingPart(
    role="worker",
    thing="/opt/service",
    values=(
        ValuePart(value="sha256 5a8edfb2c1d0", hosts=("worker-1",)),
        ValuePart(value="sha256 09c1f4e77a21", hosts=("worker-2",)),
    ),
    text="/opt/service: sha256 5a8edfb2c1d0 (1: worker-1), sha256 09c1f4e77a21 (1: worker-2)",
)


def four() -> Report:
    """The lab on a bad day."""
    hosts = {
        "server-1": host(1, "server"),
        "server-2": host(2, "server", env_files=MODE),
        "worker-1": host(3, "worker", units=STOPPED),
        "worker-2": host(4, "worker", env_files=MODE),
    }
    drill = Evidence(
        id="20261129-worker-host",
        drill="worker-host",
        host="worker-1",
        verdict="passed",
        requirement="H12",
        started="2026-11-29T18:02:11Z",
        measured={"outage_s": 4.2},
    )
    return report(hosts, findings=(UNLIKE,), drills=(drill,)).model_copy(update={"rotations": turned()})


def many(count: int = 60) -> Report:
    """A large fleet: one host cannot be reached, some differ in the same way."""
    hosts = {}
    for number in range(1, count + 1):
        role = "server" if number <= 6 else "worker"
        name = f"{role}-{number if number <= 6 else number - 6}"
        hosts[name] = host(number, role, **({"env_files": MODE} if number % 9 == 4 else {}))
    gone = hosts["worker-20"]
    error = "worker-20: hangs: no login within 30 s (see that it is up and answers SSH)"
    hosts["worker-20"] = gone.model_copy(
        update={"items": {}, "error": error, "reachable": False, "state": {}, "checks": None}
    )
    return report(hosts)


def report(
    hosts: dict[str, HostPart], findings: tuple[FindingPart, ...] = (), drills: tuple[Evidence, ...] = ()
) -> Report:
    """A run over these hosts."""
    return Report(
        fleet="lab",
        revision="3f2a91c07d5e",
        made="2026-11-29T20:41:07Z",
        checklist=CHECKLIST,
        hosts=hosts,
        findings=findings,
        drills=drills,
        seconds=3.4,
    )
