"""What `show` prints: one module a format."""
