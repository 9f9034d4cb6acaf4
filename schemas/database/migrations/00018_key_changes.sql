-- +goose Up
-- How many changes there have been to keys and connections: each adds one in its own transaction. Whoever remembers what it
-- has read of them looks here once a second instead of reading it again. Without a row there have been none.
CREATE TABLE key_changes (
    id     INTEGER NOT NULL PRIMARY KEY, -- 1: there is one row
    number BIGINT  NOT NULL
);
