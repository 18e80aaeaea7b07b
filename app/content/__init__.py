"""Bodies: the content of messages, results, arguments and artifacts, kept apart from the log and encrypted.

``open_keys`` gives the keys of a database, ``Vault.take_out`` takes the bodies out of an event before it is
logged, ``Vault.open_body`` gives one back. See docs/adr/0010-bodies-and-keys.md.
"""

from app.content.keys import Keys, open_keys
from app.content.sealing import SealedBody
from app.content.vault import Taken, Vault, same_content

__all__ = ["Keys", "SealedBody", "Taken", "Vault", "open_keys", "same_content"]
