"""Requests come in by TLS, on declared paths alone, and reach servers that are ready; one of them may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from hostmuster.effects import ingress as proofs
from hostmuster.errors import InputError, Problem
from hostmuster.ingress import rendering
from hostmuster.ingress.settings import ITEM as NAME
from hostmuster.ingress.settings import LoadBalancer, Tls
from hostmuster.item import Effect, Item, of_service
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.package import Package
from hostmuster.resources.self_made import SelfMade
from hostmuster.resources.unit import Unit
from hostmuster.secrets.reader import readers_of
from hostmuster.template import Declared, Templated

NGINX, HAPROXY = "nginx.service", "haproxy.service"
NGINX_CONF, HAPROXY_CFG = "/etc/nginx/hostmuster.conf", "/etc/haproxy/hostmuster.cfg"
_NGINX = f"/usr/sbin/nginx -c {NGINX_CONF} -g 'daemon on; master_process on;'"
SERVICE = {
    NGINX: (NGINX_CONF, (
        "ExecStartPre=", f"ExecStartPre={_NGINX} -t -q", "ExecStart=", f"ExecStart={_NGINX}",
        "ExecReload=", f"ExecReload={_NGINX} -t -q", f"ExecReload={_NGINX} -s reload",
        "Restart=always", "RestartSec=200ms", "LimitNOFILE=16384",
    )),
    HAPROXY: (HAPROXY_CFG, (f"Environment=CONFIG={HAPROXY_CFG}", "RestartSec=200ms")),
}  # fmt: skip
"""By unit: the configuration without which it does not start, and what its service says otherwise than Debian's."""
ITEM = Item(NAME, settings=LoadBalancer, only_declared=True, serves=True)


def resources(host: Host) -> Iterator[Declared]:
    """The units are made safe before their packages start them; each configuration is tested before it is taken."""
    want = settings(host)
    _require_servers(host, want)
    values = rendering.values(host, want)
    drop_ins = {unit: f"{UNIT_FOLDER}{unit}.d/hostmuster.conf" for unit in SERVICE}
    for unit, (config, service) in SERVICE.items():
        yield Directory(drop_ins[unit].rpartition("/")[0])
        file = File(drop_ins[unit], b"", restarts=(unit,), lint="systemd-unit")
        yield Templated(file, "load_balancer/drop-in.j2", {"config": config, "service": service})
    for package in ("nginx", "haproxy", "socat", "curl", "openssl"):
        yield Package(package)
    if want.tls == "self-made":
        yield Directory(rendering.SELF_MADE)
        yield SelfMade(rendering.SELF_MADE, str(values["check_host"]), host.address, reloads=(NGINX,))
    haproxy = File(HAPROXY_CFG, b"", validate=("haproxy", "-c", "-q", "-f"), reloads=(HAPROXY,), lint="haproxy")
    yield Templated(haproxy, "load_balancer/haproxy.cfg.j2", values)
    nginx = File(NGINX_CONF, b"", validate=("nginx", "-t", "-q", "-c"), reloads=(NGINX,), lint="nginx")
    yield Templated(nginx, "load_balancer/nginx.conf.j2", values)
    read = proofs.haproxy_has_read(rendering.ADMIN, HAPROXY_CFG)
    yield Unit(HAPROXY, drop_ins=(drop_ins[HAPROXY],), ready=read)
    read = proofs.nginx_has_read(rendering.OWN_URL, NGINX_CONF)
    yield Unit(NGINX, drop_ins=(drop_ins[NGINX],), ready=read)


def effects(host: Host) -> Iterator[Effect]:
    """As a client sees it; and what HAProxy sees of the servers."""
    want = settings(host)
    base, digest = _base(host, want), str(rendering.values(host, want)["digest"])
    names = [name for name, _ in rendering.servers(host, want)]
    yield from of_service(
        (
            proofs.listens(),
            proofs.runs_with("nginx", proofs.nginx_has(rendering.OWN_URL, digest)),
            proofs.runs_with("HAProxy", proofs.haproxy_has(rendering.ADMIN, digest)),
            proofs.serves(base.removeprefix("https://"), rendering.certificate(want)[0]),
            proofs.states(rendering.ADMIN, rendering.BACKEND, names, deadline_s=15),
            proofs.answered(base, want.asks, deadline_s=15),
            proofs.refused(base, want.locations),
            proofs.redirected(base.removeprefix("https://"), want.asks),
        )
    )


def settings(host: Host) -> LoadBalancer:
    """This item's settings for the host."""
    return cast("LoadBalancer", host.settings(ITEM.name))


def _base(host: Host, want: LoadBalancer) -> str:
    return f"https://{want.names[0] if want.names else host.address}"


def _require_servers(host: Host, want: LoadBalancer) -> None:
    """Raises InputError: nobody to answer, or a certificate that nobody brings."""
    if not rendering.servers(host, want):
        where = str(host.origin(ITEM.name, "upstream", "role"))
        what = f"{host.name}: no host has the role {want.upstream.role}, so nobody would answer"
        raise InputError([Problem(where, what, "name the role of the hosts that serve")])
    if not isinstance(want.tls, Tls):
        return
    reader = readers_of(host).get(want.tls.reader)
    missing = {want.tls.certificate, want.tls.key} - set(reader.files if reader else ())
    if missing or reader is None or reader.unit != NGINX or not reader.reloads:
        where = str(host.origin(ITEM.name, "tls"))
        what = f"{host.name}: no reader {want.tls.reader} of {NGINX} has {', '.join(sorted(missing))}"
        files = f"files: {{{want.tls.certificate}: NAME, {want.tls.key}: NAME}}"
        remedy = f"declare it under secrets.readers: {{unit: {NGINX}, reloads: true, {files}}}"
        raise InputError([Problem(where, what, remedy)])
