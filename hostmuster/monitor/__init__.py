"""How each host checks itself on a timer, tells of it, and speaks for a neighbour gone silent (H17)."""
