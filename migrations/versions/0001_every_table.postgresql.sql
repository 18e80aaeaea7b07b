CREATE TABLE store (
    property TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    CONSTRAINT store_pkey PRIMARY KEY (property)
);
COMMENT ON TABLE store IS 'What is true of the whole database: the fingerprint of its key, when it was made.';

CREATE TABLE tenant (
    tenant BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
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
COMMENT ON TABLE tenant IS 'The head row: the last integer of each kind. Who writes a tenant holds its lock until commit.';

CREATE TABLE event (
    tenant BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    source BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
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
    lookup TEXT COLLATE "C",
    digest BYTEA NOT NULL,
    computed_digest BYTEA,
    log BYTEA NOT NULL,
    computed BYTEA,
    CONSTRAINT event_pkey PRIMARY KEY (tenant, seq)
);
CREATE INDEX event_run ON event (tenant, run, type, seq) WHERE run is not null;
CREATE INDEX event_lookup_start ON event (tenant, substr(lookup, 1, 600)) WHERE lookup is not null;
CREATE INDEX event_node ON event (tenant, node, seq);
CREATE INDEX event_source ON event (tenant, source, epoch, seq);
CREATE INDEX event_id_start ON event (tenant, source, substr(id, 1, 600));
COMMENT ON TABLE event IS 'The log: what was accepted, byte for byte, after bodies were taken out; with the SHA-256 of the bytes.';

CREATE TABLE word (
    tenant BIGINT NOT NULL,
    word BIGINT NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    CONSTRAINT word_pkey PRIMARY KEY (tenant, word)
);
CREATE INDEX word_text_start ON word (tenant, substr(text, 1, 600));
COMMENT ON TABLE word IS 'Roles, methods, attribute names, sources, runs, event types, credentials.';

CREATE TABLE node (
    tenant BIGINT NOT NULL,
    node BIGINT NOT NULL,
    ref TEXT COLLATE "C" NOT NULL,
    tail TEXT COLLATE "C",
    kind SMALLINT NOT NULL,
    event BIGINT,
    joined BIGINT,
    described BIGINT,
    CONSTRAINT node_pkey PRIMARY KEY (tenant, node)
);
CREATE INDEX node_ref_start ON node (tenant, substr(ref, 1, 600));
CREATE INDEX node_tail_start ON node (tenant, substr(tail, 1, 600)) WHERE tail is not null;
COMMENT ON TABLE node IS 'What can be an end of a relation. event: the first that names it, null while only a joined row does; joined: the seq of that row; described: the first event that says what it is; tail: the last path segment, null when that is the whole ref.';

CREATE TABLE node_kind (
    tenant BIGINT NOT NULL,
    node BIGINT NOT NULL,
    event BIGINT NOT NULL,
    kind SMALLINT NOT NULL,
    CONSTRAINT node_kind_pkey PRIMARY KEY (tenant, node, event)
);
COMMENT ON TABLE node_kind IS 'Kinds as which a node was used later than in its first event.';

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
    time TEXT COLLATE "C" NOT NULL,
    attributes TEXT COLLATE "C" NOT NULL,
    CONSTRAINT assertion_pkey PRIMARY KEY (tenant, source, code, target, assertion)
);
CREATE INDEX assertion_asserter ON assertion (tenant, asserter, event, relation, code);
CREATE INDEX assertion_target_plain ON assertion (tenant, target, code, source);
COMMENT ON TABLE assertion IS 'One row for each node-valued argument of each stated or joined relation; target 0 when it has none.';

CREATE TABLE attribute (
    tenant BIGINT NOT NULL,
    node BIGINT NOT NULL,
    event BIGINT NOT NULL,
    n SMALLINT NOT NULL,
    name BIGINT NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    datatype SMALLINT NOT NULL,
    evidence SMALLINT NOT NULL,
    stance SMALLINT NOT NULL,
    asserter BIGINT NOT NULL,
    bundle BIGINT,
    CONSTRAINT attribute_pkey PRIMARY KEY (tenant, node, event, n)
);
COMMENT ON TABLE attribute IS 'What events say of nodes; n counts within the event.';

