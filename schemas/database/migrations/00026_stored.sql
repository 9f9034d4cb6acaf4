-- +goose Up
-- The approximate size in bytes of a session with its messages and answers, and of a draft with its payload; 0 if an older
-- program has stored it.
ALTER TABLE sessions ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE drafts ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;

CREATE INDEX sessions_stored ON sessions (organization_id, bytes);
CREATE INDEX drafts_stored ON drafts (organization_id, bytes);
