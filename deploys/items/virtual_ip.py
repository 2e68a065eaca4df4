"""The ingress hosts share addresses that one of them owns; when it dies, another has them within half a second."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from hostmuster.effects import service
from hostmuster.effects import virtual_ip as proofs
from hostmuster.item import Effect, Item, of_service
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.package import Package
from hostmuster.resources.retired import Retired
from hostmuster.resources.sysctl import Sysctl
from hostmuster.resources.unit import Unit
from hostmuster.resources.user import User
from hostmuster.template import Declared, Templated
from hostmuster.vip.membership import NAME, ROLE, Router, router
from hostmuster.vip.settings import VirtualIp

FOLDER = "/etc/hostmuster/virtual_ip"
CONFIG = "/etc/keepalived/keepalived.conf"
UNIT = "keepalived.service"
DROP_IN = f"{UNIT_FOLDER}{UNIT}.d/hostmuster.conf"
USER = "vip-check"
TAG = "virtual-ip"
# Debian 12's keepalived ends its test by SIGTERM where scripts have another user than root (acassen/keepalived#2617).
_TEST = """
copy=$(mktemp) || exit
trap 'rm -f -- "$copy"' EXIT
sed -E 's/^( *script_user ).*/\\1root/' "$0" >"$copy" && keepalived -t -f "$copy\""""
ITEM = Item(NAME, roles=frozenset({ROLE}), settings=VirtualIp, only_declared=True, serves=True)


@dataclass(frozen=True)
class Instance:
    """One family's part of the virtual router, as the template writes it."""

    name: str
    source: str
    peers: tuple[str, ...]
    addresses: tuple[str, ...]


def resources(host: Host) -> Iterator[Declared]:
    """keepalived and what it asks, then its configuration: the package's own start finds none, and does nothing."""
    mine = router(host)
    want = mine.want
    for family in ("ipv4", "ipv6"):
        # A proxy that listens on a shared address must start on the spare, too.
        yield Sysctl(f"net.{family}.ip_nonlocal_bind", "1")
    for package in ("curl", "iputils-arping", "iputils-ping", "keepalived"):
        yield Package(package)
    yield Directory(FOLDER)
    yield User(USER, home=FOLDER, system=True)
    yield _script("answers", want.model_dump(mode="json"))
    yield _script("release", want.model_dump(mode="json"))
    yield Directory(DROP_IN.rpartition("/")[0])
    drop_in = File(DROP_IN, b"", restarts=(UNIT,), lint="systemd-unit")
    yield Templated(drop_in, "virtual_ip/drop-in.j2", {"release": f"{FOLDER}/release"})
    # Read anew without giving up the addresses.
    config = File(CONFIG, b"", validate=("sh", "-c", _TEST.strip()), reloads=(UNIT,), lint="keepalived")
    yield Templated(config, "virtual_ip/keepalived.conf.j2", _values(mine))
    yield Unit(UNIT, drop_ins=(DROP_IN,))


def leaving(host: Host) -> Iterator[Declared]:
    """It gives the addresses to the others."""
    yield Retired(UNIT)


def effects(host: Host) -> Iterator[Effect]:
    """keepalived runs, in no fault, and the proxy answers; deep: one owner, whom neighbours find by ARP and ND, and it
    answers."""
    yield from of_service(_effects(router(host)))


def _effects(mine: Router) -> Iterator[Effect]:
    yield service.active(UNIT, 10)
    yield proofs.proxy(f"{FOLDER}/answers", mine.want.health)
    yield proofs.no_fault(UNIT, mine.want)
    yield proofs.together(mine.want)
    yield proofs.one_owner(mine)
    yield proofs.owner_answers(mine)


def _script(name: str, values: dict[str, object]) -> Templated:
    file = File(f"{FOLDER}/{name}", b"", mode="0755", validate=("sh", "-n"), lint="shell")
    return Templated(file, f"virtual_ip/{name}.j2", values)


def _values(mine: Router) -> dict[str, object]:
    want, own = mine.want, mine.own
    four = Instance("v4", own.v4, tuple(one.v4 for one in mine.others), want.of(4))
    instances = [four]
    if want.of(6):
        peers = tuple(one.v6 for one in mine.others if one.v6)
        instances.append(Instance("v6", own.v6 or "", peers, want.of(6)))
    return want.model_dump() | {
        "advert": f"{want.advert_s:g}",
        "priority": own.priority,
        "instances": [asdict(one) for one in instances],
        "folder": FOLDER,
        "user": USER,
        "tag": TAG,
    }
