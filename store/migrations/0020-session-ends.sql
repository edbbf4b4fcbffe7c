-- When a session said that it is over; null while it goes on. And the id by which its program knows a
-- sub-agent: a hint for lineage, never a scope.
ALTER TABLE sessions ADD COLUMN ended_at TEXT;
ALTER TABLE sessions ADD COLUMN harness_agent_id TEXT;
-- Prompts that hooks have brought: every so many, there is a checkpoint.
ALTER TABLE sessions ADD COLUMN prompt_count INTEGER NOT NULL DEFAULT 0;
-- Who was active last in a project: where a parent is looked for that nobody names.
CREATE INDEX idx_sessions_active ON sessions (agent_id, project, updated_at);
