-- Questions that are asked on a schedule.

-- +goose Up
CREATE TABLE digests (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    question        TEXT    NOT NULL,
    -- Five fields of cron, read in the time zone (a name of the IANA database).
    cron            TEXT    NOT NULL,
    time_zone       TEXT    NOT NULL,
    -- Which connection the question is about; empty is the organization's only one.
    connection_id   TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    -- The key that made it, under whose rights it is asked.
    created_by      TEXT    NOT NULL,
    -- When it is due.
    next_at         BIGINT  NOT NULL,
    -- Whoever holds the lease asks; each lease has a higher fence, and only the highest may record the answer. Between
    -- the attempts at one answer the lease keeps everyone away.
    lease_until     BIGINT  NOT NULL DEFAULT 0,
    fence           BIGINT  NOT NULL DEFAULT 0,
    attempts        INTEGER NOT NULL DEFAULT 0,
    -- What came of it last time: in which conversation the answer stands, or why there is none.
    last_at         BIGINT,
    last_session_id TEXT,
    last_problem    TEXT
);

CREATE INDEX digests_newest ON digests (organization_id, created_at, id);
CREATE INDEX digests_due ON digests (next_at);
