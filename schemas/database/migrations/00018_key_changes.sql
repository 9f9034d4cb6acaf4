-- +goose Up
-- The number of changes to keys, connections and limits. Each change increments it in its own transaction. Replicas that cache
-- these tables read this number once a second instead of reading the tables again. Without a row there have been no changes.
CREATE TABLE key_changes (
    id     INTEGER NOT NULL PRIMARY KEY, -- always 1
    number BIGINT  NOT NULL
);
