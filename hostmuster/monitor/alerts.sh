# shellcheck shell=sh
# The monitor, part 7: alerts go out, in order, each until the webhook has taken it. Its address is a secret: it stands
# in no command line, no environment and no message; curl reads it from its standard input.

MOST_WAIT_S=600

# deliver: what waits. One that is not taken stops it; the next try comes after twice the time, ten minutes at most.
deliver() {
    [ -n "$origin" ] || return 0
    while next=$(awk '/^alert\t/ { print; exit }' "$memory/state") && [ -n "$next" ]; do
        failures=$(recall retry '' 2) retry_at=$(recall retry '' 3)
        # A clock that was set back does not hold anything up.
        [ "$now" -ge "${retry_at:-0}" ] || [ "$((retry_at - now))" -gt "$MOST_WAIT_S" ] || return 0
        why=$(post "$next") && {
            forget_first && continue
            return 1
        }
        failures=$((${failures:-0} + 1))
        pause=$((interval << (failures < 10 ? failures : 10)))
        [ "$pause" -le "$MOST_WAIT_S" ] || pause=$MOST_WAIT_S
        {
            grep -v "^retry	" "$memory/state"
            printf 'retry\t%s\t%s\t%s\n' "$failures" "$((now + pause))" "$why"
        } >"$memory/state.new" && settle "$memory/state" && persist
        return
    done
}

# forget_first: the first alert was taken.
forget_first() {
    awk '/^retry\t/ { next } /^alert\t/ && !gone { gone = 1; next } { print }' "$memory/state" >"$memory/state.new" &&
        settle "$memory/state" && persist
}

# post ALERT: prints why it was not taken.
post() {
    read_url || return 1
    printf '%s\n' "$1" | body >"$memory/alert.json.new" && mv -f "$memory/alert.json.new" "$memory/alert.json" || return 1
    code=$({
        printf 'url = "%s"\n' "$url"
        [ -z "$proxy" ] || printf 'proxy = "%s"\n' "$proxy"
    } | curl -q -K - -s -o /dev/null -m 10 -w '%{http_code}' -H 'Content-Type: application/json' \
        -H "Idempotency-Key: $(printf '%s' "$1" | cut -f 2)" --data-binary "@$memory/alert.json" 2>/dev/null)
    status=$?
    case $status.$code in
    0.2??) return 0 ;;
    0.*) echo "$origin answers $code" ;;
    *) echo "curl to $origin exits $status" ;;
    esac
    return 1
}

# read_url: the secret must lie where the fleet file says that it does, and have nothing that curl's grammar bends.
read_url() {
    url='' place=$folder
    # systemd hands it over where it comes with a generation of secrets.
    [ ! -f "${CREDENTIALS_DIRECTORY:-}/url" ] || place=$CREDENTIALS_DIRECTORY
    IFS= read -r url 2>/dev/null <"$place/url" || [ -n "$url" ] || {
        echo "the webhook's address is not there"
        return 1
    }
    case $url in
    *[!A-Za-z0-9._~:/?#@!\$\&\'\(\)*+,\;=%\[\]-]*) ;;
    "$origin" | "$origin"/*) return 0 ;;
    esac
    echo "the webhook's address does not begin with $origin"
    return 1
}

# body: an alert as JSON. `text` alone is what chat services show.
body() {
    awk -v fleet="$fleet" -v host="$host" '
    BEGIN { FS = "\t" }
    function quoted(text) { gsub(/\\/, "&&", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }
    {
        verb = $3 == "broke" ? " failed" : $3 == "reminder" ? " still fails" : " is well again"
        if ($5 ~ /^peer /) what = ($3 == "recovered" ? "is back: " : "") $8 " (says " host ")"
        else what = $5 verb ": " $8
        printf "{\"id\":%s,\"event\":\"%s\",\"fleet\":%s,\"host\":%s,\"by\":%s,", quoted($2), $3, quoted(fleet),
            quoted($4), quoted(host)
        printf "\"check\":%s,\"at\":%d,\"since\":%d,\"seen\":%s,\"text\":%s}\n", quoted($5), $6, $7, quoted($8),
             quoted(fleet "/" $4 ": " what)
    }'
}
