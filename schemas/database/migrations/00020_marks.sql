-- +goose Up
-- What identifies the session of a client that sends no session id: digests of messages, the ids of the client's tool calls,
-- and the codes of drafts. This table replaces sessions.history_digest, which is no longer written.
CREATE TABLE marks (
    organization_id TEXT    NOT NULL,
    session_id      TEXT    NOT NULL,
    -- The position of the message.
    position        INTEGER NOT NULL,
    -- A letter for the kind, and a digest.
    mark            TEXT    NOT NULL,
    -- The key of the message's request. Only requests with this key can find the session by the mark.
    key_id          TEXT    NOT NULL,
    PRIMARY KEY (organization_id, session_id, position, mark),
    FOREIGN KEY (organization_id, session_id) REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);

CREATE INDEX marks_found ON marks (organization_id, key_id, mark, session_id);

-- The number of results in the session up to and including this message; null if an older program has written it.
ALTER TABLE messages ADD COLUMN results_so_far INTEGER;
