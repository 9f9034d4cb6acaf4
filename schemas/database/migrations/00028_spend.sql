-- +goose Up
-- The cost of the requests in the same rows of model_usage, at the prices when they were made.
CREATE TABLE model_costs (
    organization_id TEXT   NOT NULL,
    key_id          TEXT   NOT NULL,
    model           TEXT   NOT NULL,
    hour            BIGINT NOT NULL,
    currency        TEXT   NOT NULL,
    units           BIGINT NOT NULL,
    parts           BIGINT NOT NULL, -- the fraction, in units of 10^-12
    PRIMARY KEY (organization_id, hour, key_id, model, currency)
);
ALTER TABLE model_usage ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0; -- prompt tokens that the provider read from its cache
ALTER TABLE model_usage ADD COLUMN estimated BIGINT NOT NULL DEFAULT 0; -- requests whose tokens were estimated
ALTER TABLE model_usage ADD COLUMN unpriced BIGINT NOT NULL DEFAULT 0; -- requests whose cost is unknown
ALTER TABLE model_usage ADD COLUMN fallbacks BIGINT NOT NULL DEFAULT 0; -- requests that were not answered by the first route
