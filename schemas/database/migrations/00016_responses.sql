-- +goose Up
-- Answers of the Responses API. A request can continue from an answer by its id.
CREATE TABLE responses (
    organization_id TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    session_id      TEXT    NOT NULL,
    -- The number of messages that the session had after this answer. A request that continues from it begins after them.
    messages        INTEGER NOT NULL,
    -- The answer as it was sent, without the tools' results.
    body            TEXT    NOT NULL,
    created_at      BIGINT  NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, session_id) REFERENCES sessions (organization_id, id) ON DELETE CASCADE
);

CREATE INDEX responses_session ON responses (organization_id, session_id);
