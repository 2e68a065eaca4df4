"""What a rollout owes to those who read secrets: a restart, or a reload to those that read their files anew; nothing to
those whose files are the same (O4)."""

from __future__ import annotations

import hashlib

import pytest
from pydantic import ValidationError

from hostmuster.engine.staging import folder_of, switched, unlike
from hostmuster.resources.step import Meet, Owe, PutLink
from hostmuster.secrets.moment import FOLDER
from hostmuster.secrets.reader import CURRENT, Reader

KEY = "key.pem"


def reader(unit: str, *, reloads: bool = False) -> Reader:
    return Reader(unit=unit, files={KEY: "tls-key"}, reloads=reloads)


def owed(readers: dict[str, Reader], *differing: str) -> list[Owe]:
    return [step for step in switched(2, readers, {*differing}) if isinstance(step, Owe)]


def changed(readers: dict[str, Reader], *differing: str) -> set[str]:
    """The units that count as changed with the switch."""
    links = [step.path for step in switched(2, readers, {*differing}) if isinstance(step, PutLink)]
    return {path.removeprefix(f"{FOLDER}/") for path in links if path.startswith(FOLDER)}


def test_a_reader_that_reloads_is_owed_a_reload() -> None:
    both = {"tls": reader("nginx.service", reloads=True), "app": reader("app.service")}
    assert owed(both, f"tls/{KEY}", f"app/{KEY}") == [Owe("nginx.service", "reload"), Owe("app.service", "restart")]
    assert changed(both, f"tls/{KEY}", f"app/{KEY}") == {"app.service"}, "what reloads is proved by no start"


def test_a_reader_whose_files_are_the_same_is_owed_nothing() -> None:
    api = Reader(unit="api.service", env={"TOKEN": "token"}, files={KEY: "tls-key"})
    both = {"api": api, "app": reader("app.service")}
    for path in ("api.env", f"api/{KEY}"):
        assert owed(both, path) == [Owe("api.service")]
        assert changed(both, path) == {"api.service"}
    for none in ((), ("identity",), ("other/key.pem", "app.env")):
        assert owed(both, *none) == []
        assert changed(both, *none) == set()


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("differing", [("one/key.pem",), ("other/key.pem",), ("one/key.pem", "other/key.pem")])
def test_a_unit_that_two_read_for_is_restarted_if_one_of_them_changed(order: int, differing: tuple[str, ...]) -> None:
    two = [("one", reader("api.service")), ("other", reader("api.service"))]
    assert owed(dict(two[::order]), *differing) == [Owe("api.service")]


@pytest.mark.parametrize("order", [1, -1])
def test_a_unit_that_two_read_for_is_restarted_if_either_needs_it(order: int) -> None:
    two = [("one", reader("nginx.service", reloads=True)), ("other", reader("nginx.service"))]
    readers = dict(two[::order])
    assert owed(readers, "one/key.pem", "other/key.pem") == [Owe("nginx.service", "restart")]
    assert owed(readers, "one/key.pem") == [Owe("nginx.service", "reload")]
    assert changed(readers, "one/key.pem") == set()


def test_what_was_started_before_the_switch_counts_as_before_the_change() -> None:
    steps = switched(2, {"app": reader("app.service")}, {f"app/{KEY}"})
    first, last = (at for at, step in enumerate(steps) if isinstance(step, Meet))
    links = [(at, step.path) for at, step in enumerate(steps) if isinstance(step, PutLink)]
    (switch, _), *_, (change, path) = links
    assert path == f"{FOLDER}/app.service"
    assert first < switch < change < steps.index(Owe("app.service")) < last


def test_only_files_that_lie_there_as_they_are_are_not_unlike() -> None:
    files = {"api.env": b"TOKEN=one\n", "api/key": b"key", "identity": b"2 0123\n"}

    def told(salt: str, content: bytes, where: str) -> str:
        return f"{hashlib.sha256(salt.encode() + content).hexdigest()}  {where}"

    here = {told("salt", content, f"{folder_of(2)}/{path}") for path, content in files.items()}
    assert unlike(files, folder_of(2), "salt", here) == set()
    assert unlike(files, CURRENT, "salt", here) == set(files), "a host without a generation has none of them"
    before = {told("salt", b"TOKEN=two\n", f"{CURRENT}/api.env"), told("salt", b"key", f"{CURRENT}/api/key")}
    assert unlike(files, CURRENT, "salt", here | before) == {"api.env", "identity"}
    assert unlike(files, CURRENT, "another salt", before) == set(files)


def test_variables_are_not_read_anew_by_a_reload() -> None:
    with pytest.raises(ValidationError) as caught:
        Reader(unit="nginx.service", env={"TOKEN": "api-token"}, reloads=True)
    assert "reads no variables anew" in str(caught.value)
