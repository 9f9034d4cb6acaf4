-- +goose Up
CREATE TABLE sessions (
    id              TEXT   NOT NULL PRIMARY KEY,
    organization_id TEXT   NOT NULL REFERENCES organizations (id),
    -- The key that started the conversation.
    key_id          TEXT   NOT NULL,
    title           TEXT   NOT NULL,
    -- The connection and account that the conversation is about; null until one is chosen. There is no foreign key, because
    -- conversations remain when their connection is deleted.
    connection_id   TEXT,
    account_id      TEXT,
    -- Digest of the messages so far. It identifies the conversation of a client that sends no session id.
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
    -- The tool calls in an assistant's message, as a JSON array; otherwise null.
    tool_calls      TEXT,
    -- The tool call that a tool's message answers; otherwise null.
    tool_call_id    TEXT,
    -- The tool results that the message's figures come from, as a JSON array; otherwise null.
    results         TEXT,
    created_at      BIGINT  NOT NULL,
    PRIMARY KEY (organization_id, session_id, position),
    FOREIGN KEY (organization_id, session_id) REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);
