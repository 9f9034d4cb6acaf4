-- +goose Up
-- The length of the audit when its signed head was last sent to the organization's webhooks; null if it was never sent.
ALTER TABLE organizations ADD COLUMN audit_told BIGINT;
