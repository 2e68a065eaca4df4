"""How a secret is replaced on hosts that serve, as pure functions: what they say in, the next step or a refusal out.

Nothing here reads a file or a clock or calls a host. All that a step depends on is in the store and on the hosts, so
that whoever asks next, from another clone after any interruption, gets the step that is due (K4 to K7).
"""
