"""What came of each source, and what did not."""

from __future__ import annotations

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table

from app.tables.base import CLUSTERED, Number, Small, String, key, metadata, tenant_key

source_epoch = Table(
    "source_epoch",
    metadata,
    tenant_key(),
    key("source"),
    key("epoch"),
    Column("first_seq", Number, nullable=False),
    Column("last_seq", Number, nullable=False),
    Column("highest", Number, nullable=False),
    PrimaryKeyConstraint("tenant", "source", "epoch"),
    comment="Each source and epoch, with the highest number so far; for an older as_of the event rows "
    "have it.",
    **CLUSTERED,
)

missing = Table(
    "missing",
    metadata,
    tenant_key(),
    key("source"),
    key("epoch"),
    key("low"),
    key("since"),
    Column("high", Number, nullable=False),
    Column("until", Number),
    PrimaryKeyConstraint("tenant", "source", "epoch", "low", "since"),
    Index("missing_until", "tenant", "source", "epoch", "until"),
    comment="Ranges of source numbers below the highest that had not come, from seq since to before "
    "seq until.",
    **CLUSTERED,
)

source_report = Table(
    "source_report",
    metadata,
    tenant_key(),
    key("source"),
    key("epoch"),
    key("seq"),
    Column("last_number", Number),
    Column("dropped", Number, nullable=False),
    Column("closed", Small, nullable=False),
    Column("covers", String),
    Column("surplus", Number, nullable=False),
    Column("unnumbered", Small, nullable=False),
    PrimaryKeyConstraint("tenant", "source", "epoch", "seq"),
    comment="What a source has said of itself up to and with this event, summed up; surplus: "
    "numbered events less distinct numbers; unnumbered: some of its events have none.",
    **CLUSTERED,
)

run_source = Table(
    "run_source",
    metadata,
    tenant_key(),
    key("run"),
    key("source"),
    Column("seq", Number, nullable=False),
    PrimaryKeyConstraint("tenant", "run", "source"),
    comment="Which sources reported events of a run, and the seq of the first.",
    **CLUSTERED,
)
