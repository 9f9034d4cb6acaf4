-- +goose Up
-- The limits on model requests of a key, or of all keys of an organization together. Without a row there is no limit.
CREATE TABLE model_limits (
    subject         TEXT   NOT NULL PRIMARY KEY, -- the id of a key or of an organization
    organization_id TEXT   NOT NULL,             -- the organization that the subject belongs to or is
    counted_as      TEXT   NOT NULL,             -- usage is counted under this id: the successor of a rotated key continues the old key's count
    limits          TEXT   NOT NULL              -- JSON
);

-- How much of each limit has been used in the current minute, day or month. A replica reserves a share, lets requests use it,
-- and returns what is left.
CREATE TABLE limit_uses (
    subject TEXT   NOT NULL,
    rule    TEXT   NOT NULL, -- such as tokens_per_day; for money followed by the currency
    since   BIGINT NOT NULL, -- when the period began, in microseconds since 1970; 0 for a limit without periods
    units   BIGINT NOT NULL, -- requests, tokens or money
    parts   BIGINT NOT NULL, -- the fraction, in units of 10^-12
    PRIMARY KEY (subject, rule)
);
