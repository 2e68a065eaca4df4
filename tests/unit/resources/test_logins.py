"""Who gets in: proof by sshd's own log, keys that wait for it, and who is an operator no more."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from hostmuster.resources.after_logins import AfterLogins
from hostmuster.resources.authorized_keys import AuthorizedKeys
from hostmuster.resources.file import File
from hostmuster.resources.login import PROVED, Login, logins_in
from hostmuster.resources.roster import Roster
from hostmuster.resources.step import Put, Run, Step
from tests.unit.resources.seen import found, seen

OLD = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl alice"
NEW = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0VZn6o3WqxkB5Y0cHqJbZ0mYH5oQ0c5m0v3v0wS0aB alice"
KEYS = AuthorizedKeys("alice", (NEW,))
(LOGIN,) = KEYS.logins
(OLD_LOGIN,) = AuthorizedKeys("alice", (OLD,)).logins
WRITTEN = f"@ 1000.5 {KEYS.path}\n"
IN = f"1001.25 h sshd[7]: Accepted publickey for alice from 10.0.0.9 port 4 ssh2: ED25519 {LOGIN.fingerprint}\n"
FILE = f"{KEYS.path}|regular file|644|root|root|90|'{KEYS.path}'\n"
THERE = "/etc/narrow|regular file|644|root|root|2|'/etc/narrow'\n"
DIGEST = "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac  /etc/narrow\n"


def content(*lines: str, path: str = KEYS.path) -> str:
    """What grep -H prints of a file."""
    return "".join(f"{path}:{line}\n" for line in lines)


def written(steps: Iterable[Step]) -> dict[str, str]:
    """Path to content of what is put."""
    return {step.path: step.content.decode() for step in steps if isinstance(step, Put)}


@pytest.mark.parametrize(
    ("output", "proved"),
    [
        (WRITTEN + IN, True),
        (WRITTEN + IN.replace("sshd[7]", "sshd-session[7]"), True),
        (f"alice {LOGIN.fingerprint}\n", True),
        (IN, False),  # no file that lets it in
        (WRITTEN + IN.replace("1001.25", "1000.25"), False),  # before the file was written
        (WRITTEN + IN.replace("for alice", "for bob"), False),
        (WRITTEN + IN.replace("SHA256:", "SHA256:x"), False),
        (WRITTEN + IN.replace("Accepted", "Failed"), False),
        (f"bob {LOGIN.fingerprint}\n", False),
        ("", False),
    ],
)
def test_a_login_counts_when_the_same_key_got_in_after_its_file_was_written(output: str, proved: bool) -> None:
    assert (LOGIN.word in logins_in(output, [LOGIN.word])) is proved


def test_a_declared_key_is_added_at_once_and_the_old_one_stays_until_the_proof() -> None:
    before = seen(KEYS, stat=FILE, content=content(OLD))
    assert [(d.have, d.want) for d in KEYS.compare(before)] == [(f"without {LOGIN.fingerprint}", "with it")]
    assert written(KEYS.steps(before)) == {KEYS.path: f"{NEW}\n{OLD}\n"}
    assert found(KEYS, stat=FILE, content=content(NEW, OLD), login=WRITTEN) == {}
    after = seen(KEYS, stat=FILE, content=content(NEW, OLD), login=WRITTEN + IN)
    assert [(d.have, d.want) for d in KEYS.compare(after)] == [(f"with {OLD_LOGIN.fingerprint}", "without it")]
    assert written(KEYS.steps(after)) == {KEYS.path: f"{NEW}\n"}


@pytest.mark.parametrize(
    "keys",
    [
        AuthorizedKeys("alice", (NEW,), revoked=frozenset([OLD_LOGIN.fingerprint])),
        AuthorizedKeys("alice", (NEW,), at_once=True),
    ],
    ids=["revoked", "at once"],
)
def test_a_revoked_key_waits_for_nothing(keys: AuthorizedKeys) -> None:
    assert written(keys.steps(seen(keys, stat=FILE, content=content(NEW, OLD)))) == {keys.path: f"{NEW}\n"}


def test_nothing_is_narrowed_before_the_proof_and_it_stays_narrowed_after_it() -> None:
    narrow = AfterLogins(File("/etc/narrow", b"x\n"), (LOGIN,))
    remembered = content(LOGIN.remembered, path=PROVED)
    assert found(narrow) == {}
    assert found(narrow, login=WRITTEN) == {}
    proved = seen(narrow, login=WRITTEN + IN)
    assert written(narrow.steps(proved)) == {"/etc/narrow": "x\n", PROVED: f"{LOGIN.remembered}\n"}
    assert found(narrow, stat=THERE, digest=DIGEST, content=remembered, login=f"{LOGIN.remembered}\n") == {}
    assert found(narrow, stat=THERE, digest=DIGEST) == {}
    assert "content" in found(narrow, stat=THERE, digest=DIGEST.replace("73", "74"))
    assert "presence" in found(AfterLogins(narrow.file, (LOGIN,), at_once=True))


def test_who_logs_in_later_is_remembered_beside_the_others() -> None:
    bob = Login("bob", OLD_LOGIN.fingerprint, "/etc/ssh/hostmuster/keys/bob")
    narrow = AfterLogins(File("/etc/narrow", b"x\n"), (LOGIN, bob))
    bob_in = IN.replace("alice", "bob").replace(LOGIN.fingerprint, bob.fingerprint)
    said = f"{LOGIN.remembered}\n@ 1000.5 {bob.path}\n{bob_in}"
    now = seen(narrow, stat=THERE, digest=DIGEST, content=content(LOGIN.remembered, path=PROVED), login=said)
    assert written(narrow.steps(now)) == {PROVED: f"{LOGIN.remembered}\n{bob.remembered}\n"}


def test_a_former_operators_key_goes_before_the_account_and_what_runs_as_them() -> None:
    roster = Roster("ops", ("alice",))
    now = seen(roster, group="ops:x:900:alice,bob")
    assert [d.have for d in roster.compare(now)] == ["with bob"]
    runs = [step.argv for step in roster.steps(now) if isinstance(step, Run)]
    assert [argv[0] for argv in runs] == ["rm", "usermod", "gpasswd", "sh"]
    assert runs[0][-1] == "/etc/ssh/hostmuster/keys/bob"
    assert found(roster, group="ops:x:900:alice") == {}


def test_a_new_operator_joins_and_an_account_that_had_ended_begins_again() -> None:
    roster = Roster("ops", ("alice",))
    runs = [step.argv for step in roster.steps(seen(roster)) if isinstance(step, Run)]
    assert runs == [
        ("groupadd", "--system", "--force", "ops"),
        ("usermod", "--expiredate", "", "--append", "--groups", "ops", "alice"),
    ]
