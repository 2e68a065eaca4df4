# shellcheck shell=sh
# The on-host script, part 4: how an open change ends: armed and confirmed, or reverted.

# arm SECONDS SCRIPT: unless confirmed in time, a timer reverts; a unit before the network does so after a power loss.
arm() {
    printf %s "$2" | base64 -d >"$STATE/script.new"
    durable "$STATE/script.new"
    mv -f "$STATE/script.new" "$STATE/script"
    printf '%s\n' '[Unit]' 'Description=Revert an unconfirmed hostmuster change' 'DefaultDependencies=no' \
        'After=local-fs.target' 'Before=network-pre.target systemd-sysctl.service sysinit.target' \
        'Wants=network-pre.target' 'ConditionPathExists=/var/lib/hostmuster/change/armed' '[Service]' 'Type=oneshot' \
        'ExecStart=/bin/sh /var/lib/hostmuster/script revert' '[Install]' 'WantedBy=sysinit.target' \
        >/etc/systemd/system/hostmuster-revert.service
    mkdir -p /etc/systemd/system/sysinit.target.wants
    chmod 0755 /etc/systemd/system/sysinit.target.wants
    ln -sf ../hostmuster-revert.service /etc/systemd/system/sysinit.target.wants/
    chmod 0644 /etc/systemd/system/hostmuster-revert.service
    printf '%s\n' "$$" >"$CHANGE/armed"
    durable "$CHANGE/armed" "$STATE" /etc/systemd/system/hostmuster-revert.service /etc/systemd/system \
        /etc/systemd/system/sysinit.target.wants
    why=$(systemd-run --quiet --collect --unit="hostmuster-revert-$tx" --on-active="${1}s" \
        --timer-property=AccuracySec=100ms /bin/sh "$STATE/script" revert 2>&1 9>&-) || return 1
    phase armed
}

# disarm: from here on nothing reverts by itself.
disarm() {
    [ -f "$CHANGE/armed" ] || return 0
    rm -f /etc/systemd/system/sysinit.target.wants/hostmuster-revert.service \
        /etc/systemd/system/hostmuster-revert.service
    durable /etc/systemd/system /etc/systemd/system/sysinit.target.wants
    systemctl stop "hostmuster-revert-$tx.timer" 2>/dev/null 9>&-
    rm -f "$STATE/script"
}

# opened: whether a change is open; sets now_at, tx and item from its record.
opened() {
    [ -d "$CHANGE" ] || return 1
    now_at=staging tx=none item=none
    [ -f "$CHANGE/phase" ] && IFS=' ' read -r now_at tx item <"$CHANGE/phase"
    return 0
}

confirm() {
    phase confirmed
    close
}

# close: the record goes last, in one rename, so that a cut here never leaves half of it.
close() {
    disarm
    rm -rf "$STATE/closed"
    mv -fT "$CHANGE" "$STATE/closed"
    durable "$STATE"
    rm -rf "$STATE/closed"
}

# revert: back to what was, whatever step the change had reached; done twice it does the same again.
revert() {
    case $now_at in
    confirmed)
        close
        return
        ;;
    switching | switched)
        sweep
        restore
        [ -f "$CHANGE/undo.run" ] && tac "$CHANGE/undo.run" | while IFS= read -r undo; do undo_run "$undo"; done
        revision=$((revision + 1))
        save
        durable "$STATE/host.json" "$STATE"
        ;;
    esac
    [ -f "$CHANGE/owed" ] && while IFS= read -r unit; do rm -f "$STATE/owed/$unit"; done <"$CHANGE/owed"
    at reverting
    close
}

# restore: the kept copies, each by rename; what was absent goes; directories get back owner and mode.
restore() {
    [ -d "$CHANGE/undo" ] || return 0
    find "$CHANGE/undo" ! -type d | while IFS= read -r copy; do
        path=${copy#"$CHANGE/undo"}
        if [ -d "$path" ] && [ ! -h "$path" ]; then rmdir -- "$path"; fi
        cp -a -- "$copy" "${path%/*}/.hostmuster.$tx.undo"
        mv -fT -- "${path%/*}/.hostmuster.$tx.undo" "$path" && durable "${path%/*}"
    done
    [ -f "$CHANGE/undo.list" ] || return 0
    tac "$CHANGE/undo.list" | while IFS=' ' read -r mode owner path; do
        if [ "$mode" != absent ]; then
            if [ ! -d "$path" ] || [ -h "$path" ]; then rm -f -- "$path" && mkdir -- "$path"; fi
            chown "$owner" "$path"
            chmod "$mode" "$path"
        elif [ -d "$path" ] && [ ! -h "$path" ]; then
            rmdir -- "$path" 2>/dev/null
        else
            rm -f -- "$path"
        fi
    done
}

# sweep: temp files of a transaction that was cut.
sweep() {
    [ -f "$CHANGE/steps" ] || return 0
    while IFS=' ' read -r verb word path _; do
        [ "$verb" = put ] || path=$word
        plain "$path"
        case $verb in put | link) set +f && rm -f "${plain%/*}/.hostmuster.$tx".* && set -f ;; esac
    done <"$CHANGE/steps"
}

# undo_run STEP: takes back one run. While the system boots only what is on disk is taken back: nothing runs yet that
# could be told, and waiting for a unit that waits for us would stop the boot.
undo_run() {
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
    if [ -n "${booting-}" ]; then
        case "$1 ${2-}" in
        'systemctl enable' | 'systemctl disable' | 'systemctl mask' | 'systemctl unmask' | 'systemctl daemon-reload') ;;
        *) return 0 ;;
        esac
        shift
        set -- systemctl --no-block "$@"
    fi
    "$@" >/dev/null 2>&1 </dev/null 9>&-
}

# settle: a change that nobody finished is finished here, in the one way there is.
settle() {
    opened || return 0
    if [ "$now_at" = switched ] && [ ! -f "$CHANGE/armed" ]; then
        confirm
        answer settled 0 "confirmed $item $now_at"
    else
        was_at=$now_at
        revert
        answer settled 0 "reverted $item $was_at"
    fi
}
