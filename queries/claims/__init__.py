"""What models claim of their sources, held against what they were sent."""
