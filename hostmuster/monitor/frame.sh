# shellcheck shell=sh
# The monitor, part 1: what is to be checked, and how a check answers.
#   check FOLDER STATE MEMORY
# FOLDER/checks says what is checked, one line each (checks.py writes it); FOLDER/url is the webhook's, which nobody but
# root reads; a credential named url comes before it. MEMORY/state, in memory, holds what was seen, told and is still to be told; STATE/state is its copy on disk.
# MEMORY/status.json is for others to read: so a host whose disk is full still tells of it.
# POSIX sh, coreutils and awk, and what a check itself asks. Nothing here changes the host.
set -uf
umask 077
export LC_ALL=C TZ=UTC
NL='
'
MOST_ALERTS=100

# read_settings: the lines of `checks` that say how, and those that are asked all at once.
read_settings() {
    fleet='' host='' service=root interval=60 patience=2 remind=0 restarts=3 frozen_file='' textfile=''
    origin='' proxy='' every=60 silent=180 skew=2 before='' peers=''
    units='' disks='' clock='' engine='' containers='' profiles=''
    while read -r word first rest; do
        case $word in
        fleet) fleet=$first ;;
        host) host=$first ;;
        service) service=$first ;;
        interval) interval=$first ;;
        patience) patience=$first ;;
        remind) remind=$first ;;
        restarts) restarts=$first ;;
        frozen) frozen_file=$first ;;
        textfile) textfile=$first ;;
        webhook) origin=$first proxy=$rest ;;
        peers) every=$first silent=${rest% *} skew=${rest#* } ;;
        before) before=$first ;;
        peer) peers="$peers $first" ;;
        unit) units="$units $first" ;;
        disk) disks="$disks$first $rest$NL" ;;
        clock) clock="$first $rest" ;;
        engine) engine=$first ;;
        container) containers="$containers$first $rest$NL" ;;
        profile) profiles="$profiles $first" ;;
        esac
    done <"$folder/checks"
}

# say ok|failed|not_run NAME TEXT [WHY]: what a check saw, in one line; WHY is why no alert goes out for it.
say() {
    printf 'check\t%s\t%s\t%s\t%s\n' "$1" "$2" "${4-}" "${3##*"$NL"}"
}

# span SECONDS: in words, rounded down.
span() {
    if [ "$1" -lt 120 ]; then
        span="$1 s"
    elif [ "$1" -lt 7200 ]; then
        span="$(($1 / 60)) min"
    elif [ "$1" -lt 172800 ]; then
        span="$(($1 / 3600)) h"
    else
        span="$(($1 / 86400)) days"
    fi
}

# settle FILE: by rename, so that a reader finds the old one or all of the new one.
settle() {
    mv -fT -- "$1.new" "$1"
}
