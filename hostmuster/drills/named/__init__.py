"""The drills, one file each: a DRILL that says what is done to which host, and what must then be seen."""
