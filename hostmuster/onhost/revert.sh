# shellcheck shell=sh
# The on-host script, part 6: how an open change ends: confirmed, or reverted.

# opened: whether a change is open; sets now_at, tx and item from its record.
opened() {
    [ -d "$CHANGE" ] || return 1
    now_at=staging tx=none item=none
    [ -f "$CHANGE/phase" ] && IFS=' ' read -r now_at tx item <"$CHANGE/phase"
    return 0
}

confirm() {
    phase confirmed && close && note "changed $item $tx"
}

# close: the record goes last, in one rename, so that a cut here never leaves half of it.
close() {
    disarm
    rm -rf "$STATE/closed" "$SAID" "$STATE/.new" "$STATE/owed/.new"
    why=$(mv -fT -- "$CHANGE" "$STATE/closed" 2>&1 && sync -- "$STATE" 2>&1) || return 1
    rm -rf "$STATE/closed"
}

# revert: back to what was, whatever step the change had reached; done twice it does the same again. It writes little,
# for which `reserve` has kept room on a disk that is full. Fails, the change still open, where something cannot go back.
revert() {
    case $now_at in
    confirmed)
        close
        return
        ;;
    switching | switched | reverting)
        find "$CHANGE" -maxdepth 1 \( -name reserve -o -name '.hostmuster.*' \) -delete
        phase reverting
        sweep
        restore || return 1
        [ ! -f "$CHANGE/undo.run" ] || undo_runs
        revision=$((revision + 1))
        save || return 1
        ;;
    esac
    acquit
    at reverted
    close && note "took back $item $tx at $now_at"
}

# sweep: temp files of a transaction that was cut.
sweep() {
    [ -f "$CHANGE/steps" ] || return 0
    while IFS=' ' read -r verb word path _; do
        [ "$verb" = put ] || path=$word
        plain "$path"
        case $verb in put | link | keep) set +f && rm -f "${plain%/*}/.hostmuster.$tx".* && set -f ;; esac
    done <"$CHANGE/steps"
}

# restore: the kept copies, then what was listed, the last first. All that can go back does, whatever cannot.
restore() {
    failed_back=
    IFS=$NL
    all=$(find "$CHANGE/undo" ! -type d)
    for kept in $all; do
        path=${kept#"$CHANGE/undo"}
        why=$(put_back 2>&1) || failed_back="$failed_back$path: $why$NL"
    done
    [ ! -f "$CHANGE/undo.list" ] || for line in $(tac "$CHANGE/undo.list"); do
        IFS=' '
        why=$(put_back_listed "$line" 2>&1) || failed_back="$failed_back$line: $why$NL"
        IFS=$NL
    done
    IFS=' '
    why=${failed_back%"$NL"}
    [ -z "$why" ] || {
        room "$STATE"
        return 1
    }
}

# put_back: $kept by rename to $path: needs no room, but on another file system, where it is copied beside it first.
put_back() {
    if [ -d "$path" ] && [ ! -h "$path" ]; then rmdir -- "$path" || return 1; fi
    # Directories are compared: an overlay tells another device of a file than of the directory that it is in.
    if [ "$(stat -c %d -- "${kept%/*}")" = "$(stat -c %d -- "${path%/*}")" ]; then
        mv -fT -- "$kept" "$path" && sync -- "${path%/*}" "${kept%/*}"
    else
        beside=${path%/*}/.hostmuster.$tx.undo
        cp -aT --remove-destination -- "$kept" "$beside" && { [ -h "$beside" ] || sync -- "$beside"; } &&
            mv -fT -- "$beside" "$path" && sync -- "${path%/*}"
    fi
}

# put_back_listed LINE: a directory gets its owner and mode back; what was absent goes, but for a directory in which
# somebody else has put something since.
put_back_listed() {
    mode=${1%% *} path=${1#* } owner=${path%% *}
    path=${path#* }
    if [ "$mode" != absent ]; then
        if [ ! -d "$path" ] || [ -h "$path" ]; then rm -f -- "$path" && mkdir -- "$path" || return 1; fi
        chown -- "$owner" "$path" && chmod -- "$mode" "$path" || return 1
    elif [ -d "$path" ] && [ ! -h "$path" ]; then
        rmdir --ignore-fail-on-non-empty -- "$path" || return 1
    else
        rm -f -- "$path" || return 1
    fi
    [ ! -d "${path%/*}" ] || sync -- "${path%/*}"
}

# undo_runs: what the runs said takes them back, the last first: of the runs that were made, where this script made
# them; of all after a cut, where undoing what was not done yet changes nothing. While the system boots, nothing waits
# for a unit: it would wait for us.
undo_runs() {
    IFS=$NL
    all=$(tail -n "${undos-+1}" "$CHANGE/undo.run")
    for step in $all; do
        resolve "undone $step"
    done
    IFS=' '
}

switch_undone() {
    shift
    if [ "$1" = systemctl ] && [ -n "${booting-}" ]; then
        shift
        set -- systemctl --no-block "$@"
    fi
    timeout 60 "$@" >/dev/null 2>&1 </dev/null 9>&-
}

# acquit: the debts of a reverted change go, but of a unit that came up while the change was in place: it runs with what
# is no longer there.
acquit() {
    [ -f "$CHANGE/owed" ] || return 0
    boot='' since=''
    [ -f "$CHANGE/since" ] && IFS=' ' read -r boot since <"$CHANGE/since"
    while IFS=' ' read -r was unit; do
        if [ "$was" != none ]; then
            record "$STATE/owed/$unit" "$was"
        elif stand && [ -n "$since" ] && [ -z "${booting-}" ] && came_up; then
            IFS=' ' read -r action _ <"$STATE/owed/$unit" && record "$STATE/owed/$unit" "$action"
        else
            rm -f "$STATE/owed/$unit"
        fi
    done <"$CHANGE/owed"
    sync -- "$STATE/owed"
}

# stand: how $unit stands, in systemd's own words.
stand() {
    LoadState='' ActiveState='' ActiveEnterTimestampMonotonic=0
    eval "$(systemctl show -p LoadState,ActiveState,ActiveEnterTimestampMonotonic -- "$unit" 2>/dev/null 9>&-)"
}

# came_up: whether $unit, which `stand` looked at, runs and was started after $since of $boot (seconds since boot).
came_up() {
    [ "$ActiveState" = active ] || return 1
    IFS=' ' read -r this_boot </proc/sys/kernel/random/boot_id
    [ "$boot" = "$this_boot" ] || return 0
    began=${ActiveEnterTimestampMonotonic%????}
    [ "${began:-0}" -gt "${since%.*}${since#*.}" ]
}

# settle: a change that nobody finished is finished here, in the one way there is.
settle() {
    [ ! -d "$STATE/closed" ] || rm -rf "$STATE/closed"
    opened || return 0
    was_at="$item $now_at"
    if [ "$now_at" = switched ] && [ ! -f "$CHANGE/armed" ]; then
        confirm && answer settled 0 "confirmed $was_at"
    else
        take_back
    fi
}

# resume: the change that waits for its confirmation has it; one that was cut before its end can only be taken back.
resume() {
    opened || return 0
    was_at="$item $now_at"
    if [ "$now_at" = switched ]; then
        confirm && answer settled 0 "confirmed $was_at"
    else
        take_back
    fi
}

take_back() {
    opened || return 0
    was_at="$item $now_at"
    if revert; then
        answer settled 0 "reverted $was_at"
    else
        answer settled 1 "the change of $item cannot be taken back: $why"
        return 1
    fi
}
