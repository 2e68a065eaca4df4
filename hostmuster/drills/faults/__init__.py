"""What a drill does to a host, one kind a module: each comes with its own undoing, which is armed before it."""
