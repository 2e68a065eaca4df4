"""Commands that hang on a host that is well, and what one that was cut off leaves to dpkg."""

from __future__ import annotations

from tests.lab.failures.trial import HOSTS, Trial

# Its configuration hangs the first time, as one that is cut off in the middle by a power loss.
_CUT_OFF = """\
mkdir -p /srv/cut/DEBIAN && cd /srv
printf '%s\\n' 'Package: cut' 'Version: 1' 'Architecture: all' 'Maintainer: nobody <nobody@example.net>' \
    'Description: hangs once' >cut/DEBIAN/control
printf '%s\\n' '#!/bin/sh' '[ -e /srv/cut-once ] || { touch /srv/cut-once; sleep 303; }' >cut/DEBIAN/postinst
chmod 755 cut/DEBIAN/postinst && dpkg-deb --build cut >/dev/null
dpkg -i cut.deb >/dev/null 2>&1 & until [ -e /srv/cut-once ]; do sleep 0.05; done
pkill -KILL -x dpkg; pkill -f '^sleep 303$'; wait
ls /var/lib/dpkg/updates"""


def test_a_command_that_hangs_is_named_and_ended_and_its_change_taken_back(trial: Trial) -> None:
    trial.want(command={"argv": ["sh", "-c", "echo begun; exec sleep 304"], "limit_s": 2})
    done = trial.apply()
    assert done.exit == 1
    assert "sh was not done after 2 s and was ended: begun" in done.errors, done.errors
    assert "3 failed" in done.errors
    for host in HOSTS:
        assert trial.is_free(host)
        assert trial.leftovers(host) == []
        trial.on(host, "! pgrep -f '^sleep 304$' && test ! -e /srv/trial/done")


def test_an_installation_that_was_cut_off_is_ended_before_the_next_one(trial: Trial) -> None:
    for host in HOSTS:
        assert trial.on(host, _CUT_OFF), "dpkg was cut off in the middle"
    trial.want(package={"name": "hello"})
    done = trial.apply()
    assert done.exit == 0, done.errors
    for host in HOSTS:
        assert trial.on(host, "dpkg-query -W -f '${db:Status-Abbrev}' cut hello").split() == ["ii", "ii"]
