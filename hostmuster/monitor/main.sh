# shellcheck shell=sh
# The monitor, part 8: one run.

# gather: every check, each in lines of its own.
gather() {
    check_units
    check_engine
    check_containers
    check_profiles
    check_disks
    # shellcheck disable=SC2086  # client, limit and servers are words
    [ -z "$clock" ] || check_clock $clock
    while read -r word first rest; do
        case $word in
        command) check_command "command $first" "$rest" ;;
        ready) check_command "ready $first" "$rest" ;;
        url) check_url "url $first" "$rest" ;;
        tls) check_tls "$first" "$rest" ;;
        ssh) check_ssh "$first" "$rest" ;;
        backup) check_backup "$first" "${rest% *}" "${rest##* }" ;;
        esac
    done <"$folder/checks"
    check_peers
    check_alerts
}

# check_alerts: an alert that nobody takes is no alert; others see it here.
check_alerts() {
    [ -n "$origin" ] || return 0
    failures=$(recall retry '' 2)
    if [ "${failures:-0}" -gt 0 ]; then
        say failed alerts "not taken, tries: $failures, the last one: $(recall retry '' 4)"
    else
        say ok alerts 'none waits'
    fi
}

# run: after a boot what is on disk is gone on from.
run() {
    [ -f "$memory/state" ] || cp -- "$state/state" "$memory/state" 2>/dev/null || : >"$memory/state"
    gather | enter && settle "$memory/state" && persist
    report
    told=$?
    expose || printf '<3>%s cannot be written\n' "$textfile"
    deliver && return "$told"
}

folder=$1 state=$2 memory=$3
exec 9>>"$memory/lock"
flock -w 60 9 || exit 1
now=$(date +%s)
read_settings
frozen=''
[ -z "$frozen_file" ] || [ ! -f "$frozen_file" ] || frozen=yes
run
