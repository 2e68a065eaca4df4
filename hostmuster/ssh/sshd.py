"""sshd as Debian packages it: its drop-ins, how it is told of them, and where ours lie."""

from __future__ import annotations

from typing import Final

ETC: Final = "/etc/ssh/hostmuster"
"""Everything of ours that sshd and ssh read, but the drop-ins that name it."""
KEYS: Final = f"{ETC}/keys"
"""One file an operator. Root owns it and all above it, so that nobody leaves a second key behind."""
DROP_INS: Final = "/etc/ssh/sshd_config.d"
"""Debian's sshd_config includes what lies there before it says anything itself; sshd reads it in the order of names."""
KEYS_ONLY: Final = f"{DROP_INS}/00-hostmuster-keys-only.conf"
"""What narrows access. It sorts first, since the first value wins (sshd_config(5)); that it is there is the proof
that every declared key had logged in."""
TRUST: Final = f"{DROP_INS}/01-hostmuster-access.conf"
"""What adds access."""
OURS: Final = (KEYS_ONLY, TRUST)
OPERATORS: Final = "hostmuster-operators"
"""The group of all operators: who is in it and declared no more is locked out."""

CHECK: Final = ("sshd", "-t")
RELOAD: Final = (
    "sh",
    "-c",
    "if systemctl is-active -q ssh.socket; then systemctl try-restart ssh.service; "
    "elif systemctl is-active -q ssh.service; then systemctl reload ssh.service; "
    "elif ! systemctl is-enabled -q ssh.socket; then systemctl --no-block start ssh.service; fi",
    "reload ssh.service",
)
"""With socket activation the port is systemd's: sshd cannot bind it again and dies of a reload (Debian 13), so it is
started anew; sessions are not its own and go on. An sshd that died of what we wrote (a port in use) is started again
when that is taken back, without waiting: at boot its start waits for the taking back."""
TOLD: Final = (CHECK, RELOAD)


def for_everybody(root_login: str) -> tuple[tuple[str, str], ...]:
    """What is narrowed for everybody: no passwords, no login as root."""
    root = (("PermitRootLogin", "no"),) if root_login == "off" else ()
    return (("PasswordAuthentication", "no"), ("KbdInteractiveAuthentication", "no"), *root)


def keys_only(root_login: str) -> bytes:
    """The drop-in that narrows: that, and of operators no key but the declared ones."""
    options = "".join(f"{keyword} {value}\n" for keyword, value in for_everybody(root_login))
    return (
        f"# Written once every declared key has logged in anew.\n{options}"
        f"Match Group {OPERATORS}\n    AuthorizedKeysFile {KEYS}/%u\nMatch all\n"
    ).encode()
