-- +goose Up
CREATE TABLE connections (
    id              TEXT    NOT NULL PRIMARY KEY,
    organization_id TEXT    NOT NULL REFERENCES organizations (id),
    -- The upstream system: moysklad.
    connector       TEXT    NOT NULL,
    name            TEXT    NOT NULL,
    -- The upstream's own id of the set of books, and its name there.
    account_id      TEXT    NOT NULL,
    account_name    TEXT    NOT NULL,
    -- verified, or failing since the upstream refused the token.
    state           TEXT    NOT NULL,
    -- When the upstream last accepted the token.
    verified_at     BIGINT  NOT NULL,
    -- What the employee's role may do upstream.
    view_cost       INTEGER NOT NULL,
    view_money      INTEGER NOT NULL,
    write_documents INTEGER NOT NULL,
    -- AES-256-GCM under the master key, bound to organization, connection and purpose; as text v1.KEYID.BASE64URL.
    sealed_token    TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL
);

CREATE INDEX connections_newest ON connections (organization_id, created_at, id);
