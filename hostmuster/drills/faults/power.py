"""A host without power: in the lab its disk stops with all unsynced writes lost; elsewhere by the fleet's own hook."""

from __future__ import annotations

from hostmuster.drills.faults.fault import Beside, Fault, Ground, NoGround


def _lost(ground: Ground) -> Beside:
    host = ground.target
    says = f"{host.name} loses its power"
    if ground.fleet.lab:
        return Beside(says, ground.in_lab("lab.kill"), ground.in_lab("lab.start"), silences=True)
    power = ground.drilling.power
    if power is None:
        raise NoGround("drills.power declares no commands that take a host's power and give it back")
    off, on = (
        tuple(word.replace("{host}", host.name).replace("{address}", host.address) for word in command)
        for command in (power.off, power.on)
    )
    return Beside(says, off, on, silences=True)


LOSS = Fault("power loss", _lost)
