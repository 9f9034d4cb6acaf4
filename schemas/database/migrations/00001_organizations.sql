-- In all tables, times are microseconds since 1970 UTC, ids are UUIDs of version 7 as text, and booleans are 0 and 1.

-- +goose Up
CREATE TABLE organizations (
    id           TEXT   NOT NULL PRIMARY KEY,
    -- The display name; need not be unique.
    name         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    -- The number of rows in the organization's audit. Appending locks this row, so that the hash chain cannot fork.
    audit_length BIGINT NOT NULL,
    -- The hash of the last audit row, empty if there is none. It reveals rows that were removed from the end.
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
    -- The change, such as "key.revoked".
    action          TEXT   NOT NULL,
    -- The id of the changed object.
    object          TEXT   NOT NULL,
    -- What changed, as a JSON object without secrets.
    details         TEXT   NOT NULL,
    -- SHA-256 over the previous row's hash and this row's content.
    hash            BYTEA  NOT NULL,
    PRIMARY KEY (organization_id, position)
);
