# shellcheck shell=sh
# The on-host script, part 2: host.json (schema, revision, lease), debts, and reading the host.

SCHEMA=1

# load: host.json into variables. It is one line of our own making, so cutting it needs no process.
load() {
    schema=$SCHEMA revision=0 applied='' frozen=false holder='' run='' until=0
    [ -f "$STATE/host.json" ] || return 0
    IFS= read -r json <"$STATE/host.json" || return 0
    field schema && schema=$field
    field revision && revision=$field
    field applied && applied=$field
    field frozen && frozen=$field
    field holder && holder=$field
    field run && run=$field
    field until && until=$field
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

# save: host.json by rename. A lease need not survive a power loss; a revision must, so changes sync it.
save() {
    [ -d "$STATE" ] || install -d -m 0700 "$STATE"
    printf '{"schema":%s,"revision":%s,"applied":"%s","frozen":%s,"lease":{"holder":"%s","run":"%s","until":%s}}\n' \
        "$schema" "$revision" "$applied" "$frozen" "$holder" "$run" "$until" >"$STATE/host.json.new"
    mv -f "$STATE/host.json.new" "$STATE/host.json"
}

# lease HOLDER RUN SECONDS: take or renew; a living lease of another run ends the program.
lease() {
    now=$(date +%s)
    if [ -n "$run" ] && [ "$run" != "$2" ] && [ "$until" -gt "$now" ]; then
        answer lease 1 "held $holder $run $((until - now))"
        finish refused
    fi
    was=taken
    [ -n "$run" ] && [ "$run" != "$2" ] && was="taken-over $holder $run"
    holder=$1 run=$2 until=$((now + $3))
    save
    answer lease 0 "$was"
}

# holds RUN REVISION: nothing is changed under another's lease or on a host that moved on since it was seen.
holds() {
    if [ "$run" != "$1" ] || [ "$until" -le "$(date +%s)" ]; then
        answer holds 1 "lease $holder $run"
        finish refused
    fi
    if [ "$revision" != "$2" ]; then
        answer holds 1 "revision $revision"
        finish refused
    fi
}

release() {
    [ "$run" = "$1" ] || return 0
    holder='' run='' until=0
    save
}

# ask_state ID: what this host knows of itself: host.json, debts, the open change.
ask_state() {
    owed=
    if [ -d "$STATE/owed" ]; then
        set +f
        for debt in "$STATE"/owed/*; do
            [ -f "$debt" ] && owed="$owed${NL}owed ${debt##*/} $(cat "$debt")"
        done
        set -f
    fi
    open=
    [ -d "$CHANGE" ] && open="${NL}change $(cat "$CHANGE/phase" 2>/dev/null || echo staging)"
    answer "$1" 0 "schema $schema${NL}revision $revision${NL}applied $applied${NL}frozen $frozen${NL}lease $holder $run $until$owed$open"
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
