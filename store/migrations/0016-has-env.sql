-- Whether values of context.env were given: they lie outside the store, and may be missing when they are needed.
ALTER TABLE subagent_sessions ADD COLUMN has_env INTEGER NOT NULL DEFAULT 0;
