#!/bin/sh
# supervisor.sh NAME: one container under its systemd unit. At each start it is made anew, unless it runs already as it
# is to be made; then it is waited for. While dockerd itself is away (live-restore) there is nothing to do but wait.
set -u
name=$1
# shellcheck source=/dev/null
. "/etc/hostmuster/containers/$name.run" # sets $spec, and the words of `docker create`

# there: whether the engine answers. Asking the socket of one that was stopped would start it.
there() {
    pidof -s dockerd >/dev/null && timeout 10 docker info >/dev/null 2>&1
}

until there; do sleep 1; done
is='{{.State.Running}} {{index .Config.Labels "hostmuster.spec"}}'
if [ "$(docker container inspect -f "$is" "$name" 2>/dev/null)" != "true ${spec:?}" ]; then
    docker container rm -f "$name" >/dev/null 2>&1
    docker container create "$@" >/dev/null && docker container start "$name" >/dev/null || exit
fi
while :; do
    if there; then
        code=$(docker container wait "$name" 2>/dev/null) && exit "$code"
        docker container inspect "$name" >/dev/null 2>&1 || ! there || exit 1
    fi
    sleep 1
done
