"""The lab's reference workload: stands in for the service whose hosts hostmuster keeps.

Standard library only, Debian's own python3 (12 and 13), no import of hostmuster: the folder is copied to a
host and started there as `python3 /opt/workload`, or as `python3 -m workload` beside it.
"""
