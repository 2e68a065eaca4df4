# shellcheck shell=sh
# The on-host script, part 2: host.json (schema, revision), the lease, debts, and reading the host.

SCHEMA=1

# load: host.json into variables. It is one line of our own making, so cutting it needs no process.
load() {
    schema=$SCHEMA revision=0 applied='' holder='' run='' until=0
    IFS='. ' read -r now _ </proc/uptime
    [ -f "$LEASE" ] && IFS=' ' read -r holder run until <"$LEASE"
    [ -f "$STATE/host.json" ] && IFS= read -r json <"$STATE/host.json" || return 0
    field schema && schema=$field
    field revision && revision=$field
    field applied && applied=$field
}

# field NAME: sets $field to the value of a member of $json; members are numbers, words or plain strings.
field() {
    case $json in
    *"\"$1\":"*) ;;
    *) return 1 ;;
    esac
    field=${json#*"\"$1\":"}
    field=${field%%[,\}]*}
    field=${field#\"}
    field=${field%\"}
}

# save: host.json, on disk.
save() {
    [ -d "$STATE" ] || install -d -m 0700 "$STATE"
    record "$STATE/host.json" "{\"schema\":$schema,\"revision\":$revision,\"applied\":\"$applied\"}"
}

# lease HOLDER RUN SECONDS [DEAD]: take or renew. A living lease of another run ends the program, unless that run is
# known to be DEAD. It lies in /run and counts the time since boot: it outlives no power loss, and no clock that is
# set makes it longer or shorter.
lease() {
    if held_from "$2" && [ "$run" != "${4-}" ]; then
        answer lease 1 "held $holder $run $((until - now))"
        finish refused
    fi
    was=taken
    [ -n "$run" ] && [ "$run" != "$2" ] && was="taken-over $holder $run"
    holder=$1 run=$2 until=$((now + $3))
    printf '%s\n' "$holder $run $until" >"$LEASE.new" && mv -f "$LEASE.new" "$LEASE"
    answer lease 0 "$was"
}

# held_from RUN: whether a living lease of another run keeps this run off.
held_from() {
    [ -n "$run" ] && [ "$run" != "$1" ] && [ "$until" -gt "$now" ]
}

# holds RUN REVISION: nothing is changed under another's lease or on a host that moved on since it was seen.
holds() {
    if [ "$run" != "$1" ] || [ "$until" -le "$now" ]; then
        answer holds 1 "lease $holder $run"
        finish refused
    fi
    if [ "$revision" != "$2" ]; then
        answer holds 1 "revision $revision"
        finish refused
    fi
}

# release RUN [APPLIED]: the lease given back, and the revision of the tree that the host was made by.
release() {
    [ "$run" = "$1" ] || return 0
    if [ $# -gt 1 ] && [ "$applied" != "$2" ]; then
        applied=$2
        save || answer release 1 "$why"
    fi
    holder='' run='' until=0
    rm -f "$LEASE"
}

# freeze WORD...: maintenance, with the words that whoever is refused is told.
freeze() {
    [ -d "$STATE" ] || install -d -m 0700 "$STATE"
    record "$STATE/frozen" "$*"
    answer frozen $? "$why"
}

thaw() {
    why=$(rm -f "$STATE/frozen" 2>&1 && sync -- "${STATE%/*}" 2>&1)
    answer frozen $? "$why"
}

# ask_state ID: what this host knows of itself: host.json, debts, the open change. One that was cut off before it had a
# phase has done nothing, and is nobody's.
ask_state() {
    more=
    if [ -d "$STATE/owed" ]; then
        set +f
        for debt in "$STATE"/owed/*; do
            [ -f "$debt" ] && more="$more${NL}owed ${debt##*/} $(cat "$debt")"
        done
        set -f
    fi
    [ -f "$CHANGE/phase" ] && opened && more="$more${NL}change $now_at $tx $item"
    [ -f "$STATE/current/identity" ] && more="$more${NL}generation $(head -n 1 "$STATE/current/identity")" &&
        more="$more${NL}$(grep '^excluded ' "$STATE/current/identity")"
    [ -f "$GATE/why" ] && more="$more${NL}waits $(cat "$GATE/why")"
    [ -f "$STATE/frozen" ] && more="$more${NL}frozen $(cat "$STATE/frozen")"
    if [ -d "$STATE/halted" ]; then
        set +f
        for unit in "$STATE"/halted/*; do
            [ -f "$unit" ] && ! systemctl is-active -q -- "${unit##*/}" 9>&- && more="$more${NL}halted ${unit##*/}"
        done
        set -f
    fi
    [ -n "$run" ] && more="$more${NL}lease $holder $run $((until - now))"
    answer "$1" 0 "schema $schema${NL}revision $revision${NL}applied $applied$more"
}

# note WHAT: a line of this host's own journal: when, by whom, what. Two files of 100 kB at most; the older one goes first.
# It is for people; a disk too full for it stops nothing.
note() {
    {
        [ -d "$STATE/journal" ] || mkdir "$STATE/journal"
        printf '%s %s %s %s\n' "$(date -u +%FT%TZ)" "${holder:-nobody}" "${run:--}" "$1" >>"$STATE/journal/changes"
        [ "$(stat -c %s "$STATE/journal/changes")" -lt 100000 ] ||
            mv -f "$STATE/journal/changes" "$STATE/journal/changes.1"
    } 2>/dev/null
    return 0
}

ask_stat() {
    id=$1
    shift
    answer "$id" 0 "$(stat --printf '%n|%F|%a|%U|%G|%s|%N\n' -- "$@" 2>/dev/null)"
}

# ask_digest ID SALT PATH...: of regular files only (a pipe would hang). With a salt, each digest says nothing to others.
ask_digest() {
    id=$1 salt=$2
    shift 2
    files=$#
    while [ "$files" -gt 0 ]; do
        [ -f "$1" ] && [ ! -h "$1" ] && set -- "$@" "$1"
        shift
        files=$((files - 1))
    done
    if [ $# -eq 0 ]; then
        answer "$id" 0 ''
    elif [ "$salt" = - ]; then
        answer "$id" 0 "$(sha256sum -- "$@" 2>&1)"
    else
        answer "$id" 0 "$(for file; do
            sum=$({ printf %s "$salt"; cat -- "$file"; } | sha256sum)
            printf '%s  %s\n' "${sum%% *}" "$file"
        done)"
    fi
}

ask_probe() {
    id=$1
    shift
    said=$("$@" 2>&1 </dev/null 9>&-)
    answer "$id" $? "$said"
}
