# shellcheck shell=sh
# The on-host script, part 3: the one transaction. stage -> (arm) -> switch -> confirm | revert.
# $CHANGE is its record; its `phase` names the step that is durable. Before `switching` nothing outside $STATE differs.

ORIGINALS_KB=65536

# phase NAME: durable before the step that it names is taken.
phase() {
    record "$CHANGE/phase" "$1 $tx $item" || return 1
    now_at=$1
    at "$1"
}

# keep PATH: what lies there is kept, to revert to; and, the first time ever, as the original that we found (O3).
keep() {
    copy "$CHANGE/undo" "$1" && copy "$STATE/originals" "$1"
}

# copy TREE PATH: files and links are copied; of a directory the mode and owner are listed, of what is not there that it
# was absent. What the tree has of a path already is older, and stays.
copy() {
    case $1 in
    */undo) listed=$undo_list ;;
    *) listed=$originals_list ;;
    esac
    case "$listed$NL" in *" $2$NL"*) return 0 ;; esac
    if [ -d "$2" ] && [ ! -h "$2" ]; then
        kept=$(stat -c '%a %u:%g' -- "$2")
    elif [ ! -e "$2" ] && [ ! -h "$2" ]; then
        kept='absent -'
    elif [ -e "$1$2" ] || [ -h "$1$2" ]; then
        return 0
    else
        [ "$1" = "$CHANGE/undo" ] || fits "$2" || return 1
        why=$(mkdir -p -- "$1${2%/*}" 2>&1 && cp -aT --remove-destination -- "$2" "$1${2%/*}/.new" 2>&1 &&
            { [ -h "$2" ] || sync -- "$1${2%/*}/.new"; } 2>&1 && mv -fT -- "$1${2%/*}/.new" "$1$2" 2>&1)
        return
    fi
    case $1 in
    */undo) undo_list="$undo_list$NL$kept $2" ;;
    *) originals_list="$originals_list$NL$kept $2" originals_new="$originals_new$kept $2$NL" ;;
    esac
}

# fits PATH: originals are never dropped to make room, so what would be too much is refused.
fits() {
    set -- "$1" "$(du -sk -- "$STATE/originals" | cut -f 1)" "$(du -k -- "$1" | cut -f 1)"
    [ $(($2 + $3)) -gt "$ORIGINALS_KB" ] || return 0
    why="the original of $1 ($3 KiB) does not fit beside those kept in $STATE/originals ($2 of $ORIGINALS_KB KiB): copy"
    why="$why it to a place of yours and remove it from the host, or clear out $STATE/originals"
    return 1
}

# owe UNIT ACTION: a restart outweighs a reload; what was owed before is kept, to go back to.
owe() {
    was=none action=$2
    [ -f "$STATE/owed/$1" ] && IFS=' ' read -r was _ <"$STATE/owed/$1"
    case "$owed$NL" in
    *" $1$NL"*) ;;
    *) owed="$owed${owed:+$NL}$was $1" ;;
    esac
    [ "$was" != restart ] || action=restart
    case "$NL$debts" in
    *"${NL}restart $1$NL"*) ;;
    *) debts="$debts$action $1$NL" ;;
    esac
}

# stage: everything that a change writes or takes back later is on disk before it begins; also the room to say so.
# Starting processes takes most of the time here, so whatever can be done for all steps at once is.
stage() {
    steps='' laid='' puts='' contents='' lengths='' owed='' debts='' undone='' undos=0 undo_list='' originals_new=''
    why=$(mkdir -p "$CHANGE/undo" "$CHANGE/owing" "$STATE/originals" "$STATE/owed" 2>&1 &&
        head -c 65536 /dev/zero 2>&1 >"$CHANGE/reserve") || return 1
    originals_list=
    [ ! -f "$STATE/originals.list" ] || originals_list=$NL$(cat "$STATE/originals.list")
    [ -z "$script" ] || why=$(printf %s "$script" | base64 -d 2>&1 >"$CHANGE/script") || return 1
    IFS=$NL
    for step in $gathered; do
        IFS=' '
        # shellcheck disable=SC2086  # a step is words; globbing is off
        stage_step $step || return 1
        IFS=$NL
    done
    put_down
    IFS=' ' read -r since _ </proc/uptime
    IFS=' ' read -r boot </proc/sys/kernel/random/boot_id
    # What was owed before is on disk before anything more is.
    [ -z "$owed" ] || record "$CHANGE/owed" "$owed" || return 1
    why=$(write 2>&1 && find "$CHANGE" "$STATE/owed" ! -type l -exec sync -- {} + 2>&1 &&
        find "$STATE/originals" "$STATE" -newer "$CHANGE/phase" ! -type l -exec sync -- {} + 2>&1) || return 1
    IFS=' '
    phase staged
}

