# shellcheck shell=sh
# The monitor, part 2: services. Units, what they answer, the engine, containers, the profiles that confine them.

LOOP_S=600

# check_units: all units in one question. A unit that systemd restarts again and again is named also while it is active.
check_units() {
    [ -n "$units" ] || return 0
    # shellcheck disable=SC2086  # units' names have no blanks
    timeout 20 systemctl show -p LoadState,ActiveState,SubState,Result,NRestarts -- $units </dev/null 2>&1 |
        awk -v asked="$units" -v now="$now" -v most="$restarts" -v loop_s="$LOOP_S" -v state="$memory/state" '
        function say(status, text) { printf "check\t%s\tunit %s\t\t%s\n", status, unit, text }
        function judge(    grown) {
            unit = names[++at]
            if (!(unit in since) || now - since[unit] >= loop_s || p["NRestarts"] + 0 < base[unit] + 0) {
                since[unit] = now; base[unit] = p["NRestarts"] + 0
            }
            grown = p["NRestarts"] - base[unit]
            printf "restarts\t%s\t%d\t%d\n", unit, base[unit], since[unit]
            if (p["LoadState"] != "loaded") say("failed", "is " p["LoadState"])
            else if (p["SubState"] == "auto-restart") say("failed", "ended (" p["Result"] ") and waits to be restarted")
            else if (p["ActiveState"] == "failed") say("failed", "is failed (" p["Result"] ")")
            else if (p["ActiveState"] !~ /^(active|reloading)$/) say("failed", "is " p["ActiveState"])
            else if (grown >= most) say("failed", "was restarted " grown " times within " int(loop_s / 60) " min")
            else say("ok", "is active")
            split("", p)
        }
        BEGIN {
            count = split(asked, names, " ")
            while ((getline line < state) > 0)
                if (split(line, f, "\t") == 4 && f[1] == "restarts") { base[f[2]] = f[3]; since[f[2]] = f[4] }
        }
        /=/ { p[substr($0, 1, index($0, "=") - 1)] = substr($0, index($0, "=") + 1) }
        /^$/ && "LoadState" in p { judge() }
        END {
            if ("LoadState" in p) judge()
            while (at < count) { unit = names[++at]; say("failed", "systemctl says nothing of it") }
        }'
}

# check_command NAME COMMAND: of the fleet file; what it writes last is shown.
check_command() {
    if said=$(timeout 10 sh -c "$2" 2>&1 </dev/null); then
        say ok "$1" 'succeeds'
    else
        status=$?
        [ "$status" != 124 ] || said='it took more than 10 s'
        say failed "$1" "${said:-exit $status}"
    fi
}

# check_url NAME URL: a GET is answered with a status below 400.
check_url() {
    if said=$(curl -q -fsS -o /dev/null -m 10 -w '%{http_code}' -- "$2" 2>&1 </dev/null); then
        say ok "$1" "answers $said"
    else
        said=${said##*curl: }
        say failed "$1" "${said%%"$NL"*}"
    fi
}

# check_engine: it answers; else which unit does not come up, and what to do (hostmuster/images/trouble.sh).
check_engine() {
    [ -n "$engine" ] || return 0
    version=''
    ! up || version=$(timeout 10 docker info -f '{{.ServerVersion}}' 2>/dev/null </dev/null)
    if [ -n "$version" ]; then
        say ok "engine $engine" "answers, version $version"
    else
        why=$(trouble)
        why=${why#* }
        say failed "engine $engine" "${why:-does not answer}"
    fi
}

# check_containers: each line NAME REFERENCE CONFIG: it runs, from the image of that config digest, whatever a tag says.
check_containers() {
    [ -n "$containers" ] || return 0
    seen='' missing='the engine does not answer'
    # shellcheck disable=SC2046  # names have no blanks
    ! up || missing='is not there' seen=$(timeout 20 docker inspect --type container -f '{{.Name}} {{.State.Status}} {{.Image}}' -- \
        $(printf %s "$containers" | cut -d ' ' -f 1) 2>&1 </dev/null)
    printf %s "$containers" | while read -r name reference config; do
        found=$(printf '%s\n' "$seen" | awk -v name="/$name" '$1 == name { print $2, $3; exit }')
        case $found in
        'running '*)
            if is_image "${found#* }" "$reference" "$config"; then
                say ok "container $name" 'runs from the declared image'
            else
                say failed "container $name" "runs from ${found#* }, declared $config"
            fi
            ;;
        ?*) say failed "container $name" "is ${found% *}" ;;
        *) say failed "container $name" "$missing" ;;
        esac
    done
}

# is_image ID REFERENCE CONFIG: in containerd's store the id is another than the config's: there it is the reference's.
is_image() {
    [ "$1" != "$3" ] || return 0
    case $(timeout 20 docker info -f '{{.DriverStatus}}' 2>/dev/null </dev/null) in
    *io.containerd.snapshotter*) [ "$1" = "$(timeout 20 docker image inspect -f '{{.Id}}' -- "$2" 2>&1)" ] ;;
    *) return 1 ;;
    esac
}

# check_profiles: loaded and enforcing, by the kernel's own list.
check_profiles() {
    loaded=/sys/kernel/security/apparmor/profiles
    for name in $profiles; do
        if [ ! -r "$loaded" ]; then
            say not_run "profile $name" 'this kernel has no AppArmor'
            continue
        fi
        mode=$(awk -v name="$name" '$1 == name { print $2; exit }' "$loaded")
        case $mode in
        '(enforce)') say ok "profile $name" 'is enforced' ;;
        '') say failed "profile $name" 'is not loaded' ;;
        *) say failed "profile $name" "is loaded as $mode" ;;
        esac
    done
}
