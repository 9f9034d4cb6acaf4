-- +goose Up
-- Answers given by the Responses API, which go on from one another by their ids.
CREATE TABLE responses (
    organization_id TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    session_id      TEXT    NOT NULL,
    -- How many messages the session had after the answer: what goes on from here has these before it.
    messages        INTEGER NOT NULL,
    -- The answer as it was given, without the tools' results.
    body            TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, session_id) REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);

CREATE INDEX responses_session ON responses (organization_id, session_id);
