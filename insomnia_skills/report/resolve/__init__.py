"""What `resolve` prints: one module a format."""
