-- +goose Up
-- What a session takes with its messages and answers, and a draft with what it will send: about as many bytes. 0 is for what
-- an older program has kept.
ALTER TABLE sessions ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE drafts ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;

CREATE INDEX sessions_stored ON sessions (organization_id, bytes);
CREATE INDEX drafts_stored ON drafts (organization_id, bytes);
