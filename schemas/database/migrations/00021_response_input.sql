-- +goose Up
-- The input items of a stored answer's request, as a JSON array without secrets; null if an older program has stored it.
ALTER TABLE responses ADD COLUMN input TEXT;
