-- +goose Up

-- Whose turn a session has: until when it is held, and how often it has been taken. Only who took it last may add messages.
ALTER TABLE sessions ADD COLUMN turn_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN turn_fence BIGINT NOT NULL DEFAULT 0;

-- For deleting what has not been used for long.
CREATE INDEX sessions_updated ON sessions (updated_at);
