-- +goose Up
-- How much each key has asked of the models that are passed through, by the hour. Replicas add to one row.
CREATE TABLE model_usage (
    organization_id   TEXT   NOT NULL,
    key_id            TEXT   NOT NULL,
    model             TEXT   NOT NULL, -- PROVIDER/NAME
    hour              BIGINT NOT NULL, -- its beginning, in microseconds since 1970
    requests          BIGINT NOT NULL,
    failed            BIGINT NOT NULL, -- of them: answered with an error
    uncounted         BIGINT NOT NULL, -- of them: the provider did not say how many tokens, and they are not in the sums
    prompt_tokens     BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    PRIMARY KEY (organization_id, hour, key_id, model)
);
