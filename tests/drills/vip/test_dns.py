"""For two sites: names lead to what answers, as a resolver's client sees it, on both servers."""

from __future__ import annotations

import pytest

from tests.lab.vip.shared import BOTH, ONE, PORT, TWO, Shared, declare

ZONE, NAME = "lb.example.net", "api.lb.example.net"


@pytest.fixture(scope="module")
def named(two: Shared) -> Shared:
    """Both hosts serve the zone; behind the name stand both hosts' own addresses, in both families."""
    net = two.lab.subnet
    settings = {
        "zone": ZONE,
        "names": {
            "api": {
                "addresses": [net.at(11), net.at(12), net.v6_at(11), net.v6_at(12)],
                "health": "http://api.example.net/",
            }
        },
        "ttl_s": 3,
        "every_s": 1,
        "timeout_s": 1,
    }
    rules = [
        {"name": "web", "ports": [PORT], "from": ["anywhere"]},
        {"name": "dns", "protocol": "udp", "ports": [53], "from": ["anywhere"]},
        {"name": "dns-tcp", "ports": [53], "from": ["anywhere"]},
    ]
    declare(two, {"dns_failover": settings, "firewall": {"allow": rules}})
    done = two.fleet.hostmuster("apply")
    assert done.exit == 0, done.output + done.errors
    return two


@pytest.fixture(autouse=True)
def _all_answer(named: Shared) -> None:
    for host in BOTH:
        named.shell(host, "systemctl start nginx")


def answers(shared: Shared, server: str, kind: str = "A") -> list[str]:
    """What a client gets, by a query over the network from the other host."""
    asks = TWO if server == ONE else ONE
    address = shared.lab.hosts[server].machine.address
    return sorted(shared.shell(asks, f"kdig +short +time=2 @{address} {NAME} {kind}").split())


def everywhere(shared: Shared, v4: list[str], v6: list[str]) -> bool:
    """Whether both servers give exactly these."""
    return all(answers(shared, server) == v4 and answers(shared, server, "AAAA") == v6 for server in BOTH)


def test_what_fails_is_taken_out_on_both_servers_and_put_back(named: Shared) -> None:
    net = named.lab.subnet
    whole = [net.at(11), net.at(12)], [net.v6_at(11), net.v6_at(12)]
    named.until(lambda: everywhere(named, *whole))
    before = serial(named)
    named.shell(TWO, "systemctl stop nginx")
    named.until(lambda: everywhere(named, [net.at(11)], [net.v6_at(11)]))
    assert serial(named) > before
    assert "is taken out" in named.shell(ONE, "journalctl -o cat -n 20 -u hostmuster-dns")
    ttl = named.shell(TWO, f"kdig +noall +answer @{net.at(11)} {NAME} A").split()[1]
    assert int(ttl) == 3
    named.shell(TWO, "systemctl start nginx")
    named.until(lambda: everywhere(named, *whole))


def test_the_last_address_stays_when_nothing_answers(named: Shared) -> None:
    for host in BOTH:
        named.shell(host, "systemctl stop nginx")
    named.until(lambda: "nothing answers" in named.shell(ONE, "journalctl -o cat -n 5 -u hostmuster-dns"))
    assert all(answers(named, server) and answers(named, server, "AAAA") for server in BOTH)
    for host in BOTH:
        named.shell(host, "systemctl start nginx")
    net = named.lab.subnet
    named.until(lambda: everywhere(named, [net.at(11), net.at(12)], [net.v6_at(11), net.v6_at(12)]))


def test_what_is_out_stays_out_over_a_restart_of_the_server(named: Shared) -> None:
    net = named.lab.subnet
    named.shell(TWO, "systemctl stop nginx")
    named.until(lambda: answers(named, ONE) == [net.at(11)])
    named.shell(ONE, "systemctl restart knot")
    named.until(lambda: answers(named, ONE) == [net.at(11)])
    done = named.fleet.run("verify", "--deep")
    named.shell(TWO, "systemctl start nginx")
    assert all(effect["ok"] for effect in done.item(ONE, "dns_failover")["effects"]), done.errors
    seen = [effect["seen"] for effect in done.item(ONE, "dns_failover")["effects"]]
    assert f"{net.at(11)}; {net.at(12)} is out, since it does not answer" in seen


def serial(shared: Shared) -> int:
    """The zone's, at the first server."""
    return int(shared.shell(TWO, f"kdig +short @{shared.lab.subnet.at(11)} {ZONE} SOA").split()[2])
