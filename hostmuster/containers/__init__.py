"""Long-lived service containers: what is declared of one, how it is made, and who supervises it."""
