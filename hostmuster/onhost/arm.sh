# shellcheck shell=sh
# The on-host script, part 5: what takes an armed change back unless it is confirmed: a timer, and a unit at the next
# boot.

BOOT_UNIT=hostmuster-revert.service
UNITS=/etc/systemd/system

# switch_arm arm SECONDS: from this step on, unless confirmed in time, a timer reverts; a unit that runs before anything
# of the network does so after a power loss.
switch_arm() {
    why=$({
        mv -fT -- "$CHANGE/script" "$STATE/script" && boot_unit >"$UNITS/.$BOOT_UNIT" &&
            chmod 0644 "$UNITS/.$BOOT_UNIT" && install -d -m 0755 "$UNITS/sysinit.target.wants" &&
            sync -- "$UNITS/.$BOOT_UNIT" "$STATE" && mv -fT -- "$UNITS/.$BOOT_UNIT" "$UNITS/$BOOT_UNIT" &&
            ln -sf "../$BOOT_UNIT" "$UNITS/sysinit.target.wants/" && sync -- "$UNITS" "$UNITS/sysinit.target.wants"
    } 2>&1) || {
        room "$UNITS"
        return 1
    }
    record "$CHANGE/armed" "$2" || return 1
    why=$(systemd-run --quiet --collect --unit="hostmuster-revert-$tx" --on-active="${2}s" \
        --timer-property=AccuracySec=100ms --property=Restart=on-failure --property=RestartSec=5s /bin/sh "$STATE/script" revert "$tx" 2>&1 9>&-) || return 1
    at armed
}

boot_unit() {
    printf '%s\n' '[Unit]' 'Description=Revert an unconfirmed hostmuster change' 'DefaultDependencies=no' \
        "RequiresMountsFor=$STATE /etc /usr" 'After=local-fs.target' 'Wants=network-pre.target' \
        'Before=network-pre.target nftables.service netfilter-persistent.service ufw.service firewalld.service' \
        'Before=systemd-networkd.service systemd-sysctl.service systemd-tmpfiles-setup.service sysinit.target' \
        'Conflicts=shutdown.target' 'Before=shutdown.target' "ConditionPathExists=$CHANGE/armed" '[Service]' \
        'Type=oneshot' "ExecStart=/bin/sh $STATE/script revert boot" 'TimeoutStartSec=90' \
        '[Install]' 'WantedBy=sysinit.target'
}

# disarm: from here on nothing reverts by itself.
disarm() {
    [ -f "$CHANGE/armed" ] || [ -e "$UNITS/$BOOT_UNIT" ] || return 0
    rm -f "$UNITS/sysinit.target.wants/$BOOT_UNIT" "$UNITS/$BOOT_UNIT" "$UNITS/.$BOOT_UNIT" "$STATE/script"
    sync -- "$UNITS" "$UNITS/sysinit.target.wants"
    set -- "hostmuster-revert-$tx.timer"
    # A revert by the timer that waits for the lock, or to be tried again, has nothing left to do; unless it is we.
    [ -n "${by_itself-}" ] || set -- "$@" "hostmuster-revert-$tx.service"
    systemctl --no-block stop "$@" 2>/dev/null 9>&-
}
