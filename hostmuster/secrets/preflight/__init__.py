"""What must hold on every replica before several of them serve together (K1 to K3), as far as it can be told here."""
