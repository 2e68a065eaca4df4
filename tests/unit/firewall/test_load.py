"""The loader against the real packet filter: own chains only, one jump each, whatever others have there."""

from __future__ import annotations

import pytest

from tests.unit.firewall.namespace import LOAD, NOTHING, inside, text

RULES = text("-i lo -j ACCEPT", "-j DROP")
SAVE = "iptables-save -t filter | grep -v '^#' | sed 's/ \\[.*//'\n"
DOCKERS = """\
iptables -N DOCKER-USER; iptables -A DOCKER-USER -j RETURN
iptables -N DOCKER; iptables -A DOCKER -p tcp --dport 80 -j ACCEPT
iptables -A FORWARD -j DOCKER-USER; iptables -A FORWARD -o docker0 -j DOCKER; iptables -P FORWARD DROP
iptables -t nat -N DOCKER; iptables -t nat -A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER
"""
FAIL2BANS = """\
iptables -N f2b-sshd; iptables -A f2b-sshd -s 192.0.2.7 -j REJECT; iptables -A f2b-sshd -j RETURN
iptables -I INPUT -p tcp -m multiport --dports 22 -j f2b-sshd
"""


def jumps(output: str) -> list[str]:
    """The rules of INPUT, in order."""
    return [line.removeprefix("-A INPUT ") for line in output.splitlines() if line.startswith("-A INPUT ")]


def test_loaded_twice_it_is_as_loaded_once() -> None:
    once = inside(f'load "$1" "$1"\n{SAVE}', RULES)
    assert inside(f'load "$1" "$1"; load "$1" "$1"\n{SAVE}', RULES) == once
    assert jumps(once) == ["-j HOSTMUSTER-IN"]
    assert ":INPUT ACCEPT" in once


def test_chains_and_policies_of_docker_and_fail2ban_stay_byte_for_byte() -> None:
    everything = "iptables-save | grep -v -e '^#' -e HOSTMUSTER | sed 's/ \\[.*//'\n"
    setting = DOCKERS + FAIL2BANS + everything
    before = inside(setting)
    loading = 'load "$1" "$1"; load "$1" "$1"; load "$2" "$2"\n'
    published = text("-m conntrack --ctstate DNAT -j DROP", jump="DOCKER-USER HOSTMUSTER-DOCKER")
    for first, second in ((RULES, RULES), (RULES, published), (published, NOTHING)):
        assert inside(DOCKERS + FAIL2BANS + loading + everything, first, second) == before


def test_a_ban_comes_before_our_accept_and_all_else_after_it() -> None:
    others = "iptables -A INPUT -p tcp --dport 7 -j ACCEPT\n"
    found = jumps(inside(f'{others}{FAIL2BANS}load "$1" "$1"\n{SAVE}', RULES))
    assert found[0].endswith("-j f2b-sshd")
    assert found[1] == "-j HOSTMUSTER-IN"
    assert found[2].endswith("--dport 7 -j ACCEPT")


def test_jumps_made_by_hand_become_one() -> None:
    by_hand = 'load "$1" "$1"; iptables -A INPUT -j HOSTMUSTER-IN; iptables -I INPUT -p tcp -j HOSTMUSTER-IN\n'
    more = 'iptables -N mine; iptables -A mine -m comment --comment "a \\"b\\"" -j HOSTMUSTER-IN\n'
    output = inside(f'{by_hand}{more}load "$1" "$1"\n{SAVE}', RULES)
    assert [line for line in output.splitlines() if line.endswith("-j HOSTMUSTER-IN")] == ["-A INPUT -j HOSTMUSTER-IN"]
    assert ":mine" in output


def test_a_jump_into_docker_user_stands_before_dockers_return_and_waits_for_dockerd() -> None:
    published = text("-m conntrack --ctstate DNAT -j DROP", jump="DOCKER-USER HOSTMUSTER-DOCKER")
    beside = inside(f'{DOCKERS}load "$1" "$2"\niptables -S DOCKER-USER\n', published, RULES)
    assert beside.splitlines()[1:] == ["-A DOCKER-USER -j HOSTMUSTER-DOCKER", "-A DOCKER-USER -j RETURN"]
    alone = inside('load "$1" "$2"\niptables -S DOCKER-USER\n', published, RULES)
    assert alone.splitlines() == ["-N DOCKER-USER", "-A DOCKER-USER -j HOSTMUSTER-DOCKER"]


