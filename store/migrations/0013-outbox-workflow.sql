-- A session's messages are closed by its workflow, also when the session itself has been deleted.
DROP INDEX idx_outbox_session;
CREATE INDEX idx_outbox_session ON outbox (workflow_id) WHERE kind = 'session';
