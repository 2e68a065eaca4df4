"""What a host lets in, as a client of its own sees it, and what HAProxy says of each server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from hostmuster.ingress.location import INSIDE
from hostmuster.item import Answer, Effect, Seen

_CURL = 'curl -s -o /dev/null -m 3 -k --noproxy "*" --connect-to "::127.0.0.1:"'

# One line a path: its status. Nothing of it is a path that somebody could have declared by mistake.
_ASK = f"""\
base=$1
shift
for path; do
    printf '%s %s\\n' "$path" "$({_CURL} --path-as-is -w '%{{http_code}}' "$base$path")"
done"""
_EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104 - as ss says it
_REDIRECT = f"""{_CURL} -w '%{{http_code}} %{{redirect_url}}' "$1" """
_STATES = 'echo "show stat $1 4 -1 json" | socat -T 3 - "UNIX-CONNECT:$2"'
_SHOWN = """\
openssl x509 -noout -fingerprint -sha256 -in "$2" || exit 1
openssl s_client -connect 127.0.0.1:443 -servername "$1" </dev/null 2>/dev/null |
    openssl x509 -noout -fingerprint -sha256
openssl x509 -noout -enddate -in "$2" && openssl x509 -noout -checkend 86400 -in "$2" >/dev/null"""
_NGINX_SAYS = f'said=$({_CURL.replace("-o /dev/null ", "")} "$1");'
_HAPROXY_SAYS = (
    """said=$(echo "show info" | socat -T 3 - "UNIX-CONNECT:$1" 2>&1 | sed -n "s/^description: hostmuster //p");"""
)
_EQUAL = '[ -n "$said" ] && [ "$said" = "$want" ] || { echo "with ${said:-none}"; exit 1; }'
_LISTENS = r"""
ss -H -ltnp | awk '/"(nginx|haproxy)"/ { split($6, who, "\""); print who[2], $4 }' | sort -u"""


def answered(base: str, path: str, deadline_s: float) -> Effect:
    """A public path is answered over TLS by a server that is ready."""

    def judge(answer: Answer) -> Seen:
        status = answer.output.strip().rpartition(" ")[2]
        return Seen(status.startswith("2"), f"{path} is answered by {status}")

    return Effect(
        "a public path is answered over TLS", ("sh", "-c", _ASK, "sh", base, path), judge, deadline_s=deadline_s
    )


def refused(base: str, declared: Iterable[str]) -> Effect:
    """What is not declared is not there: what is for inside, what is nobody's, and both by a detour."""
    first = next(iter(declared)).removesuffix("/")
    detours = [f"{first}/../internal/identity", f"//internal/../{first.removeprefix('/')}", f"{first}/%2e%2e/admin/"]
    paths = ("/", *(f"{one}/" for one in INSIDE), "/internal/identity", "/hostmuster-nobody-declared-this", *detours)

    def judge(answer: Answer) -> Seen:
        told = dict(line.rpartition(" ")[::2] for line in answer.output.splitlines())
        passed = [f"{path} ({told.get(path, 'not asked')})" for path in paths if told.get(path) not in ("403", "404")]
        return Seen(not passed, f"not refused: {', '.join(passed)}" if passed else f"{len(paths)} others are refused")

    return Effect("what is not declared is refused", ("sh", "-c", _ASK, "sh", base, *paths), judge, deadline_s=5)


def redirected(name: str, path: str) -> Effect:
    """Without TLS there is nothing but the way to it."""
    wanted = f"308 https://{name}{path}"

    def judge(answer: Answer) -> Seen:
        return Seen(answer.output.strip() == wanted, answer.output.strip()[:200] or "no answer")

    ask = ("sh", "-c", _REDIRECT.strip(), "sh", f"http://{name}{path}")
    return Effect("HTTP leads to HTTPS", ask, judge, deadline_s=5)


def nginx_has(url: str, digest: str) -> tuple[str, ...]:
    """Succeeds once the running nginx answers with this configuration."""
    return ("sh", "-c", f"{_NGINX_SAYS} want=$2; {_EQUAL}", "sh", url, digest)


def nginx_has_read(url: str, file: str) -> tuple[str, ...]:
    """Succeeds once the running nginx answers with the configuration that the file has, whatever is declared by now."""
    want = 'want=$(sed -n "s/^ *return 200 \'\\([0-9a-f]*\\).*/\\1/p" "$2" | head -n 1)'
    return ("sh", "-c", f"{_NGINX_SAYS} {want}; {_EQUAL}", "sh", url, file)


def haproxy_has(admin: str, digest: str) -> tuple[str, ...]:
    """Succeeds once the running HAProxy has this configuration."""
    return ("sh", "-c", f"{_HAPROXY_SAYS} want=$2; {_EQUAL}", "sh", admin, digest)


def haproxy_has_read(admin: str, file: str) -> tuple[str, ...]:
    """Succeeds once the running HAProxy has the configuration of the file, whatever is declared by now."""
    want = "want=$(sed -n 's/^ *description hostmuster //p' \"$2\")"
    return ("sh", "-c", f"{_HAPROXY_SAYS} {want}; {_EQUAL}", "sh", admin, file)


def runs_with(name: str, ask: tuple[str, ...]) -> Effect:
    """The running process has read this very configuration."""

    def judge(answer: Answer) -> Seen:
        return Seen(answer.status == 0, answer.output.strip()[:200] or "with what is declared")

    return Effect(f"{name} runs with this configuration", ask, judge, deadline_s=10)


def serves(name: str, certificate: str) -> Effect:
    """A client is shown the certificate that lies there, which does not end within a day."""

    def judge(answer: Answer) -> Seen:
        lines = answer.output.strip().splitlines()
        alike = len(lines) == 3 and lines[0] == lines[1] and answer.status == 0
        return Seen(alike, f"until {lines[2].partition('=')[2]}" if alike else answer.output.strip()[-200:])

    return Effect("clients are shown this certificate", ("sh", "-c", _SHOWN, "sh", name, certificate), judge)


def listens() -> Effect:
    """nginx on 80 and 443 of both families, and HAProxy on no port at all."""
    wanted = sorted(f"nginx {place}:{port}" for place in _EVERYWHERE for port in (80, 443))

    def judge(answer: Answer) -> Seen:
        found = sorted(answer.output.splitlines())
        return Seen(found == wanted, f"on {', '.join(found) or 'none'}")

    return Effect("nginx alone listens, on 80 and 443", ("sh", "-c", _LISTENS.strip()), judge, deadline_s=5)


def states(admin: str, backend: str, servers: Sequence[str], deadline_s: float) -> Effect:
    """HAProxy finds every server ready."""

    def judge(answer: Answer) -> Seen:
        try:
            told = [{one["field"]["name"]: one["value"]["value"] for one in row} for row in json.loads(answer.output)]
        except (ValueError, KeyError, TypeError):
            return Seen(False, f"HAProxy does not answer: {answer.output.strip()[-200:]}")
        found = {one["svname"]: f"{one['status']} ({one.get('check_status', 'not checked')})" for one in told}
        off = [f"{name} {found.get(name, 'unknown')}" for name in servers if not found.get(name, "").startswith("UP ")]
        return Seen(not off, f"not ready: {', '.join(off)}" if off else f"{', '.join(servers)}")

    ask = ("sh", "-c", _STATES, "sh", backend, admin)
    return Effect("HAProxy finds every server ready", ask, judge, deadline_s=deadline_s)
