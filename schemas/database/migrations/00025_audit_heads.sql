-- +goose Up
-- How long the audit was when its signed end was last sent to the organization's webhooks; null before.
ALTER TABLE organizations ADD COLUMN audit_told BIGINT;