def test_what_is_no_longer_declared_goes_with_its_jump() -> None:
    assert "HOSTMUSTER" not in inside(f'load "$1" "$1"; load "$2" "$2"\n{SAVE}ip6tables-save\n', RULES, NOTHING)


@pytest.mark.parametrize("bad", ["-j NOWHERE", "-m set --match-set none src -j DROP", "-p tcp --dport x -j DROP"])
def test_what_the_kernel_refuses_leaves_the_old_rules(bad: str) -> None:
    old = inside(f'load "$1" "$1"\n{SAVE}', RULES)
    assert inside(f'load "$1" "$1"; ! load "$2" "$2" 2>/dev/null\n{SAVE}', RULES, text("-i lo -j ACCEPT", bad)) == old


def test_a_folder_whose_rules_are_refused_gets_its_fallback_and_says_so() -> None:
    script = """\
mount -t tmpfs none /mnt
for family in 4 6; do echo spoiled >/mnt/v$family.rules; printf '%s\\n' "$1" >/mnt/v$family.fallback; done
printf '%s\\n' "$2" >/mnt/v6.rules
sh "$3" /mnt 2>&1 | grep 'fallback is loaded'
iptables -S HOSTMUSTER-IN; ip6tables -S HOSTMUSTER-IN"""
    output = inside(script, RULES, text("-j RETURN"), str(LOAD))
    assert output.splitlines()[0].startswith("/mnt/v4.rules is refused")
    assert output.splitlines()[-1] == "-A HOSTMUSTER-IN -j RETURN"
    assert "-A HOSTMUSTER-IN -j DROP" in output


ROUTER = """\
mount -t tmpfs none /run
for name in client container; do
    ip netns add $name
    ip link add to-$name type veth peer name eth0 netns $name
    ip link set to-$name up
done
ip link set lo up
ip addr add 192.0.2.1/24 dev to-client; ip addr add 172.31.0.1/24 dev to-container
ip -n client addr add 192.0.2.2/24 dev eth0; ip -n client link set eth0 up
ip -n container addr add 172.31.0.2/24 dev eth0; ip -n container link set eth0 up
ip -n container link set lo up
ip -n container route add default via 172.31.0.1
echo 1 >/proc/sys/net/ipv4/ip_forward
for port in 8080 8081; do
    iptables -t nat -A PREROUTING -p tcp --dport $port -j DNAT --to-destination 172.31.0.2:80
done
iptables -N DOCKER-USER; iptables -A DOCKER-USER -j RETURN; iptables -A FORWARD -j DOCKER-USER
ip netns exec container python3 -m http.server 80 --directory /mnt >/dev/null 2>&1 &
server=$!
trap 'kill $server' EXIT
load "$1" "$2"
until ip netns exec container curl -s -o /dev/null http://172.31.0.2/; do sleep 0.1; done
for port in 8080 8081; do
    ip netns exec client curl -s -o /dev/null -m 1 -w '%{http_code} ' http://192.0.2.1:$port/ || true
done"""
PORT = "-p tcp -m conntrack --ctorigdstport 8080 --ctdir ORIGINAL"


@pytest.mark.parametrize(
    ("rules", "answers"),
    [
        (text("-p tcp --dport 8080 -j DROP"), "200 200 "),
        (text("-p tcp --dport 8080 -j DROP", jump="DOCKER-USER HOSTMUSTER-DOCKER"), "200 200 "),
        (text("-p tcp --dport 80 -j DROP", jump="DOCKER-USER HOSTMUSTER-DOCKER"), "000 000 "),
        (
            text(
                "-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN",
                f"{PORT} -j RETURN",
                "-m conntrack --ctstate DNAT -j DROP",
                jump="DOCKER-USER HOSTMUSTER-DOCKER",
            ),
            "200 000 ",
        ),
    ],
    ids=["INPUT", "the host's port", "the container's port", "as rendered"],
)
def test_a_published_port_is_filtered_by_the_port_that_was_asked_for_alone(rules: str, answers: str) -> None:
    assert inside(ROUTER, rules, NOTHING) == answers
