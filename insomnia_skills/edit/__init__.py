"""Changes to files: what is written, and how it gets to the disk whole or not at all."""
