"""What `new` prints: one module a format."""
