"""Engines and registries that were there before, and what is done to containers by hand."""

from __future__ import annotations

import re

from tests.lab.images.site import APP, PORT, Site, web
from tests.lab.pair import HOSTS, NEW, OLD

REGISTRY = f"""\
DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends docker-registry >/dev/null 2>&1
sed -i '/^auth:/,/^health/{{/^health/!d}}' /etc/docker/registry/config.yml && systemctl restart docker-registry
until curl -fsS localhost:5000/v2/ >/dev/null 2>&1; do sleep 0.1; done
docker tag {APP} localhost:5000/team/app:1 && docker push -q localhost:5000/team/app:1 >/dev/null
docker image inspect -f '{{{{json .RepoDigests}}}}' localhost:5000/team/app:1
docker image rm localhost:5000/team/app:1 >/dev/null"""
# The programs of Debian's packages in a place of their own, the packages gone, and a unit that nobody knows.
ELSEWHERE = """\
set -e
systemctl stop container-web docker docker.socket containerd
mkdir -p /opt/engine
for program in dockerd docker docker-proxy containerd containerd-shim-runc-v2 ctr runc; do
    cp "$(command -v $program)" /opt/engine/$program
    ln -s /opt/engine/$program /usr/local/bin/$program
done
DEBIAN_FRONTEND=noninteractive apt-get purge -y -q docker.io containerd runc docker-cli >/dev/null 2>&1 || \
    DEBIAN_FRONTEND=noninteractive apt-get purge -y -q docker.io containerd runc >/dev/null 2>&1
mkdir -p /etc/docker && echo '{"log-level": "warn"}' >/etc/docker/daemon.json
rm -f /etc/docker/installed-by-hostmuster
cat >/etc/systemd/system/engine.service <<END
[Service]
ExecStart=/opt/engine/dockerd
Delegate=yes
KillMode=process
Restart=always
RestartSec=2
[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload && systemctl enable -q --now engine
timeout 90 sh -c 'until timeout 5 docker info >/dev/null 2>&1; do sleep 0.2; done' || {
    timeout 5 docker info; journalctl -q -u engine -n 40; exit 1
}
docker image ls -q"""


def test_what_was_done_to_a_container_by_hand_is_named_and_mended(site: Site) -> None:
    site.on(OLD, "docker container update --restart always web")
    # Run before it gets the name: two seconds after that is free the unit makes its own.
    site.on(NEW, f"docker run -d --name other {APP} sleep 1000; docker rm -f web; docker rename other web")
    check = site.run("check")
    said = "container web: restart policy is always, declared none beside systemd"
    assert check.item(OLD, "containers")["differences"] == [said]
    site.apply()
    site.wait_until(NEW, f"curl -fsS -m 3 http://{site.address(NEW)}:{PORT}/version")
    assert site.on(OLD, "docker container inspect -f '{{.HostConfig.RestartPolicy.Name}}' web") == "no"
    assert site.run("verify").exit == 0


def test_a_pull_is_pinned_whatever_the_registrys_tag_says_by_then(site: Site) -> None:
    registry = f"{site.address(OLD)}:5000"
    pushed = re.search("sha256:[0-9a-f]{64}", site.on(OLD, REGISTRY))
    assert pushed
    site.on(OLD, "echo y >/tmp/y && tar -C /tmp -c y | docker import - localhost:5000/team/app:1 >/dev/null")
    site.on(OLD, "docker push -q localhost:5000/team/app:1")
    reference = f"{registry}/team/app:1"
    before = {host: (site.dockerd(host), site.process(host)) for host in HOSTS}
    site.engine = {"insecure": [registry]}
    site.images[reference] = {"manifest": pushed.group(), "config": site.config}
    site.apply()
    assert site.image(NEW, reference) == site.config
    assert {host: (site.dockerd(host), site.process(host)) for host in HOSTS} == before, "a reload, no restart"
    site.images[reference] = {"manifest": pushed.group(), "config": f"sha256:{'0' * 64}"}
    refused = site.run("apply", "--limit", NEW)
    assert refused.exit == 1
    assert f"it has the config digest {site.config} (store overlay2), declared sha256:000" in refused.errors
    assert site.image(NEW, reference) == site.config, "as before"
    del site.images[reference]
    site.engine = {}


def test_live_restore_is_turned_on_beside_running_containers_without_ending_one(site: Site) -> None:
    site.on(OLD, 'echo \'{"log-level": "warn", "live-restore": false}\' >/etc/docker/daemon.json')
    site.on(OLD, "kill -HUP $(pidof dockerd)")
    site.wait_until(OLD, "timeout 5 docker info -f '{{.LiveRestoreEnabled}}' | grep -q false")
    before = (site.dockerd(OLD), site.process(OLD))
    done = site.apply()
    assert done.item(OLD, "images")["differences"] == ["engine docker: live-restore is false, declared true"]
    assert (site.dockerd(OLD), site.process(OLD)) == before
    settings = site.on(OLD, "cat /etc/docker/daemon.json")
    assert '"log-level": "warn"' in settings
    assert '"live-restore": true' in settings


def test_an_engine_from_elsewhere_is_accepted_and_left_as_it_is(site: Site) -> None:
    site.containers = web()
    site.on(NEW, ELSEWHERE)
    before = (site.dockerd(NEW), site.on(NEW, "cat /etc/docker/daemon.json"))
    done = site.apply()
    assert done.exit == 0
    assert (site.dockerd(NEW), site.on(NEW, "cat /etc/docker/daemon.json")) == before
    assert not site.lab.run(NEW, "dpkg-query -W -f '${Status}' docker.io | grep -q ' installed'").ok
    assert site.image(NEW) == site.config
    verify = site.run("verify", "--deep")
    assert verify.exit == 0, verify.errors