CREATE TABLE fact (
    tenant BIGINT NOT NULL,
    place BIGINT NOT NULL,
    key BIGINT NOT NULL,
    side SMALLINT NOT NULL,
    hash BIGINT NOT NULL,
    node BIGINT NOT NULL,
    event BIGINT NOT NULL,
    data TEXT COLLATE "C" NOT NULL,
    CONSTRAINT fact_pkey PRIMARY KEY (tenant, place, key, side, hash)
);
COMMENT ON TABLE fact IS 'What events need from and offer to each other. A set: equal facts of two events are one row, of the first event. place keeps the keys of a run together.';

CREATE TABLE blob (
    tenant BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    level SMALLINT NOT NULL,
    edges BIGINT NOT NULL,
    data BYTEA NOT NULL,
    CONSTRAINT blob_pkey PRIMARY KEY (tenant, first_seq)
);
COMMENT ON TABLE blob IS 'The rows of assertion again, packed by column in the order they came; see app.ledger.blobs.';

CREATE TABLE source_epoch (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    highest BIGINT NOT NULL,
    CONSTRAINT source_epoch_pkey PRIMARY KEY (tenant, source, epoch)
);
COMMENT ON TABLE source_epoch IS 'Each source and epoch, with the highest number so far; for an older as_of the event rows have it.';

CREATE TABLE missing (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    low BIGINT NOT NULL,
    since BIGINT NOT NULL,
    high BIGINT NOT NULL,
    until BIGINT,
    CONSTRAINT missing_pkey PRIMARY KEY (tenant, source, epoch, low, since)
);
CREATE INDEX missing_until ON missing (tenant, source, epoch, until);
COMMENT ON TABLE missing IS 'Ranges of source numbers below the highest that had not come, from seq since to before seq until.';

CREATE TABLE source_report (
    tenant BIGINT NOT NULL,
    source BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    last_number BIGINT,
    dropped BIGINT NOT NULL,
    closed SMALLINT NOT NULL,
    covers TEXT COLLATE "C",
    CONSTRAINT source_report_pkey PRIMARY KEY (tenant, source, epoch, seq)
);
COMMENT ON TABLE source_report IS 'What a source has said of itself up to and with this event, summed up.';

CREATE TABLE run_source (
    tenant BIGINT NOT NULL,
    run BIGINT NOT NULL,
    source BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    CONSTRAINT run_source_pkey PRIMARY KEY (tenant, run, source)
);
COMMENT ON TABLE run_source IS 'Which sources reported events of a run, and the seq of the first.';

CREATE TABLE body (
    tenant BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    event BIGINT NOT NULL,
    class TEXT COLLATE "C" NOT NULL,
    scope TEXT COLLATE "C",
    retention TEXT COLLATE "C",
    state TEXT COLLATE "C" NOT NULL,
    media_type TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    sealed BYTEA,
    CONSTRAINT body_pkey PRIMARY KEY (tenant, body, event)
);
CREATE INDEX body_event ON body (tenant, event);
COMMENT ON TABLE body IS 'Content, encrypted; sealed is nonce, ciphertext and tag. event: the variant that brought it.';

CREATE TABLE body_key (
    tenant BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    event BIGINT NOT NULL,
    wrapped BYTEA NOT NULL,
    CONSTRAINT body_key_pkey PRIMARY KEY (tenant, body, event)
);
COMMENT ON TABLE body_key IS 'A body''s own key under its tenant''s key. Deleting the row makes every copy of the body unreadable.';

CREATE TABLE event_salt (
    tenant BIGINT NOT NULL,
    event BIGINT NOT NULL,
    salt BYTEA NOT NULL,
    digest BYTEA NOT NULL,
    CONSTRAINT event_salt_pkey PRIMARY KEY (tenant, event)
);
COMMENT ON TABLE event_salt IS 'By which a re-delivery is recognised while the bodies of its event live.';

CREATE TABLE retention_policy (
    tenant BIGINT NOT NULL,
    class TEXT COLLATE "C" NOT NULL,
    since BIGINT NOT NULL,
    seconds BIGINT,
    policy TEXT COLLATE "C" NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    CONSTRAINT retention_policy_pkey PRIMARY KEY (tenant, class, since)
);
COMMENT ON TABLE retention_policy IS 'How long bodies of a class are kept, from when on; null seconds is for ever.';

CREATE TABLE hold (
    tenant BIGINT NOT NULL,
    hold TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    placed BIGINT NOT NULL,
    placed_by TEXT COLLATE "C" NOT NULL,
    lifted BIGINT,
    lifted_by TEXT COLLATE "C",
    CONSTRAINT hold_pkey PRIMARY KEY (tenant, hold)
);
CREATE INDEX hold_target ON hold (tenant, target);
COMMENT ON TABLE hold IS 'What must not be deleted, and why; a hold beats expiry.';

