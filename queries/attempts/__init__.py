"""Attempts: what was tried, how often, to what effect, and what of that should not have been."""
