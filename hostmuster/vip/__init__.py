"""The virtual IP: what a fleet file says of it, and who shares it."""
