"""`check` leaves every host as it was: every file's content, times and inode."""

from __future__ import annotations

from tests.lab.failures.trial import HOSTS, Trial

BY_LOGGING_IN = {
    "/run/hostmuster.lock": "our own lock: who looks at a host keeps a change of it off",
    "/var/log/journal": "sshd, sudo and logind tell the journal that somebody was here",
    "/run/log/journal": "the same on a host whose journal is not kept",
    "/run/systemd": "logind's session and its scope, while it lasts",
    "/run/user": "the session's runtime directory, while it lasts",
    "/run/utmp": "who is logged in",
    "/var/log/wtmp": "who was logged in",
    "/var/log/lastlog": "when they last were",
    "/run/motd.dynamic": "pam_motd writes it at each login",
    "/run/sudo": "when sudo was last used",
}
"""What the system itself writes because anybody logs in and uses sudo, and why."""

LISTING = r"""
look() { find PLACES -xdev -path /proc -prune -o -path /sys -prune -o "$@"; }
look ! -type d -printf '%p|%i|%y|%m|%U:%G|%n|%T@|%C@|%l\n'
look -type d -printf '%p|%y|%m|%U:%G|%T@|%C@\n'
look -type f -print0 | xargs -0 sha256sum 2>&1
"""


def listing(trial: Trial, host: str, places: str = "/ /run /tmp /dev/shm") -> set[str]:
    """A line for every file's inode, type, mode, owner, links, times of content and of inode; a line for its digest.

    Times of access are not: whoever reads a file sets them, as a backup does. Nor are the inodes and links of
    directories: the lab's overlay numbers those anew when it likes.
    """
    return set(trial.on(host, LISTING.replace("PLACES", places)).splitlines())


def touched(before: set[str], after: set[str]) -> set[str]:
    """The paths that differ, but those that a login writes."""
    paths = {line.split("|", 1)[0] if "|" in line else line.split("  ", 1)[-1] for line in before ^ after}
    allowed = tuple(BY_LOGGING_IN)
    parents = {"/run", "/var/log"}  # their own times change with the entries above
    return {path for path in paths if not path.startswith(allowed) and path not in parents}


def test_a_check_leaves_every_file_as_it_was(trial: Trial) -> None:
    assert trial.apply().exit == 0
    for host in HOSTS:
        trial.on(host, "systemctl stop 'apt-daily*.timer' 'systemd-tmpfiles-clean.timer' 'logrotate.timer' 2>&1; true")
    trial.want(plain={"text": "looked-at"}, armed={"number": 61})
    before = {host: listing(trial, host) for host in HOSTS}
    assert trial.fleet.run("check").exit == 2
    for host in HOSTS:
        assert touched(before[host], listing(trial, host)) == set(), host


def test_an_apply_with_nothing_to_change_leaves_every_file_as_it_was(trial: Trial) -> None:
    assert trial.apply().exit == 0
    before = {host: listing(trial, host) for host in HOSTS}
    assert trial.apply().exit == 0
    for host in HOSTS:
        assert touched(before[host], listing(trial, host)) == set(), host


def test_the_listing_shows_a_change_of_any_kind(trial: Trial) -> None:
    host = HOSTS[0]
    trial.on(host, "echo a > /srv/trial/probe; touch -d @1 /srv/trial/probe")
    for change in ("chmod 0600", "touch -d @2", "sed -i s/a/b/", "rm"):
        before = listing(trial, host, "/srv")
        trial.on(host, f"{change} /srv/trial/probe")
        assert "/srv/trial/probe" in touched(before, listing(trial, host, "/srv")), change
