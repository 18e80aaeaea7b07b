CREATE TABLE store (
    property TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT store_pkey PRIMARY KEY (property)
) WITHOUT ROWID;

CREATE TABLE tenant (
    tenant BIGINT NOT NULL,
    name TEXT NOT NULL,
    seq BIGINT NOT NULL,
    node BIGINT NOT NULL,
    word BIGINT NOT NULL,
    assertion BIGINT NOT NULL,
    received BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    created BIGINT NOT NULL,
    CONSTRAINT tenant_pkey PRIMARY KEY (tenant),
    CONSTRAINT tenant_name_key UNIQUE (name)
);

CREATE TABLE event (
    tenant BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    source BIGINT NOT NULL,
    id TEXT NOT NULL,
    type BIGINT NOT NULL,
    run BIGINT,
    epoch BIGINT NOT NULL,
    number BIGINT,
    highest BIGINT NOT NULL,
    received BIGINT NOT NULL,
    reporter BIGINT NOT NULL,
    principal BIGINT NOT NULL,
    vouched SMALLINT NOT NULL,
    mapping SMALLINT NOT NULL,
    marks SMALLINT NOT NULL,
    node BIGINT NOT NULL,
    lookup TEXT,
    digest BLOB NOT NULL,
    computed_digest BLOB,
    log BLOB NOT NULL,
    computed BLOB,
    CONSTRAINT event_pkey PRIMARY KEY (tenant, seq)
);
CREATE INDEX event_run ON event (tenant, run, type, seq) WHERE run is not null;
CREATE INDEX event_node ON event (tenant, node, seq);
CREATE INDEX event_lookup ON event (tenant, lookup) WHERE lookup is not null;
CREATE INDEX event_id ON event (tenant, source, id);
CREATE INDEX event_source ON event (tenant, source, epoch, seq);

CREATE TABLE word (
    tenant BIGINT NOT NULL,
    word BIGINT NOT NULL,
    text TEXT NOT NULL,
    CONSTRAINT word_pkey PRIMARY KEY (tenant, word)
) WITHOUT ROWID;
CREATE UNIQUE INDEX word_text ON word (tenant, text);

CREATE TABLE node (
    tenant BIGINT NOT NULL,
    node BIGINT NOT NULL,
    ref TEXT NOT NULL,
    tail TEXT,
    kind SMALLINT NOT NULL,
    event BIGINT,
    joined BIGINT,
    described BIGINT,
    CONSTRAINT node_pkey PRIMARY KEY (tenant, node)
) WITHOUT ROWID;
CREATE INDEX node_tail ON node (tenant, tail) WHERE tail is not null;
CREATE UNIQUE INDEX node_ref ON node (tenant, ref);

CREATE TABLE node_kind (
    tenant BIGINT NOT NULL,
    node BIGINT NOT NULL,
    event BIGINT NOT NULL,
    kind SMALLINT NOT NULL,
    CONSTRAINT node_kind_pkey PRIMARY KEY (tenant, node, event)
) WITHOUT ROWID;

CREATE TABLE assertion (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    code SMALLINT NOT NULL,
    target BIGINT NOT NULL,
    assertion BIGINT NOT NULL,
    relation BIGINT NOT NULL,
    role BIGINT NOT NULL,
    evidence SMALLINT NOT NULL,
    stance SMALLINT NOT NULL,
    asserter BIGINT NOT NULL,
    method BIGINT NOT NULL,
    event BIGINT NOT NULL,
    since BIGINT NOT NULL,
    until BIGINT,
    bundle BIGINT,
    time TEXT NOT NULL,
    attributes TEXT NOT NULL,
    CONSTRAINT assertion_pkey PRIMARY KEY (tenant, source, code, target, assertion)
) WITHOUT ROWID;
CREATE INDEX assertion_target ON assertion (tenant, target, code, source, assertion, relation, role, evidence, stance, asserter, method, event, since, until, time, attributes);
CREATE INDEX assertion_asserter ON assertion (tenant, asserter, event, relation, code);

