-- Times everywhere are microseconds since 1970 UTC, ids are UUIDs of version 7 as text, truth values are 0 and 1.

-- +goose Up
CREATE TABLE organizations (
    id           TEXT   NOT NULL PRIMARY KEY,
    -- What people call the tenant; need not be unique.
    name         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    -- How many rows the organization's audit has. Whoever appends locks this row, so that the chain cannot fork.
    audit_length BIGINT NOT NULL,
    -- The hash of the last of them, empty before the first: cutting off the chain's end is seen too.
    audit_hash   BYTEA  NOT NULL
);

-- Who did what to which object, append-only. Each row's hash covers the row before it.
CREATE TABLE audit (
    organization_id TEXT   NOT NULL REFERENCES organizations (id),
    -- 1, 2, 3 … without gaps.
    position        BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    -- The id of the key that acted, or "command line".
    actor           TEXT   NOT NULL,
    -- What was done, such as "key.revoked".
    action          TEXT   NOT NULL,
    -- The id of what it was done to.
    object          TEXT   NOT NULL,
    -- JSON object: what changed. Never a secret.
    details         TEXT   NOT NULL,
    -- SHA-256 over the previous row's hash and this row's content.
    hash            BYTEA  NOT NULL,
    PRIMARY KEY (organization_id, position)
);
