-- +goose Up
CREATE TABLE sessions (
    id              TEXT   NOT NULL PRIMARY KEY,
    organization_id TEXT   NOT NULL REFERENCES organizations (id),
    -- The key whose request opened the conversation.
    key_id          TEXT   NOT NULL,
    title           TEXT   NOT NULL,
    -- Which connection and account the conversation is about; null until one is chosen. No foreign key: a conversation
    -- outlives the connection it used.
    connection_id   TEXT,
    account_id      TEXT,
    -- Digest of the messages so far, by which a client that sends no session id is found again.
    history_digest  TEXT   NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    UNIQUE (organization_id, id)
);

CREATE INDEX sessions_newest ON sessions (organization_id, created_at, id);
CREATE INDEX sessions_history ON sessions (organization_id, key_id, history_digest);

CREATE TABLE messages (
    organization_id TEXT    NOT NULL,
    session_id      TEXT    NOT NULL,
    -- 1, 2, 3 … in the order of the conversation.
    position        INTEGER NOT NULL,
    -- system, user, assistant or tool.
    role            TEXT    NOT NULL,
    content         TEXT    NOT NULL,
    -- JSON array of the calls that an assistant's message asks for, or null.
    tool_calls      TEXT,
    -- Which call a tool's message answers, or null.
    tool_call_id    TEXT,
    -- JSON array of the tool results that the message's figures come from, or null.
    results         TEXT,
    created_at      BIGINT  NOT NULL,
    PRIMARY KEY (organization_id, session_id, position),
    FOREIGN KEY (organization_id, session_id) REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);
