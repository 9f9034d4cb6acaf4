-- +goose Up
-- The part of units and parts that replicas had reserved for running and coming requests, and not used, when they last wrote.
ALTER TABLE limit_uses ADD COLUMN reserved_units BIGINT NOT NULL DEFAULT 0;
ALTER TABLE limit_uses ADD COLUMN reserved_parts BIGINT NOT NULL DEFAULT 0; -- the fraction, in units of 10^-12
