"""Two backends whose encrypted rows are in one database."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from cryptography.fernet import Fernet, InvalidToken

from hostmuster.lab.lab import Lab
from hostmuster.secrets.recipients import Identities
from hostmuster.secrets.store import Store
from tests.lab.backends.backends import HOSTS, Backends, BackendsFleet
from tests.lab.backends.postgres import postgres_on
from tests.lab.failures.trial import LEASE_S
from tests.lab.fleet_on_lab import Finished, FleetOnLab, machines_of

MIGRATING, DATABASE = HOSTS
ROWS = 40
FOLDER = "/var/lib/hostmuster/migrations/ai-key"
WAIT = "/run/rows-wait"
PATIENCE_S = 240
"""What comes within seconds elsewhere may take so long where twenty other things run."""
GONE_S = 120
"""A dead controller's leases are over within so many seconds."""

# The workload's own command; it waits before or after its work while a file says so.
ACT = (
    'while grep -qsx "$0" /run/rows-wait; do sleep 0.051; done; /usr/bin/python3 -I -B /opt/workload "$0"; code=$?; '
    'while grep -qsx "after-$0" /run/rows-wait; do sleep 0.052; done; exit $code'
)
COMMANDS = {
    "host": MIGRATING,
    "unit": "workload.service",
    "env": {"AI_SECRET_ENCRYPTION_KEY_NEXT": "next"},
    **{act.replace("-", "_"): ["/bin/sh", "-c", ACT, act] for act in ("dump", "migrate", "prove", "put-back")},
}


class Encrypted(Backends):
    """The backends, their rows, and how they are encrypted anew."""

    def __init__(self, fleet: BackendsFleet, lab: Lab) -> None:
        super().__init__(fleet, lab)
        self.value = {f"row-{number}": f"value of row {number}" for number in range(ROWS)}

    def filled(self) -> None:
        """From bare hosts to rows that both serve."""
        self.made(postgres_on(self.lab, DATABASE))
        for name, value in self.value.items():
            assert self.ask(HOSTS[0], "/rows", json.dumps({"name": name, "value": value}))[0] == 201
        self.declare()

    def declare(self, **commands: object) -> None:
        """The fleet file once more; `commands` in place of the usual ones."""
        self.fleet.settings["secrets"]["migrations"] = {"ai-key": {**COMMANDS, **commands}}
        self.fleet.extra = {"lease_s": LEASE_S, "silence_s": 8}
        self.fleet.declare(machines_of(self.lab))

    def settled(self) -> Self:
        """What the last drill left is brought to its end."""
        for host in HOSTS:
            if self.lab.hosts[host].state == "off":
                self.powered(host)
            self.on(host, f"rm -f {WAIT} /run/hostmuster-pause*")
        self.declare()
        if self.phase or self.on(MIGRATING, f"ls -d {FOLDER} 2>/dev/null; true"):
            self.again(self.fleet)
        return self

    def powered(self, host: str) -> None:
        """It has its power again, and is up."""
        self.lab.start(host)
        self.lab.host(host).await_boot()

    def on(self, host: str, command: str, timeout_s: float = 60) -> str:
        """What a shell command says there."""
        done = self.lab.run(host, command, timeout_s=timeout_s)
        assert done.ok, f"{host}: {command}: {done.stderr or done.stdout}"
        return done.stdout.strip()

    @property
    def key(self) -> str:
        """The store's."""
        shown = self.fleet.hostmuster("secrets.show", "ai-key", "--reveal")
        assert shown.exit == 0, shown.errors
        return shown.output.strip()

    @property
    def phase(self) -> str | None:
        """Of the key in the store, as the list has it."""
        listed: Mapping[str, Mapping[str, str | None]] = self.fleet.run("secrets.list").document["secrets"]
        return listed["ai-key"]["phase"]

    def stored(self) -> dict[str, str]:
        """The rows in the database, encrypted."""
        ask = "cd /tmp && runuser -u postgres -- psql -qAt -F ' ' -d app -c 'SELECT name, value FROM secret_rows'"
        pairs = (line.partition(" ") for line in self.on(DATABASE, ask).splitlines())
        return {name: value for name, _, value in pairs}

    def sql(self, statement: str) -> None:
        """Something that the service does not know of."""
        self.on(DATABASE, f'cd /tmp && echo "{statement}" | runuser -u postgres -- psql -q -d app')

    def opened_by(self, key: str) -> int:
        """How many of the rows in the database open with it."""
        return sum(opens(key, value) for value in self.stored().values())

    def served(self) -> set[tuple[str, int]]:
        """By host, how many rows its service reads as they were written."""
        found = set()
        for host in HOSTS:
            self.on(
                host,
                f"until curl -qfsS -o /dev/null -m 2 {self.urls[host]}/health/ready; do sleep 0.1; done",
                PATIENCE_S,
            )
            rows = {name: self.ask(host, f"/rows?name={name}")[1].get("value") for name in self.value}
            found.add((host, sum(rows[name] == value for name, value in self.value.items())))
        return found

    def at_rest(self, key: str) -> None:
        """Both serve every row, which this key encrypts; nothing of a migration is left anywhere."""
        assert self.key == key
        assert self.opened_by(key) == ROWS
        assert self.served() == {(host, ROWS) for host in HOSTS}
        assert self.phase is None
        assert self.on(MIGRATING, f"ls -d {FOLDER} {UNIT} 2>/dev/null; true") == ""
        for host in HOSTS:
            assert self.on(host, "systemctl is-enabled workload; ls /var/lib/hostmuster/halted") == "enabled"

    def again(self, fleet: FleetOnLab) -> Finished:
        """Typed until no dead run is in the way."""
        began = time.monotonic()
        while (done := fleet.run("secrets.rotate", "ai-key")).exit == 3 and "is at work on it" in done.errors:
            assert time.monotonic() - began < GONE_S
            time.sleep(0.3)
        return done

    def opened_by_store(self) -> tuple[int, int]:
        """How many rows open with the store's key, and with the one that is to take its place."""
        identities = Identities.of_operator(self.fleet.environment, self.fleet.home)
        keys = Store.read(self.fleet.folder / self.store, identities).succession("ai-key")
        return self.opened_by(keys.current.text()), self.opened_by(keys.next.text()) if keys.next else 0

    @property
    def store(self) -> Path:
        """Within a clone."""
        return Path("secrets") / f"{self.fleet.name}.yml"


UNIT = "/run/systemd/system/hostmuster-rows.service"


def opens(key: str, value: str) -> bool:
    """Whether the row was encrypted with the key."""
    try:
        Fernet(key).decrypt(value.encode())
    except InvalidToken:
        return False
    return True
