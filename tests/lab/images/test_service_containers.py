"""Containers on real engines: they outlive dockerd, change by restarts that are owed, and see the code of now."""

from __future__ import annotations

from tests.lab.images.site import Site, web
from tests.lab.pair import HOSTS, NEW, OLD

UNIT = "container-web.service"
OWED = "ls -A /var/lib/hostmuster/owed"


def test_it_serves_under_systemd_alone_with_a_name_of_its_own(site: Site) -> None:
    for host in HOSTS:
        assert site.page(host) == "one"
        assert site.on(host, "docker exec web hostname") == f"web.{host}"
        assert site.on(host, "docker container inspect -f '{{.HostConfig.RestartPolicy.Name}}' web") == "no"
    assert len({site.on(host, "docker exec web cat /etc/machine-id") for host in HOSTS}) == len(HOSTS)


def test_it_outlives_a_restart_of_dockerd_and_its_unit_goes_on_with_it(site: Site) -> None:
    before = {host: site.process(host) for host in HOSTS}
    for host in HOSTS:
        site.on(host, "systemctl restart docker")
    for host in HOSTS:
        site.wait_until(host, f"systemctl status {UNIT} | grep -q 'container wait'")
        assert site.on(host, f"systemctl is-active {UNIT}; systemctl show -P NRestarts {UNIT}") == "active\n0"
    assert {host: site.process(host) for host in HOSTS} == before


def test_code_is_read_only_and_once_it_is_replaced_a_restart_is_owed_and_paid(site: Site) -> None:
    assert not site.lab.run(OLD, "docker exec web sh -c 'echo x >/app/version'").ok
    site.on(OLD, "mv /opt/web /opt/web.old && mkdir /opt/web && echo two >/opt/web/version")
    assert site.page(OLD) == "one"
    plan = site.project.folder / "plan.json"
    check = site.run("check", "--out", str(plan))
    said = "container web: mount of /opt/web is what lay there before, declared what lies there"
    assert check.item(OLD, "containers")["differences"] == [said]
    assert f'"restart {UNIT}"' in plan.read_text()
    before = site.process(NEW)
    site.apply()
    assert (site.page(OLD), site.process(NEW)) == ("two", before)


def test_a_changed_variable_is_a_restart_that_is_owed_until_it_is_proved(site: Site) -> None:
    before = site.process(OLD)
    site.containers = web(env={"LEVEL": "c"}, ready=["false"], ready_s=1)
    assert site.run("apply").exit == 1
    assert site.on(OLD, OWED) == UNIT
    assert site.on(NEW, "docker exec web sh -c 'echo $LEVEL'") == "a b", "it waits for the one before it"
    site.containers = web(env={"LEVEL": "c"})
    site.apply()
    assert {site.on(host, "docker exec web sh -c 'echo $LEVEL'") for host in HOSTS} == {"c"}
    assert site.process(OLD) != before
    assert {site.on(host, OWED) for host in HOSTS} == {""}
