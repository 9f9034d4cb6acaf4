-- Questions that are asked on a schedule.

-- +goose Up
CREATE TABLE digests (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    question        TEXT    NOT NULL,
    -- A cron expression with five fields, in the time zone (an IANA name).
    cron            TEXT    NOT NULL,
    time_zone       TEXT    NOT NULL,
    -- The connection that the question is about. If empty, the organization's only one.
    connection_id   TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    -- The key that created the digest. The question is asked with its permissions.
    created_by      TEXT    NOT NULL,
    -- When the question is due next.
    next_at         BIGINT  NOT NULL,
    -- Only the process that holds the lease may ask. Each lease has a higher fence than the one before, and only the holder
    -- of the highest may record the answer. Between two attempts the lease is still in force, so that nobody asks too early.
    lease_until     BIGINT  NOT NULL DEFAULT 0,
    fence           BIGINT  NOT NULL DEFAULT 0,
    attempts        INTEGER NOT NULL DEFAULT 0,
    -- The last outcome: when it was, and the conversation with the answer or why there is none.
    last_at         BIGINT,
    last_session_id TEXT,
    last_problem    TEXT
);

CREATE INDEX digests_newest ON digests (organization_id, created_at, id);
CREATE INDEX digests_due ON digests (next_at);
