-- Writes to the upstream. Each is shown, confirmed by a person, and carried out exactly once.

-- +goose Up
CREATE TABLE drafts (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    connection_id   TEXT    NOT NULL,
    account_id      TEXT    NOT NULL,
    -- The conversation in which the draft was made, or empty, and the key that made it.
    session_id      TEXT    NOT NULL,
    key_id          TEXT    NOT NULL,
    -- purchase_order, transfer, price_change or gateway.
    kind            TEXT    NOT NULL,
    -- The code that people type to confirm it, such as PO-7K3M9X.
    code            TEXT    NOT NULL,
    -- Everything that is shown and everything that will be sent, as JSON. Never changes.
    payload         TEXT    NOT NULL,
    -- A random UUID, sent to the upstream as syncId. Never changes.
    sync_id         TEXT    NOT NULL,
    -- SHA-256 of the canonical content, in hex.
    digest          TEXT    NOT NULL,
    -- draft, confirmed, created, cancelled or failed. A row in state draft counts as expired after expires_at.
    state           TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    expires_at      BIGINT  NOT NULL,
    -- When it was confirmed, and by which key.
    confirmed_at    BIGINT,
    confirmed_by    TEXT,
    -- Only the process that holds the lease may write to the upstream. Each lease has a higher fence than the one before, and
    -- only the holder of the highest may record the outcome.
    lease_until     BIGINT  NOT NULL DEFAULT 0,
    fence           BIGINT  NOT NULL DEFAULT 0,
    -- When a write was sent whose outcome is unknown; 0 if there is no such write.
    sent_at         BIGINT  NOT NULL DEFAULT 0,
    -- When the next attempt to carry out a confirmed draft is due.
    next_attempt_at BIGINT  NOT NULL DEFAULT 0,
    -- The outcome as JSON: the created document, or the failure.
    document        TEXT,
    failure         TEXT,
    settled_at      BIGINT
);

CREATE INDEX drafts_newest ON drafts (organization_id, id);
CREATE INDEX drafts_of_session ON drafts (organization_id, session_id, state);
CREATE INDEX drafts_unsettled ON drafts (state, next_attempt_at);
