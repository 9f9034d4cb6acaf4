-- +goose Up
-- The pace of each upstream account, kept by all replicas together; only on PostgreSQL. One process has it in memory.
CREATE TABLE pace (
    -- The upstream's id of the set of books, or "token " and a digest while it is not known yet.
    account_id TEXT   NOT NULL PRIMARY KEY,
    -- Changes with every writing: whoever writes names the version that was read.
    version    BIGINT NOT NULL,
    -- By the database's clock. A clock behind it was set back, and the ledger's moments are moved with it.
    written_at BIGINT NOT NULL,
    -- JSON: the calls that some window still holds or that are in flight, and what the upstream has answered.
    ledger     TEXT   NOT NULL
);
