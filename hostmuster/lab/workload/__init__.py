"""The lab's reference workload: stands in for the service whose hosts hostmuster keeps.

Debian's own python3 (12 and 13), no import of hostmuster, and no library but where keys, rows or a database are
configured: the folder is copied to a host and started there as `python3 /opt/workload`, or as `python3 -m workload`
beside it. `python3 /opt/workload renderer` is the renderer, and `migrate`, `prove`, `dump`, `put-back` act on the rows.
"""
