# shellcheck shell=sh
# The on-host script, part 5: the program that came on stdin, or `revert` from the armed timer.

# change ITEM TX ARM SCRIPT: stages the steps that were gathered, switches, and confirms unless it is armed.
change() {
    item=$1 tx=$2 arm=$3 script=$4 count=0 why=
    [ -d "$STATE" ] || install -d -m 0700 "$STATE"
    settle
    mkdir "$CHANGE"
    alive
    phase staging
    if stage && { [ "$arm" = 0 ] || arm "$arm" "$script"; } && switch; then
        [ "$arm" != 0 ] || confirm
        answer change 0 "$revision"
    else
        failed=$why
        opened
        revert
        answer change 1 "$failed"
    fi
    kill "$alive" 2>/dev/null
}

stage() {
    for step in $gathered; do
        IFS=' '
        # shellcheck disable=SC2086  # a step is words; globbing is off
        stage_step $step || return 1
        IFS=$NL
    done
    phase staged
}

# pay UNIT ACTION SECONDS [READY...]: the restart owed, proved before the debt goes.
pay() {
    unit=$1 action=$2 seconds=$3
    shift 3
    IFS=' ' read -r _ boot since <"$STATE/owed/$unit" || boot=
    LoadState='' ActiveState='' ActiveEnterTimestampMonotonic=0
    eval "$(systemctl show -p LoadState,ActiveState,ActiveEnterTimestampMonotonic "$unit" 9>&-)"
    IFS=' ' read -r this_boot </proc/sys/kernel/random/boot_id
    began=${ActiveEnterTimestampMonotonic%????}
    how="$action"
    if [ "$LoadState" != loaded ] || [ "$ActiveState" = inactive ]; then
        how="not running"
    elif [ "${boot:-none}" = "$this_boot" ] && [ "$ActiveState" = active ] && [ "${began:-0}" -gt "${since%.*}${since#*.}" ]; then
        how="started since"
    else
        alive
        why=$(systemctl "$action" "$unit" 2>&1 9>&-) && ready "$@"
        paid=$?
        kill "$alive" 2>/dev/null
        [ "$paid" = 0 ] || {
            answer "pay" 1 "$unit: $why"
            return
        }
    fi
    rm -f "$STATE/owed/$unit"
    durable "$STATE/owed"
    answer pay 0 "$how"
}

# ready [COMMAND...]: the unit is active and the command, its own proof of readiness, succeeds within $seconds.
ready() {
    limit=$(($(date +%s) + seconds))
    while :; do
        why="is $(systemctl is-active "$unit" 2>&1 9>&-)"
        if [ "$why" = "is active" ]; then
            [ $# -gt 0 ] || return 0
            why=$("$@" 2>&1 </dev/null 9>&-) && return 0
        fi
        [ "$(date +%s)" -lt "$limit" ] || return 1
        sleep 0.1
    done
}

# obey VERB WORD...: one line of the program.
obey() {
    case $1 in
    lease) lease "$2" "$3" "$4" ;;
    holds) holds "$2" "$3" ;;
    release)
        [ $# -gt 2 ] && applied=$3
        release "$2"
        ;;
    unlease) release "$run" ;;
    settle) settle ;;
    resume)
        if opened && [ "$now_at" = switched ]; then
            confirm
            answer settled 0 "confirmed $item"
        else
            settle
        fi
        ;;
    revert)
        if opened; then
            was_at=$now_at
            revert
            answer settled 0 "reverted $item $was_at"
        fi
        ;;
    freeze) frozen=$2 && save ;;
    state) ask_state "$2" ;;
    stat | digest | probe)
        verb=$1
        shift
        "ask_$verb" "$@"
        ;;
    confirm)
        if opened && [ "$tx" = "$2" ] && [ "$now_at" = switched ]; then
            confirm
            answer confirm 0 confirmed
        else
            answer confirm 1 "no change $2 waits for its confirmation: it was reverted"
        fi
        ;;
    pay)
        shift
        pay "$@"
        ;;
    *)
        answer end 2 "unknown verb $1"
        exit 2
        ;;
    esac
}

main() {
    gathering='' gathered=''
    IFS=$NL
    for line in $program; do
        case "$gathering $line" in
        ' begin'*) gathering=yes gathered='' && continue ;;
        'yes commit '*) gathering='' ;;
        yes*) gathered="$gathered$NL$line" && continue ;;
        esac
        IFS=' '
        # shellcheck disable=SC2086  # a line is words; globbing is off
        set -- $line
        IFS=$NL
        case $line in
        commit*)
            change "$2" "$3" "$4" "${5-}"
            continue
            ;;
        *\\*)
            words=$#
            while [ "$words" -gt 0 ]; do
                plain "$1"
                shift
                set -- "$@" "$plain"
                words=$((words - 1))
            done
            ;;
        esac
        obey "$@"
    done
    finish 'done'
}

if [ "$(id -u)" != 0 ]; then
    answer end 2 "not root"
    exit 2
elif [ "${1-}" = revert ]; then
    opened || exit 0
    case $(systemctl is-system-running 2>/dev/null) in initializing | starting) booting=yes ;; esac
    lock 5 || { kill -KILL "$(cat "$CHANGE/armed")" && lock 5; } || exit 1
    load
    opened && [ -f "$CHANGE/armed" ] && revert
    [ -z "${booting-}" ] || systemctl --no-block daemon-reload
    exit 0
fi
IFS=' ' read -r size digest || exit 2
program=$(head -c "$size")
[ "$(printf %s "$program" | sha256sum)" = "$digest  -" ] || {
    answer end 2 "the program was cut on its way"
    exit 2
}
if ! lock 20; then
    load
    answer end 2 "busy: another command runs on this host (lease of $holder)"
    exit 2
fi
load
[ "$schema" -le "$SCHEMA" ] || finish "schema $schema"
main
