# shellcheck shell=sh
# The monitor, part 3: the machine. Disks, the clock, what expires, backups.

# check_disks: each line MOUNT SPACE INODES, the limits in percent. What is not mounted would fill the disk below it.
check_disks() {
    [ -n "$disks" ] || return 0
    # shellcheck disable=SC2046  # mounts have no blanks
    seen=$(timeout 20 df --output=target,pcent,ipcent -- $(printf %s "$disks" | cut -d ' ' -f 1) 2>/dev/null </dev/null)
    printf %s "$disks" | while read -r mount space inodes; do
        found=$(printf '%s\n' "$seen" | awk -v mount="$mount" '$1 == mount { print $2 + 0, $3 + 0; exit }')
        if [ -z "$found" ]; then
            say failed "disk $mount" 'is not mounted'
        elif [ "${found% *}" -ge "$space" ]; then
            say failed "disk $mount" "${found% *}% used, limit $space%"
        elif [ "${found#* }" -ge "$inodes" ]; then
            say failed "disk $mount" "${found#* }% of inodes used, limit $inodes%"
        else
            say ok "disk $mount" "${found% *}% used, ${found#* }% of inodes"
        fi
    done
}

# check_clock CLIENT MOST [SERVER...]: exactly one NTP client runs, whoever started it, and it is the declared one (`-`:
# whichever); the clock is at most MOST seconds off a declared server (none named: any).
check_clock() {
    wanted=$1 most=$2
    shift 2
    servers=$*
    running=$(ntp_clients)
    case $running in
    '') say failed clock 'no NTP client runs' ;;
    *,*) say failed clock "$running run at once" ;;
    "$wanted") follow "$running" ;;
    *) if [ "$wanted" = - ]; then follow "$running"; else say failed clock "$running runs, declared $wanted"; fi ;;
    esac
}

# ntp_clients: by process, not by unit: one that was started by hand sets the clock, too. Of each, where it runs.
ntp_clients() {
    set +f
    programs='chronyd|ntpd|ntpdate|sntp|systemd-timesyn'
    grep -lxE "$programs" /proc/[0-9]*/comm 2>/dev/null | while IFS=/ read -r _ _ pid _; do
        unit=$(sed -nE 's,.*/([^/]+)\.(service|scope)$,\1,p' "/proc/$pid/cgroup" | head -n 1)
        echo "${unit:-process-$pid}"
    done | sort -u | paste -sd , | sed 's/,/, /g'
}

# follow CLIENT: whom it follows, and how far off the clock is.
follow() {
    case $1 in
    chrony)
        # Reference, name, stratum, time, what is left to correct, what the last update found, ...; 7F7F0101 is itself.
        read -r server offset <<FOUND
$(timeout 10 chronyc -c -N tracking 2>/dev/null </dev/null | awk -F , '
            function size(x) { return x < 0 ? -x : x + 0 }
            NF >= 14 && $1 !~ /^(00000000|7F7F0101)$/ && $NF != "Not synchronised" {
                printf "%s %.6f\n", $2, (size($5) > size($6) ? size($5) : size($6))
            }')
FOUND
        ;;
    systemd-timesyncd)
        read -r server offset <<FOUND
$(timeout 10 timedatectl timesync-status 2>/dev/null </dev/null | awk '
            $1 == "Server:" { gsub(/[()]/, "", $NF); server = $NF }
            $1 == "Offset:" {
                for (n = 2; n <= NF; n++) {
                    number = $n; gsub(/[^0-9.]/, "", number)
                    unit = $n; gsub(/[-+0-9.]/, "", unit)
                    offset += number * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : unit == "min" ? 60 : 1)
                }
                told = 1
            }
            END { if (server != "" && told) printf "%s %.6f\n", server, offset }')
FOUND
        ;;
    *)
        case $(timedatectl show -p NTPSynchronized --value 2>/dev/null) in
        yes) say ok clock "synchronised by $1, which tells no offset" ;;
        *) say failed clock "$1 is not synchronised" ;;
        esac
        return
        ;;
    esac
    if [ -z "$server" ]; then
        say failed clock 'not synchronised: no server answers'
    elif [ -n "$servers" ] && ! listed "$server" "$servers"; then
        say failed clock "follows $server, which is not declared"
    elif awk "BEGIN { exit !($offset > $most) }"; then
        say failed clock "$offset s off $server, limit $most s"
    else
        say ok clock "$offset s off $server"
    fi
}

# listed WORD WORDS
listed() {
    case " $2 " in *" $1 "*) ;; *) return 1 ;; esac
}

# check_expiry NAME PATH DAYS END: END is when the certificate at PATH is no longer valid, as date(1) reads it.
check_expiry() {
    if [ ! -f "$2" ]; then
        say failed "$1" "$2 is not there"
    elif [ "$4" = forever ]; then
        say ok "$1" 'never expires'
    elif ! end=$(date -d "$4" +%s 2>/dev/null) || [ -z "$4" ]; then
        say failed "$1" "$2 is no certificate"
    elif [ "$end" -le "$now" ]; then
        span $((now - end))
        say failed "$1" "$2 expired $span ago"
    else
        span $((end - now))
        if [ $((end - now)) -lt $(($3 * 86400)) ]; then
            say failed "$1" "$2 expires in $span, limit $3 days"
        else
            say ok "$1" "valid for $span"
        fi
    fi
}

# check_tls PATH DAYS: of a PEM file with several certificates the first.
check_tls() {
    end=$(openssl x509 -noout -enddate -in "$1" 2>/dev/null </dev/null)
    check_expiry "certificate $1" "$1" "$2" "${end#*=}"
}

# check_ssh PATH DAYS: an SSH certificate.
check_ssh() {
    end=$(ssh-keygen -L -f "$1" 2>/dev/null </dev/null | sed -n 's/^ *Valid: \(.* to \)\{0,1\}//p')
    check_expiry "certificate $1" "$1" "$2" "$end"
}

# check_backup NAME MARKER SECONDS: a backup that came to its end touches its marker.
check_backup() {
    if ! made=$(stat -c %Y -- "$2" 2>/dev/null); then
        say failed "backup $1" "none yet: $2 is not there"
        return
    fi
    span $((now - made))
    aged=$span
    span "$3"
    if [ $((now - made)) -gt "$3" ]; then
        say failed "backup $1" "the last one is $aged old, limit $span"
    elif [ $((made - now)) -gt 300 ]; then
        say failed "backup $1" "$2 is from the future"
    else
        say ok "backup $1" "the last one is $aged old"
    fi
}
