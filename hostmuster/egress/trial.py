"""A second tinyproxy, for a moment, on a free port of the loopback: it must serve before a file is put in place."""

from __future__ import annotations

from typing import Literal

# 1.11 ends with 65 on a pattern it cannot compile: at its start, and at a reload, when it was serving.
_TRIAL = r"""
umask 022
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
port=20888
while [ -n "$(ss -Hltn "sport = :$port")" ]; do port=$((port + 1)); done
if [ "$0" = config ]; then
    sed "s/^Port .*/Port $port/; s/^Listen .*/Listen 127.0.0.1/" "$1" >"$folder/conf"
else
    printf '%s\n' "Port $port" 'Listen 127.0.0.1' "Filter \"$1\"" 'FilterDefaultDeny Yes' >"$folder/conf"
fi
tinyproxy -d -c "$folder/conf" >"$folder/said" 2>&1 &
proxy=$!
for _ in $(seq 50); do
    if { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then
        printf 'CONNECT name.invalid:443 HTTP/1.1\r\n\r\n' >&3
        read -r -t 5 answer <&3
        break
    fi
    kill -0 "$proxy" 2>/dev/null || break
    sleep 0.1
done
# A TERM that it gets just before it waits for a connection is lost on it: it would wait for ever.
kill -KILL "$proxy" 2>/dev/null
wait "$proxy" 2>/dev/null
case ${answer-} in
HTTP/*' 403 '*) ;;
*) echo "a second tinyproxy does not serve with it (exit $?): ${answer-} $(tail -n 5 "$folder/said")"; exit 1 ;;
esac"""


def trial(kind: Literal["filter", "config"]) -> tuple[str, ...]:
    """The command, to be completed with the file's path. The config's own filter must lie there already."""
    return ("bash", "-c", _TRIAL, kind)
