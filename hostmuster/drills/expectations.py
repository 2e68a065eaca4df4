"""What drills look for beside what their client measures: what hosts say, who is ready, who owns an address."""

from __future__ import annotations

from hostmuster.drills.drill import Expectation
from hostmuster.drills.scene import Scene
from hostmuster.drills.steady import owners, virtual_ips
from hostmuster.item import Seen


def named_by_monitor(check: str, within_s: float = 30.0) -> Expectation:
    """The target's own monitor has a failed check of this name: a fault nobody names is half a disaster (H17)."""

    def look(scene: Scene) -> Seen:
        checks = scene.own_checks(scene.ground.target.name)
        if checks is None:
            return Seen(None, "the host has no monitor")
        found = {name: why for name, why in checks.failed.items() if name.startswith(check)}
        return Seen(bool(found), "; ".join(f"{name}: {why}" for name, why in found.items()) or "it finds nothing wrong")

    return Expectation(f"the host's own monitor names {check}", look, within_s)


def others_ready(within_s: float = 10.0) -> Expectation:
    """Every other host that answers for its readiness is ready."""

    def look(scene: Scene) -> Seen:
        now = scene.now
        others = {name: ok for name, ok in (now.ready if now else {}).items() if name != scene.ground.target.name}
        if not others:
            return Seen(None, "no other host tells of its readiness")
        away = [name for name, ok in others.items() if not ok]
        return Seen(not away, f"not ready: {', '.join(away)}" if away else f"ready: {', '.join(others)}")

    return Expectation("the other hosts are ready", look, within_s)


def target_away(within_s: float = 10.0) -> Expectation:
    """The fault took: the target itself is not ready."""

    def look(scene: Scene) -> Seen:
        now, name = scene.now, scene.ground.target.name
        if now is None or name not in now.ready:
            return Seen(None, "the target does not tell of its readiness")
        return Seen(not now.ready[name], "ready" if now.ready[name] else "not ready")

    return Expectation("the target is not ready meanwhile", look, within_s)


def one_owner_only(within_s: float = 15.0) -> Expectation:
    """Of each virtual IP, asked of every ingress host that can be reached (H22)."""

    def look(scene: Scene) -> Seen:
        found = {address: owners(scene, address) for address in virtual_ips(scene)}
        if not found:
            return Seen(None, "the fleet declares no virtual IP")
        told = "; ".join(f"{address}: {', '.join(hosts) or 'nobody'}" for address, hosts in found.items())
        return Seen(all(len(hosts) == 1 for hosts in found.values()), told)

    return Expectation("each virtual IP has one owner", look, within_s)


def owners_told(within_s: float = 5.0) -> Expectation:
    """Who owns each virtual IP while hosts do not see each other: both may, and that is told, not judged (H22)."""

    def look(scene: Scene) -> Seen:
        found = {address: owners(scene, address) for address in virtual_ips(scene)}
        told = "; ".join(f"{address}: {', '.join(hosts) or 'nobody'}" for address, hosts in found.items())
        if not found:
            return Seen(None, "the fleet declares no virtual IP")
        split = any(len(hosts) > 1 for hosts in found.values())
        return Seen(all(found.values()), f"{told}{' (split brain)' if split else ''}")

    return Expectation("each virtual IP has an owner", look, within_s)


def nobody_ready(within_s: float = 20.0) -> Expectation:
    """Readiness tells of what a server stands on: without it none says that it is ready (H13)."""

    def look(scene: Scene) -> Seen:
        servers = [host.name for host in scene.ground.fleet.with_role("server")]
        ready = {name: ok for name, ok in (scene.now.ready if scene.now else {}).items() if name in servers}
        if not ready:
            return Seen(None, "no server tells of its readiness")
        yet = [name for name, ok in ready.items() if ok]
        return Seen(not yet, f"still ready: {', '.join(yet)}" if yet else f"not ready: {', '.join(ready)}")

    return Expectation("no server says that it is ready", look, within_s)
