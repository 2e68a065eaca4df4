"""What access achieves, seen from outside: what sshd lets in, whom hosts know, and a neighbour that answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hostmuster.item import Answer, Effect, Seen
from hostmuster.model.fleet import Host
from hostmuster.resources.certificate import DAY_S
from hostmuster.resources.login import SCRIPT, Login, logins_in
from hostmuster.ssh.certificate import Certified
from hostmuster.ssh.sshd import KEYS_ONLY
from hostmuster.ssh.trust import AUTHORITY, HOST_CERTIFICATE, PRINCIPALS, REVOKED, USER_CERTIFICATE

# sshd's effective configuration for one user, its own reading of every file; then the logins.
_AS_ROOT = f"sshd -T -C user=root,host=localhost,addr=127.0.0.1; [ -e {KEYS_ONLY} ] && echo narrowed; {SCRIPT}"
LEFT = "hosts that left are refused"
DOWN = re.compile(r"refused|timed out|No route|unreachable|Could not resolve|reset by|closed by", re.IGNORECASE)


def only_declared_keys(logins: Sequence[Login], *, at_once: bool, root_login: str) -> Effect:
    """No passwords and no root, once every declared key has logged in; until then it says whose has not."""
    expected = ["passwordauthentication no", "kbdinteractiveauthentication no"]
    expected += ["permitrootlogin no"] if root_login == "off" else []

    def judge(answer: Answer) -> Seen:
        lines = answer.output.splitlines()
        proved = logins_in(answer.output, [login.word for login in logins])
        missing = [str(login) for login in logins if login.word not in proved]
        if "narrowed" not in lines and not at_once:
            if missing:
                return Seen(None, f"nothing is narrowed until these have logged in: {', '.join(missing)}")
            return Seen(None, "every declared key has logged in; the next apply narrows access to them")
        loose = [line.partition(" ")[0] for line in expected if line not in lines]
        if loose:
            said = [line for line in lines if line.partition(" ")[0] in loose] or [answer.output[-200:]]
            return Seen(False, f"sshd says {', '.join(said)}: another file there is read before or instead of ours")
        if missing:
            return Seen(None, f"narrowed; not logged in yet: {', '.join(missing)}")
        return Seen(True, "no passwords, " + ("root stays out" if root_login == "off" else "root by key"))

    ask = ("sh", "-c", _AS_ROOT, "sh", *(login.word for login in logins))
    return Effect("only declared keys", ask, judge, may_wait=True)


def authority_for(service: str) -> Effect:
    """sshd takes the fleet's CA for the service user."""
    expected = (f"trustedusercakeys {AUTHORITY}", f"authorizedprincipalsfile {PRINCIPALS}")

    def judge(answer: Answer) -> Seen:
        lacking = [line for line in expected if line not in answer.output.splitlines()]
        if lacking:
            return Seen(False, f"sshd does not say: {', '.join(lacking)}; does sshd_config include sshd_config.d?")
        return Seen(True, f"the fleet's CA lets {service} in")

    ask = ("sshd", "-T", "-C", f"user={service},host=localhost,addr=127.0.0.1")
    return Effect("the CA is for the service user", ask, judge)


def certificates_valid() -> Effect:
    """Both certificates are valid by the host's own clock."""

    def judge(answer: Answer) -> Seen:
        now, *lines = answer.output.splitlines()
        read = [Certified.read(line) for line in lines]
        if len(read) != 2 or None in read or not now.isdigit():
            return Seen(False, f"a certificate is missing or damaged: {answer.output[-200:]}")
        left = min(one.ends for one in read if one) - int(now)
        if left <= 0 or any(one.begins > int(now) for one in read if one):
            return Seen(False, "a certificate is not valid by this host's clock")
        return Seen(True, f"valid for {left // DAY_S} days more")

    ask = ("sh", "-c", 'date +%s; cat -- "$@"', "sh", USER_CERTIFICATE, HOST_CERTIFICATE)
    return Effect("certificates", ask, judge)


def left_stay_out(key_ids: Sequence[str], service: str) -> Effect:
    """sshd and ssh refuse every certificate of a host that has left the fleet, whatever it still has."""

    def judge(answer: Answer) -> Seen:
        lines = answer.output.splitlines()
        lacking = [one for one in (f"revokedkeys {REVOKED}", *(f"id: {key}" for key in key_ids)) if one not in lines]
        return (
            Seen(False, f"not refused: {', '.join(lacking)}") if lacking else Seen(True, f"{len(key_ids)} certificates")
        )

    ask = (
        "sh",
        "-c",
        'sshd -T -C "user=$1,host=localhost,addr=127.0.0.1"; ssh-keygen -Qlf "$2"',
        "sh",
        service,
        REVOKED,
    )
    return Effect(LEFT, ask, judge)


def own_name() -> Effect:
    """The host finds its own name without DNS; else each sudo waits for DNS, 20 s when that is dead."""

    def judge(answer: Answer) -> Seen:
        if answer.status == 0:
            address, _, name = answer.output.split()[:3]
            return Seen(True, f"{name} is {address}")
        return Seen(False, f"its own name {answer.output.strip()} is not in /etc/hosts: add it under extra_hosts")

    ask = ("sh", "-c", 'n=$(hostname); getent -s files ahosts "$n" || { echo "$n"; exit 2; }')
    return Effect("its own name without DNS", ask, judge)


def neighbour_answers(host: Host, service: str) -> Iterator[Effect]:
    """As the service user, one neighbour by name, not all: a ring. None in a fleet of one."""
    names = list(host.fleet.hosts)
    name = names[(names.index(host.name) + 1) % len(names)]
    if name == host.name:
        return

    def judge(answer: Answer) -> Seen:
        last = (answer.output.strip().splitlines() or [""])[-1]
        if answer.status == 0 and last == service:
            return Seen(True, f"{name} answers {service}")
        if "Permission denied" in answer.output:
            return Seen(False, f"{name} refuses {service}'s certificate: {last}")
        if DOWN.search(answer.output):
            return Seen(False, f"{name} is down or cut off: {last}")
        return Seen(False, f"{name}: {last or f'exit {answer.status} without a word'}")

    options = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=5")
    ask = ("runuser", "-u", service, "--", "ssh", *options, name, "id -un")
    yield Effect("a neighbour answers", ask, judge, cost="deep", deadline_s=15, peer=name)
