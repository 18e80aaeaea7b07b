"""What was received of sources and runs, what was not, and what of it contradicts itself."""
