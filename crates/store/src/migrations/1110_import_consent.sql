-- How an import reads the values of its consent column, and which it has found so far, as JSON; empty until
-- there is anything to say.
ALTER TABLE imports ADD COLUMN {postgres IF NOT EXISTS} consent TEXT NOT NULL DEFAULT '';
