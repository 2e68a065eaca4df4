# shellcheck shell=sh
# The on-host script, part 7: the program that came on stdin; or `revert TX` from the timer that a change armed, `revert
# boot` from the unit that runs before the network.

# change ITEM TX [SCRIPT]: stages the steps that were gathered, switches, and confirms unless a step armed it.
change() {
    [ -d "$STATE" ] || install -d -m 0700 "$STATE"
    if ! settle; then
        hush
        answer change 1 "an earlier change is still open: $why"
        return
    fi
    item=$1 tx=$2 script=${3-} count=0
    if why=$(mkdir "$CHANGE" 2>&1) && phase staging && stage && switch && { [ -f "$CHANGE/armed" ] || confirm; }; then
        hush
        answer change 0 "$revision"
    else
        IFS=' '
        room "$STATE"
        failed=$why
        opened && { revert || failed="$failed; nor could it be taken back: $why"; }
        hush
        answer change 1 "$failed"
    fi
}

# pay UNIT ACTION SECONDS [READY...]: the restart owed, proved before the debt goes.
pay() {
    unit=$1 action=$2 seconds=$3 boot='' since=0
    shift 3
    [ -f "$STATE/owed/$unit" ] && IFS=' ' read -r _ boot since <"$STATE/owed/$unit"
    stand
    how=$action
    # What was halted to replace a secret, and did not stop well, is as little for us to start as what stopped.
    if [ "$LoadState" != loaded ] || [ "$ActiveState" = inactive ] ||
        { [ "$ActiveState" = failed ] && [ -f "$STATE/halted/$unit" ]; }; then
        how="not running"
    elif [ -n "$boot" ] && came_up; then
        how="started since"
    elif systemctl reset-failed -- "$unit" 2>/dev/null 9>&-
        # That also forgets how often it was started of late: a restart that is owed is none of a crash loop.
        ! within "$RESTART_S" systemctl "$action" -- "$unit" || ! ready "$@"; then
        rm -f "$SAID"
        hush
        answer pay 1 "$unit: $why"
        return
    fi
    rm -f "$STATE/owed/$unit" "$SAID"
    sync -- "$STATE/owed"
    note "paid $unit ($how)"
    hush
    answer pay 0 "$how"
}

# paid UNIT...: the debts that a start since has paid go; what else is owed is left to `pay`.
paid() {
    gone=
    for unit; do
        boot='' since=0
        [ -f "$STATE/owed/$unit" ] && IFS=' ' read -r _ boot since <"$STATE/owed/$unit"
        [ -n "$boot" ] && stand && came_up && gone="$gone $unit"
    done
    IFS=' '
    # shellcheck disable=SC2086  # a unit a word
    [ -z "$gone" ] || { cd "$STATE/owed" && rm -f -- $gone && sync -- "$STATE/owed"; }
    answer paid 0 "$gone"
}

# ready [COMMAND...]: the unit is active and the command, its own proof of readiness, succeeds within $seconds.
ready() {
    limit=$(($(date +%s) + seconds))
    while :; do
        why="is $(systemctl is-active "$unit" 2>&1 9>&-)"
        if [ "$why" = "is active" ]; then
            [ $# -gt 0 ] || return 0
            within "$seconds" "$@" && return 0
        fi
        [ "$(date +%s)" -lt "$limit" ] || return 1
        sleep 0.1
    done
}

# obey VERB WORD...: one line of the program.
obey() {
    verb=$1
    shift
    case $verb in
    lease | holds | release | freeze | thaw | paid) "$verb" "$@" ;;
    unlease) release "$run" ;;
    settle | resume | take_back | pay)
        alive
        "$verb" "$@"
        hush
        ;;
    state | stat | digest | probe) "ask_$verb" "$@" ;;
    confirm)
        alive
        if opened && [ "$tx" = "$1" ] && [ "$now_at" = switched ] && confirm; then
            answer confirm 0 confirmed
        else
            answer confirm 1 "no change $1 waits for its confirmation: it was taken back"
        fi
        hush
        ;;
    *)
        answer end 2 "unknown verb $verb"
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
        case $line in
        commit*)
            alive
            change "$2" "$3" "${4-}"
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

# expired TX|boot: an armed change that nobody confirmed is taken back. Whoever holds the lock has five seconds.
expired() {
    ours "$1" || exit 0
    by_itself=yes
    [ "$1" != boot ] || booting=yes
    lock 5 || { evict && lock 15; } || exit 1
    load
    ours "$1" || exit 0
    revert
    reverted=$?
    [ -z "${booting-}" ] || systemctl --no-block daemon-reload
    exit "$reverted"
}

# ours TX|boot: whether the open change is armed and the one that this timer was set for.
ours() {
    opened && [ -f "$CHANGE/armed" ] && { [ "$1" = "$tx" ] || [ "$1" = boot ]; }
}

# begin: the lock, the state. While another run is at work here, its holder is named at once.
begin() {
    IFS=' ' read -r size digest || exit 2
    program=$(head -c "$size")
    [ "$(printf %s "$program" | sha256sum)" = "$digest  -" ] || {
        answer end 2 "the program was cut on its way"
        exit 2
    }
    if ! lock 1; then
        load
        # The first line of a program that changes something is `lease HOLDER RUN SECONDS`.
        mine=${program#lease * } mine=${mine%% *}
        if [ "${program%% *}" = lease ] && held_from "$mine"; then
            answer lease 1 "held $holder $run $((until - now))"
            finish refused
        elif ! lock 19; then
            answer end 2 "busy: another command runs on this host${run:+ (run $run of $holder)}"
            exit 2
        fi
    fi
    load
    [ "$schema" -le "$SCHEMA" ] || finish "schema $schema"
}

if [ "$(id -u)" != 0 ]; then
    answer end 2 "not root"
    exit 2
elif [ "${1-}" = revert ]; then
    expired "$2"
fi
begin
main
