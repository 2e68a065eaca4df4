#!/bin/sh
# A panel writes its virtual hosts anew and drops what it did not write. Our locations stand in files of our own; here the
# one line that includes them is put back into each server block.
#   guard restore NGINX VHOSTS STATE           puts it back, tests, reloads
#   guard check VHOSTS                         whether it is everywhere
#   guard told SECONDS STATE                   fails while something was put back, or could not be, so long ago at most
# VHOSTS has a line for each: NAME PATH INCLUDE.
set -u

# lines PATH INCLUDE: the file as it must be: ours after each server_name, and nowhere else.
lines() {
    awk -v line="    include $2; # hostmuster" '
        $1 == "include" && /# hostmuster$/ { next }
        { print }
        $1 == "server_name" { print line }' "$1"
}

# is_whole PATH INCLUDE
is_whole() {
    [ -f "$1" ] && grep -q '^[[:space:]]*server_name[[:space:]]' "$1" && lines "$1" "$2" | cmp -s - "$1"
}

# say NAME LEVEL TEXT: to the journal, and for `told`.
say() {
    printf '<%s>%s: %s\n' "$2" "$1" "$3"
    printf '%s %s: %s\n' "$(date +%s)" "$1" "$3" >"$state/$1.told"
}

# restore NAME PATH INCLUDE: by rename, with the panel's owner and mode. What nginx refuses goes back as the panel wrote it.
restore() {
    is_whole "$2" "$3" && return
    if ! [ -f "$2" ]; then
        say "$1" 3 "$2 is not there"
        return
    fi
    if ! grep -q '^[[:space:]]*server_name[[:space:]]' "$2"; then
        say "$1" 3 "$2 has no server_name: nowhere to put our line"
        return
    fi
    cp -p -- "$2" "$state/$1.panel" && cp -p -- "$2" "$2.hostmuster" && lines "$state/$1.panel" "$3" >"$2.hostmuster" &&
        mv -fT -- "$2.hostmuster" "$2" || return
    if said=$("$nginx" -t 2>&1) && said=$("$nginx" -s reload 2>&1); then
        say "$1" 3 "$2 was written anew without our line, which is put back"
    else
        cp -p -- "$state/$1.panel" "$2.hostmuster" && mv -fT -- "$2.hostmuster" "$2"
        say "$1" 3 "$2 was written anew without our line, and nginx refuses it with that: $(printf '%s' "$said" | head -n 1)"
    fi
}

# told SECONDS: what was said lately; the first one is written out.
told() {
    now=$(date +%s)
    for file in "$state"/*.told; do
        [ -f "$file" ] || continue
        read -r at text <"$file"
        if [ $((now - at)) -lt "$1" ]; then
            echo "$text"
            return 1
        fi
    done
}

case $1 in
restore)
    nginx=$2 vhosts=$3 state=$4
    while read -r name path include; do restore "$name" "$path" "$include"; done <"$vhosts"
    ;;
check)
    while read -r name path include; do
        is_whole "$path" "$include" || { echo "$name: $path does not include $include" && exit 1; }
    done <"$2"
    ;;
told)
    state=$3
    told "$2"
    ;;
esac
