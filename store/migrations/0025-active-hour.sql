-- Who was active last in a project is looked for by the hour, and within it by the time: an index on the time
-- itself would be written with every turn.
ALTER TABLE sessions ADD COLUMN active_hour TEXT NOT NULL DEFAULT '';
UPDATE sessions SET active_hour = substr(updated_at, 1, 13);
DROP INDEX idx_sessions_active;
CREATE INDEX idx_sessions_active ON sessions (agent_id, project, active_hour);
CREATE TRIGGER session_begun AFTER INSERT ON sessions
BEGIN
  UPDATE sessions SET active_hour = substr(new.updated_at, 1, 13) WHERE id = new.id;
END;
CREATE TRIGGER session_active AFTER UPDATE OF updated_at ON sessions
WHEN new.active_hour <> substr(new.updated_at, 1, 13)
BEGIN
  UPDATE sessions SET active_hour = substr(new.updated_at, 1, 13) WHERE id = new.id;
END;
