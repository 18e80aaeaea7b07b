"""The service: its verbs, its store and its faces."""
