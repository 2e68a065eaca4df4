"""Images on real engines: brought once, known by their config digest; what others do to them is named and mended."""

from __future__ import annotations

import re

from tests.lab.images.site import APP, LARGE, MIB, Site
from tests.lab.pair import HOSTS, NEW, OLD


def test_bare_hosts_have_an_engine_and_the_image_under_its_declared_name_alone(site: Site) -> None:
    for host in HOSTS:
        assert site.image(host) == site.config
        assert site.on(host, "docker info -f '{{.LiveRestoreEnabled}}'") == "true"
        assert "somebody/else" not in site.on(host, "docker image ls")
        assert site.on(host, "ls -A /var/cache/hostmuster-content") == ""


def test_an_archive_leaves_the_controller_once_and_goes_from_host_to_host(site: Site) -> None:
    config = site.save_large()
    size = (site.project.folder / "large.tar").stat().st_size
    sent = site.sent_by_controller()
    done = site.apply()
    assert size < site.sent_by_controller() - sent < size + 2 * MIB
    assert {site.image(host, LARGE) for host in HOSTS} == {config}
    assert re.search(r"transfer large\.tar from the controller", done.errors)
    assert {site.on(host, "ls -A /var/cache/hostmuster-content") for host in HOSTS} == {""}


def test_tags_that_others_moved_are_named_and_mended_without_a_transfer(site: Site) -> None:
    config = site.save_large()
    site.on(OLD, f"docker tag {LARGE} kept:1 && docker image rm {LARGE}")
    site.on(NEW, f"echo x >/tmp/x && tar -C /tmp -c x | docker import - foreign:1 && docker tag foreign:1 {LARGE}")
    foreign = site.image(NEW, "foreign:1")
    verify = site.run("verify")
    assert verify.exit == 1
    assert verify.item(OLD, "images")["reason"] == f"image {LARGE}: missing"
    assert verify.item(NEW, "images")["reason"] == f"image {LARGE}: config digest {foreign} (store overlay2)"
    assert {verify.statuses(host)[item] for host in HOSTS for item in ("access", "containers")} == {"ok"}
    sent = site.sent_by_controller()
    done = site.apply()
    assert site.sent_by_controller() - sent < MIB
    said = f"image {LARGE}: config digest is {foreign} (store overlay2), declared {config}"
    assert done.item(NEW, "images")["differences"] == [said]
    assert {site.image(host, LARGE) for host in HOSTS} == {config}
    assert {site.image(host) for host in HOSTS} == {site.config}, f"{APP} was not touched"
