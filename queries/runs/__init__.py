"""One run as it was reported: its setting, its steps, their causal order; and two of them side by side."""
