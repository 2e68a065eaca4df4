"""Its checklist."""

from .items import banner, lockout, sleeper, trust, watched

CHECKLIST = (banner, sleeper, trust, watched, lockout)
