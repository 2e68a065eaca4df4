# shellcheck shell=sh
# The monitor, part 5: the ledger. One file, replaced by rename, holds what every check saw last, what was told of it,
# and the alerts that still have to go out. Its copy on disk is written before any of them does: so a reboot neither
# loses an alert nor tells it twice.
#   check NAME STATUS SINCE TOLD TOLD_AT RUNS QUIET TEXT     RUNS: how many in a row with this STATUS
#   alert ID EVENT SUBJECT NAME AT SINCE TEXT                in the order in which they go out
#   retry FAILURES AT WHY                                    of the alert that is first
#   run NUMBER                                               and what checks remember (restarts, asked, peer)

# enter: what the checks of this run saw, from standard input. What changed is said, for the journal, with its priority.
enter() {
    awk -v out="$memory/state.new" -v now="$now" -v host="$host" -v frozen="$frozen" -v hook="$origin" \
        -v patience="$patience" -v remind="$remind" -v most="$MOST_ALERTS" '
    BEGIN { FS = OFS = "\t" }
    function clean(text) { gsub(/[\t\r]/, " ", text); gsub(/[^ -~]/, "?", text); return substr(text, 1, 300) }
    function queue(event, name, from, text) {
        alerts[++last] = "alert" OFS host "-" now "-" run + 0 "-" last OFS event \
            OFS (name ~ /^peer / ? substr(name, 6) : host) OFS name OFS now OFS from OFS text
    }
    # untold NAME: an alert for it that breaks still waits; then that goes, since it is over before anybody heard of it.
    function untold(name,    n, f) {
        for (n = 1; n <= last; n++) {
            split(alerts[n], f, FS)
            if (alerts[n] != "" && f[3] == "broke" && f[5] == name) { alerts[n] = ""; return 1 }
        }
        return 0
    }
    function change(name, new, text, quiet,    old) {
        old = name in status ? status[name] : "ok"
        if (old != new) {
            if (new == "failed") print "<4>" name " failed: " text (quiet == "" ? "" : " (no alert: " quiet ")")
            else if (old == "failed") print "<5>" name (new == "ok" ? " is well again: " : " could not be run: ") text
            since[name] = now
            runs[name] = 0
        }
        if (!(name in since)) since[name] = now
        runs[name]++
    }
    function tell(name, new, text, quiet,    want) {
        want = new == "failed" ? (runs[name] >= patience ? "failed" : told[name]) : new == "ok" ? "ok" : told[name]
        if (hook == "" || quiet != "" || name == "alerts") return
        if (want != told[name]) {
            # Who was cut off takes all others for silent, and nobody heard of it.
            if (want == "failed") queue("broke", name, since[name], text)
            else if (!(name ~ /^peer / && untold(name))) queue("recovered", name, since[name], text)
            told[name] = want
            told_at[name] = now
        } else if (new == "failed" && want == "failed" && remind > 0 && now - told_at[name] >= remind) {
            queue("reminder", name, since[name], text)
            told_at[name] = now
        }
    }
    FILENAME == ARGV[1] {
        if ($1 == "check") {
            status[$2] = $3; since[$2] = $4; told[$2] = $5; told_at[$2] = $6; runs[$2] = $7
        } else if ($1 == "alert") alerts[++last] = $0
        else if ($1 == "run") run = $2
        else if ($1 == "retry") retry = $0
        next
    }
    $1 != "check" { kept[++memories] = $0; next }
    {
        name = clean($3); new = $2; quiet = clean($4); text = $0
        for (n = 1; n <= 4; n++) text = substr(text, index(text, FS) + 1)
        text = clean(text)
        if (frozen != "" && quiet == "") quiet = "this host is frozen"
        if (told[name] == "") { told[name] = "ok"; told_at[name] = 0 }
        change(name, new, text, quiet)
        tell(name, new, text, quiet)
        if (new != "failed") quiet = ""
        print "check", name, new, since[name], told[name], told_at[name], runs[name], quiet, text >out
    }
    END {
        for (n = 1; n <= last; n++) if (alerts[n] != "") waiting++
        for (n = 1; n <= last; n++) {
            if (alerts[n] == "") continue
            # Only this many are kept; the oldest go first.
            if (waiting-- > most) print "<3>an alert was dropped, " most " wait already: " alerts[n]
            else { print alerts[n] >out; left++ }
        }
        if (left && retry != "") print retry >out
        for (n = 1; n <= memories; n++) print kept[n] >out
        print "run", run + 1 >out
    }' "$memory/state" -
}

# persist: the copy on disk. What cannot be kept there is no reason to keep silent, so a full disk stops nothing.
persist() {
    said=$(cp -- "$memory/state" "$state/state.new" 2>&1 && sync -- "$state/state.new" 2>&1 &&
        mv -fT -- "$state/state.new" "$state/state" 2>&1 && sync -- "$state" 2>&1) && return 0
    printf '<3>%s\n' "what was told is not on disk: ${said##*"$NL"}"
    rm -f "$state/state.new"
}
