"""What `eject` prints: one module a format."""
