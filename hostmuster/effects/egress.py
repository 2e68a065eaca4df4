"""What the proxy lets through and what it refuses, and that its users have no way around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import ip_address

from hostmuster.egress.name import permits
from hostmuster.egress.way import networks
from hostmuster.item import Answer, Effect, Seen

NOBODYS = "192.0.2.1"
"""An address that is nobody's (RFC 5737)."""

# bash is essential on Debian and speaks TCP and UDP; curl need not be there. One line a target: `NAME:PORT: answer`.
_CONNECT = """\
ask() {
    exec 3<>"/dev/tcp/$proxy/$port" || return
    printf 'CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' "$1" "$1" >&3
    IFS= read -r -t 8 line <&3 || line='no answer'
    echo "$1: ${line%$'\\r'}"
}
proxy=$1 port=$2
shift 2
for target; do ask "$target" & done 2>&1
wait"""

# A datagram that is refused here fails at once (EPERM), wherever its address is; one that is sent was not. TCP, too,
# has to be refused here and at once. What has no route tells nothing.
_AROUND = """\
user=$1 port=$2 name=$3
shift 3
set -- $(timeout 3 getent ahosts "$name" | cut -d ' ' -f 1 | sort -u | head -n 4) \
    $(ip -4 route show default | awk '$2 == "via" { print $3; exit }') "$@"
runuser -u "$user" -- bash -c '
    port=$1
    shift
    for address; do
        said=$({ echo >"/dev/udp/$address/9"; } 2>&1) && { echo "$address open udp"; continue; }
        case $said in *"not permitted"*) ;; *) continue ;; esac
        said=$(timeout 2 bash -c "exec 3<>/dev/tcp/\\$0/\\$1" "$address" "$port" 2>&1)
        case "$? $said" in *"onnection refused"*) echo "$address closed" ;; *) echo "$address open tcp" ;; esac
    done' bash "$port" "$@" """


def denied(proxy: tuple[str, int], names: Sequence[str], ports: Sequence[int]) -> Effect:
    """Refused by the proxy: names that only look like allowed ones, addresses, ports that are not declared."""
    targets = list(dict.fromkeys(_targets(names[:3], names, ports)))

    def judge(answer: Answer) -> Seen:
        said = _answers(answer)
        passed = [f"{target} ({said.get(target, 'no answer')})" for target in targets if not _is_403(said.get(target))]
        if passed:
            return Seen(False, f"not refused: {', '.join(passed)}{_rest(answer, said)}")
        return Seen(True, f"{len(targets)} others are refused")

    return Effect("the proxy refuses all else", _ask(proxy, targets), judge, deadline_s=5)


def allowed(proxy: tuple[str, int], names: Iterable[str], ports: Sequence[int]) -> Effect:
    """Every single host that is listed can be reached through the proxy, on one of the ports. Domains have none."""
    hosts = [name for name in names if not name.startswith(".")]
    targets = [f"{host}:{port}" for host in hosts for port in ports]

    def judge(answer: Answer) -> Seen:
        if not hosts:
            return Seen(None, "only whole domains are listed: there is no host to ask for")
        said = _answers(answer)
        lost = [host for host in hosts if not any(" 200 " in f"{said.get(f'{host}:{port}')} " for port in ports)]
        if lost:
            why = "; ".join(f"{host}: {_why(said.get(f'{host}:{ports[0]}'))}" for host in lost)
            return Seen(False, f"{why}{_rest(answer, said)}")
        return Seen(True, f"through to {', '.join(hosts)}")

    return Effect("allowed names pass", _ask(proxy, targets), judge, cost="deep", deadline_s=5, may_wait=True)


def closed(user: str, names: Sequence[str], ports: Sequence[int], direct: Iterable[str]) -> Effect:
    """The user's own packets to the first allowed host, the default gateway and nobody's address end on the host."""
    hosts = [name.removeprefix(".") for name in sorted(names, key=lambda name: name.startswith("."))]
    free = networks(direct)

    def judge(answer: Answer) -> Seen:
        lines = [line.split() for line in answer.output.splitlines() if line.count(" ") in (1, 2)]
        found = {words[0]: words[1:] for words in lines if words[1] in ("open", "closed")}
        mine = {place: how for place, how in found.items() if not any(ip_address(place) in one for one in free)}
        ways = [f"{place} by {how[1]}" for place, how in mine.items() if how[0] == "open"]
        if ways:
            return Seen(False, f"{user} gets to {', '.join(ways)}")
        if mine:
            return Seen(True, f"not to {', '.join(mine)}")
        if answer.output.strip():
            return Seen(False, answer.output.strip()[-200:])
        return Seen(None, "this host has a route to nowhere but `direct` networks")

    ask = ("bash", "-c", _AROUND, "bash", user, str(ports[0]), hosts[0], NOBODYS, "2001:db8::1")
    return Effect(f"{user} has no way around the proxy", ask, judge, deadline_s=1, may_wait=True)


def _targets(some: Iterable[str], names: Sequence[str], ports: Sequence[int]) -> Iterable[str]:
    other = next(port for port in range(22, 65536) if port not in ports)
    for name in some:
        bare = name.removeprefix(".")
        for near in (f"{bare}.evil.example", f"evil{bare}", bare.replace(".", "x", 1)):
            if not permits(names, near) and len(near) < 254:
                yield f"{near}:{ports[0]}"
        yield f"{bare}:{other}"
    yield f"{NOBODYS}:{ports[0]}"


def _ask(proxy: tuple[str, int], targets: Iterable[str]) -> tuple[str, ...]:
    return ("bash", "-c", _CONNECT, "bash", proxy[0], str(proxy[1]), *targets)


def _answers(answer: Answer) -> dict[str, str]:
    pairs = (line.partition(": ") for line in answer.output.splitlines())
    return {target: said for target, _, said in pairs if said.startswith("HTTP/") or said == "no answer"}


def _is_403(said: str | None) -> bool:
    # Denied is a client that the proxy does not know: it says nothing of the name.
    return said is not None and " 403 " in said and "denied" not in said.lower()


def _why(said: str | None) -> str:
    if said is None or said == "no answer":
        return "no answer"
    return "the proxy refuses it" if " 403 " in said else f"let through, but not reached ({said})"


def _rest(answer: Answer, said: dict[str, str]) -> str:
    lines = answer.output.strip().splitlines()
    return f": {lines[-1][:200]}" if lines and not said else ""
