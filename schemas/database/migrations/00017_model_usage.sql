-- +goose Up
-- The usage of pass-through models, by key and hour. All replicas add to the same row.
CREATE TABLE model_usage (
    organization_id   TEXT   NOT NULL,
    key_id            TEXT   NOT NULL,
    model             TEXT   NOT NULL, -- PROVIDER/NAME
    hour              BIGINT NOT NULL, -- when the hour began, in microseconds since 1970
    requests          BIGINT NOT NULL,
    failed            BIGINT NOT NULL, -- requests that were answered with an error
    uncounted         BIGINT NOT NULL, -- requests whose tokens the provider did not report; the sums do not include them
    prompt_tokens     BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    PRIMARY KEY (organization_id, hour, key_id, model)
);
