"""The database as it is seen from hosts: who it lets in and how, and what the server itself says of that."""

from __future__ import annotations

import json
from importlib.resources import files

from hostmuster.data.place import Place
from hostmuster.item import Answer, Effect, Seen

LOGIN = files("hostmuster.data").joinpath("login.py").read_text()
SCRAM = "asks for scram-sha-256"
_RULES = r"""
cd / && exec runuser -u postgres -- psql -XAtq -d postgres -v name="$1" <<'SQL'
SELECT 'rule ' || line_number || ' ' || coalesce(auth_method, error) FROM pg_hba_file_rules
    WHERE error IS NOT NULL OR auth_method NOT IN ('scram-sha-256', 'peer');
SELECT 'role ' || coalesce((SELECT concat_ws(' ',
    CASE WHEN rolcanlogin THEN 'logs in' END, CASE WHEN rolsuper THEN 'superuser' END,
    CASE WHEN rolpassword LIKE 'SCRAM-SHA-256$%' THEN 'scram' ELSE 'no scram' END)
    FROM pg_authid WHERE rolname = :'name'), 'missing');
SQL"""


def lets_in(place: Place, deadline_s: float) -> Effect:
    """This host is asked for a password by SCRAM, over TLS; nothing weaker is offered."""

    def judge(answer: Answer) -> Seen:
        said = answer.output.strip()
        return Seen(said == SCRAM, said[-200:] or "nothing")

    name = f"the database lets this host in by password ({place.address}:{place.port})"
    return Effect(name, _login(place), judge, deadline_s=deadline_s, peer=place.host)


def keeps_out(place: Place) -> Effect:
    """This host is refused, before a password is asked for."""

    def judge(answer: Answer) -> Seen:
        said = answer.output.strip()
        return Seen(said.startswith(("refuses", "no connection")), said[-200:] or "nothing")

    return Effect("the database keeps this host out", _login(place), judge, cost="deep", peer=place.host)


def takes_no_weaker(name: str, deadline_s: float) -> Effect:
    """The server's own word on its rules as loaded, and on the role: SCRAM, or the system's own user by its socket."""

    def judge(answer: Answer) -> Seen:
        said = answer.output.strip()
        good = answer.status == 0 and said == "role logs in scram"
        return Seen(good, "scram-sha-256 alone" if good else said[-200:] or "psql says nothing")

    ask = ("sh", "-c", _RULES.strip(), "sh", name)
    return Effect("nobody comes in without scram-sha-256", ask, judge, deadline_s=deadline_s)


def durable(base: str, name: str, deadline_s: float) -> Effect:
    """The service's own connection says that commits are kept (R10), over TLS, as the role that is meant."""
    want = dict.fromkeys(("fsync", "full_page_writes", "ssl", "synchronous_commit"), "on")
    want |= {"user": name, "database": name}

    def judge(answer: Answer) -> Seen:
        try:
            told = json.loads(answer.output)
        except ValueError:
            return Seen(False, answer.output.strip()[:200] or "nothing")
        wrong = sorted(key for key, value in want.items() if not isinstance(told, dict) or told.get(key) != value)
        return Seen(not wrong, f"another value: {', '.join(wrong)}" if wrong else "fsync, full pages, commits")

    ask = ("curl", "-s", "-m", "3", f"{base}/internal/database")
    return Effect("commits are kept, by the service's own connection", ask, judge, deadline_s=deadline_s)


def heartbeats(unit: str, ask: tuple[str, ...], deadline_s: float) -> Effect:
    """The worker's word reaches the database, by the command that its unit is ready by."""

    def judge(answer: Answer) -> Seen:
        return Seen(answer.status == 0, "a heartbeat just now" if answer.status == 0 else "none of late")

    return Effect(f"{unit} gives word to the database", ask, judge, deadline_s=deadline_s)


def _login(place: Place) -> tuple[str, ...]:
    return ("python3", "-I", "-c", LOGIN, place.address, str(place.port), place.name)
