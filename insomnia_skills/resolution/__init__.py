"""The resolution explained: why a slug is won, lost or not there, and what an edit changes."""
