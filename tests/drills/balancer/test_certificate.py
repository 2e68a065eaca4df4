"""A certificate out of the store is replaced under load: nginx reads the new one without a restart."""

from __future__ import annotations

import hashlib
import ssl
import subprocess
from pathlib import Path

from tests.lab.balancer.ingress import Ingress
from tests.lab.balancer.ingress_fleet import INGRESS, OTHER

FILES = {"certificate.pem": "tls-certificate", "key.pem": "tls-key"}
READERS = {"ingress": {"unit": "nginx.service", "files": FILES, "reloads": True}}
STARTED = "systemctl show -p InvocationID --value nginx.service"


def stored(ingress: Ingress, folder: Path) -> str:
    """A new certificate and its key in the store; the fingerprint by which a client knows it."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
         "-subj", "/CN=api.example.net", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    for name, file in (("tls-certificate", certificate), ("tls-key", key)):
        done = ingress.fleet.hostmuster("secrets.set", name, stdin=file.read_text())
        assert done.exit == 0, done.errors
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest()


def served(ingress: Ingress, host: str) -> str:
    """The fingerprint of what a client is shown there."""
    pem = ssl.get_server_certificate((ingress.lab.hosts[host].machine.address, 443))
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


def test_a_new_certificate_is_served_everywhere_and_no_request_fails(ingress: Ingress, tmp_path: Path) -> None:
    first = stored(ingress, tmp_path)
    ingress.declare(tls={"reader": "ingress"}, readers=READERS)
    for command in ("secrets.rollout", "apply"):
        done = ingress.fleet.run(command)
        assert done.exit == 0, done.errors
    try:
        hosts = (INGRESS, OTHER)
        assert [served(ingress, host) for host in hosts] == [first, first]
        started = [ingress.on(host, STARTED) for host in hosts]
        second = stored(ingress, tmp_path)
        with ingress.under_load() as seen:
            done = ingress.fleet.run("secrets.rollout")
        assert done.exit == 0, done.errors
        print("certificate:", seen.figures)
        # A reload is over before the workers that have read it anew are there.
        ingress.within(lambda: [served(ingress, host) for host in hosts] == [second, second], 20, "both show it")
        assert [ingress.on(host, STARTED) for host in hosts] == started
        assert seen.document["failures"] == {}
    finally:
        ingress.declare()
        assert ingress.fleet.run("apply").exit == 0
