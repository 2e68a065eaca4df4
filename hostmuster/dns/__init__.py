"""A zone of the fleet's own whose names lead to what answers."""