CREATE TABLE tombstone (
    tenant BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    requested BIGINT NOT NULL,
    done BIGINT,
    policy TEXT COLLATE "C" NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    reason_class TEXT COLLATE "C" NOT NULL,
    places TEXT COLLATE "C" NOT NULL,
    event BIGINT,
    CONSTRAINT tombstone_pkey PRIMARY KEY (tenant, body)
);
COMMENT ON TABLE tombstone IS 'What stays of a deleted body; places is a JSON array.';

CREATE TABLE access (
    tenant BIGINT NOT NULL,
    access BIGINT NOT NULL,
    at BIGINT NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    verb TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    CONSTRAINT access_pkey PRIMARY KEY (tenant, access)
);
CREATE INDEX access_target ON access (tenant, target, at);
COMMENT ON TABLE access IS 'Who read what: a stream of its own, never projected and never exported with the graph.';

CREATE TABLE search_token (
    tenant BIGINT NOT NULL,
    token TEXT COLLATE "C" NOT NULL,
    node BIGINT NOT NULL,
    field TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    count BIGINT NOT NULL,
    CONSTRAINT search_token_pkey PRIMARY KEY (tenant, token, node, field, body)
);
CREATE INDEX search_token_body ON search_token (tenant, body);
COMMENT ON TABLE search_token IS 'Words as Clew cuts them, and where they stand; rows of a body go with the body.';

CREATE TABLE document (
    tenant BIGINT NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    format TEXT COLLATE "C" NOT NULL,
    received BIGINT NOT NULL,
    reporter TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    event BIGINT,
    prefixes TEXT COLLATE "C" NOT NULL,
    CONSTRAINT document_pkey PRIMARY KEY (tenant, document)
);
COMMENT ON TABLE document IS 'PROV documents taken in; prefixes is a JSON object.';

CREATE TABLE incident (
    tenant BIGINT NOT NULL,
    incident TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    opened BIGINT NOT NULL,
    opened_by TEXT COLLATE "C" NOT NULL,
    closed BIGINT,
    CONSTRAINT incident_pkey PRIMARY KEY (tenant, incident)
);
COMMENT ON TABLE incident IS 'Cases: what an investigation keeps together.';

CREATE TABLE credential (
    tenant BIGINT NOT NULL,
    credential TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    kinds TEXT COLLATE "C" NOT NULL,
    sources TEXT COLLATE "C",
    rights TEXT COLLATE "C" NOT NULL,
    vouches SMALLINT NOT NULL,
    cap SMALLINT NOT NULL,
    created BIGINT NOT NULL,
    expires BIGINT,
    revoked BIGINT,
    CONSTRAINT credential_pkey PRIMARY KEY (tenant, credential)
);
COMMENT ON TABLE credential IS 'Who may deliver and read: kinds, sources and rights are JSON arrays, null sources is every source.';

CREATE TABLE bundle (
    tenant BIGINT NOT NULL,
    bundle BIGINT NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    node BIGINT NOT NULL,
    prefixes TEXT COLLATE "C" NOT NULL,
    CONSTRAINT bundle_pkey PRIMARY KEY (tenant, bundle),
    CONSTRAINT bundle_tenant_document_fkey FOREIGN KEY(tenant, document) REFERENCES document (tenant, document)
);
CREATE INDEX bundle_node ON bundle (tenant, node);
COMMENT ON TABLE bundle IS 'Bundles of documents; node is the bundle''s own name.';

CREATE TABLE incident_item (
    tenant BIGINT NOT NULL,
    incident TEXT COLLATE "C" NOT NULL,
    item BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    question TEXT COLLATE "C" NOT NULL,
    as_of BIGINT NOT NULL,
    note TEXT COLLATE "C" NOT NULL,
    added BIGINT NOT NULL,
    added_by TEXT COLLATE "C" NOT NULL,
    CONSTRAINT incident_item_pkey PRIMARY KEY (tenant, incident, item),
    CONSTRAINT incident_item_tenant_incident_fkey FOREIGN KEY(tenant, incident) REFERENCES incident (tenant, incident)
);
COMMENT ON TABLE incident_item IS 'Nodes, answers and notes of a case, in order; question holds name and parameters as JSON.';
