# shellcheck shell=sh
# The on-host script, part 4: the steps of a change, each taken as it was staged.

# switch: takes the staged steps in order; says why and stops at the first that fails.
switch() {
    phase switching || return 1
    taken=0 unsynced='' owing=''
    IFS=$NL
    for step in $steps; do
        resolve "$step" || return 1
        case $step in lay*) continue ;; esac
        taken=$((taken + 1))
        at "switched.$taken"
    done
    # shellcheck disable=SC2086  # a directory a line
    why=$([ -z "$unsynced" ] || sync -- $unsynced 2>&1) && why=$([ -z "$owing" ] || write_owing 2>&1) || return 1
    IFS=' '
    revision=$((revision + 1))
    save && phase switched
}

# write_owing: from when on a start has seen the change, for each debt; all by rename.
write_owing() {
    for debt in $owing; do
        printf '%s\n' "${debt% *}" >"$CHANGE/owing/${debt##* }" || return 1
    done
    cd "$CHANGE/owing" && set +f && sync -- * && mv -f -t "$STATE/owed" -- * && sync -- "$STATE/owed"
}

# resolve STEP: takes one step, its words resolved; sets IFS for the caller's loop again.
resolve() {
    IFS=' '
    # shellcheck disable=SC2086  # a step is words; globbing is off
    set -- $1
    IFS=$NL
    words=$#
    while [ "$words" -gt 0 ]; do
        plain "$1"
        shift
        set -- "$@" "$plain"
        words=$((words - 1))
    done
    "switch_$1" "$@"
}

# switch_lay lay MODE OWNER:GROUP DIRECTORY FILE...: beside their places. Owner and mode are set where nobody but root
# comes in, so that who may write in the directory cannot turn them on another file.
switch_lay() {
    mode=$2 owner=$3 folder=$4
    shift 4
    why=$(cd "$CHANGE" 2>&1 && chown -- "$owner" "$@" 2>&1 && chmod -- "$mode" "$@" 2>&1 &&
        mv -f -t "$folder" -- "$@" 2>&1 && cd "$folder" 2>&1 && sync -- "$@" 2>&1) && return 0
    room "$folder"
    return 1
}

# switch_put put N PATH MODE OWNER GROUP [VALIDATOR...]
switch_put() {
    target=$3 temp=${3%/*}/.hostmuster.$tx.$2
    if [ -d "$target" ] && [ ! -h "$target" ]; then
        why=$(rmdir -- "$target" 2>&1) || return 1
    fi
    at "written.$2"
    shift 6
    if [ $# -gt 0 ] && ! within "$CHECK_S" "$@" "$temp"; then
        case $end in exited*) end=' refuses it' ;; *) end=", asked about $target, $end" ;; esac
        why="$1$end: $(tail -c 2000 "$SAID")"
        return 1
    fi
    replace "$temp" "$target"
}

# switch_link link PATH TARGET
switch_link() {
    temp=${2%/*}/.hostmuster.$tx.link
    why=$(ln -sfT -- "$3" "$temp" 2>&1) || {
        room "${2%/*}"
        return 1
    }
    replace "$temp" "$2"
}

# replace TEMP PATH: by rename, so that a reader sees the old one or the new one. Its directory is synced later.
replace() {
    if ! mv -fT -- "$1" "$2" 2>"$SAID"; then
        why=$(cat "$SAID")
        case $(lsattr -d -- "$2" 2>/dev/null) in
        ????i*) why="$why (it is immutable: chattr -i $2)" ;;
        esac
        return 1
    fi
    case "$NL$unsynced$NL" in
    *"$NL${2%/*}$NL"*) ;;
    *) unsynced="$unsynced${unsynced:+$NL}${2%/*}" ;;
    esac
}

switch_keep() { :; }

# switch_meet meet SECONDS: all is ready here. It goes on when the run says that it is everywhere; else, or when nobody
# says anything in time, nothing was switched. While it waits a script that is stopped is ended as ever, but no dot is
# sent: the answer is the last that the run hears. Nor is one sent while it goes back: a run that is gone does not stop that.
switch_meet() {
    hush
    answer meet 0 ready
    alive >/dev/null
    said=$(timeout "$2" head -c 2)
    if [ "$said" = go ]; then
        hush
        alive
        return 0
    fi
    why='not every host was ready, or the run is gone: nothing was switched'
    return 1
}

# switch_owe owe UNIT ACTION: what was started after this moment of this boot has seen the change.
switch_owe() {
    IFS=' ' read -r seconds _ </proc/uptime
    IFS=' ' read -r action _ <"$STATE/owed/$2"
    owing="$owing$action $boot $seconds $2$NL"
}

# switch_undo undo COMMAND...: what takes back the run that follows is on disk since it was staged.
switch_undo() {
    undos=$((undos + 1))
}

# switch_run run SECONDS COMMAND...
switch_run() {
    shift
    within "$@"
}
