"""The tables of the store, for SQLite and PostgreSQL alike.

``tenant`` is the first column of every primary, unique and foreign key, of every index and of every query:
that makes isolation checkable, row-level security possible (``isolation``), and sharding by tenant a choice
of deployment. Only ``tenant`` itself, which gives a name its number, and ``store``, which holds what is true
of the whole database, stand outside the rule.

Texts that return often (roles, methods, attribute names, sources, runs) are integers of ``word``; what can
be an end of a relation is an integer of ``node``. On SQLite the narrow tables are clustered on their
primary key (``WITHOUT ROWID``); ``event`` and ``body`` are not, because rows of a page's quarter and more
would spill from an index page.

Times of the service's own clock are microseconds since 1970 in UTC. ``since`` and ``until`` are seqs of the
log: a row is visible when ``since <= as_of < until``, an ``until`` of null being never.
"""

from app.tables.base import INDEXED_CHARACTERS, metadata
from app.tables.beside import access, credential, restriction
from app.tables.bodies import body, body_key, content, event_salt, hold, retention_policy, tag_key, tombstone
from app.tables.cases import incident, incident_action, incident_item, incident_run
from app.tables.coverage import missing, run_source, source_epoch, source_report
from app.tables.dictionaries import node, node_kind, word
from app.tables.documents import document
from app.tables.graph import assertion, attribute, blob, fact
from app.tables.log import event, store, tenant
from app.tables.pingbacks import pingback
from app.tables.search import search_head, search_text

from app.tables import isolation  # isort: skip  (of all tables)

__all__ = [
    "INDEXED_CHARACTERS",
    "access",
    "assertion",
    "attribute",
    "blob",
    "body",
    "body_key",
    "content",
    "credential",
    "document",
    "event",
    "event_salt",
    "fact",
    "hold",
    "incident",
    "incident_action",
    "incident_item",
    "incident_run",
    "isolation",
    "metadata",
    "missing",
    "node",
    "node_kind",
    "pingback",
    "restriction",
    "retention_policy",
    "run_source",
    "search_head",
    "search_text",
    "source_epoch",
    "source_report",
    "store",
    "tag_key",
    "tenant",
    "tombstone",
    "word",
]
