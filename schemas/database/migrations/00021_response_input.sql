-- +goose Up
-- The items that the request of a stored answer had, as a JSON array without secrets; null where an older program has kept it.
ALTER TABLE responses ADD COLUMN input TEXT;
