"""What the firewall achieves: its rules come first in both families, and a neighbour finds open what should be."""

from __future__ import annotations

from hostmuster.item import Answer, Effect, Seen

# Tables of the legacy backend are asked for only where the kernel has some in this network: asking makes them.
_FIRST = r"""
own=$1
for ipt in iptables ip6tables; do
    echo "$ipt $("$ipt" -w 5 -S INPUT | grep -v -e '^-P' -e ' -j f2b-' | head -n 1)"
    echo "$ipt rules $("$ipt" -w 5 -S "$own" 2>/dev/null | grep -c '^-A')"
done
case $(iptables -V) in *nf_tables*) other=legacy ;; *) other=nft ;; esac
for tables in ip ip6; do
    [ "$other" = legacy ] && [ ! -s "/proc/net/${tables}_tables_names" ] && continue
    echo "other ${tables}tables-$other $("${tables}tables-$other-save" 2>/dev/null | grep -c '^-A')"
done"""

# time_connect tells whether the TCP handshake came about, whatever is spoken on the port after it.
_KNOCK = r"""
for port; do
    printf '%s ' "$port"
    curl -s -o /dev/null --noproxy '*' --connect-timeout 2 -m 3 -w '%{time_connect} %{exitcode}' "http://$host:$port/"
    echo
done"""


def first(own: str, rules: tuple[int, int]) -> Effect:
    """In INPUT of both families only fail2ban comes before our chain, which is whole; no second set of tables."""

    def judge(answer: Answer) -> Seen:
        lines = answer.output.splitlines()
        for program, count in zip(("iptables", "ip6tables"), rules, strict=True):
            if f"{program} -A INPUT -j {own}" not in lines:
                said = next((line for line in lines if line.startswith(f"{program} -A")), f"{program}: nothing")
                return Seen(False, f"first in INPUT is not {own} but: {said}")
            if f"{program} rules {count}" not in lines:
                said = next((line for line in lines if line.startswith(f"{program} rules")), "none")
                return Seen(False, f"{own}: {said}, declared {count}")
        other = [line[6:] for line in lines if line.startswith("other ") and not line.endswith(" 0")]
        if other:
            return Seen(False, f"two sets of tables at once, beside those that iptables uses: {', '.join(other)} rules")
        return Seen(True, f"{rules[0]} rules for IPv4, {rules[1]} for IPv6")

    return Effect("rules come first", ("sh", "-c", _FIRST, "sh", own), judge)


def neighbour(name: str, address: str, open_port: int, closed_port: int) -> Effect:
    """From here a neighbour's allowed port is open, and a port it does not allow says nothing at all."""

    def judge(answer: Answer) -> Seen:
        found = {words[0]: words[1:] for line in answer.output.splitlines() if len(words := line.split()) == 3}
        if str(open_port) not in found or str(closed_port) not in found:
            return Seen(False, answer.output.strip()[-200:] or "curl says nothing")
        if float(found[str(open_port)][0]) == 0:
            return Seen(False, f"port {open_port} of {name} does not open")
        connected, code = found[str(closed_port)]
        if float(connected) > 0 or code == "7":
            return Seen(False, f"port {closed_port} of {name} answers, but is not allowed")
        return Seen(True, f"{name}: {open_port} open, {closed_port} closed")

    ask = ("sh", "-c", f"host=$1; shift; {_KNOCK.strip()}", "sh", address, str(open_port), str(closed_port))
    return Effect("a neighbour is closed but where it is open", ask, judge, cost="deep", deadline_s=15, peer=name)
