#!/bin/sh
# A Docker engine and its images by their config digests, whatever store it keeps them in. Sent with each command:
#   engine.sh engine              what engine answers here, or why none does
#   engine.sh start
#   engine.sh reload LIVE [REGISTRY...]     has it read daemon.json, and waits until it says so
#   engine.sh ask KEY...          a line for each known one of these references and config digests: store, id, config, tags
#   engine.sh load FILE CONFIG    an archive without tags, which counts only once it is whole and on disk
#   engine.sh pull NAME@MANIFEST CONFIG
#   engine.sh tag CONFIG REFERENCE
# Joined behind trouble.sh.
set -u
export LC_ALL=C
CONTENT=/var/cache/hostmuster-content

running() {
    up && store
}

# store: sets $store to the storage driver, or to `containerd`, where ids are digests of manifests. An engine that hangs
# does not answer.
store() {
    store=$(timeout 10 docker info -f '{{.Driver}} {{.DriverStatus}}' 2>/dev/null) || return 1
    case $store in
    *io.containerd.snapshotter*) store=containerd ;;
    *) store=${store%% *} ;;
    esac
}

engine() {
    command -v dockerd >/dev/null && echo "program $(command -v dockerd)"
    [ -f /etc/docker/installed-by-hostmuster ] && echo "ours yes"
    pid=$(pidof -s dockerd) && echo "flags $(tr '\0' ' ' <"/proc/$pid/cmdline")"
    running || {
        why=$(trouble)
        [ -z "$why" ] || echo "trouble $why"
        return 0
    }
    echo "store $store"
    timeout 10 docker info -f 'version {{.ServerVersion}}
live {{.LiveRestoreEnabled}}
containers {{.ContainersRunning}}
registries {{range .RegistryConfig.IndexConfigs}}{{if not .Secure}}{{.Name}} {{end}}{{end}}' 2>/dev/null
}

# start: what a unit needs that is not there yet can keep it waiting for ever.
start() {
    timeout 90 systemctl start docker.service >/dev/null 2>&1 && return
    why=$(trouble)
    fail "${why#* }"
}

# reload LIVE [REGISTRY...]: SIGHUP, which ends no container; dockerd takes it up a moment later. `-`: whatever it is.
reload() {
    live=$1
    shift
    kill -HUP "$(pidof -s dockerd)" || return 1
    tries=0
    while [ "$tries" -lt 50 ]; do
        said=$(engine) && took "$@" && return 0
        tries=$((tries + 1))
        sleep 0.2
    done
    echo "dockerd did not take /etc/docker/daemon.json up: see journalctl -u docker" >&2
    return 1
}

took() {
    case $live,$said in
    -,* | "$live,"*"live $live"*) ;;
    *) return 1 ;;
    esac
    for registry; do
        case $said in *"registries "*"$registry "*) ;; *) return 1 ;; esac
    done
}

# config ID: the config digest of an image. The containerd store is asked for the manifest, by an index where there is one.
config() {
    [ "$store" = containerd ] || {
        echo "$1"
        return
    }
    body=$(timeout 5 ctr -n moby content get "$1" 2>/dev/null | tr -d '[:space:]')
    case $body in
    *'"manifests":['*)
        for manifest in $(echo "${body#*'"manifests":['}" | grep -oE 'sha256:[0-9a-f]{64}'); do
            body=$(timeout 5 ctr -n moby content get "$manifest" 2>/dev/null | tr -d '[:space:]')
            [ -z "$body" ] || break
        done
        ;;
    esac
    body=${body#*'"config":{'} body=${body%%\}*} body=${body#*'"digest":"'}
    echo "${body%%\"*}"
}

ask() {
    running || return 0
    if [ "$store" = containerd ]; then
        # An id there says nothing of the config, so all are asked.
        # shellcheck disable=SC2046  # an id a word
        set -- $(timeout 10 docker image ls -q --no-trunc | sort -u)
    fi
    [ $# -gt 0 ] || return 0
    timeout 10 docker image inspect -f '{{.Id}}{{range .RepoTags}} {{.}}{{end}}' "$@" 2>/dev/null | sort -u |
        while read -r id tags; do
            # Where it finds none it answers with an empty line.
            [ -n "$id" ] || continue
            config=$(config "$id")
            [ -f "$CONTENT/${config#sha256:}.loading" ] && config=half-loaded
            echo "$store $id $config $tags"
        done
}

# id CONFIG: the id by which this engine's store knows an image.
id() {
    ask "$1" | while read -r _ id config _; do
        [ "$config" != "$1" ] || echo "$id"
    done | head -n 1
}

# begin CONFIG: from here until `whole` the image counts for nothing, and $again says that an earlier one did not get there.
begin() {
    mark=$CONTENT/${1#sha256:}.loading again=
    store || fail "the engine does not answer"
    [ -f "$mark" ] && again=yes && forget "$1"
    [ -d "$CONTENT" ] || install -d "$CONTENT"
    : >"$mark" && sync "$mark" "$CONTENT"
}

# forget CONFIG: the image under each of its names.
forget() {
    docker image ls -q --no-trunc | sort -u | while read -r one; do
        [ "$(config "$one")" != "$1" ] || docker image rm -f "$one"
    done >/dev/null 2>&1
}

# whole ID CONFIG: it is the declared one, and on disk, since the engine itself syncs no layer. Another one goes, unless it
# has a name, so that it was there before.
whole() {
    found=$(config "$1")
    if [ "$found" != "$2" ]; then
        [ -n "$(docker image inspect -f '{{join .RepoTags ""}}' "$1")" ] || docker image rm -f "$1" >/dev/null 2>&1
        rm -f "$mark"
        fail "it has the config digest ${found:-of nothing that can be read} (store $store), declared $2"
    fi
    sync -f "$(timeout 10 docker info -f '{{.DockerRootDir}}')" && rm -f "$mark" && sync "$CONTENT"
}

# twice COMMAND...: an engine takes up a layer that it has, however little of it a power loss left; `docker save` compares
# the layers with their digests, and once the image is gone they come anew.
twice() {
    "$@"
    [ -n "$again" ] || return 0
    docker save "$got" >/dev/null 2>&1 || {
        docker image rm -f "$got" >/dev/null 2>&1
        "$@"
    }
}

load() {
    begin "$2"
    twice loaded "$1"
    whole "$got" "$2"
}

loaded() {
    said=$(docker load -q -i "$1" 2>&1) || fail "docker load: $said"
    got=$(echo "$said" | grep -oE 'sha256:[0-9a-f]{64}' | tail -n 1)
    [ -n "$got" ] || fail "docker load names no image: $said"
}

pull() {
    begin "$2"
    twice pulled "$1"
    whole "$got" "$2"
}

pulled() {
    said=$(docker pull -q "$1" 2>&1) || fail "docker pull $1: $said"
    got=$(docker image inspect -f '{{.Id}}' "$1")
}

tag() {
    store || fail "the engine does not answer"
    found=$(id "$1")
    [ -n "$found" ] || fail "no image with the config digest $1 is there"
    docker tag "$found" "$2"
}

fail() {
    echo "$1" >&2
    exit 1
}

"$@"
