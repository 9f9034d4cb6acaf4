-- +goose Up
-- HMAC-SHA-256 of the record, all but last_used_at, under a key derived from the master key: null in a record of an older
-- program.
ALTER TABLE keys ADD COLUMN mac BYTEA;
-- The same of the organization's id, audit_length and audit_hash.
ALTER TABLE organizations ADD COLUMN audit_mac BYTEA;
-- When the records of an older program are sealed, or were; null before the first start of a program that seals.
ALTER TABLE master_key ADD COLUMN seal_at BIGINT;
-- Since when a record without its right MAC is refused; null before.
ALTER TABLE master_key ADD COLUMN sealed_at BIGINT;
