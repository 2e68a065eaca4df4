"""How quick hostmuster is: beside Ansible, stock pyinfra and the floors that SSH itself sets, in one run on one lab."""
