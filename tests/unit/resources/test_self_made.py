"""A certificate that a host makes: by the real openssl, for whom it is said to be, and known again."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hostmuster.resources.resource import Observation
from hostmuster.resources.self_made import NAMES, SelfMade
from hostmuster.resources.stat import STAT
from hostmuster.resources.step import Owe, Run


def mine(folder: Path, name: str = "api.example.net") -> SelfMade:
    return SelfMade(str(folder), name, "192.0.2.15", reloads=("nginx.service",))


def looked_at(one: SelfMade) -> Observation:
    """What the real probes answer."""
    names, key = one.questions()
    told = subprocess.run([*NAMES.argv, names.key], capture_output=True, text=True, check=True).stdout
    seen = {(NAMES.name, folder): text for folder, text in NAMES.split(told, [names.key]).items()}
    if Path(key.key).exists():
        words = ["stat", "--printf", "%F|%a|%U|%G|%s|%N", key.key]
        seen[STAT.name, key.key] = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return Observation(seen)


def make(one: SelfMade) -> None:
    """The steps' command, really run."""
    run, *owed = one.steps(looked_at(one))
    assert isinstance(run, Run)
    assert owed == [Owe("nginx.service", "reload")]
    subprocess.run(run.argv, check=True, capture_output=True)


def test_it_is_made_once_and_then_is_as_declared(tmp_path: Path) -> None:
    one = mine(tmp_path)
    (difference,) = one.compare(looked_at(one))
    assert str(difference).endswith("names is missing, declared DNS:api.example.net, IP Address:192.0.2.15")
    make(one)
    assert list(one.compare(looked_at(one))) == []
    assert (tmp_path / "key.pem").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["certificate.pem", "key.pem"]


def test_for_another_name_or_near_its_end_it_is_made_anew(tmp_path: Path) -> None:
    make(mine(tmp_path, "old.example.net"))
    one = mine(tmp_path)
    assert [difference.aspect for difference in one.compare(looked_at(one))] == ["names"]
    make(one)
    subprocess.run(
        ["openssl", "req", "-x509", "-key", tmp_path / "key.pem", "-days", "3", "-subj", "/CN=api.example.net",
         "-addext", "subjectAltName=DNS:api.example.net,IP:192.0.2.15", "-out", tmp_path / "certificate.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    (difference,) = one.compare(looked_at(one))
    assert difference.have == "DNS:api.example.net, IP Address:192.0.2.15, ends"


def test_a_key_that_others_may_read_is_named(tmp_path: Path) -> None:
    one = mine(tmp_path)
    make(one)
    (tmp_path / "key.pem").chmod(0o644)
    assert [difference.aspect for difference in one.compare(looked_at(one))] == ["mode"]
