"""The monitor's webhook: where its address stands, which way it goes, what is refused of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.errors import InputError
from hostmuster.resources.secret_file import SecretFile
from tests.items.monitored import HOOK, ORIGIN, hooked, lines
from tests.items.project import compiled


def test_the_address_is_in_a_file_of_its_own_and_only_its_origin_elsewhere(tmp_path: Path) -> None:
    part = hooked(tmp_path, HOOK)
    assert f"webhook {ORIGIN}" in lines(part)
    (file,) = [one for one in part.resources if isinstance(one, SecretFile)]
    assert (file.path, file.secret.name, file.begins) == ("/etc/hostmuster/monitor/url", "monitor-webhook", ORIGIN)


def test_where_a_reader_hands_it_over_apply_writes_no_file_and_removes_the_one_from_before(tmp_path: Path) -> None:
    reader = {"unit": "hostmuster-monitor.service", "files": {"url": "monitor-webhook"}}
    part = hooked(tmp_path, HOOK | {"secrets": {"readers": {"monitor": reader}}})
    assert not [one for one in part.resources if isinstance(one, SecretFile)]
    assert "no /etc/hostmuster/monitor/url" in [one.id for one in part.resources]
    other = {"unit": "other.service", "files": {"url": "monitor-webhook"}}
    part = hooked(tmp_path, HOOK | {"secrets": {"readers": {"monitor": other}}})
    assert [one for one in part.resources if isinstance(one, SecretFile)]


def test_with_egress_it_goes_through_the_proxy(tmp_path: Path) -> None:
    part = hooked(tmp_path, HOOK | {"egress": {"allow": [".example.net"]}})
    assert f"webhook {ORIGIN} http://127.0.0.1:8888" in lines(part)


def test_optional_it_is_left_out_where_the_store_has_none(tmp_path: Path) -> None:
    part = compiled(tmp_path, "monitor", {"monitor": {"webhook": {"origin": ORIGIN, "optional": True}}})
    assert not [line for line in lines(part) if line.startswith("webhook")]


def test_a_webhook_that_the_allowlist_does_not_have_does_not_compile(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"hooks\.example\.net is not on the egress allowlist of server-1"):
        hooked(tmp_path, HOOK | {"egress": {"allow": ["api.example.net"]}})
    other = {"monitor": {"webhook": {"origin": f"{ORIGIN}:8443"}}, "egress": {"allow": [".example.net"]}}
    with pytest.raises(InputError, match="port 8443 is not among the egress ports of server-1"):
        hooked(tmp_path, other)


def test_an_address_goes_in_clear_in_a_lab_only(tmp_path: Path) -> None:
    clear = {"monitor": {"webhook": {"origin": "http://hooks.example.net:8787"}}}
    with pytest.raises(InputError, match="would send it in clear"):
        hooked(tmp_path, clear)
    assert "webhook http://hooks.example.net:8787" in lines(hooked(tmp_path, clear, lab=True))
