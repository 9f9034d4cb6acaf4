-- +goose Up
-- Who writes model_usage and model_costs. A batch of additions that was written is not added again, even if the answer to its COMMIT was
-- lost.
CREATE TABLE usage_writers (
    id         TEXT   PRIMARY KEY, -- a store in a process
    batch      BIGINT NOT NULL,    -- the number of its last batch
    written_at BIGINT NOT NULL
);
