"""Logins by SSH: keys, certificates, sshd and what it says, and the trust of hosts in each other."""
