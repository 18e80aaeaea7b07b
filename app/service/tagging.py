"""Which keys contents are tagged with: the tenant's secret that the ledger has in use."""

from __future__ import annotations

from app.content.keys import TagKeys
from app.content.vault import Vault
from app.ledger import Ledger
from app.ledger.tagkeys import TagKey
from provmodel.errors import StoreBusy


class Tagging:
    """The tag keys of tenants, as they are now; a secret that another process ended is not used again."""

    def __init__(self, ledger: Ledger, vault: Vault) -> None:
        self._ledger = ledger
        self._vault = vault
        self._known: dict[str, tuple[str, TagKeys]] = {}

    def of(self, tenant: str) -> TagKeys:
        """The keys in use; begun when there are none. Raises ``StoreTrouble`` when the secret was changed."""
        key = self._ledger.tag_key(tenant)
        name, known = self._known.get(tenant, ("", None))
        if known and key and key.name == name:
            return known
        if key is None:
            key = self._ledger.begin_tag_key(tenant, lambda name: self._vault.fresh_tag_secret(tenant, name))
        return self._opened(tenant, key)

    def _opened(self, tenant: str, key: TagKey) -> TagKeys:
        wrapped = self._ledger.tag_secret(tenant, key)
        if wrapped is None:  # ended just now, or lost with a key store that was brought back
            key = self._ledger.begin_tag_key(
                tenant, lambda name: self._vault.fresh_tag_secret(tenant, name), lost=key
            )
            wrapped = self._ledger.tag_secret(tenant, key)
        if wrapped is None:
            raise StoreBusy("the secret of tags was ended just now; send it again")
        made = self._vault.tag_keys(tenant, key.number, key.name, wrapped)
        self._known[tenant] = key.name, made
        return made
