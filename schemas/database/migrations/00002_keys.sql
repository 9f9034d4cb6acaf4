-- +goose Up
CREATE TABLE keys (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    -- The 12 characters after sk-org-, by which a key is found.
    public_id       TEXT    NOT NULL UNIQUE,
    -- HMAC-SHA-256 of the whole key under a key derived from the master key. The secret itself is kept nowhere.
    digest          BYTEA   NOT NULL,
    name            TEXT    NOT NULL,
    -- Separated by spaces.
    scopes          TEXT    NOT NULL,
    -- 1: the key belongs to all organizations; organization_id is where it is listed and audited.
    operator        INTEGER NOT NULL,
    created_at      BIGINT  NOT NULL,
    -- The id of the key that made it, or "command line".
    created_by      TEXT    NOT NULL,
    -- From this moment on the key is refused; rotation brings it forward.
    expires_at      BIGINT  NOT NULL,
    -- The lifetime it was made with; a rotated key's successor gets the same.
    expires_in_days INTEGER NOT NULL,
    revoked_at      BIGINT,
    -- Written in batches: up to 60 s late, and a crash loses the last 30 s.
    last_used_at    BIGINT
);

CREATE INDEX keys_newest ON keys (organization_id, created_at, id);

-- One row: proves that the master key given at start is the one that the digests and sealed tokens were made with.
CREATE TABLE master_key (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- Derived from the master key, and says nothing about it.
    fingerprint TEXT    NOT NULL
);
