-- Addresses of other systems that are notified of events, and the notifications.

-- +goose Up
CREATE TABLE webhooks (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    url             TEXT    NOT NULL,
    -- Types of events, separated by spaces.
    events          TEXT    NOT NULL,
    -- The key that signs messages, encrypted like an upstream token.
    sealed_secret   TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    created_by      TEXT    NOT NULL,
    -- When the address answered that it is gone. Nothing is sent to it any more.
    disabled_at     BIGINT,
    -- The last audit position for which deliveries have been created.
    position        BIGINT  NOT NULL
);

CREATE INDEX webhooks_newest ON webhooks (organization_id, created_at, id);

CREATE TABLE webhook_deliveries (
    -- Also sent as the message's webhook-id, which is the same in every attempt and replay.
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL,
    webhook_id      TEXT    NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event           TEXT    NOT NULL,
    -- The message exactly as it is signed and sent.
    body            TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    -- pending, delivered or failed.
    state           TEXT    NOT NULL,
    attempts        INTEGER NOT NULL DEFAULT 0,
    next_attempt_at BIGINT  NOT NULL,
    -- Only the process that holds the lease may send.
    lease_until     BIGINT  NOT NULL DEFAULT 0,
    -- The outcome of the last attempt: the HTTP status, or why there was none.
    last_status     INTEGER,
    last_problem    TEXT,
    settled_at      BIGINT
);

CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (state, next_attempt_at);
