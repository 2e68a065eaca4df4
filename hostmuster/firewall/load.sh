#!/bin/sh
# Loads one rule set: its own chains, each with its one jump. Chains, rules and policies of others stay as they are.
#   load FOLDER         FOLDER/v4.rules and v6.rules; where the kernel refuses one, its v4.fallback or v6.fallback
#   load - TEXT4 TEXT6  these texts
# A text is what iptables-restore takes, with the set's chains in `# own CHAIN...` and each jump in `# jump FROM CHAIN`.
set -u

# compose: the one transaction that turns what is loaded ($now) into $text. A jump goes before everything of others but
# jumps of fail2ban, whose bans would else come after our accept.
compose() {
    { printf '%s\n' "$now" '# text' "$text"; } | awk -v own=" $own " '
        function ours(chain) { return index(own, " " chain " ") }
        $0 == "# text" { text = 1 }
        !text && /^:/ && ours(substr($1, 2)) { there[substr($1, 2)] = 1 }
        !text && /^-A/ && !ours($2) {
            if (ours($NF)) { sub(/^-A/, "-D"); gone = gone $0 "\n" }
            else if (!past[$2] && $NF ~ /^f2b-/) lead[$2]++
            else past[$2] = 1
        }
        text && /^:/ { declared[substr($1, 2)] = 1; chains = chains $0 "\n" }
        text && !/^[:#]/ && !/^\*filter$/ && !/^COMMIT$/ { rules = rules $0 "\n" }
        text && /^# jump/ { jumps = jumps "-I " $3 " " lead[$3] + 1 " -j " $4 "\n" }
        END {
            for (chain in there) if (!declared[chain]) stale = stale "-F " chain "\n-X " chain "\n"
            printf "*filter\n%s%s%s%s%sCOMMIT\n", chains, gone, rules, jumps, stale
        }'
}

# restore FAMILY TEXT: DOCKER-USER is made where dockerd did not yet: it keeps what it finds there, and jumps to it.
restore() {
    case $1 in 4) ipt=iptables ;; *) ipt=ip6tables ;; esac
    text=$2
    own=$(printf '%s\n' "$text" | sed -n 's/^# own //p')
    case $text in *"*filter"*COMMIT) [ -n "$own" ] || return ;; *) return 1 ;; esac
    for base in $(printf '%s\n' "$text" | sed -n 's/^# jump \([^ ]*\) .*/\1/p'); do
        "$ipt" -w 5 -n -L "$base" >/dev/null 2>&1 || "$ipt" -w 5 -N "$base" || return
    done
    now=$("$ipt-save" -t filter) || return
    compose | "$ipt-restore" -w 5 --noflush
}

failed=0
if [ "$1" = - ]; then
    restore 4 "$2" || failed=1
    restore 6 "$3" || failed=1
    exit "$failed"
fi
for family in 4 6; do
    rules=$(cat "$1/v$family.rules") && [ -n "$rules" ] && restore "$family" "$rules" && continue
    failed=1
    echo "$1/v$family.rules is refused: the fallback is loaded, which lets nobody in but operators" >&2
    restore "$family" "$(cat "$1/v$family.fallback")"
done
exit "$failed"
