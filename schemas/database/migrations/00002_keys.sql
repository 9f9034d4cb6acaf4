-- +goose Up
CREATE TABLE keys (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    -- The 12 characters after sk-org-. Keys are looked up by them.
    public_id       TEXT    NOT NULL UNIQUE,
    -- HMAC-SHA-256 of the whole API key, with a key derived from the master key. The API key itself is not stored.
    digest          BYTEA   NOT NULL,
    name            TEXT    NOT NULL,
    -- Separated by spaces.
    scopes          TEXT    NOT NULL,
    -- 1: the key may act for all organizations. organization_id says which one lists and audits it.
    operator        INTEGER NOT NULL,
    created_at      BIGINT  NOT NULL,
    -- The id of the key that created it, or "command line".
    created_by      TEXT    NOT NULL,
    -- The key is refused from this time on. Rotation can move it to an earlier time.
    expires_at      BIGINT  NOT NULL,
    -- The lifetime at creation. The successor of a rotated key gets the same.
    expires_in_days INTEGER NOT NULL,
    revoked_at      BIGINT,
    -- Written in batches, so up to 60 s late. A crash loses the last 30 s.
    last_used_at    BIGINT
);

CREATE INDEX keys_newest ON keys (organization_id, created_at, id);

-- One row, which shows whether the service was started with the master key that the digests and sealed tokens were made with.
CREATE TABLE master_key (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- Derived from the master key, without revealing it.
    fingerprint TEXT    NOT NULL
);
