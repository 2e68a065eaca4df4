"""The report is made from one look at each host, and its page tells of every host and item."""

from __future__ import annotations

from pathlib import Path

from tests.lab.items.site import Site
from tests.lab.pair import HOSTS, NEW, OLD


def test_one_page_tells_how_every_host_stands_after_one_look(site: Site) -> None:
    site.declare()
    site.apply()
    for host in HOSTS:
        # Its own checks have seen that what earlier tests broke was mended.
        site.shell(host, "systemctl start hostmuster-monitor.service")
    site.shell(NEW, "echo by hand >>/srv/service/seed/README.md")
    done = site.fleet.run("report")
    assert done.exit == 2, done.errors
    assert done.item(NEW, "workspace")["differences"][0].startswith(
        "file /srv/service/seed/README.md: content is another"
    )
    assert done.document["findings"] == []
    assert set(done.document["execs"].values()) == {1}
    assert done.item(OLD, "units")["effects"], "what was proved is told, too"
    assert all(host["checks"]["failed"] == {} for host in done.document["hosts"].values())
    path = Path(done.document["page"])
    assert path == site.fleet.folder / "reports" / site.fleet.name / "report.html"
    assert str(path) in done.errors
    assert path.stat().st_mode & 0o777 == 0o600
    page = path.read_text()
    assert "Of 2 hosts, 1 differs." in page
    assert all(name in page for name in (*HOSTS, *done.document["checklist"]))
    assert list(path.parent.iterdir()) == [path]
    site.apply()
