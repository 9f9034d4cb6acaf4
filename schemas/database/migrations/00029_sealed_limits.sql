-- +goose Up
-- Over the row, under the master key; null in rows of an older program, which are refused until a person seals them.
ALTER TABLE model_limits ADD COLUMN mac BYTEA;

-- What limits were set last, which is asked with each look at them.
CREATE INDEX audit_limits ON audit (object, position) WHERE action = 'limits.set';
