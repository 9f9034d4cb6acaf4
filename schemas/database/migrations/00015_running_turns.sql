-- +goose Up
-- The turns that are held, of which there are few: for counting an organization's running questions.
CREATE INDEX sessions_running ON sessions (organization_id, turn_until) WHERE turn_until > 0;
