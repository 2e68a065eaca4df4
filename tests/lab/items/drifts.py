"""What hands do to a host, as data: the command, the item that must see it, what it says, and how mending shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Drift:
    """`by_hand` and `mended` are shell commands on the host; `seen` is part of the difference that is reported."""

    item: str
    by_hand: str
    seen: str
    mended: str


MENDED: dict[str, Drift] = {
    "a file's content": Drift(
        "env_files",
        "echo 'LOG_LEVEL=\"trace\"' >>/etc/workload/service.env",
        "file /etc/workload/service.env: content is another",
        "! grep -q trace /etc/workload/service.env",
    ),
    "a file's mode": Drift(
        "env_files",
        "chmod 0644 /etc/default/service-shell",
        "file /etc/default/service-shell: mode is 0644, declared 0600",
        '[ "$(stat -c %a /etc/default/service-shell)" = 600 ]',
    ),
    "a folder's owner": Drift(
        "workspace",
        "chown root:daemon /srv/service/repos",
        "directory /srv/service/repos: owner is root:daemon, declared service:service",
        '[ "$(stat -c %U:%G /srv/service/repos)" = service:service ]',
    ),
    "a removed file": Drift(
        "clock",
        "rm /etc/chrony/conf.d/hostmuster.conf",
        "file /etc/chrony/conf.d/hostmuster.conf: presence is missing",
        "grep -q slewed /etc/chrony/conf.d/hostmuster.conf",
    ),
    "a removed folder": Drift(
        "workspace",
        "rm -r /srv/service/seed",
        "directory /srv/service/seed: presence is missing",
        "[ -s /srv/service/seed/README.md ]",
    ),
    "a link in place of a file": Drift(
        "workspace",
        "cp /srv/service/home/config.ini /tmp/kept && ln -sf /tmp/kept /srv/service/home/config.ini",
        "file /srv/service/home/config.ini: presence is a symbolic link",
        "[ ! -h /srv/service/home/config.ini ] && [ -f /srv/service/home/config.ini ] && [ -f /tmp/kept ]",
    ),
    "a link in place of a folder": Drift(
        "workspace",
        "rmdir /srv/service/tenants && ln -s /tmp /srv/service/tenants",
        "directory /srv/service/tenants: presence is a symbolic link",
        "[ ! -h /srv/service/tenants ] && [ -d /srv/service/tenants ] && [ -d /tmp ]",
    ),
    "the mode of a running program's file": Drift(
        "units",
        "chmod 0600 /opt/workload/settings.py",
        "file /opt/workload/settings.py: mode is 0600, declared 0644",
        '[ "$(stat -c %a /opt/workload/settings.py)" = 644 ]',
    ),
    "an empty folder in place of a file": Drift(
        "units",
        "rm /opt/workload/running.py && mkdir /opt/workload/running.py",
        "file /opt/workload/running.py: presence is a directory",
        "grep -q drain /opt/workload/running.py",
    ),
    "a masked unit": Drift(
        "clock",
        "systemctl mask --now chrony.service",
        "unit chrony.service: mask is masked, declared not masked",
        "systemctl is-active chrony && [ ! -h /etc/systemd/system/chrony.service ]",
    ),
    "a stopped service": Drift(
        "units",
        "systemctl stop workload.service",
        "unit workload.service: state is inactive, declared active",
        "systemctl is-active workload",
    ),
    "a service that would not start at boot": Drift(
        "units",
        "systemctl disable workload.service",
        "unit workload.service: start at boot is disabled, declared enabled",
        "systemctl is-enabled workload",
    ),
    "a foreign drop-in": Drift(
        "units",
        "d=/etc/systemd/system/workload.service.d; mkdir -p $d && printf '[Service]\\nNice=5\\n' >$d/x.conf && "
        "systemctl daemon-reload",
        "unit workload.service: drop-in is /etc/systemd/system/workload.service.d/x.conf",
        '[ "$(systemctl show -p Nice --value workload)" = 0 ] && '
        "[ -f /var/lib/hostmuster/originals/etc/systemd/system/workload.service.d/x.conf ]",
    ),
    "an edited unit": Drift(
        "units",
        "echo 'Environment=FOREIGN=1' >>/etc/systemd/system/workload.service",
        "file /etc/systemd/system/workload.service: content is another",
        '! tr "\\0" "\\n" </proc/$(systemctl show -p MainPID --value workload)/environ | grep FOREIGN',
    ),
    "another host name": Drift(
        "access",
        "echo other >/etc/hostname && hostname other",
        "file /etc/hostname: content is another",
        '[ "$(hostname)" != other ]',
    ),
}
"""All of them are put in at once: no two touch the same thing."""

NAMED: dict[str, Drift] = {
    "an immutable file": Drift(
        "env_files",
        "echo x >>/etc/default/service-shell && chattr +i /etc/default/service-shell",
        "it is immutable: chattr -i /etc/default/service-shell",
        "chattr -i /etc/default/service-shell",
    ),
    "a folder with content in place of a file": Drift(
        "workspace",
        "cd /srv/service/home && rm config.ini && mkdir config.ini && touch config.ini/only-copy",
        "Directory not empty",
        "rm -r /srv/service/home/config.ini",
    ),
    "a file in place of a folder": Drift(
        "workspace",
        "rmdir /srv/service/tenants && echo only copy >/srv/service/tenants",
        "/srv/service/tenants is a regular file: move it away",
        "rm /srv/service/tenants",
    ),
    "a full disk": Drift(
        "workspace",
        "rm /srv/service/home/config.ini; dd if=/dev/zero of=/fill bs=1M 2>/dev/null; "
        "dd if=/dev/zero of=/fill2 bs=512 2>/dev/null; sync; true",
        "No space left on device",
        "rm -f /fill /fill2",
    ),
}
"""What apply cannot mend and names; `mended` is what the operator does then. One at a time."""
