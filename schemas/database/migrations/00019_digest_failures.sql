-- How many times in a row a digest was not answered, and when it stopped because of that: it is not asked any more.

-- +goose Up
ALTER TABLE digests ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE digests ADD COLUMN stopped_at BIGINT;
