-- What must reach the engine. A row goes when the store has seen its effect, not when it was sent.
CREATE TABLE outbox (
  id                   INTEGER PRIMARY KEY AUTOINCREMENT,
  workflow_id          TEXT NOT NULL,
  kind                 TEXT NOT NULL CHECK (kind IN ('start', 'poke', 'cancel', 'session')),
  target_invocation_id TEXT,     -- whose workflow is addressed …
  target_session_id    INTEGER,  -- … or which external session's
  child_invocation_id  TEXT,     -- set where the effect is that this invocation's workflow begins
  state                TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent')),
  attempts             INTEGER NOT NULL DEFAULT 0,
  created_at           TEXT NOT NULL,
  due_at               TEXT NOT NULL
);
CREATE INDEX idx_outbox_due ON outbox (state, due_at);
CREATE INDEX idx_outbox_target ON outbox (target_invocation_id);
CREATE INDEX idx_outbox_session ON outbox (target_session_id) WHERE target_session_id IS NOT NULL;
CREATE INDEX idx_outbox_child ON outbox (child_invocation_id) WHERE child_invocation_id IS NOT NULL;
