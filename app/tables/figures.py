"""What holds of the tables and is known without them."""

from __future__ import annotations

INDEXED_CHARACTERS = 600
"""How much of a long text a PostgreSQL index holds: four bytes each stay under the 2,704 bytes that an entry
may have.
"""

VACUUMED = ("body_key", "content", "event_salt", "body", "tag_key")
"""The tables of which nothing that was deleted may stay in pages: their key, bytes and digests."""
