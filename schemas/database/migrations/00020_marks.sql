-- +goose Up
-- By what a client may show that it knows a session: digests of what was said in it, the ids of calls of the client's
-- tools, the codes of drafts. sessions.history_digest, which this replaces, is written no more.
CREATE TABLE marks (
    organization_id TEXT    NOT NULL,
    session_id      TEXT    NOT NULL,
    -- Of the message.
    position        INTEGER NOT NULL,
    -- A letter for what it is of, and a digest.
    mark            TEXT    NOT NULL,
    -- The key whose request the message belongs to; no other finds it.
    key_id          TEXT    NOT NULL,
    PRIMARY KEY (organization_id, session_id, position, mark),
    FOREIGN KEY (organization_id, session_id) REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);

CREATE INDEX marks_found ON marks (organization_id, key_id, mark, session_id);

-- How many results the session has up to a message and with it; null where an older program has written the message.
ALTER TABLE messages ADD COLUMN results_so_far INTEGER;
