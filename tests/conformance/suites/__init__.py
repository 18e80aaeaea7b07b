"""One file a public suite."""
