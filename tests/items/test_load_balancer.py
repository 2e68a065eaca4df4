"""The load_balancer item: what is public, who answers, what is refused before any host is touched."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.effects import ingress as proofs
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.errors import InputError
from hostmuster.item import Answer
from tests.items.project import compiled, fleet, resource
from tests.unit.lint.saying import said

NGINX, HAPROXY = "file /etc/nginx/hostmuster.conf", "file /etc/haproxy/hostmuster.cfg"
BALANCER: dict[str, Any] = {
    "tls": "self-made",
    "locations": {"/tasks": {}, "/oauth/": {"body_kb": 16}, "/health/ready": {"exact": True}},
    "asks": "/health/ready",
    "upstream": {"units": ["workload.service"]},
}


def configuration(folder: Path, identifier: str, **changed: Any) -> str:
    """One of the two files, on a host that balances load."""
    part = compiled(folder, "load_balancer", {"load_balancer": BALANCER | changed})
    return str(resource(part, identifier).content.decode())


def test_only_the_host_that_declares_it_gets_it(tmp_path: Path) -> None:
    declared = fleet(tmp_path, {}, worker_1={"load_balancer": BALANCER})
    hosts = compile_fleet(declared, CHECKLIST, only="load_balancer").hosts
    assert {name for name, parts in hosts.items() if parts} == {"worker-1"}


def test_the_units_are_made_safe_before_their_packages_start_them(tmp_path: Path) -> None:
    part = compiled(tmp_path, "load_balancer", {"load_balancer": BALANCER})
    ids = [one.id for one in part.resources]
    for unit, package in (("nginx", "nginx"), ("haproxy", "haproxy")):
        drop_in = f"file /etc/systemd/system/{unit}.service.d/hostmuster.conf"
        assert ids.index(drop_in) < ids.index(f"package {package}")
        assert "ConditionPathExists=/etc/" in resource(part, drop_in).content.decode()
    assert ids[-2:] == ["unit haproxy.service", "unit nginx.service"]
    assert resource(part, NGINX).validate[:2] == ("nginx", "-t")
    assert resource(part, HAPROXY).validate[:2] == ("haproxy", "-c")
    assert resource(part, NGINX).reloads == ("nginx.service",)
    assert not resource(part, NGINX).restarts


def test_declared_paths_are_whole_segments_and_nothing_else_is_handed_on(tmp_path: Path) -> None:
    text = configuration(tmp_path, NGINX)
    passing = re.findall(r"location ([^{]+) \{\n +client_max_body_size (\d+)k;\n +proxy_pass http://servers;", text)
    assert passing == [
        ("= /tasks", "1024"), ("^~ /tasks/", "1024"), ("^~ /oauth/", "16"), ("= /health/ready", "1024"),
    ]  # fmt: skip
    assert text.count("proxy_pass ") == len(passing)
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text
    assert "non_idempotent" not in text


def test_a_server_is_checked_by_what_means_ready_within_the_target(tmp_path: Path) -> None:
    health = {"path": "/ready", "says": {"status": "ok", "db_ok": True}, "within_s": 2}
    text = configuration(tmp_path, HAPROXY, health=health, names=["api.example.net"])
    assert "http-check send meth GET uri /ready ver HTTP/1.1 hdr Host api.example.net" in text
    assert r'http-check expect rstring "\"status\"[[:space:]]*:[[:space:]]*\"ok\""' in text
    assert r'http-check expect rstring "\"db_ok\"[[:space:]]*:[[:space:]]*true"' in text
    assert said("haproxy", "/etc/haproxy/hostmuster.cfg", text) == []
    ms = {
        word: int(found) for word, found in re.findall(r"(inter|fastinter|timeout connect|timeout check) (\d+)ms", text)
    }
    # It dies just after a check; two have to fail, each by its connection and then its answer.
    worst = ms["inter"] + ms["fastinter"] + 2 * (ms["timeout connect"] + ms["timeout check"])
    assert worst <= 2000
    assert " fall 2 rise 2 " in text


def test_servers_are_addresses_of_the_role(tmp_path: Path) -> None:
    upstream = {"role": "worker", "port": 9000, "units": ["app.service"]}
    assert "    server worker-1 192.0.2.12:9000\n" in configuration(tmp_path, HAPROXY, upstream=upstream)
    text = configuration(tmp_path, NGINX, upstream=upstream)
    assert re.findall(r"server (\S+) (?:backup )?max_fails", text) == [
        "unix:/run/haproxy/hostmuster.sock",
        "192.0.2.12:9000",
    ]


def test_with_names_any_other_name_gets_no_handshake(tmp_path: Path) -> None:
    text = configuration(tmp_path, NGINX, names=["api.example.net", "www.example.net"])
    assert text.count("server_name api.example.net www.example.net;") == 2
    assert "ssl_reject_handshake on;" in text
    assert "ssl_reject_handshake" not in configuration(tmp_path, NGINX)


def test_another_configuration_has_another_digest(tmp_path: Path) -> None:
    digests = {
        re.findall(r"description hostmuster (\w+)", configuration(tmp_path, HAPROXY, answer_s=seconds))[0]
        for seconds in (60, 61, 60)
    }
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"locations": {"/": {}}}, "would make everything public"),
        ({"locations": {"/admin/users": {}}}, "which is never public"),
        ({"locations": {"/internal": {"exact": True}}}, "which is never public"),
        ({"locations": {"tasks": {}}}, "does not begin with"),
        ({"locations": {"/a/../b": {}}}, "in the path"),
        ({"locations": {"/a//b": {}}}, "an empty part"),
        ({"locations": {"/a;return 200": {}}}, "in the path"),
        ({"locations": {}}, "names no path"),
        ({"asks": "/other"}, "no declared location answers"),
        ({"asks": "/health/ready/more"}, "no declared location answers"),
        ({"upstream": {}}, "names no unit"),
        ({"upstream": {"role": "database", "units": ["a.service"]}}, "so nobody would answer"),
        ({"names": ["192.0.2.1"]}, "is no name of a site"),
        ({"names": ["Api.example.net"]}, "is no name of a site"),
        ({"health": {"says": {"a b": "ok"}}}, "is not compared"),
        ({"health": {"says": {"status": 'o"k'}}}, "is not compared"),
        ({"health": {"within_s": 0.1}}, "within_s"),
        ({"tls": {"reader": "ingress"}}, "no reader ingress of nginx.service has certificate.pem, key.pem"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, "load_balancer", {"load_balancer": BALANCER | changed})
    assert reason in str(caught.value)


def test_without_a_word_on_the_certificate_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"load_balancer": {name: value for name, value in BALANCER.items() if name != "tls"}})
    assert "nothing says whose certificate it is" in str(caught.value)


def test_a_certificate_of_the_store_is_read_where_a_reload_finds_the_new_one(tmp_path: Path) -> None:
    files = {"certificate.pem": "tls-certificate", "key.pem": "tls-key"}
    readers = {"ingress": {"unit": "nginx.service", "files": files, "reloads": True}}
    settings = {"load_balancer": BALANCER | {"tls": {"reader": "ingress"}}, "secrets": {"readers": readers}}
    part = compiled(tmp_path, "load_balancer", settings)
    text = resource(part, NGINX).content.decode()
    assert "ssl_certificate /var/lib/hostmuster/current/ingress/certificate.pem;" in text
    assert "ssl_certificate_key /var/lib/hostmuster/current/ingress/key.pem;" in text
    secrets = compiled(tmp_path, "secrets", settings)
    assert not any("nginx.service.d" in one.id for one in secrets.resources)


@pytest.mark.parametrize(
    ("output", "ok", "seen"),
    [
        ("UP", True, "server-1"),
        ("UP 1/2", True, "server-1"),
        ("DRAIN", False, "not ready: server-1 DRAIN (L7OK)"),
        ("DOWN", False, "not ready: server-1 DOWN (L7OK)"),
    ],
)
def test_a_server_that_haproxy_does_not_find_ready_is_named(output: str, ok: bool, seen: str) -> None:
    row = [
        {"field": {"name": name}, "value": {"value": value}}
        for name, value in {"svname": "server-1", "status": output, "check_status": "L7OK"}.items()
    ]
    effect = proofs.states("/run/a.sock", "servers", ["server-1"], 1)
    judged = effect.judge(Answer(0, str([row]).replace("'", '"')))
    assert (judged.ok, judged.seen) == (ok, seen)
    assert effect.judge(Answer(1, "socat: No such file or directory")).ok is False


def test_a_path_that_is_let_through_is_named() -> None:
    effect = proofs.refused("https://192.0.2.15", ["/tasks"])
    paths = effect.ask[5:]
    assert {"/", "/admin/", "/internal/identity", "/tasks/../internal/identity"} <= set(paths)
    refused = "".join(f"{path} 404\n" for path in paths)
    assert effect.judge(Answer(0, refused)).ok is True
    judged = effect.judge(Answer(0, refused.replace("/admin/ 404", "/admin/ 200", 1)))
    assert (judged.ok, judged.seen) == (False, "not refused: /admin/ (200)")
    assert effect.judge(Answer(0, refused.replace("404", "000"))).ok is False
