"""A PostgreSQL on one host of a lab, for the backends of all."""

from __future__ import annotations

import secrets

from hostmuster.lab.lab import Lab

SERVER = """\
set -e
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update && apt-get -qq install --no-install-recommends -y postgresql >/dev/null
cd /tmp
runuser -u postgres -- psql -qc "ALTER SYSTEM SET listen_addresses = '*'"
echo "host app app samenet scram-sha-256" >>/etc/postgresql/*/main/pg_hba.conf
systemctl restart postgresql@*
IFS= read -r password
echo "CREATE ROLE app LOGIN PASSWORD '$password'; CREATE DATABASE app OWNER app;" |
    sed 's/; /;\\n/' | runuser -u postgres -- psql -q
"""


def postgres_on(lab: Lab, host: str) -> str:
    """Installed and listening; its URL, with a password that nobody had before."""
    password = secrets.token_hex(16)
    done = lab.run(host, SERVER, stdin=f"{password}\n".encode(), timeout_s=300)
    assert done.ok, done.stderr
    return f"postgresql://app:{password}@{lab.hosts[host].machine.address}/app"
