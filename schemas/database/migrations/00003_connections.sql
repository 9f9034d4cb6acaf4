-- +goose Up
CREATE TABLE connections (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    -- The upstream system: moysklad.
    connector       TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    -- The upstream's id and name of the account.
    account_id      TEXT    NOT NULL,
    account_name    TEXT    NOT NULL,
    -- verified, or failing after the upstream has refused the token.
    state           TEXT    NOT NULL,
    -- When the upstream last accepted the token.
    verified_at     BIGINT  NOT NULL,
    -- What the employee's role may do upstream.
    view_cost       INTEGER NOT NULL,
    view_money      INTEGER NOT NULL,
    write_documents INTEGER NOT NULL,
    -- Encrypted with AES-256-GCM and a key derived from the master key, and bound to organization, connection and purpose. The text is v1.KEYID.BASE64URL.
    sealed_token    TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL
);

CREATE INDEX connections_newest ON connections (organization_id, created_at, id);
