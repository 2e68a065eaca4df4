"""Certificates of TLS and of SSH are named before they expire."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.unit.monitor.monitored import Monitored

DAY_S = 86400


def test_a_certificate_is_named_before_it_expires(monitored: Monitored, tmp_path: Path) -> None:
    pem, key, days = tmp_path / "a.pem", tmp_path / "key", 3
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run(
        [*made, "-keyout", key, "-out", pem, "-days", str(days), "-subj", "/CN=a"], check=True, capture_output=True
    )
    monitored.now = int(pem.stat().st_mtime)
    assert monitored.check(f"tls {pem} 2") == ("ok", "valid for 2 days")
    assert monitored.check(f"tls {pem} 14") == ("failed", f"{pem} expires in 2 days, limit 14 days")
    assert monitored.check(f"tls {pem} 14", after=days * DAY_S + 7200) == ("failed", f"{pem} expired 2 h ago")
    pem.write_text("not a certificate\n")
    assert monitored.check(f"tls {pem} 14") == ("failed", f"{pem} is no certificate")
    pem.unlink()
    assert monitored.check(f"tls {pem} 14") == ("failed", f"{pem} is not there")


def test_an_ssh_certificate_too(monitored: Monitored, tmp_path: Path) -> None:
    for name in ("ca", "host"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    signed = ["ssh-keygen", "-q", "-s", str(tmp_path / "ca"), "-I", "a", "-h", "-n", "a"]
    subprocess.run([*signed, "-V", "-1m:+5d", tmp_path / "host.pub"], check=True)
    path = tmp_path / "host-cert.pub"
    monitored.now = int(path.stat().st_mtime)
    assert monitored.check(f"ssh {path} 2") == ("ok", "valid for 4 days")
    assert monitored.check(f"ssh {path} 14") == ("failed", f"{path} expires in 4 days, limit 14 days")
    subprocess.run([*signed, tmp_path / "host.pub"], check=True)
    assert monitored.check(f"ssh {path} 14") == ("ok", "never expires")
