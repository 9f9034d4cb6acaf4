-- Answers to requests with an Idempotency-Key, kept for 24 hours.

-- +goose Up
CREATE TABLE idempotency (
    organization_id TEXT    NOT NULL,
    -- The API key of the request. The same idempotency key with another API key is another request.
    key_id          TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    -- SHA-256 of the request's method, path and body.
    request_hash    BYTEA   NOT NULL,
    -- When the request began.
    created_at      BIGINT  NOT NULL,
    -- The answer's HTTP status and body; null while the request runs. API keys are removed from the body.
    status          INTEGER,
    body            BYTEA,
    PRIMARY KEY (organization_id, key_id, idempotency_key)
);

CREATE INDEX idempotency_age ON idempotency (organization_id, created_at);