# stage_step STEP...: the step as it will be taken, without its content, goes to $puts or $steps.
stage_step() {
    plain "${2-}"
    all=$* step=$1
    case $1 in
    put)
        keep "$plain" || return 1
        count=$((count + 1)) content=$6
        [ "$6" != - ] || content=
        case $content in *==) pads=2 ;; *=) pads=1 ;; *) pads=0 ;; esac
        contents="$contents$content$NL" lengths="$lengths$((${#content} * 3 / 4 - pads))$NL"
        lay "$3" "$4:$5" "${2%/*}"
        step="put $count $2 $3 $4 $5"
        shift 5
        ;;
    link | keep) keep "$plain" || return 1 ;;
    owe) owe "$plain" "$3" ;;
    undo) undone="${all#undo }$NL$undone" ;;
    esac
    shift
    for word; do step="$step $word"; done
    case $step in
    put* | keep* | owe* | undo*) puts="$puts$step$NL" ;;
    *) put_down && steps="$steps$step$NL" ;;
    esac
}

# lay MODE OWNER DIRECTORY: the content $count joins those before it that go to the same place in the same way.
lay() {
    case ${laid##*"$NL"lay} in
    " $1 $2 $3 ."*) laid="$laid .hostmuster.$tx.$count" ;;
    *) laid="$laid${NL}lay $1 $2 $3 .hostmuster.$tx.$count" ;;
    esac
}

# put_down: what puts that stand together lay beside their places comes first.
put_down() {
    steps="$steps${laid#"$NL"}${laid:+$NL}$puts" laid='' puts=''
}

# write: what was gathered, to its files.
write() {
    IFS=$NL number=0
    printf %s "$contents" | base64 -d >"$CHANGE/contents" || return 1
    for length in $lengths; do
        number=$((number + 1))
        head -c "$length" >"$CHANGE/.hostmuster.$tx.$number" || return 1
    done <"$CHANGE/contents"
    for debt in $debts; do
        printf '%s\n' "${debt%% *}" >"$STATE/owed/${debt#* }" || return 1
    done
    [ -z "$originals_new" ] || printf %s "$originals_new" >>"$STATE/originals.list" || return 1
    [ -z "$undo_list" ] || printf '%s\n' "${undo_list#"$NL"}" >"$CHANGE/undo.list" || return 1
    [ -z "$undone" ] || printf %s "$undone" >"$CHANGE/undo.run" || return 1
    printf '%s\n' "$boot $since" >"$CHANGE/since" && printf %s "$steps" >"$CHANGE/steps" && rm "$CHANGE/contents"
}

# switch: takes the staged steps in order; says why and stops at the first that fails.
switch() {
    phase switching || return 1
    taken=0 unsynced='' owing=''
    IFS=$NL
    for step in $steps; do
        resolve "$step" || return 1
        case $step in lay*) continue ;; esac
        taken=$((taken + 1))
        at "switched.$taken"
    done
    # shellcheck disable=SC2086  # a directory a line
    why=$([ -z "$unsynced" ] || sync -- $unsynced 2>&1) && why=$([ -z "$owing" ] || write_owing 2>&1) || return 1
    IFS=' '
    revision=$((revision + 1))
    save && phase switched
}

