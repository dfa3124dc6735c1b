"""Staying up to date: what a workspace or some paths give, while files change."""
