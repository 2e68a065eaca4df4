# shellcheck shell=sh
# The monitor, part 4: neighbours. Each host watches the one after it in the ring of the fleet; while that one is silent
# also the next after it, and so on, so that each silent host has one living host that speaks for it.

# check_peers: what is known of each neighbour is a line of the state:
#   peer NAME MARK SINCE ASKED FROZEN
# MARK: the last run of its checks that was seen (`-`: none). SINCE: when, by our clock alone, that one was first seen,
# or when we began to ask. ASKED: when we asked last. FROZEN: whether it was frozen then, yes or no.
check_peers() {
    [ -n "$peers" ] || return 0
    asked_at=$(recall asked '' 2)
    if [ $((now - ${asked_at:-0})) -lt "$every" ] && [ "$now" -ge "${asked_at:-0}" ]; then
        awk -F '\t' '$1 == "asked" || $1 == "peer" || ($1 == "check" && $2 ~ /^peer /) {
            if ($1 == "check") printf "check\t%s\t%s\t%s\t%s\n", $3, $2, $8, $9; else print
        }' "$memory/state"
        return
    fi
    printf 'asked\t%s\n' "$now"
    onward=yes
    for peer in $peers; do
        remember "$peer"
        # One that we still have to say is back, and one that was never seen, is asked whoever else answers.
        if [ -n "$onward" ] || [ "$mark" = - ] || [ "$was" = failed ]; then
            check_peer
        else
            printf 'peer\t%s\t%s\t%s\t%s\t%s\n' "$peer" "$mark" "$since" "$was_asked" "$was_frozen"
        fi
    done
}

# remember PEER: what the state says of it, and how its check stood and what was told of it.
remember() {
    # shellcheck disable=SC2046  # no field is empty or has a blank
    set -- $(awk -F '\t' -v name="$1" -v peer="- 0 0 no" -v check="- ok" '
        $1 == "peer" && $2 == name { peer = $3 " " $4 " " $5 " " $6 }
        $1 == "check" && $2 == "peer " name { check = $3 " " $5 }
        END { print peer, check }' "$memory/state")
    mark=$1 since=$2 was_asked=$3 was_frozen=$4 was=$5 was_told=$6
}

# recall KIND NAME FIELD: of a line of the state; without a NAME of the first line of the kind.
recall() {
    awk -F '\t' -v kind="$1" -v name="$2" -v field="$3" \
        '$1 == kind && (name == "" || $2 == name) { print $field; exit }' "$memory/state"
}

# check_peer: asks $peer. Unless it is silent or no member yet, those after it in the ring are its own business.
check_peer() {
    asked_from=$(date +%s)
    heard=$(ask "$peer")
    answered=$? heard_at=$(date +%s)
    theirs=${heard%%"$NL"*}
    new=$(printf '%s\n' "$heard" | sed -n 's/^{.*"at":\([0-9]*\),"run":\([0-9]*\),.*/\1:\2/p')
    case $heard in *'"frozen":true'*) now_frozen=yes ;; *) now_frozen=no ;; esac
    if [ "$answered" = 0 ] && [ -n "$new" ]; then
        [ "$new" = "$mark" ] || mark=$new since=$heard_at
        was_frozen=$now_frozen why="its checks have not run"
    elif [ "$answered" = 0 ]; then
        why="it answers, but tells nothing"
    else
        why=$(printf '%s\n' "$heard" | tail -n 1 | tr -d '\r') why=${why#ssh: }
    fi
    # Who begins to ask only now gives it as long as anybody.
    [ $((now - was_asked)) -le $((3 * every + 30)) ] || [ "$since" = "$heard_at" ] || since=$now
    printf 'peer\t%s\t%s\t%s\t%s\t%s\n' "$peer" "$mark" "$since" "$now" "$was_frozen"
    silence=$((heard_at - since))
    if [ "$mark" = - ]; then
        say not_run "peer $peer" "was never seen yet: $why"
        return
    elif [ "$silence" -ge "$silent" ]; then
        speak
        return
    elif [ "$answered" = 0 ] && skewed; then
        say failed "peer $peer" "its clock is $skew_found"
    elif [ "$answered" = 0 ]; then
        say ok "peer $peer" 'answers'
    else
        # Not yet for long: it stands as it stood. Whoever comes next in the ring is asked once this one is silent.
        [ "$was" = failed ] || was=ok
        say "$was" "peer $peer" "does not answer since $silence s: $why"
        [ "$was" != failed ] || return
    fi
    onward=''
}

# speak: it is silent. Who watched us before we came back may have said so, and then it has been said.
speak() {
    quiet=''
    if [ "$was_frozen" = yes ]; then
        quiet='it was frozen'
    elif [ "$was_told" != failed ] && [ "$before" != "$peer" ]; then
        case $(ask "$before") in
        *"\"name\":\"peer $peer\",\"status\":\"failed\",\"told\":true"*) quiet="$before speaks for it" ;;
        esac
    fi
    span "$silence"
    say failed "peer $peer" "silent for $span: $why" "$quiet"
}

# ask HOST: its time and its status, as the service user whom the hosts' CA lets in.
ask() {
    timeout 15 runuser -u "$service" -- ssh -o BatchMode=yes -o ConnectTimeout=5 -- "$1" \
        "date +%s && cat $memory/status.json" 2>&1 </dev/null
}

# skewed: its time lies outside what passed here while it was asked.
skewed() {
    case $theirs in '' | *[!0-9]*) return 1 ;; esac
    if [ "$theirs" -gt $((heard_at + skew)) ]; then
        skew_found="$((theirs - heard_at)) s ahead of ours"
    elif [ "$theirs" -lt $((asked_from - skew)) ]; then
        skew_found="$((asked_from - theirs)) s behind ours"
    else
        return 1
    fi
}
