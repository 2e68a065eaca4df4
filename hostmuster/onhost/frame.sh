# shellcheck shell=sh
# The on-host script, part 1: answers, tokens and the host's lock.
# POSIX sh with coreutils and util-linux. It never writes a value it was given anywhere but where it belongs.
set -uf
umask 077
export LC_ALL=C QUOTING_STYLE=literal PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
STATE=/var/lib/hostmuster
CHANGE=$STATE/change
LOCK=/run/hostmuster.lock
NL='
'

# answer ID STATUS TEXT: one framed answer; the length makes a cut one visible.
answer() {
    printf '= %s %s %s\n%s\n' "$1" "$2" "${#3}" "$3"
}

# finish REASON: the last frame; without it the client knows that the answer was cut.
finish() {
    answer end 0 "$1"
    exit 0
}

# plain TOKEN: sets $plain to the token with its \0ooo escapes resolved.
plain() {
    case $1 in
    *\\*)
        plain=$(printf '%b.' "$1")
        plain=${plain%.}
        ;;
    *) plain=$1 ;;
    esac
}

# durable PATH...: on disk, contents and names.
durable() {
    sync -- "$@"
}

# at STEP: a named step of the transaction. Drills stop the script here: while the file names this step, it waits.
at() {
    [ -f /run/hostmuster-pause ] || return 0
    [ "$(cat /run/hostmuster-pause)" = "$1" ] || return 0
    printf '@ %s\n' "$1"
    while [ -f /run/hostmuster-pause ]; do sleep 0.05; done
}

# lock: one script at a time on a host. The lock goes with the process that holds it, however that ends.
lock() {
    exec 9>>"$LOCK"
    flock -w "$1" 9
}

# alive: while long commands run, a dot a second tells the client so; once nobody listens, this script ends.
alive() {
    (
        exec 9>&-
        trap '' PIPE
        while sleep 1; do
            kill -0 $$ 2>/dev/null || exit 0
            printf '.\n' 2>/dev/null || break
        done
        kill -TERM $$ 2>/dev/null
    ) &
    alive=$!
}
