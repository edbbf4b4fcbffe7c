-- Callbacks, in the order in which the children ended. One per ending, kept until delivered and after.
CREATE TABLE mailbox (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  session_id    INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  invocation_id TEXT NOT NULL UNIQUE REFERENCES subagent_sessions (id) ON DELETE CASCADE,
  state         TEXT NOT NULL CHECK (state IN ('queued', 'handed', 'delivered', 'undelivered')),
  handed_to     TEXT,     -- the invocation whose run holds it
  created_at    TEXT NOT NULL,
  delivered_at  TEXT
);
CREATE INDEX idx_mailbox_open ON mailbox (session_id, seq) WHERE state <> 'delivered';
