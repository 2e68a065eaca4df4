"""The lab: real hosts on one machine, with power loss and network loss on demand."""
