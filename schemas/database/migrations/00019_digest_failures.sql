-- The number of times in a row that a digest failed, and when it was stopped because of that.

-- +goose Up
ALTER TABLE digests ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE digests ADD COLUMN stopped_at BIGINT;
