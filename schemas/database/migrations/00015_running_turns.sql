-- +goose Up
-- To count an organization's running questions. Few sessions have a turn that is held.
CREATE INDEX sessions_running ON sessions (organization_id, turn_until) WHERE turn_until > 0;
