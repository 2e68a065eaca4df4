"""A shared volume, shown by files: each replica leaves one, with its process's own rights and mounts (K1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hostmuster.secrets.preflight.mark import Ask, Verb

# By the process's own eyes: what root writes to /srv may not be what the service sees there, or may write.
# A mark that a lost run left goes after ten minutes.
_MARK: Final = """\
verb=$1 unit=$2 folder=$3 run=$4 me=$5
shift 5
pid=$(systemctl show -p MainPID --value -- "$unit")
[ "${pid:-0}" -gt 0 ] || { echo "unknown $unit does not run"; exit 0; }
of() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$pid/status" | tr -s '[:space:]' ' ' | sed 's/ $//'; }
uid=$(of Uid) gid=$(of Gid) groups=$(of Groups | tr ' ' ,)
how=--clear-groups
[ -z "$groups" ] || how=--groups=$groups
as() { nsenter -t "$pid" -m -- setpriv --reuid="${uid%% *}" --regid="${gid%% *}" "$how" -- sh -c "$@" 2>&1; }
case $verb in
put)
    said=$(as '
        find "$1" -maxdepth 1 -name ".hostmuster-seen-*" -mmin +10 -exec rm -f -- {} + 2>/dev/null
        umask 022; printf %s "$2" >"$1/.hostmuster-seen-$2"' sh "$folder" "$run-$me") || {
        echo "failed ${said##*: }"
        exit 0
    }
    ;;
see)
    # A network file system may show a new file a moment later.
    said=$(as '
        at=$1/.hostmuster-seen-$2
        shift 2
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            left=
            for other; do
                [ "$(cat "$at-$other" 2>/dev/null)" = "${at##*-seen-}-$other" ] || left="$left $other"
            done
            [ -n "$left" ] || exit 0
            sleep 0.2
        done
        for other in $left; do echo "unseen $other"; done' sh "$folder" "$run" "$@")
    [ -z "$said" ] || { echo "$said"; exit 0; }
    ;;
take) as 'rm -f -- "$1/.hostmuster-seen-$2"' sh "$folder" "$run-$me" ;;
esac
echo ok"""


def asking(unit: str, folder: str, run: str) -> Ask:
    """`run`: what nobody else's marks are called."""

    def ask(verb: Verb, me: str, others: Sequence[str]) -> tuple[str, ...]:
        return ("sh", "-c", _MARK, "sh", verb, unit, folder, run, me, *others)

    return ask
