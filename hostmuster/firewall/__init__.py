"""The firewall: one model of what may come in, rendered for IPv4 and IPv6."""
