"""The benchmark's items, as hostmuster, Ansible and stock pyinfra are told them."""
