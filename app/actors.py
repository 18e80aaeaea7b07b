"""How the names of those who act are read: in words, for the help of every face."""

from __future__ import annotations

RULE = "A bare name is a person's (bob: person:bob)."
OPERATOR = "person:operator"
"""Who acts on a ledger in place, when its holder does not tell."""
