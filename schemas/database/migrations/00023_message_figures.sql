-- +goose Up
-- The figures in an answer's text with their positions and origins, as a JSON array; null if there are none or an older
-- program has stored the message.
ALTER TABLE messages ADD COLUMN figures TEXT;
