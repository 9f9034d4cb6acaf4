-- +goose Up
-- HMAC-SHA-256 of the record without last_used_at, with a key derived from the master key; null if an older program has
-- stored the record.
ALTER TABLE keys ADD COLUMN mac BYTEA;
-- HMAC-SHA-256 of the organization's id, audit_length and audit_hash, with the same key.
ALTER TABLE organizations ADD COLUMN audit_mac BYTEA;
-- No longer used.
ALTER TABLE master_key ADD COLUMN seal_at BIGINT;
-- No longer used.
ALTER TABLE master_key ADD COLUMN sealed_at BIGINT;
