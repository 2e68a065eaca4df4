# shellcheck shell=sh
# Why a Docker engine does not answer. Part of what asks it: engine.sh, the containers' question, the monitor.
METADATA=/var/lib/containerd/io.containerd.metadata.v1.bolt

# up: whether dockerd may be asked. Asking the socket of one that was stopped would start it, and of one whose unit is not
# there yet waits for as long as that.
up() {
    pidof -s dockerd >/dev/null && [ "$(state docker.service)" != activating ]
}

state() {
    timeout 5 systemctl show -P ActiveState "$1" 2>/dev/null
}

# journal UNIT: what the unit's own processes said since the host was started.
journal() {
    timeout 5 journalctl -q -b -o cat -n 200 --no-pager "_SYSTEMD_UNIT=$1" 2>/dev/null
}

# torn: whether containerd cannot read its metadata, as after a power loss. It then mostly runs without them, and dockerd
# finds nothing to ask; or it panics again and again.
torn() {
    case $(state containerd.service) in
    active) timeout 5 ctr --connect-timeout 2s plugins ls 2>/dev/null | grep -q '^io\.containerd\.metadata\.v1 .* error' ;;
    activating | failed) journal containerd.service | grep -qE 'bbolt|boltdb|invalid database' ;;
    *) return 1 ;;
    esac
}

# trouble: a line: `lasting`, or `passing` where it may come by itself; the unit that does not come up, since when, what to
# do, and last, since the monitor shows 300 characters, what it said. Nothing where no unit is known.
trouble() {
    unit=docker.service lasts=passing what='the engine does not answer' about=.
    remedy="see \`journalctl -u docker\`, then run \`systemctl restart docker\`"
    case $(state containerd.service) in
    activating | failed)
        unit=containerd.service
        remedy="see \`journalctl -u containerd\`, then run \`systemctl restart containerd docker\`"
        ;;
    esac
    if torn; then
        unit=containerd.service lasts=lasting what='its metadata are torn' about='v1\.bolt" error|bbolt|boltdb'
        remedy="run \`systemctl stop docker.socket docker containerd; cd $METADATA && mv meta.db meta.db.torn; \
systemctl reset-failed docker; systemctl start docker\`"
    fi
    [ "$(timeout 5 systemctl show -P LoadState "$unit" 2>/dev/null)" = loaded ] || return 0
    stands=$(state "$unit")
    [ "$stands" != failed ] || lasts=lasting
    since=$(timeout 5 systemctl show -P StateChangeTimestamp "$unit")
    last=$(journal "$unit" | grep -aE "$about" | tail -n 1 | tr -cd '[:print:]' | cut -c 1-300)
    echo "$lasts $unit is $stands since ${since#* } and $what: $remedy, then \`hostmuster apply\`; journal: ${last:-nothing}"
}
