# shellcheck shell=sh
# Takes a server out of this host's HAProxy before it is restarted, and puts it back. It takes no lock of the host's and
# changes nothing but HAProxy's own state, which a reload or a restart of HAProxy, and a boot, put back to ready.
#   out ADMIN BACKEND SERVER SECONDS UNDO_S    no new requests; answered once those in work are done, or SECONDS are over
#   back ADMIN BACKEND SERVER SECONDS UNDO_S     requests again; answered once HAProxy finds it ready, or SECONDS are over
# Answers are lines: `.` while it goes on, then one of `out N` (requests still in work), `absent` (no HAProxy runs here),
# `alone` (no other server is ready, for UNDO_S), `failed WHY` (it was not taken out), `up`, `down WHY`.
set -uf
export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
trap '' PIPE
LOCK=/run/hostmuster-drain.lock

# told COMMAND: HAProxy's answer.
told() {
    echo "$1" | socat -T 3 - "UNIX-CONNECT:$admin" 2>/dev/null
}

# look: sets $status, $requests (of the server) and $others (servers beside it that are ready and get requests).
look() {
    # shellcheck disable=SC2046  # three words
    set -- $(told "show stat $backend 4 -1" | awk -F , -v server="$server" '
        BEGIN { status = "unknown"; requests = 0 }
        $2 == server { status = $18; requests += $3 + $5 }
        $2 == server ".anyway" { requests += $3 + $5 }
        $2 != server && $18 ~ /^UP/ && $2 !~ /\.anyway$/ && $2 !~ /^(FRONTEND|BACKEND)$/ { others++ }
        END { gsub(/ /, "_", status); print status, requests, others + 0 }')
    status=$1 requests=$2 others=$3
}

# goes_on: a sign of life; once nobody listens, the server is put back and this ends.
goes_on() {
    sleep 0.1
    ticks=$((${ticks-0} + 1))
    [ $((ticks % 10)) != 0 ] || echo . 2>/dev/null || {
        put_back
        exit 1
    }
}

put_back() {
    told "set server $backend/$server state ready" >/dev/null
    systemctl stop -- "$undo.timer" 2>/dev/null
}

# drained: whether it gets no more requests; not while no other server is ready. The undoing is armed first, so that
# whatever becomes of this run the server does not stay out. Of two that are to be taken out at once one waits.
drained() {
    exec 9>"$LOCK"
    flock -w 1 9 || return 1
    look
    case $status in
    UP*)
        [ "$others" -gt 0 ] || return 1
        systemctl stop -- "$undo.timer" "$undo.service" 2>/dev/null
        why=$(systemd-run -q --collect --unit="$undo" --on-active="$undo_s" --timer-property=AccuracySec=100ms \
            sh -c "echo set server $backend/$server state ready | socat -T 3 - UNIX-CONNECT:$admin" 2>&1 9>&-) || {
            echo "failed $why"
            exit 0
        }
        told "set server $backend/$server state drain" >/dev/null
        ;;
    esac
    exec 9>&-
}

out() {
    patience=$(($(date +%s) + undo_s))
    until drained; do
        exec 9>&-
        [ "$(date +%s)" -lt "$patience" ] || {
            echo alone
            return
        }
        goes_on
    done
    limit=$(($(date +%s) + seconds))
    look
    while [ "$requests" -gt 0 ] && [ "$(date +%s)" -lt "$limit" ]; do
        goes_on
        look
    done
    echo "out $requests"
}

back() {
    put_back
    limit=$(($(date +%s) + seconds))
    look
    while [ "$status" != UP ]; do
        [ "$(date +%s)" -lt "$limit" ] || {
            echo "down $status"
            return
        }
        goes_on
        look
    done
    echo up
}

IFS=' ' read -r verb admin backend server seconds undo_s
undo=hostmuster-undrain-$server
if [ -z "$(told 'show info')" ]; then
    echo absent
elif [ "$verb" = out ]; then
    out
else
    back
fi
