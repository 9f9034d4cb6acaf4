-- A write to the upstream: shown, confirmed by a person, created once.

-- +goose Up
CREATE TABLE drafts (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    connection_id   TEXT    NOT NULL,
    account_id      TEXT    NOT NULL,
    -- The conversation in which it was made, empty outside of one, and the key that asked.
    session_id      TEXT    NOT NULL,
    key_id          TEXT    NOT NULL,
    -- purchase_order, transfer, price_change or gateway.
    kind            TEXT    NOT NULL,
    -- What people type to confirm it: PO-7K3M9X.
    code            TEXT    NOT NULL,
    -- JSON: all that is shown and all that will be sent. Never changes.
    payload         TEXT    NOT NULL,
    -- The UUID that goes upstream as syncId, drawn when the draft is made. Never changes.
    sync_id         TEXT    NOT NULL,
    -- SHA-256 in hex over the canonical content.
    digest          TEXT    NOT NULL,
    -- draft, confirmed, created, cancelled or failed; a draft past expires_at counts as expired.
    state           TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    expires_at      BIGINT  NOT NULL,
    -- Who confirmed it, and when.
    confirmed_at    BIGINT,
    confirmed_by    TEXT,
    -- Whoever holds the lease creates; each lease has a higher fence, and only the highest may record an outcome.
    lease_until     BIGINT  NOT NULL DEFAULT 0,
    fence           BIGINT  NOT NULL DEFAULT 0,
    -- When a write left whose outcome is not known; 0 if there is none.
    sent_at         BIGINT  NOT NULL DEFAULT 0,
    -- When a confirmed draft is tried next.
    next_attempt_at BIGINT  NOT NULL DEFAULT 0,
    -- JSON of what came of it: the document, or the failure.
    document        TEXT,
    failure         TEXT,
    settled_at      BIGINT
);

CREATE INDEX drafts_newest ON drafts (organization_id, id);
CREATE INDEX drafts_of_session ON drafts (organization_id, session_id, state);
CREATE INDEX drafts_unsettled ON drafts (state, next_attempt_at);
