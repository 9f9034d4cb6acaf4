-- +goose Up

-- Only one request at a time may add messages to a session; it holds the session's turn. turn_until says until when the turn
-- is held. turn_fence counts how often it was taken: only the request that took it last may add messages.
ALTER TABLE sessions ADD COLUMN turn_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN turn_fence BIGINT NOT NULL DEFAULT 0;

-- To delete sessions that have not been used for a long time.
CREATE INDEX sessions_updated ON sessions (updated_at);
