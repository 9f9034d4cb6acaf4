-- +goose Up
-- Records without a MAC are accepted by a person only (kopeck key seal), whatever the database says.
ALTER TABLE master_key DROP COLUMN seal_at;
ALTER TABLE master_key DROP COLUMN sealed_at;
