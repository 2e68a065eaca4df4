"""The table of K1 by what signing processes answer: equal keys, and every token verified by every other (K8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hostmuster.errors import Problem
from hostmuster.secrets.preflight.finding import Finding, missing
from hostmuster.secrets.preflight.observed import Looked
from hostmuster.secrets.ring import Serves

_REMEDY = "hostmuster apply pays a restart that is owed; where a rotation is open, go on with it: docs/rotation.md"


Verdicts = Mapping[str, Mapping[str, str]]
"""By host, what its process answered (an HTTP status) to the token of each other one."""


def verification(url: str) -> str:
    """A script that has the process at the URL verify each token of its input, a line each: neither are arguments."""
    return f"""\
while IFS= read -r token && [ -n "$token" ]; do
    printf %s "$token" |
        curl -q -sS -o /dev/null -w '%{{http_code}}\\n' -m 5 --noproxy '*' --data-binary @- '{url}' || :
done"""


def signed(
    service: str, ring: str, units: Mapping[str, str], seen: Mapping[str, Looked], verdicts: Verdicts
) -> Iterator[Finding]:
    """`units`: by host, the one that signs with the ring. No token is shown."""
    asked = {host: seen[host] for host in units if ring in seen[host].served}
    serving = {host: one.served[ring] for host, one in asked.items() if one.served[ring].serves is not None}
    for host, one in asked.items():
        mine = one.served[ring]
        if mine.serves is None:
            if one.processes[units[host]].running:
                remedy = f"journalctl -u {units[host]} there; secrets.issuers says how it is asked"
                yield missing("signing key", service, host, Problem(f"{host}, {ring}", mine.why, remedy))
            continue
        if what := _unlike_generation(mine.serves, one, ring):
            yield missing("signing key", service, host, Problem(f"{host}, {ring}", what, _REMEDY))
        refused = [name for name, other in serving.items() if not mine.takes(other)]
        if refused:
            what = f"it publishes no key that verifies the tokens of {', '.join(refused)}"
            yield missing("signing key", service, host, Problem(f"{host}, {ring}", what, _REMEDY))
        elif refused := [name for name, status in verdicts.get(host, {}).items() if status != "200"]:
            what = f"its process does not take the tokens of {', '.join(refused)}, though it publishes their keys"
            yield missing("signing key", service, host, Problem(f"{host}, {ring}", what, _REMEDY))
        elif len(serving) > 1:
            others = ", ".join(name for name in serving if name != host)
            how = "its process takes" if verdicts.get(host) else "its keys verify"
            yield Finding("signing key", service, f"{how} the tokens of {others}", host=host)


def _unlike_generation(serves: Serves, looked: Looked, ring: str) -> str | None:
    on_disk = looked.held.rings.get(ring) if looked.held else None
    if on_disk is None or serves == on_disk:
        return None
    return f"its process serves {_told(serves)}; its generation has {_told(on_disk)}"


def _told(serves: Serves) -> str:
    others = sorted(word.partition("/")[0] for word in serves.verifies - {serves.signs})
    return " and ".join(filter(None, [f"{serves.signs.partition('/')[0]} (signs)", ", ".join(others)]))
