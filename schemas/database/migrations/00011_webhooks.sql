-- Addresses of other systems that are told when something happens, and what they are told.

-- +goose Up
CREATE TABLE webhooks (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    url             TEXT    NOT NULL,
    -- Types of events, separated by spaces.
    events          TEXT    NOT NULL,
    -- What messages are signed with; sealed like an upstream token.
    sealed_secret   TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    created_by      TEXT    NOT NULL,
    -- Set when the address said that it is gone: nothing more is sent.
    disabled_at     BIGINT,
    -- Up to which position the organization's audit has been turned into deliveries.
    position        BIGINT  NOT NULL
);

CREATE INDEX webhooks_newest ON webhooks (organization_id, created_at, id);

CREATE TABLE webhook_deliveries (
    -- Also the message's webhook-id: the same in every attempt and replay.
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL,
    webhook_id      TEXT    NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event           TEXT    NOT NULL,
    -- The message, byte for byte as it is signed and sent.
    body            TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    -- pending, delivered or failed.
    state           TEXT    NOT NULL,
    attempts        INTEGER NOT NULL DEFAULT 0,
    next_attempt_at BIGINT  NOT NULL,
    -- Whoever holds the lease sends.
    lease_until     BIGINT  NOT NULL DEFAULT 0,
    -- What came of the last attempt: the HTTP status, or why there was none.
    last_status     INTEGER,
    last_problem    TEXT,
    settled_at      BIGINT
);

CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (state, next_attempt_at);
