# shellcheck shell=sh
# The monitor, part 6: the state for others: status.json and node_exporter's textfile.

# report: one check a line, which other hosts' monitors read by line (peers.sh).
report() {
    awk -v now="$now" -v fleet="$fleet" -v host="$host" -v interval="$interval" -v frozen="$frozen" '
    BEGIN { FS = "\t" }
    function quoted(text) { gsub(/\\/, "&&", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }
    $1 == "run" { run = $2 }
    $1 == "alert" { waiting++ }
    $1 == "check" {
        checks = checks (checks == "" ? "" : ",") "\n{\"name\":" quoted($2) ",\"status\":\"" $3 "\",\"told\":" \
            ($5 == "failed" ? "true" : "false") ",\"since\":" $4 ",\"quiet\":" ($8 == "" ? "null" : quoted($8)) \
            ",\"seen\":" quoted($9) "}"
    }
    END {
        printf "{\"version\":1,\"fleet\":%s,\"host\":%s,", quoted(fleet), quoted(host)
        printf "\"at\":%d,\"run\":%d,", now, run
        printf "\"interval_s\":%s,\"frozen\":%s,", interval, (frozen == "" ? "false" : "true")
        printf "\"alerts_waiting\":%d,\n\"checks\":[%s\n]}\n", waiting, checks
    }' "$memory/state" >"$memory/status.json.new" &&
        chown "root:$service" "$memory/status.json.new" && chmod 0640 "$memory/status.json.new" &&
        settle "$memory/status.json"
}

# expose: for whoever collects the textfile. A check that could not be run is left out.
expose() {
    [ -n "$textfile" ] || return 0
    (umask 022 && mkdir -p -- "${textfile%/*}") || return
    awk -v now="$now" -v frozen="$frozen" '
    BEGIN { FS = "\t" }
    function quoted(text) { gsub(/\\/, "&&", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }
    function metric(name, help, samples) {
        if (samples != "") printf "# HELP %s %s\n# TYPE %s gauge\n%s", name, help, name, samples
    }
    $1 == "alert" { waiting++ }
    $1 == "check" && $3 != "not_run" {
        oks = oks "hostmuster_check_ok{check=" quoted($2) "} " ($3 == "ok" ? 1 : 0) "\n"
        sinces = sinces "hostmuster_check_since_seconds{check=" quoted($2) "} " $4 "\n"
    }
    END {
        metric("hostmuster_check_ok", "Whether a check of this host holds; one that could not be run is left out.", oks)
        metric("hostmuster_check_since_seconds", "Since when the check stands so, seconds since 1970.", sinces)
        metric("hostmuster_checks_at_seconds", "When the checks were run last, seconds since 1970.",
            "hostmuster_checks_at_seconds " now "\n")
        metric("hostmuster_alerts_waiting", "Alerts that the webhook has not taken yet.",
            "hostmuster_alerts_waiting " waiting + 0 "\n")
        metric("hostmuster_frozen", "Whether the host is frozen for maintenance.",
            "hostmuster_frozen " (frozen == "" ? 0 : 1) "\n")
    }' "$memory/state" >"$textfile.new" && chmod 0644 "$textfile.new" && settle "$textfile"
}
