#!/bin/sh
# The start gate: a service that reads secrets starts once this host has the generation that its peers have.
#   pass UNIT       before a start. 0: it may; 1: not yet, and it is started by itself as soon as it may
#   tend            starts what waits, once it may; where this host was left behind while it ran, what serves is stopped
#   tell            why it is shut; nothing where no service waits
#   ask PEER        the number of its generation; - where it does not say
#   obstacle OWN [PEER=NUMBER...]    the rule alone: 0 it may serve; else why not. - is a host without one, or that is silent
#   behind OWN NUMBER                whether a host with OWN may not even go on serving beside one with NUMBER
# Once open it stays so until the next boot: a service that crashes comes back whatever the other hosts do.
set -uf
umask 077
export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
PEERS=/etc/hostmuster/gate/peers
IDENTITY=/var/lib/hostmuster/current/identity
ANNOUNCED=/var/lib/hostmuster-generation
HALTED=/var/lib/hostmuster/halted
STATE=/run/hostmuster-gate
TENDING=hostmuster-gate.service

# obstacle: the same as hostmuster/secrets/rotation/gate.py, word for word.
obstacle() {
    own=$1 names='' heard='' newest=0 newer=''
    shift
    if [ "$own" = - ]; then
        echo "this host has no generation of secrets yet"
        return 1
    fi
    for one; do
        number=${one##*=} names="$names${names:+, }${one%=*}"
        [ "$number" != - ] || continue
        heard=yes
        [ "$number" -le "$newest" ] || newest=$number newer=${one%=*}
    done
    if [ -n "$names" ] && [ -z "$heard" ]; then
        echo "none of its peers answers ($names): it may be the one that is cut off"
    elif [ "$newest" -gt "$own" ]; then
        echo "it has generation $own, $newer has $newest: it has to catch up first"
    else
        return 0
    fi
    return 1
}

behind() {
    [ "$1" != - ] && [ "$2" != - ] && [ "$2" -gt $(($1 + 1)) ]
}

# ask: as the service user, whom the hosts' CA lets in. The number is no secret, and the link is switched with the
# generation itself.
ask() {
    said=$(timeout -k 1 6 runuser -u "$(declared service)" -- \
        ssh -o BatchMode=yes -o ConnectTimeout=3 -- "$1" readlink "$ANNOUNCED" 2>/dev/null </dev/null)
    case $said in '' | *[!0-9]*) said=- ;; esac
    echo "$said"
}

# declared WORD: what the fleet file says, one word a line: service USER, peer NAME, unit NAME.
declared() {
    sed -n "s/^$1 //p" "$PEERS"
}

# look: sets $own to the number of this host's generation, and $peers to who is asked: all but those it was made without.
look() {
    own=- without='' peers=''
    if [ -f "$IDENTITY" ]; then
        IFS=' ' read -r own _ <"$IDENTITY"
        without=$(sed -n 's/^excluded //p' "$IDENTITY")
    fi
    case $own in '' | *[!0-9]*) own=- ;; esac
    for peer in $(declared peer); do
        printf '%s\n' "$without" | grep -qxF -e "$peer" || peers="$peers $peer"
    done
}

# judge: asks all at once. 0: it may serve; else $why.
judge() {
    look
    heard=$(
        for peer in $peers; do echo "$peer=$(ask "$peer")" & done
        wait
    )
    # shellcheck disable=SC2086  # a peer a word
    why=$(obstacle "$own" $heard)
}

open() {
    : >"$STATE/open"
    rm -f "$STATE/why"
}

# shut WHY: for whoever looks; said once.
shut() {
    [ "$(cat "$STATE/why" 2>/dev/null)" = "$1" ] || echo "services that read secrets wait: $1"
    echo "$1" >"$STATE/.why" && mv -f "$STATE/.why" "$STATE/why"
}

pass() {
    [ ! -e "$STATE/open" ] || return 0
    mkdir -p "$STATE/waits"
    # One at a time: the others take its answer.
    exec 9>>"$STATE/lock"
    flock -w 10 9
    [ ! -e "$STATE/open" ] || return 0
    if [ "$(systemctl is-active "$TENDING")" = activating ]; then
        : >"$STATE/waits/$1"
    elif judge; then
        open
        return 0
    else
        shut "$why"
        : >"$STATE/waits/$1"
        systemctl start --no-block "$TENDING" 9>&-
    fi
    return 1
}

tend() {
    [ ! -e "$STATE/open" ] || watch
    while waiting=$(ls "$STATE/waits" 2>/dev/null) && [ -n "$waiting" ]; do
        if [ -e "$STATE/open" ] || judge; then
            open
            for unit in $waiting; do
                rm -f "$STATE/waits/$unit"
                # What an outage of all replicas has halted, that starts.
                [ -f "$HALTED/$unit" ] || systemctl start --no-block -- "$unit"
            done
        else
            shut "$why"
            sleep 2
        fi
    done
}

# watch: one peer each time. A host that was cut off, and comes back, finds that the others went on without it.
watch() {
    look
    # shellcheck disable=SC2086  # a peer a word
    set -- $peers
    [ $# -gt 0 ] || return 0
    shift $(($(date +%s) / 60 % $#))
    newest=$(ask "$1")
    # What it has by now: all may have been switched while the peer was asked.
    look
    behind "$own" "$newest" || return 0
    rm -f "$STATE/open"
    mkdir -p "$STATE/waits"
    shut "it has generation $own, $1 has $newest: it has to catch up first"
    for unit in $(declared unit); do
        systemctl is-active -q -- "$unit" || continue
        : >"$STATE/waits/$unit"
        systemctl stop -- "$unit"
    done
}

tell() {
    [ -e "$STATE/open" ] || [ -z "$(ls "$STATE/waits" 2>/dev/null)" ] || cat "$STATE/why" 2>/dev/null || echo "its peers are being asked"
}

"$@"
