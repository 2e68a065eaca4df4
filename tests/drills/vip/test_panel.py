"""A panel writes its virtual host anew: our locations are back on each host, served, and somebody is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.fleet_on_lab import REPOSITORY
from tests.lab.vip.shared import BOTH, ONE, Shared, declare

VHOST = "/etc/nginx/conf.d/api.conf"
TOLD_S = 15
"""So long a restored file is an alert: longer than the monitor takes to look, on a busy machine too."""
OURS = 'location = /ours { return 200 "ours\\n"; }\n'
# What a panel does: the whole file from its own template, and a reload; what it did not write is gone.
REGENERATE = f"""\
cat >{VHOST} <<'END'
server
{{
    listen 8088;
    server_name api.example.net;
    index index.html;
    root /var/www/html;
    #SSL-START
    #SSL-END
    location ~ .*\\.(gif|jpg)$ {{ expires 30d; }}
}}
server {{
    listen 8089;
    server_name old.example.net;
    return 301 http://api.example.net$request_uri;
}}
END
nginx -s reload"""


@pytest.fixture(scope="module")
def paneled(two: Shared) -> Shared:
    """Both hosts have the panel's file, and the item."""
    templates = two.fleet.folder / "templates"
    own_template(templates)
    for host in BOTH:
        two.shell(host, REGENERATE)
    two.fleet.extra = {"drills": {"client": {"through": [f"http://{two.v4}"], "get": "/"}, "watch_s": 3, "undo_s": 30}}
    panel = {"vhosts": {"api": {"path": VHOST, "template": "api.conf.j2"}}, "told_s": TOLD_S}
    declare(two, {"panel": panel, "monitor": {"interval_s": 1, "patience": 1, "peers": None}})
    done = two.fleet.hostmuster("apply")
    assert done.exit == 0, done.output + done.errors
    return two


def own_template(templates: Path) -> None:
    """The project's templates, with our locations."""
    templates.unlink()
    templates.mkdir()
    for folder in (REPOSITORY / "templates").iterdir():
        (templates / folder.name).symlink_to(folder)
    (templates / "panel").unlink()
    (templates / "panel").mkdir()
    for file in (REPOSITORY / "templates" / "panel").iterdir():
        (templates / "panel" / file.name).symlink_to(file)
    (templates / "panel" / "api.conf.j2").write_text(OURS)


def serves_ours(shared: Shared, host: str) -> bool:
    """Whether the running nginx has our location."""
    return shared.lab.run(host, "curl -s -m 2 http://127.0.0.1:8088/ours").stdout == "ours\n"


def is_restored(shared: Shared, host: str) -> bool:
    """Whether our line is in the panel's file again, and nginx has it. Until it has taken up what the panel wrote, it
    serves ours from before; and what is written while the guard is not done is seen by its timer alone, a minute later.
    """
    done = '[ "$(systemctl show -P ActiveState hostmuster-panel)" = inactive ]'
    written = f"/etc/hostmuster/panel/guard check /etc/hostmuster/panel/vhosts && {done}"
    return shared.lab.run(host, written).ok and serves_ours(shared, host)


def is_over(shared: Shared) -> None:
    """Waits until the alert of the last restored file is."""
    told = f"/etc/hostmuster/panel/guard told {TOLD_S} /run/hostmuster-panel"
    shared.until(lambda: shared.lab.run(ONE, told).ok, within_s=TOLD_S + 20)


def test_a_virtual_host_written_anew_has_ours_back_on_both_hosts(paneled: Shared) -> None:
    paneled.until(lambda: all(is_restored(paneled, host) for host in BOTH))
    for host in BOTH:
        paneled.shell(host, REGENERATE)
    paneled.until(lambda: all(is_restored(paneled, host) for host in BOTH), within_s=10)
    for host in BOTH:
        text = paneled.shell(host, f"cat {VHOST}")
        assert text.count("include /etc/hostmuster/panel/api.conf; # hostmuster") == 2
        assert "#SSL-START" in text
        assert "put back" in paneled.shell(host, "journalctl -o cat -p err -n 3 -t hostmuster-panel")
        assert not paneled.lab.run(host, "/etc/hostmuster/panel/guard told 60 /run/hostmuster-panel").ok


def test_what_nginx_refuses_is_left_as_the_panel_wrote_it(paneled: Shared) -> None:
    broken = f"sed -i -e '/hostmuster$/d' -e 's/expires 30d/expires soon/' {VHOST}"
    paneled.shell(ONE, broken)
    said = "journalctl -o cat -n 3 -t hostmuster-panel"
    paneled.until(lambda: "nginx refuses it" in paneled.shell(ONE, said), within_s=10)
    assert "hostmuster" not in paneled.shell(ONE, f"cat {VHOST}")
    assert serves_ours(paneled, ONE)  # what runs goes on
    paneled.shell(ONE, REGENERATE)
    paneled.until(lambda: is_restored(paneled, ONE), within_s=10)


def test_an_alert_is_over_after_a_while(paneled: Shared) -> None:
    is_over(paneled)
    done = paneled.fleet.run("verify")
    assert done.exit == 0, done.errors


def test_the_drill_says_that_it_came_back_and_was_told(paneled: Shared) -> None:
    is_over(paneled)
    done = paneled.fleet.run("drill.run", "vhost-regenerated")
    assert done.exit == 0, done.output + done.errors
    (drill,) = done.document["drills"]
    assert drill["verdict"] == "passed", drill
