"""All tables, in one metadata."""

from app.tables.base import metadata
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
