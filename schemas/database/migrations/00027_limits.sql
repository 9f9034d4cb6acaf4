-- +goose Up
-- What a key, or all keys of an organization together, may ask of models. No row is no bound.
CREATE TABLE model_limits (
    subject         TEXT   NOT NULL PRIMARY KEY, -- the id of a key or of an organization
    organization_id TEXT   NOT NULL,             -- whose it is
    counted_as      TEXT   NOT NULL,             -- the subject whose use it adds to: a key that was rotated goes on with its predecessor's
    limits          TEXT   NOT NULL              -- JSON
);

-- How much of each limit has been taken in its present minute, day or month. A replica takes a share, lets requests use it,
-- and gives back what is left.
CREATE TABLE limit_uses (
    subject TEXT   NOT NULL,
    rule    TEXT   NOT NULL, -- such as tokens_per_day; of money followed by the currency
    since   BIGINT NOT NULL, -- when the period began, in microseconds since 1970; 0 where there is one period
    units   BIGINT NOT NULL, -- requests, tokens or money
    parts   BIGINT NOT NULL, -- and millionths of millionths of one
    PRIMARY KEY (subject, rule)
);
