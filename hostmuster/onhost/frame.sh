# shellcheck shell=sh
# The on-host script, part 1: answers, tokens, the host's lock, and what is on disk for sure.
# POSIX sh with coreutils and util-linux. It never writes a value it was given anywhere but where it belongs.
set -uf
umask 077
export LC_ALL=C QUOTING_STYLE=literal DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
STATE=/var/lib/hostmuster
CHANGE=$STATE/change
LOCK=/run/hostmuster.lock
LEASE=/run/hostmuster.lease
SAID=/run/hostmuster.said
GATE=/run/hostmuster-gate
PAUSE=/run/hostmuster-pause
STOPPED_S=40
CHECK_S=120
RESTART_S=3000
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

# record FILE LINE...: by rename and on disk, so that whoever reads it, after a power loss too, finds all or the old one.
record() {
    into=$1
    shift
    why=$({ printf '%s\n' "$@" >"${into%/*}/.new"; } 2>&1 && sync -- "${into%/*}/.new" 2>&1 &&
        mv -fT -- "${into%/*}/.new" "$into" 2>&1 && sync -- "${into%/*}" 2>&1) && return 0
    why="$into: ${why##*: }"
    room "${into%/*}"
    rm -f "${into%/*}/.new"
    return 1
}

# room DIRECTORY: adds to $why how much its file system has left, where that may be why.
room() {
    case $why in
    *'(free: '*) return 0 ;;
    *'No space left'* | *'I/O error'* | *quota*) ;;
    *) return 0 ;;
    esac
    IFS=' '
    # shellcheck disable=SC2046  # df answers in words
    set -- $(df -h --output=avail,size,iavail,target -- "$1" | tail -n 1)
    why="$why (free: $1 of $2, $3 inodes, on $4)"
}

# at STEP: a named step of the transaction. Drills stop the script here: it waits while $PAUSE names the step (among
# others), and $PAUSE.d says which one was reached, and by whose process.
at() {
    [ -f "$PAUSE" ] || return 0
    case " $(cat "$PAUSE") " in *" $1 "*) ;; *) return 0 ;; esac
    echo "$1 $$" >"$PAUSE.d"
    while [ -f "$PAUSE" ]; do sleep 0.05; done
    rm -f "$PAUSE.d"
}

# lock SECONDS: one script at a time on a host; the file names the process that has it.
lock() {
    exec 9>>"$LOCK"
    flock -w "$1" 9 && echo "$$" >"$LOCK"
}

# evict: ends the script that has the lock, if there is one: an armed revert waits for nobody who hangs.
evict() {
    IFS= read -r pid <"$LOCK" || return 1
    case $(tr '\0' ' ' <"/proc/$pid/cmdline") in *hostmuster*) kill -KILL "$pid" ;; *) return 1 ;; esac
}

# alive: while long commands run, a dot a second tells the client so; a script that is stopped (SIGSTOP) is not alive, and
# after $STOPPED_S, when every client has given it up, it is ended.
# Once nobody listens, or the script is gone (kill -9), this ends what it left running. It has the lock, too, so that
# nobody begins anything beside that.
alive() {
    (
        trap '' PIPE TERM
        stopped=0
        while sleep 1 >/dev/null 2>&1 9>&-; do
            IFS=' ' read -r _ _ now _ <"/proc/$$/stat" || break
            case $now in
            Z | X) break ;;
            T | t) stopped=$((stopped + 1)) && [ "$stopped" -gt "$STOPPED_S" ] && break ;;
            *) printf '.\n' || break ;;
            esac
        done 2>/dev/null
        kill -CONT 0
        kill -TERM 0
        sleep 1 >/dev/null 2>&1 9>&-
        kill -KILL 0
    ) &
    alive=$!
}

# within SECONDS COMMAND...: sets $end and $why where it fails; what is not done by then is ended. It stays in our group of
# processes, so that what ends the script ends it, too. Its output goes to a file: a daemon that it leaves behind may hold
# that open, but not us.
within() {
    IFS=' ' read -r began _ </proc/uptime
    timeout --foreground -k 10 "$@" >"$SAID" 2>&1 </dev/null 9>&- && return 0
    end="exited $?"
    IFS=' ' read -r ended _ </proc/uptime
    [ $((${ended%.*} - ${began%.*})) -lt "$1" ] || end="was not done after $1 s and was ended"
    why="$2 $end: $(tail -c 2000 "$SAID")"
    return 1
}

# hush: no dots any more; the answer follows.
hush() {
    [ -n "${alive-}" ] || return 0
    kill -KILL "$alive"
    wait "$alive" 2>/dev/null
    alive=
}
