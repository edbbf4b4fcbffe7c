-- What accepting writes: a session has its hour at once, instead of a second write of its row …
DROP TRIGGER session_begun;
CREATE TRIGGER session_begun AFTER INSERT ON sessions
WHEN new.active_hour = ''
BEGIN
  UPDATE sessions SET active_hour = substr(new.updated_at, 1, 13) WHERE id = new.id;
END;
-- … and a message that goes with a child is looked for by the child alone.
DROP INDEX idx_outbox_target;
CREATE INDEX idx_outbox_target ON outbox (target_invocation_id) WHERE child_invocation_id IS NULL;
