"""How long content is kept, as its keepers speak of it: policies, holds, what would go, and deletions."""