CREATE TABLE attribute (
    tenant BIGINT NOT NULL,
    node BIGINT NOT NULL,
    event BIGINT NOT NULL,
    n SMALLINT NOT NULL,
    name BIGINT NOT NULL,
    value TEXT NOT NULL,
    datatype SMALLINT NOT NULL,
    evidence SMALLINT NOT NULL,
    stance SMALLINT NOT NULL,
    asserter BIGINT NOT NULL,
    bundle BIGINT,
    CONSTRAINT attribute_pkey PRIMARY KEY (tenant, node, event, n)
) WITHOUT ROWID;

CREATE TABLE fact (
    tenant BIGINT NOT NULL,
    place BIGINT NOT NULL,
    "key" BIGINT NOT NULL,
    side SMALLINT NOT NULL,
    hash BIGINT NOT NULL,
    node BIGINT NOT NULL,
    event BIGINT NOT NULL,
    data TEXT NOT NULL,
    CONSTRAINT fact_pkey PRIMARY KEY (tenant, place, "key", side, hash)
) WITHOUT ROWID;

CREATE TABLE blob (
    tenant BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    level SMALLINT NOT NULL,
    edges BIGINT NOT NULL,
    data BLOB NOT NULL,
    CONSTRAINT blob_pkey PRIMARY KEY (tenant, first_seq)
);

CREATE TABLE source_epoch (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    highest BIGINT NOT NULL,
    CONSTRAINT source_epoch_pkey PRIMARY KEY (tenant, source, epoch)
) WITHOUT ROWID;

CREATE TABLE missing (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    low BIGINT NOT NULL,
    since BIGINT NOT NULL,
    high BIGINT NOT NULL,
    until BIGINT,
    CONSTRAINT missing_pkey PRIMARY KEY (tenant, source, epoch, low, since)
) WITHOUT ROWID;
CREATE INDEX missing_until ON missing (tenant, source, epoch, until);

CREATE TABLE source_report (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    last_number BIGINT,
    dropped BIGINT NOT NULL,
    closed SMALLINT NOT NULL,
    covers TEXT,
    CONSTRAINT source_report_pkey PRIMARY KEY (tenant, source, epoch, seq)
) WITHOUT ROWID;

CREATE TABLE run_source (
    tenant BIGINT NOT NULL,
    run BIGINT NOT NULL,
    source BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    CONSTRAINT run_source_pkey PRIMARY KEY (tenant, run, source)
) WITHOUT ROWID;

CREATE TABLE body (
    tenant BIGINT NOT NULL,
    body TEXT NOT NULL,
    event BIGINT NOT NULL,
    class TEXT NOT NULL,
    scope TEXT,
    retention TEXT,
    state TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sealed BLOB,
    CONSTRAINT body_pkey PRIMARY KEY (tenant, body, event)
);
CREATE INDEX body_event ON body (tenant, event);

CREATE TABLE body_key (
    tenant BIGINT NOT NULL,
    body TEXT NOT NULL,
    event BIGINT NOT NULL,
    wrapped BLOB NOT NULL,
    CONSTRAINT body_key_pkey PRIMARY KEY (tenant, body, event)
) WITHOUT ROWID;

CREATE TABLE event_salt (
    tenant BIGINT NOT NULL,
    event BIGINT NOT NULL,
    salt BLOB NOT NULL,
    digest BLOB NOT NULL,
    CONSTRAINT event_salt_pkey PRIMARY KEY (tenant, event)
) WITHOUT ROWID;

CREATE TABLE retention_policy (
    tenant BIGINT NOT NULL,
    class TEXT NOT NULL,
    since BIGINT NOT NULL,
    seconds BIGINT,
    policy TEXT NOT NULL,
    actor TEXT NOT NULL,
    CONSTRAINT retention_policy_pkey PRIMARY KEY (tenant, class, since)
);

