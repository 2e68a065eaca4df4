"""What sshd, ssh and sudo read is read by them before any host is touched: a mistake there locks everybody out."""

from __future__ import annotations

import pytest

from hostmuster.resources.file import Grammar
from tests.items.project import KEY
from tests.unit.lint.saying import said

DROP_IN = "/etc/ssh/sshd_config.d/00-hostmuster.conf"
SUDOERS = "/etc/sudoers.d/operators"


@pytest.mark.parametrize(
    ("grammar", "path", "content", "complaint"),
    [
        ("sshd", DROP_IN, "PasswordAuthentcation no\n", "Bad configuration option: PasswordAuthentcation"),
        ("sshd", DROP_IN, "PermitRootLogin nope\n", "unsupported option"),
        ("sshd", DROP_IN, "KeyRegenerationInterval 3\n", "Deprecated option"),
        ("sshd", DROP_IN, "Match Usr x\n", "Match"),
        (
            "sshd",
            DROP_IN,
            "MaxAuthTries 4\nmaxauthtries 6\n",
            "maxauthtries is there 2 times, and only the first counts",
        ),
        ("ssh", "/etc/ssh/ssh_config.d/x.conf", "Hst *\n", "Bad configuration option: hst"),
        ("ssh-keys", "/var/lib/x-login/.ssh/authorized_keys", f"{KEY}\nssh-ed25519 AAAA\n", "1 of 2 lines are keys"),
        ("ssh-keys", "/etc/ssh/hostmuster/ca.pub", "-----BEGIN\n", "0 of 1 lines are keys"),
        ("sudoers", SUDOERS, "alice ALL=(ALL) NOPASSWORD: ALL\n", "syntax error"),
        ("sudoers", SUDOERS, "User_Alias X = a\nb ALL=(ALL) ALL\n", 'unused User_Alias "X"'),
        ("sudoers", f"{SUDOERS}.conf", "alice ALL=(ALL) ALL\n", "sudo does not read operators.conf"),
        ("shell", "/etc/hostmuster/load", "if true; then\n", "end of file"),
        ("shell", "/etc/default/app", "A='1'\r\n", "CRLF line ends"),
    ],
)
def test_it_is_refused(grammar: Grammar, path: str, content: str, complaint: str) -> None:
    found = said(grammar, path, content)
    assert any(complaint in line for line in found), found


@pytest.mark.parametrize(
    ("grammar", "path", "content"),
    [
        ("sshd", DROP_IN, "AllowUsers a\nAllowUsers b\nHostCertificate /etc/only/there\nMatch User x\nMatch all\n"),
        ("ssh", "/etc/ssh/ssh_config.d/x.conf", "Host a b\n    Port 2222\nHost *\n"),
        ("ssh-keys", "/etc/x", f"# who\n{KEY} alice\n\n"),
        ("sudoers", SUDOERS, "Defaults:a !requiretty, !use_pty\na ALL=(root) NOPASSWD: ALL\n"),
        ("shell", "/etc/hostmuster/load", "export A='it'\\''s'\n"),
    ],
)
def test_what_is_meant_passes(grammar: Grammar, path: str, content: str) -> None:
    assert said(grammar, path, content) == []
