"""Key pairs made on a host, and the certificates beside them: signed in the change stage, never in the plan."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hostmuster.engine.signer import Signer
from hostmuster.errors import Refused
from hostmuster.resources.certificate import Certificate
from hostmuster.resources.resource import Observation
from hostmuster.resources.ssh_key import SshKey
from hostmuster.resources.step import Blocked, Put, PutCertificate, Run
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.sshkeys import generate
from hostmuster.secrets.store import Store
from hostmuster.ssh.certificate import Certified, sign
from tests.unit.resources.seen import found, seen

NOW = 2_000_000_000
DAY = 86400
KEY = SshKey("/etc/ssh/hostmuster/identity/id", "service@a", "service", "service")
PRIVATE = f"{KEY.path}|regular file|600|service|service|400|'{KEY.path}'\n"
PUBLIC = f"{KEY.path}.pub|regular file|644|root|root|90|'{KEY.path}.pub'\n"
CA, CA_PUBLIC = generate("ca")
_, HOST_PUBLIC = generate("host")
MADE = f"{' '.join(HOST_PUBLIC.split()[:2])} {KEY.comment}"
WANT = Certificate("/c", "/k.pub", CA_PUBLIC, "lab:service@a", ("service",), 365, 90)


@pytest.mark.parametrize(
    ("printed", "have"),
    [
        (PRIVATE + PUBLIC, {}),
        (PUBLIC, {"presence": ("missing", "a key")}),
        (PRIVATE.replace("|400|", "|0|") + PUBLIC, {"presence": ("no key", "a key")}),
        (PRIVATE.replace("600", "640") + PUBLIC, {"mode": ("0640", "0600")}),
        (PRIVATE.replace("service|service", "root|root") + PUBLIC, {"owner": ("root:root", "service:service")}),
        (PRIVATE, {"public half": ("missing", "a file")}),
    ],
)
def test_a_pair_is_there_with_its_private_half_for_its_owner_alone(printed: str, have: object) -> None:
    assert found(KEY, stat=printed, content=f"{KEY.path}.pub:{MADE}\n") == have


def test_a_key_that_was_made_for_an_earlier_membership_is_made_anew() -> None:
    again = replace(KEY, comment="service@a#2")
    have = seen(again, stat=PRIVATE + PUBLIC, content=f"{KEY.path}.pub:{MADE}\n")
    assert [difference.aspect for difference in again.compare(have)] == ["identity"]
    assert ("ssh-keygen", "-q") in [step.argv[:2] for step in again.steps(have) if isinstance(step, Run)]


def test_a_private_key_that_is_there_is_never_replaced() -> None:
    without = seen(KEY, stat=PRIVATE)
    commands = [step.argv[:2] for step in KEY.steps(without) if isinstance(step, Run)]
    assert ("ssh-keygen", "-q") not in commands
    assert ("rm", "-f") not in commands
    assert ("ssh-keygen", "-q") in [step.argv[:2] for step in KEY.steps(seen(KEY)) if isinstance(step, Run)]


def test_a_hosts_own_key_that_is_gone_is_named_and_never_made_by_us() -> None:
    (step,) = replace(KEY, make=False).steps(seen(KEY))
    assert isinstance(step, Blocked)
    assert "pin it anew" in step.reason


def there(text: str, public: str = HOST_PUBLIC, now: float = NOW) -> Observation:
    """A host with this certificate, at a time."""
    stat = "regular file|644|root|root|500|'/c'"
    return Observation({("stat", "/c"): stat, ("content", "/c"): text, ("content", "/k.pub"): public}, now)


def signed(
    days: float = 365, *, principals: tuple[str, ...] = ("service",), host: bool = False, key_id: str = WANT.key_id
) -> str:
    """A certificate by the CA for the host's key."""
    ends = NOW + int(days * DAY)
    text = sign(CA, HOST_PUBLIC, key_id=key_id, principals=principals, ends=ends, now=NOW, host=host)
    return text.decode().strip()


def flaws() -> Iterator[tuple[str, Observation]]:
    """What is wrong with a certificate, by the aspect that must be named."""
    yield "content", there("junk")
    yield "content", there(signed().replace("AAAA", "AAAB", 1))
    yield "key", there(signed(), public=generate("other")[1])
    yield "names", there(signed(principals=("root",)))
    yield "names", there(signed(principals=("service", "root")))
    yield "kind", there(signed(host=True))
    yield "identity", there(signed(key_id="lab:service@a#2"))
    yield "validity", there(signed(89))
    yield "validity", there(signed(), now=NOW + 366 * DAY)
    yield "validity", there(signed(), now=NOW - DAY)


@pytest.mark.parametrize(("aspect", "observed"), list(flaws()))
def test_a_certificate_with_a_flaw_differs_by_that_flaw(aspect: str, observed: Observation) -> None:
    assert [difference.aspect for difference in WANT.compare(observed)] == [aspect]


def test_a_certificate_that_is_right_differs_by_nothing() -> None:
    assert list(WANT.compare(there(signed(91)))) == []


def test_a_certificate_of_another_ca_is_signed_anew() -> None:
    other = replace(WANT, ca=generate("ca")[1])
    assert [difference.aspect for difference in other.compare(there(signed()))] == ["authority"]


def test_a_key_that_is_made_in_this_round_is_signed_in_the_next() -> None:
    assert list(WANT.steps(seen(WANT))) == []
    (step,) = WANT.steps(seen(WANT, content=f"/k.pub:{HOST_PUBLIC}\n"))
    assert step == PutCertificate(
        "/c", " ".join(HOST_PUBLIC.split()[:2]), "lab:service@a", ("service",), 365, host=False
    )


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store with its CA, of an operator whose home is the test's."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SOPS_AGE_KEY_FILE", raising=False)
    return found_store(tmp_path / "secrets" / "unit.yml", "unit", [], {"HOME": str(tmp_path)}, tmp_path).store


def test_the_change_stage_signs_with_the_stores_ca_what_the_plan_asked_for(store: Store, tmp_path: Path) -> None:
    ask = PutCertificate("/c", HOST_PUBLIC, "lab:a", ("a", "192.0.2.1"), 30, host=True)
    run = Run(("true",))
    put, same = Signer(store).sent([Blocked("x"), ask, run])
    assert same is run
    assert isinstance(put, Put)
    assert (put.path, put.mode, put.owner) == ("/c", "0644", "root")
    read = Certified.read(put.content.decode())
    assert read is not None
    assert read.ca == " ".join(store.public()["ssh-ca.pub"].split()[:2])
    assert read.host
    assert read.principals == {"a", "192.0.2.1"}
    assert not read.limits
    path = tmp_path / "c-cert.pub"
    path.write_bytes(put.content)
    said = subprocess.run(["ssh-keygen", "-L", "-f", str(path)], capture_output=True, text=True, check=True).stdout
    assert "host certificate" in said
    assert 'Key ID: "lab:a"' in said


def test_a_damaged_public_key_is_not_signed() -> None:
    with pytest.raises(Refused, match="is damaged"):
        sign(CA, "ssh-ed25519 AAAA", key_id="x", principals=("a",), ends=NOW, now=NOW, host=False)
