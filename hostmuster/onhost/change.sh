# shellcheck shell=sh
# The on-host script, part 3: the one transaction. stage -> (arm) -> switch -> confirm | revert.
# $CHANGE is its record; its `phase` names the step that is durable. Before `switching` nothing outside $STATE differs.

ORIGINALS_KB=65536

# phase NAME: durable before the step that it names is taken.
phase() {
    record "$CHANGE/phase" "$1 $tx $item" || return 1
    now_at=$1
    at "$1"
}

# keep PATH: what lies there is kept, to revert to; and, the first time ever, as the original that we found (O3).
keep() {
    copy "$CHANGE/undo" "$1" && copy "$STATE/originals" "$1"
}

# copy TREE PATH: files and links are copied; of a directory the mode and owner are listed, of what is not there that it
# was absent. What the tree has of a path already is older, and stays.
copy() {
    listed=
    [ -f "$1.list" ] && listed=$(cat "$1.list")
    case "$listed$NL" in *" $2$NL"*) return 0 ;; esac
    if [ -d "$2" ] && [ ! -h "$2" ]; then
        kept=$(stat -c '%a %u:%g' -- "$2")
    elif [ ! -e "$2" ] && [ ! -h "$2" ]; then
        kept='absent -'
    elif [ -e "$1$2" ] || [ -h "$1$2" ]; then
        return 0
    else
        [ "$1" = "$CHANGE/undo" ] || fits "$2" || return 1
        why=$(mkdir -p -- "$1${2%/*}" 2>&1 && cp -aT --remove-destination -- "$2" "$1${2%/*}/.new" 2>&1 &&
            { [ -h "$2" ] || sync -- "$1${2%/*}/.new"; } 2>&1 && mv -fT -- "$1${2%/*}/.new" "$1$2" 2>&1)
        return
    fi
    why=$({ printf '%s %s\n' "$kept" "$2" >>"$1.list"; } 2>&1)
}

# fits PATH: originals are never dropped to make room, so what would be too much is refused.
fits() {
    set -- "$1" "$(du -sk -- "$STATE/originals" | cut -f 1)" "$(du -k -- "$1" | cut -f 1)"
    [ $(($2 + $3)) -gt "$ORIGINALS_KB" ] || return 0
    why="the original of $1 ($3 KiB) does not fit beside those kept in $STATE/originals ($2 of $ORIGINALS_KB KiB): copy"
    why="$why it to a place of yours and remove it from the host, or clear out $STATE/originals"
    return 1
}

# owe UNIT ACTION: the debt is on disk before the change that causes it; a restart outweighs a reload.
owe() {
    was=none
    [ -f "$STATE/owed/$1" ] && IFS=' ' read -r was _ <"$STATE/owed/$1"
    case "$owed$NL" in
    *" $1$NL"*) ;;
    *) owed="$owed${owed:+$NL}$was $1" && record "$CHANGE/owed" "$owed" || return 1 ;;
    esac
    [ "$was" = restart ] && set -- "$1" restart
    record "$STATE/owed/$1" "$2"
}

# stage: everything that a change writes or takes back later is on disk before it begins; also the room to say so.
stage() {
    steps='' owed=''
    why=$(mkdir -p "$CHANGE/undo" "$STATE/originals" "$STATE/owed" 2>&1 &&
        head -c 65536 /dev/zero 2>&1 >"$CHANGE/reserve") || return 1
    [ -z "$script" ] || why=$(printf %s "$script" | base64 -d 2>&1 >"$CHANGE/script") || return 1
    IFS=$NL
    for step in $gathered; do
        IFS=' '
        # shellcheck disable=SC2086  # a step is words; globbing is off
        stage_step $step || return 1
        IFS=$NL
    done
    IFS=' '
    why=$({ printf '%s\n' "$steps" >"$CHANGE/steps"; } 2>&1 &&
        find "$CHANGE" ! -type l -exec sync -- {} + 2>&1 &&
        find "$STATE/originals" "$STATE" -newer "$CHANGE/phase" ! -type l -exec sync -- {} + 2>&1) || return 1
    phase staged
}

# stage_step STEP...: a content goes to $CHANGE/N, the step without it to $steps.
stage_step() {
    plain "${2-}"
    step=$1
    case $1 in
    put)
        count=$((count + 1))
        content=$6
        [ "$6" != - ] || content=
        why=$(printf %s "$content" | base64 -d 2>&1 >"$CHANGE/$count") && keep "$plain" || return 1
        step="put $count $2 $3 $4 $5"
        shift 5
        ;;
    link | keep) keep "$plain" || return 1 ;;
    owe) owe "$plain" "$3" || return 1 ;;
    esac
    shift
    for word; do step="$step $word"; done
    steps="$steps$step$NL"
}

# switch: takes the staged steps in order; says why and stops at the first that fails.
switch() {
    IFS=' ' read -r since _ </proc/uptime
    IFS=' ' read -r boot </proc/sys/kernel/random/boot_id
    record "$CHANGE/since" "$boot $since" && phase switching || return 1
    taken=0 undone=
    IFS=$NL
    for step in $steps; do
        taken=$((taken + 1))
        resolve "$step" || return 1
        at "switched.$taken"
    done
    IFS=' '
    revision=$((revision + 1))
    save && phase switched
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

# switch_put put N PATH MODE OWNER GROUP [VALIDATOR...]: owner and mode are set where nobody but root comes in, so that
# who may write in the directory cannot turn them on another file.
switch_put() {
    target=$3 temp=${3%/*}/.hostmuster.$tx.$2
    if [ -d "$target" ] && [ ! -h "$target" ]; then
        why=$(rmdir -- "$target" 2>&1) || return 1
    fi
    why=$(chown -- "$5:$6" "$CHANGE/$2" 2>&1 && chmod -- "$4" "$CHANGE/$2" 2>&1 &&
        cp -T --remove-destination --preserve=mode,ownership -- "$CHANGE/$2" "$temp" 2>&1 && sync -- "$temp" 2>&1) || {
        room "${3%/*}"
        return 1
    }
    at "written.$2"
    shift 6
    if [ $# -gt 0 ] && ! "$@" "$temp" >"$SAID" 2>&1 </dev/null 9>&-; then
        why="$1 refuses it: $(tail -c 2000 "$SAID")"
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

# replace TEMP PATH: by rename, so that a reader sees the old one or the new one.
replace() {
    if ! why=$(mv -fT -- "$1" "$2" 2>&1 && sync -- "${2%/*}" 2>&1); then
        case $(lsattr -d -- "$2" 2>/dev/null) in
        ????i*) why="$why (it is immutable: chattr -i $2)" ;;
        esac
        return 1
    fi
}

switch_keep() { :; }

# switch_owe owe UNIT ACTION: what was started after this moment of this boot has seen the change.
switch_owe() {
    IFS=' ' read -r seconds _ </proc/uptime
    IFS=' ' read -r action _ <"$STATE/owed/$2"
    record "$STATE/owed/$2" "$action $boot $seconds"
}

# switch_undo undo COMMAND...: what takes back the run that follows, durable before it runs.
switch_undo() {
    undone="${step#undo }$NL$undone"
    record "$CHANGE/undo.run" "${undone%"$NL"}"
}

# switch_run run COMMAND...: its output goes to a file: a daemon that it leaves behind may hold that open, but not us.
switch_run() {
    shift
    "$@" >"$SAID" 2>&1 </dev/null 9>&- && return 0
    why="$1 exited $?: $(tail -c 2000 "$SAID")"
    return 1
}