# write_owing: from when on a start has seen the change, for each debt; all by rename.
write_owing() {
    for debt in $owing; do
        printf '%s\n' "${debt% *}" >"$CHANGE/owing/${debt##* }" || return 1
    done
    cd "$CHANGE/owing" && set +f && sync -- * && mv -f -t "$STATE/owed" -- * && sync -- "$STATE/owed"
}

# resolve STEP: takes one step, its words resolved; sets IFS for the caller's loop again.
resolve() {
    IFS=' '
    # shellcheck disable=SC2086  # a step is words; globbing is off
    set -- $1
    IFS=$NL
    words=$#
    while [ "$words" -gt 0 ]; do
        plain "$1"
        shift
        set -- "$@" "$plain"
        words=$((words - 1))
    done
    "switch_$1" "$@"
}

# switch_lay lay MODE OWNER:GROUP DIRECTORY FILE...: beside their places. Owner and mode are set where nobody but root
# comes in, so that who may write in the directory cannot turn them on another file.
switch_lay() {
    mode=$2 owner=$3 folder=$4
    shift 4
    why=$(cd "$CHANGE" 2>&1 && chown -- "$owner" "$@" 2>&1 && chmod -- "$mode" "$@" 2>&1 &&
        mv -f -t "$folder" -- "$@" 2>&1 && cd "$folder" 2>&1 && sync -- "$@" 2>&1) && return 0
    room "$folder"
    return 1
}

# switch_put put N PATH MODE OWNER GROUP [VALIDATOR...]
switch_put() {
    target=$3 temp=${3%/*}/.hostmuster.$tx.$2
    if [ -d "$target" ] && [ ! -h "$target" ]; then
        why=$(rmdir -- "$target" 2>&1) || return 1
    fi
    at "written.$2"
    shift 6
    if [ $# -gt 0 ] && ! within "$CHECK_S" "$@" "$temp"; then
        case $end in exited*) end=' refuses it' ;; *) end=", asked about $target, $end" ;; esac
        why="$1$end: $(tail -c 2000 "$SAID")"
        return 1
    fi
    replace "$temp" "$target"
}

# switch_link link PATH TARGET
switch_link() {
    temp=${2%/*}/.hostmuster.$tx.link
    why=$(ln -sfT -- "$3" "$temp" 2>&1) || {
        room "${2%/*}"
        return 1
    }
    replace "$temp" "$2"
}

# replace TEMP PATH: by rename, so that a reader sees the old one or the new one. Its directory is synced later.
replace() {
    if ! mv -fT -- "$1" "$2" 2>"$SAID"; then
        why=$(cat "$SAID")
        case $(lsattr -d -- "$2" 2>/dev/null) in
        ????i*) why="$why (it is immutable: chattr -i $2)" ;;
        esac
        return 1
    fi
    case "$NL$unsynced$NL" in
    *"$NL${2%/*}$NL"*) ;;
    *) unsynced="$unsynced${unsynced:+$NL}${2%/*}" ;;
    esac
}

switch_keep() { :; }

# switch_meet meet SECONDS: all is ready here. It goes on when the run says that it is everywhere; else, or when nobody
# says anything in time, nothing was switched. While it waits a script that is stopped is ended as ever, but no dot is
# sent: the answer is the last that the run hears. Nor is one sent while it goes back: a run that is gone does not stop that.
switch_meet() {
    hush
    answer meet 0 ready
    alive >/dev/null
    said=$(timeout "$2" head -c 2)
    if [ "$said" = go ]; then
        hush
        alive
        return 0
    fi
    why='not every host was ready, or the run is gone: nothing was switched'
    return 1
}

# switch_owe owe UNIT ACTION: what was started after this moment of this boot has seen the change.
switch_owe() {
    IFS=' ' read -r seconds _ </proc/uptime
    IFS=' ' read -r action _ <"$STATE/owed/$2"
    owing="$owing$action $boot $seconds $2$NL"
}

# switch_undo undo COMMAND...: what takes back the run that follows is on disk since it was staged.
switch_undo() {
    undos=$((undos + 1))
}

# switch_run run SECONDS COMMAND...
switch_run() {
    shift
    within "$@"
}
