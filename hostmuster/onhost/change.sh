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
