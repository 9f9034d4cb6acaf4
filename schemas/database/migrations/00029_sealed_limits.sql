-- +goose Up
-- MAC of the row with a key derived from the master key; null in rows of an older program, which are refused until a person
-- accepts them.
ALTER TABLE model_limits ADD COLUMN mac BYTEA;

-- To find the limits that were set last, whenever the limits are read.
CREATE INDEX audit_limits ON audit (object, position) WHERE action = 'limits.set';
