-- +goose Up
-- The figures of an answer's text with their places and origins, as a JSON array; null where it has none or an older
-- program has kept it.
ALTER TABLE messages ADD COLUMN figures TEXT;
