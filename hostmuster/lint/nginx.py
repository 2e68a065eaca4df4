"""nginx's files (nginx.conf(5) as Debian splits it), read by `nginx -t` in a network of its own; our own rules too.

A file that is no nginx.conf is read inside the block that Debian's includes it in: http.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read_alone, version_of

remedy = "correct the template"
programs = "nginx, in a namespace of its own"

_WHOLE = re.compile(r"(?m)^\s*(events|http)\s*\{")
_WRAPPED = b"pid /dev/null;\nuser root root;\nevents {}\nhttp { access_log off;\n%s}\n"
_USER = re.compile(rb"(?m)^\s*user\s[^;]*;")
_TEST = '[ ! -d /var/lib/nginx ] || mount -t tmpfs none /var/lib/nginx; exec nginx -t -q -e stderr -c "$0"'
"""Even a test makes nginx's folders and gives them to its user: not this machine's own."""
_ONLY_THE_HOST_HAS = re.compile(r"No such file or directory|cannot load certificate|test failed$")
_STAMP = re.compile(r"^\S+ \S+ (\[\w+\]) \d+#\d+: ")
_COMMENT = re.compile(r"(?m)#.*$")
_UPSTREAM = re.compile(r"upstream\s+(\S+)\s*\{([^}]*)\}")
_ADDRESS = re.compile(r"(unix:|\d{1,3}(\.\d{1,3}){3}(:\d+)?$|\[[0-9a-fA-F:]+\](:\d+)?$)")
_WILD = re.compile(r"(?:\*:|0\.0\.0\.0:|\[::\]:)?\d+$|\*$|unix:")


def version() -> str | None:
    """nginx's, by its file."""
    return version_of("nginx", alone=True)


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact. Without a network no name resolves: addresses are what belongs there."""
    return {artefact: _tested(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """What passes `-t` on this machine and fails at boot, on the other node, or for some requests only."""
    text = _COMMENT.sub("", artefact.content.decode("utf-8", "replace"))
    yield from _upstreams(text)
    for name in _values(text, "proxy_pass"):
        if "$" in name.partition("://")[2].partition("/")[0] and "resolver " not in text:
            yield f"proxy_pass {name}: a variable needs a resolver, else every request is a 502"
    for listen in _values(text, "listen"):
        if not _WILD.match(listen.split()[0]):
            yield f"listen {listen}: fails where the address is not (yet); listen on the port alone"
    if any("non_idempotent" in value.split() for value in _values(text, "proxy_next_upstream")):
        yield "proxy_next_upstream non_idempotent sends a POST twice"


def _upstreams(text: str) -> Iterator[str]:
    for name, body in _UPSTREAM.findall(text):
        servers = _values(body, "server")
        for server in servers:
            if not _ADDRESS.match(server.split()[0]):
                yield f"upstream {name}: {server.split()[0]} is a name; one that does not resolve stops all of nginx"
        if servers and all("down" in server.split() for server in servers):
            yield f"upstream {name}: every server is down, so every request is a 502"
        if len(servers) == 1 and "max_fails" in servers[0]:
            yield f"upstream {name}: with one server max_fails has no effect"
        if "keepalive " in body and ("proxy_http_version 1.1" not in text or 'Connection ""' not in text):
            yield f'upstream {name}: keepalive needs proxy_http_version 1.1 and proxy_set_header Connection ""'


def _values(text: str, word: str) -> list[str]:
    """What stands between a directive's word and its `;`."""
    return [
        " ".join(found.split()) for found in re.findall(rf"(?:^|[\s{{;]){word}\s+([^;{{}}]+);", text) if found.strip()
    ]


def _tested(artefact: Artefact) -> list[str]:
    whole = _WHOLE.search(artefact.content.decode("utf-8", "replace"))
    content = _USER.sub(b"user root root;", artefact.content) if whole else _WRAPPED % artefact.content
    heard = read_alone(artefact, "sh", "-c", _TEST, content=content)
    return [_STAMP.sub("", line) for line in heard.lines if not _ONLY_THE_HOST_HAS.search(line)] if heard.status else []
