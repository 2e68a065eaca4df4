"""What hands break behind the tool's back, as data: where, by what command, and which line must say so, alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Break:
    """`command` runs as root on the host; `line` is the item that `verify` must name, with `says` in its reason."""

    line: str
    command: str
    says: str


BREAKS = {
    "a flushed chain": Break("firewall", "iptables -F HOSTMUSTER-IN", "HOSTMUSTER-IN"),
    "a dead proxy": Break("egress", "systemctl stop tinyproxy", "8888"),
    "the way around the proxy opened": Break("egress", "iptables -D OUTPUT 1", "no way around"),
    "a second NTP client": Break(
        "clock",
        "systemd-run -q --unit=second chronyd -x -n 'server 192.0.2.1' 'bindcmdaddress /' 'cmdport 0' "
        "'pidfile /run/second.pid'",
        "second",
    ),
    "an env file that everybody reads": Break(
        "env_files", "chmod 0644 /etc/workload/service.env", "nobody reads /etc/workload/service.env"
    ),
    "a folder that its owner cannot write": Break("workspace", "chown root /srv/service/repos", "/srv/service/repos"),
    "a stopped service": Break("units", "systemctl stop workload", "workload.service"),
    "a retagged image": Break(
        "images", "mkdir -p /tmp/empty && tar -C /tmp/empty -c . | docker import - lab/web:1", "image lab/web:1"
    ),
    "a stopped container": Break("containers", "systemctl stop container-web", "container web"),
    "a monitor that is not started any more": Break("monitor", "systemctl stop hostmuster-monitor.timer", "timer"),
    "a door for passwords": Break(
        "access",
        "echo 'PasswordAuthentication yes' >/etc/ssh/sshd_config.d/00-a.conf && systemctl reload ssh",
        "passwordauthentication yes",
    ),
}
UNDO = {
    "a second NTP client": "systemctl stop second",
    "a door for passwords": "rm /etc/ssh/sshd_config.d/00-a.conf && systemctl reload ssh",
}
"""What an apply does not take back, since it is nobody's but the operator's."""