CREATE TABLE hold (
    tenant BIGINT NOT NULL,
    hold TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT NOT NULL,
    placed BIGINT NOT NULL,
    placed_by TEXT NOT NULL,
    lifted BIGINT,
    lifted_by TEXT,
    CONSTRAINT hold_pkey PRIMARY KEY (tenant, hold)
);
CREATE INDEX hold_target ON hold (tenant, target);

CREATE TABLE tombstone (
    tenant BIGINT NOT NULL,
    body TEXT NOT NULL,
    requested BIGINT NOT NULL,
    done BIGINT,
    policy TEXT NOT NULL,
    actor TEXT NOT NULL,
    reason_class TEXT NOT NULL,
    places TEXT NOT NULL,
    event BIGINT,
    CONSTRAINT tombstone_pkey PRIMARY KEY (tenant, body)
);

CREATE TABLE access (
    tenant BIGINT NOT NULL,
    access BIGINT NOT NULL,
    at BIGINT NOT NULL,
    principal TEXT NOT NULL,
    verb TEXT NOT NULL,
    target TEXT NOT NULL,
    purpose TEXT NOT NULL,
    outcome TEXT NOT NULL,
    CONSTRAINT access_pkey PRIMARY KEY (tenant, access)
);
CREATE INDEX access_target ON access (tenant, target, at);

CREATE TABLE search_token (
    tenant BIGINT NOT NULL,
    token TEXT NOT NULL,
    node BIGINT NOT NULL,
    field TEXT NOT NULL,
    body TEXT NOT NULL,
    count BIGINT NOT NULL,
    CONSTRAINT search_token_pkey PRIMARY KEY (tenant, token, node, field, body)
) WITHOUT ROWID;
CREATE INDEX search_token_body ON search_token (tenant, body);

CREATE TABLE document (
    tenant BIGINT NOT NULL,
    document TEXT NOT NULL,
    format TEXT NOT NULL,
    received BIGINT NOT NULL,
    reporter TEXT NOT NULL,
    digest BLOB NOT NULL,
    event BIGINT,
    prefixes TEXT NOT NULL,
    CONSTRAINT document_pkey PRIMARY KEY (tenant, document)
);

CREATE TABLE incident (
    tenant BIGINT NOT NULL,
    incident TEXT NOT NULL,
    title TEXT NOT NULL,
    state TEXT NOT NULL,
    opened BIGINT NOT NULL,
    opened_by TEXT NOT NULL,
    closed BIGINT,
    CONSTRAINT incident_pkey PRIMARY KEY (tenant, incident)
);

CREATE TABLE credential (
    tenant BIGINT NOT NULL,
    credential TEXT NOT NULL,
    digest BLOB NOT NULL,
    kinds TEXT NOT NULL,
    sources TEXT,
    rights TEXT NOT NULL,
    vouches SMALLINT NOT NULL,
    cap SMALLINT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT,
    revoked BIGINT,
    CONSTRAINT credential_pkey PRIMARY KEY (tenant, credential)
);

CREATE TABLE bundle (
    tenant BIGINT NOT NULL,
    bundle BIGINT NOT NULL,
    document TEXT NOT NULL,
    node BIGINT NOT NULL,
    prefixes TEXT NOT NULL,
    CONSTRAINT bundle_pkey PRIMARY KEY (tenant, bundle),
    CONSTRAINT bundle_tenant_document_fkey FOREIGN KEY(tenant, document) REFERENCES document (tenant, document)
);
CREATE INDEX bundle_node ON bundle (tenant, node);

CREATE TABLE incident_item (
    tenant BIGINT NOT NULL,
    incident TEXT NOT NULL,
    item BIGINT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    question TEXT NOT NULL,
    as_of BIGINT NOT NULL,
    note TEXT NOT NULL,
    added BIGINT NOT NULL,
    added_by TEXT NOT NULL,
    CONSTRAINT incident_item_pkey PRIMARY KEY (tenant, incident, item),
    CONSTRAINT incident_item_tenant_incident_fkey FOREIGN KEY(tenant, incident) REFERENCES incident (tenant, incident)
);
