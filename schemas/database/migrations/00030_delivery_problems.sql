-- +goose Up
-- The last problem of a delivery in Russian; null if an older program recorded it.
ALTER TABLE webhook_deliveries ADD COLUMN last_problem_ru TEXT;
