"""What a secret is: how a value of its kind is made, checked, told apart, and replaced (K1 to K7)."""
