# shellcheck shell=sh
# The content channel: one large file comes to this host, from the controller or from a neighbour, and stands under its
# digest once it is whole. It takes no lock and changes nothing else, so that a lease can be renewed meanwhile.
#   receive DIGEST SIZE USER            the rest of it follows on standard input
#   fetch DIGEST SIZE USER NEIGHBOUR    as USER, who may read what neighbours have
# Answers are lines: `have N` (bytes that are here already), `. N` while it goes on, then `done` or `failed WHO WHY`, where
# WHO is the source, or this host.
set -uf
umask 027
export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
CONTENT=/var/cache/hostmuster-content
SPARE_KB=65536

# failed WHO WHY
failed() {
    hush
    printf 'failed %s %s\n' "$1" "$(printf %s "$2" | tr '\n' ' ')"
    exit 0
}

# alive: a line a second says that this goes on; once nobody listens, all of it ends.
alive() {
    (
        trap '' PIPE
        while sleep 1 >/dev/null 2>&1; do
            printf '. %s\n' "$(stat -c %s "$partial")" || break
        done 2>/dev/null
        kill -TERM 0
    ) &
    alive=$!
}

hush() {
    [ -z "${alive-}" ] || kill "$alive"
    alive=
}

# begin: a part that an interrupted transfer left is gone on with.
begin() {
    partial=$CONTENT/$digest.partial have=0
    [ -d "$CONTENT" ] || why=$(install -d -m 2750 -o root -g "$user" "$CONTENT" 2>&1) || failed host "$why"
    if [ -f "$CONTENT/$digest" ]; then
        printf 'have %s\ndone\n' "$size"
        exit 0
    fi
    [ -f "$partial" ] && have=$(stat -c %s "$partial")
    if [ "$have" -gt "$size" ]; then
        rm -f "$partial"
        have=0
    fi
    free=$(df --output=avail "$CONTENT" | tail -n 1)
    [ "$free" -gt $(((size - have) / 1024 + SPARE_KB)) ] ||
        failed host "no room for $((size / 1024)) KiB in $CONTENT (free: $free KiB)"
    printf 'have %s\n' "$have"
}

# whole: it counts once its digest is right, and then it is on disk under its own name.
whole() {
    [ "$(stat -c %s "$partial")" = "$size" ] || failed source "it came in part only"
    if [ "$(sha256sum <"$partial")" != "$digest  -" ]; then
        rm -f "$partial"
        failed source "it came with another digest"
    fi
    why=$(sync "$partial" 2>&1 && mv -fT "$partial" "$CONTENT/$digest" 2>&1 && sync "$CONTENT" 2>&1) || failed host "$why"
    hush
    echo "done"
}

receive() {
    begin
    why=$(head -c $((size - have)) 2>&1 >>"$partial") || failed host "$why"
    alive
    whole
}

fetch() {
    begin
    alive
    said=$(mktemp)
    runuser -u "$user" -- ssh -o BatchMode=yes -o ConnectTimeout=10 "$1" \
        "tail -c +$((have + 1)) $CONTENT/$digest" >>"$partial" 2>"$said" </dev/null
    status=$? why=$(tail -n 1 "$said")
    rm -f "$said"
    [ "$status" = 0 ] || failed source "$1 does not hand it on: $why"
    whole
}

IFS=' ' read -r verb digest size user neighbour
"$verb" "$neighbour"
