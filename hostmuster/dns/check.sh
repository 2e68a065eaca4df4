#!/bin/sh
# Asks what stands behind each address of the zone's names, takes out of the zone what fails, and puts it back.
#   check ZONE TTL EVERY FALL RISE TIMEOUT CA CHECKS STATE      (CA: a file, or - for the system's list)
# CHECKS has a line for each address: NAME TYPE ADDRESS PORT URL. STATE is a folder in memory.
# The server's own tool changes the zone and its serial. An address of which none other answers is never taken out.
set -u
zone=$1 ttl=$2 every=$3 fall=$4 rise=$5 timeout=$6 ca=$7 checks=$8 state=$9

# probe NAME ADDRESS PORT URL: asks the address for the URL, under the URL's own name.
probe() {
    case $2 in *:*) at="[$2]" ;; *) at=$2 ;; esac
    host=${4#*://} host=${host%%/*} host=${host%%:*}
    set -- "$1.$2" "$4" "$host:$3:$at"
    [ "$ca" = - ] || set -- "$@" --cacert "$ca"
    key=$1 url=$2 way=$3
    shift 3
    if curl -q -sf -o /dev/null -m "$timeout" --noproxy '*' --resolve "$way" "$@" -- "$url"; then now=ok; else now=failed; fi
    echo "$now" >"$state/$key.now"
}

# judge KEY: sets $verdict: up or down after enough answers alike, else what it was.
judge() {
    now=$(cat "$state/$1.now")
    verdict=up last='' count=0
    # shellcheck disable=SC2034  # `rest` takes what is too much
    [ ! -f "$state/$1" ] || read -r verdict last count rest <"$state/$1"
    if [ "$now" = "$last" ]; then count=$((count + 1)); else count=1; fi
    case $now in
    ok) [ "$count" -lt "$rise" ] || verdict=up ;;
    *) [ "$count" -lt "$fall" ] || verdict=down ;;
    esac
    echo "$verdict $now $count" >"$state/$1"
}

# commit VERB NAME WORDS...: one change of the zone, or none.
commit() {
    verb=$1
    shift
    knotc zone-begin "$zone" >/dev/null || return
    if knotc "$verb" "$zone" "$@" >/dev/null && knotc zone-commit "$zone" >/dev/null; then return; fi
    knotc zone-abort "$zone" >/dev/null
    return 1
}

# settle NAME TYPE: brings the zone to the verdicts.
settle() {
    published=$(knotc zone-read "$zone" "$1" "$2" 2>/dev/null) || return
    published=" $(printf '%s\n' "$published" | awk '{ printf "%s ", $NF }')"
    up='' down=''
    # shellcheck disable=SC2013  # addresses have no blanks
    for address in $(awk -v name="$1" -v type="$2" '$1 == name && $2 == type { print $3 }' "$checks"); do
        judge "$1.$address"
        if [ "$verdict" = up ]; then up="$up $address"; else down="$down $address"; fi
    done
    if [ -z "$up" ]; then
        [ -f "$state/$1.$2.none" ] || echo "<3>$1 $2: nothing answers; the zone keeps$published"
        : >"$state/$1.$2.none"
        return
    fi
    rm -f -- "$state/$1.$2.none"
    for address in $up; do
        case $published in *" $address "*) continue ;; esac
        commit zone-set "$1" "$ttl" "$2" "$address" && echo "<5>$1 $2: $address answers again and is put back"
    done
    for address in $down; do
        case $published in *" $address "*) ;; *) continue ;; esac
        commit zone-unset "$1" "$2" "$address" && echo "<4>$1 $2: $address does not answer and is taken out"
    done
}

while :; do
    while read -r name _ address port url; do
        probe "$name" "$address" "$port" "$url" </dev/null &
    done <"$checks"
    wait
    # shellcheck disable=SC2013  # nor have names
    for pair in $(awk '{ print $1 "/" $2 }' "$checks" | sort -u); do
        settle "${pair%/*}" "${pair#*/}"
    done
    sleep "$every"
done
