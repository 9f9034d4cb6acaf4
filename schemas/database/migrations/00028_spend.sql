-- +goose Up
-- What requests have cost, at the prices of their time. It belongs to the rows of model_usage.
CREATE TABLE model_costs (
    organization_id TEXT   NOT NULL,
    key_id          TEXT   NOT NULL,
    model           TEXT   NOT NULL,
    hour            BIGINT NOT NULL,
    currency        TEXT   NOT NULL,
    units           BIGINT NOT NULL,
    parts           BIGINT NOT NULL, -- and millionths of millionths of a unit
    PRIMARY KEY (organization_id, hour, key_id, model, currency)
);
ALTER TABLE model_usage ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0; -- of the prompt's tokens
ALTER TABLE model_usage ADD COLUMN estimated BIGINT NOT NULL DEFAULT 0; -- of the requests: the tokens were estimated
ALTER TABLE model_usage ADD COLUMN unpriced BIGINT NOT NULL DEFAULT 0; -- of the requests: the cost is unknown
ALTER TABLE model_usage ADD COLUMN fallbacks BIGINT NOT NULL DEFAULT 0; -- of the requests: answered by another route than the first
