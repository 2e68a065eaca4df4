"""Virtual machines: hosts with Debian's own kernel, for what a container cannot show (AppArmor, a clock of its own)."""
