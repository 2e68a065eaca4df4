"""A timer whose times change: it takes the new ones from now on, and does not fire for one that has gone by."""

from __future__ import annotations

from typing import Final

from hostmuster.resources.step import Run

# systemd counts from the timer's last start or shot, over a reload and a restart alike: a new time between then and
# now fires at once. It forgets both only when it drops the unit, which it does with one that is stopped and that
# nothing wants. (With Persistent=yes a missed time is made up for: so it is declared.)
_HOLD: Final = """
if systemctl is-active -q -- "$0"; then : >"/run/hostmuster-held-$0"; fi
systemctl stop -- "$0" 2>/dev/null || :"""
_GO_ON: Final = """
[ -e "/run/hostmuster-held-$0" ] || exit 0
rm -f -- "/run/hostmuster-held-$0"
case $(systemctl is-enabled -- "$0" 2>/dev/null) in
enabled) systemctl -q disable -- "$0" && systemctl show -p LoadState -- "$0" && systemctl -q enable -- "$0" ;;
esac >/dev/null
exec systemctl start -- "$0\""""


def around(name: str) -> tuple[Run, Run]:
    """What comes before a running timer's new file and what after it: stopped, then started without a past."""
    hold, go_on = ("sh", "-c", _HOLD, name), ("sh", "-c", _GO_ON, name)
    return Run(hold, undo=go_on), Run(go_on, undo=hold, once="files")
