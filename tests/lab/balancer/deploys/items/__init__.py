"""What the servers run."""
