"""A checklist for servers behind a load balancer."""
