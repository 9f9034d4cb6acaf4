-- +goose Up
-- The recent calls to each upstream account, shared by all replicas. Only used on PostgreSQL: a single process has them in memory.
CREATE TABLE pace (
    -- The upstream's id of the account, or "token " and the token's digest while the id is unknown.
    account_id TEXT   NOT NULL PRIMARY KEY,
    -- Changes with every update. An update succeeds only if it names the version that it has read.
    version    BIGINT NOT NULL,
    -- By the database's clock. If the clock is now earlier than this, it was set back, and the times in the ledger are moved too.
    written_at BIGINT NOT NULL,
    -- As JSON: the calls in flight, those that still count towards a rate limit, and the limits that the upstream has reported.
    ledger     TEXT   NOT NULL
);
