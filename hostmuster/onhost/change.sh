# shellcheck shell=sh
# The on-host script, part 3: the one transaction. stage -> arm -> switch -> confirm | revert.
# $CHANGE is its record; its `phase` names the step that is durable. Before `switching` nothing outside $STATE differs.

# phase NAME: durable before the step that it names is taken.
phase() {
    printf '%s %s %s\n' "$1" "$tx" "$item" >"$CHANGE/phase.new"
    durable "$CHANGE/phase.new"
    mv -f "$CHANGE/phase.new" "$CHANGE/phase"
    durable "$CHANGE"
    at "$1"
}

# keep PATH: a copy to revert to, and, the first time ever, the original as we found it. Files and links are copied;
# of a directory the mode and owner are listed, and of what is not there that it was absent.
keep() {
    path=$1
    for tree in "$STATE/originals" "$CHANGE/undo"; do
        [ -d "$tree" ] || mkdir -p "$tree"
        listed=
        [ -f "$tree.list" ] && listed=$(cat "$tree.list")
        case "$listed$NL" in *" $1$NL"*) continue ;; esac
        [ -d "$1" ] && [ ! -h "$1" ] && { kept "$(stat -c '%a %U:%G' -- "$1")"; continue; }
        [ -e "$1" ] || [ -h "$1" ] || { kept 'absent -'; continue; }
        [ -e "$tree$1" ] || [ -h "$tree$1" ] || {
            mkdir -p "$tree${1%/*}"
            why=$(cp -a -- "$1" "$tree${1%/*}/.new" 2>&1) || return 1
            [ -h "$1" ] || durable "$tree${1%/*}/.new"
            mv -fT -- "$tree${1%/*}/.new" "$tree$1"
            durable "$tree${1%/*}"
        }
    done
}

# kept WHAT: lists $1 of keep in $tree.
kept() {
    printf '%s %s\n' "$1" "$path" >>"$tree.list"
    durable "$tree.list"
}

# owe UNIT ACTION: the debt is on disk before the change that causes it; a restart outweighs a reload.
owe() {
    [ -d "$STATE/owed" ] || mkdir "$STATE/owed"
    was=
    [ -f "$STATE/owed/$1" ] && IFS=' ' read -r was _ <"$STATE/owed/$1"
    [ -n "$was" ] || {
        printf '%s\n' "$1" >>"$CHANGE/owed"
        durable "$CHANGE/owed"
    }
    [ "$was" = restart ] && set -- "$1" restart
    printf '%s\n' "$2" >"$STATE/owed/.new"
    durable "$STATE/owed/.new"
    mv -f "$STATE/owed/.new" "$STATE/owed/$1"
    durable "$STATE/owed"
}

# stage_step STEP...: a content goes to $CHANGE/N, the step without it to $CHANGE/steps.
stage_step() {
    plain "${2-}"
    case $1 in
    put)
        count=$((count + 1))
        [ "$6" = - ] || printf %s "$6" | base64 -d >>"$CHANGE/$count" || return 1
        [ -f "$CHANGE/$count" ] || : >"$CHANGE/$count"
        durable "$CHANGE/$count"
        keep "$plain" || return 1
        step="put $count $2 $3 $4 $5"
        shift 6
        ;;
    link | keep)
        keep "$plain" || return 1
        step=$1
        shift
        ;;
    owe)
        owe "$2" "$3"
        step=$1
        shift
        ;;
    *)
        step=$1
        shift
        ;;
    esac
    for word; do step="$step $word"; done
    printf '%s\n' "$step" >>"$CHANGE/steps"
}

# switch: takes the staged steps in order; says why and stops at the first that fails.
switch() {
    steps=$(cat "$CHANGE/steps" 2>/dev/null) taken=0
    phase switching
    IFS=$NL
    for step in $steps; do
        IFS=' '
        # shellcheck disable=SC2086  # a step is words; globbing is off
        set -- $step
        IFS=$NL
        words=$#
        while [ "$words" -gt 0 ]; do
            plain "$1"
            shift
            set -- "$@" "$plain"
            words=$((words - 1))
        done
        taken=$((taken + 1))
        "switch_$1" "$@" || return 1
        at "switched.$taken"
    done
    IFS=' '
    revision=$((revision + 1))
    save
    durable "$STATE/host.json" "$STATE"
    phase switched
}

# switch_put put N PATH MODE OWNER GROUP [VALIDATOR...]
switch_put() {
    target=$3 temp=${3%/*}/.hostmuster.$tx.$2
    if [ -d "$target" ] && [ ! -h "$target" ]; then
        why=$(rmdir -- "$target" 2>&1) || return 1
    fi
    why=$(cp -- "$CHANGE/$2" "$temp" 2>&1 && chown "$5:$6" "$temp" 2>&1 && chmod "$4" "$temp" 2>&1 &&
        sync -- "$temp" 2>&1) || return 1
    at "written.$2"
    shift 6
    if [ $# -gt 0 ]; then
        why=$("$@" "$temp" 2>&1 </dev/null 9>&-) || return 1
    fi
    replace "$temp" "$target"
}

# switch_link link PATH TARGET
switch_link() {
    temp=${2%/*}/.hostmuster.$tx.link
    rm -f "$temp"
    why=$(ln -s -- "$3" "$temp" 2>&1) && replace "$temp" "$2"
}

# replace TEMP PATH: by rename, so that a reader sees the old one or the new one.
replace() {
    if ! why=$(mv -fT -- "$1" "$2" 2>&1); then
        rm -f "$1"
        case $(lsattr -d -- "$2" 2>/dev/null) in
        ????i*) why="$why (it is immutable: chattr -i $2)" ;;
        esac
        return 1
    fi
    durable "${2%/*}"
}

switch_keep() { :; }

# switch_owe owe UNIT ACTION: what was started after this moment of this boot has seen the change.
switch_owe() {
    IFS=' ' read -r seconds _ </proc/uptime
    printf '%s %s %s\n' "$(cut -d ' ' -f 1 "$STATE/owed/$2")" "$(cat /proc/sys/kernel/random/boot_id)" "$seconds" \
        >"$STATE/owed/.new"
    mv -f "$STATE/owed/.new" "$STATE/owed/$2"
}

# switch_undo undo COMMAND...: what takes back the run that follows, durable before it runs.
switch_undo() {
    printf '%s\n' "${step#undo }" >>"$CHANGE/undo.run"
    durable "$CHANGE/undo.run"
}

switch_run() {
    shift
    why=$("$@" 2>&1 </dev/null 9>&-) && return 0
    why="$1 exited $?: $(printf %s "$why" | tail -c 2000)"
    return 1
}

