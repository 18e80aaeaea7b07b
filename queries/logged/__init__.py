"""Questions that go through the log instead of along edges: which events to look at, page by page."""
