-- The number of the last event that an erasure examines; NULL until the events from before the deletion have numbers.
ALTER TABLE erasures ADD COLUMN {postgres IF NOT EXISTS} until BIGINT;
