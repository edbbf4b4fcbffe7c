-- Which invocation stands still for which: while it does, its slot is free for others.
CREATE TABLE waits (
  wait_id           TEXT NOT NULL,
  waiter_id         TEXT NOT NULL REFERENCES subagent_sessions (id) ON DELETE CASCADE,
  invocation_id     TEXT NOT NULL REFERENCES subagent_sessions (id) ON DELETE CASCADE,
  until             TEXT NOT NULL CHECK (until IN ('any', 'all')),
  PRIMARY KEY (wait_id, invocation_id)
) WITHOUT ROWID;
CREATE INDEX idx_waits_waiter ON waits (waiter_id);
CREATE INDEX idx_waits_invocation ON waits (invocation_id);
