"""The monitor as seen from outside its script: its timer, its last run, its webhook, a neighbour that can be read."""

from __future__ import annotations

import re

from hostmuster.item import Answer, Effect, Seen

FIRST_RUN_S = 20
"""Until the first run has ended, with a neighbour or two that do not answer."""
_RUN = """\
systemctl is-active -- "$1"
systemctl show -p Result --value -- "$2"
date +%s
head -n 1 -- "$3" """
_AT = re.compile(r'"at":(\d+),"run":(\d+),')


def runs(timer: str, service: str, status: str, late_s: int) -> Effect:
    """The timer is active, and the last run of the checks ended well, `late_s` seconds ago at most."""

    def judge(answer: Answer) -> Seen:
        active, result, now, told = [*answer.output.splitlines(), "", "", "", ""][:4]
        if active != "active":
            return Seen(False, f"{timer} is {active or 'not there'}")
        if result != "success":
            return Seen(False, f"the last run of {service} ended with {result}: journalctl -u {service}")
        found = _AT.search(told)
        if found is None:
            return Seen(False, f"it has told nothing yet: {told[:200]}")
        age = int(now) - int(found[1])
        return Seen(-late_s <= age <= late_s, f"run {found[2]} began {age} s ago")

    ask = ("sh", "-c", _RUN, "sh", timer, service, status)
    return Effect("its checks run", ask, judge, deadline_s=FIRST_RUN_S)


def webhook(origin: str, proxy: str | None) -> Effect:
    """Something answers at the webhook's origin. Its address is a secret, so that is not asked."""
    way = ("-x", proxy) if proxy else ()

    def judge(answer: Answer) -> Seen:
        code = answer.output.strip()[-3:]
        # A proxy that cannot get through answers for itself.
        if answer.status != 0 or (proxy and code in ("403", "500", "502", "503", "504")):
            return Seen(False, f"{origin} is not reached: curl exits {answer.status}, HTTP {code}")
        return Seen(True, f"{origin} answers" + (" through the proxy" if proxy else ""))

    ask = ("curl", "-q", "-s", "-o", "/dev/null", "-m", "8", "-w", "%{http_code}", *way, f"{origin}/")
    return Effect("the webhook is reached", ask, judge, cost="deep", deadline_s=5)


def neighbour(name: str, service: str, status: str) -> Effect:
    """The next host lets the service user read how it stands."""

    def judge(answer: Answer) -> Seen:
        found = _AT.search(answer.output)
        if answer.status == 0 and found:
            return Seen(True, f"{name} tells of its run {found[2]}")
        last = (answer.output.strip().splitlines() or ["nothing"])[-1]
        return Seen(False, f"{name} cannot be read: {last[:200]}")

    options = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=5")
    ask = ("runuser", "-u", service, "--", "ssh", *options, name, f"head -n 1 {status}")
    return Effect("the neighbour it watches can be read", ask, judge, cost="deep", deadline_s=15, peer=name)
